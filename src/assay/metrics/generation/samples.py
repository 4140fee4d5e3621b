"""Base of metrics that compare two samples: rows are images, one column says which are real and which are generated."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, cast, runtime_checkable

import numpy as np

from assay.core.arrays import Array, ArrayLike, Floats, as_float, describe, is_numpy, kind_of, like, namespace, to_host
from assay.core.errors import InputError, ParameterError, arg
from assay.core.ingestion import ingest
from assay.core.inputs import Inputs, memo
from assay.core.metric import Metric
from assay.core.monoids import Moments, Rows
from assay.core.outcomes import Outcome
from assay.core.statistic import Statistic
from assay.core.takes import Takes
from assay.data.pictures import as_pictures
from assay.kernels import products
from assay.ops import native

TAKES = (
    "real: features or pictures of the real sample", "fake: features or pictures of the generated sample",
    "features: features of both samples, one below the other", "sample: which rows are real (0) and which are fake (1)",
)  # fmt: skip
REAL, FAKE = 0, 1
BLOCK = 1024  # rows that are centred and multiplied at once
_ODD = np.uint64(0x9E3779B97F4A7C15)


@runtime_checkable
class Extractor(Protocol):
    """What turns pictures into features: any callable that says who it is.

    Called with pictures (a list or an array of them) it gives an array (pictures, features). ``name``, ``hash`` of its weights and
    ``resize`` mode stand in every result: numbers of different extractors must not be compared.
    """

    name: str
    hash: str
    resize: str

    def __call__(self, pictures: ArrayLike) -> ArrayLike:
        """Features (pictures, columns)."""
        ...


def tag(extractor: Extractor) -> str:
    """``inception/6726825d/tf1-299``: what results say about where their features come from."""
    parts = (str(getattr(extractor, part)) for part in ("name", "hash", "resize"))
    return "/".join(part.replace("/", "-").replace(" ", "-") for part in parts)


LARGEST = 1e50  # of a feature: the sixth power of distances must fit in a number


@dataclass(frozen=True, kw_only=True)
class SampleMetric(Metric[Any]):
    """A distance of a generated sample from a real one.

    Called with ``real`` and ``fake``, or with ``features`` of all rows and ``sample``, which says for each whether it is real (0) or
    fake (1). The state of one sample alone is fine: states add up. ``extractor`` turns pictures into features, and its name, hash and
    resize mode are part of every signature; where features come as they are, it may be such a text.
    """

    takes = Takes((), ("real", "fake", "features", "sample"))
    sizes: ClassVar[tuple[str, str]] = ("real rows", "fake rows")

    network: ClassVar[Any] = None  # of an instance, not a parameter: what `extractor` was given as

    extractor: Any = None

    def __post_init__(self) -> None:
        """Keep the text of an extractor as the parameter: states and signatures hold plain data."""
        given: Any = self.extractor
        if given is not None and not isinstance(given, str):
            if not (callable(given) and all(hasattr(given, part) for part in ("name", "hash", "resize"))):
                raise ParameterError(
                    self.name,
                    "extractor",
                    f"must be callable and have a name, a hash and a resize mode, got {given!r}",
                    "assay.torch.inception(path) is one; assay.metrics.generation.extractors.Named makes one from a function.",
                )
            object.__setattr__(self, "network", given)
            object.__setattr__(self, "extractor", tag(cast(Any, given)))
        super().__post_init__()

    # ---- inputs

    def inputs(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Inputs:
        """One table of all rows; pictures become features here."""
        bound = self.takes.bind(self.name, args, named)
        if not bound:
            raise InputError(
                self.name,
                "",
                "the two samples are missing",
                f"Give {arg('real')} and {arg('fake')}, or {arg('features')} and {arg('sample')}.",
            )
        if "features" in bound or "sample" in bound:
            return self._labelled(bound, weight)
        parts = {name: self._features(name, bound[name]) for name in ("real", "fake") if name in bound}
        widths = {name: int(x.shape[1]) for name, x in parts.items()}
        if len(set(widths.values())) > 1:
            raise InputError(
                self.name,
                "",
                f"real and fake must have the same features, got {widths['real']} and {widths['fake']} columns",
            )
        features = self._stacked(parts)
        codes = np.concatenate([np.full(int(x.shape[0]), name == "fake", dtype=np.int64) for name, x in parts.items()])
        return super().inputs(features=features, sample=codes, weight=weight)

    def _labelled(self, bound: dict[str, Any], weight: ArrayLike | None) -> Inputs:
        if set(bound) != {"features", "sample"}:
            raise InputError(
                self.name,
                "",
                f"features and sample must be given together and without real and fake, got {', '.join(bound)}",
            )
        sample = ingest(bound["sample"], name="sample", who=self.name)
        if kind_of(sample) in ("text", "object"):
            words = to_host(sample).astype(str)
            sample = np.where(words == "real", REAL, np.where(words == "fake", FAKE, -1))
        inputs = super().inputs(features=self._features("features", bound["features"]), sample=sample, weight=weight)
        codes = inputs["sample"]
        xp = namespace(codes)
        known = codes if kind_of(codes) == "bool" else (codes == REAL) | (codes == FAKE)
        if codes.ndim != 1 or not (kind_of(codes) == "bool" or bool(xp.all(known))):
            raise InputError(
                self.name,
                "sample",
                f"must be 0 (real) or 1 (fake) for every row, got {describe(codes)} with other values",
            )
        return inputs

    def _features(self, name: str, value: Any) -> Array:
        array = ingest(as_pictures(value), name=name, who=self.name)
        if kind_of(array) == "object" or array.ndim > 2:
            if self.network is None:
                raise InputError(
                    self.name,
                    name,
                    f"holds pictures ({describe(array)}), but features are needed",
                    "Give extractor=assay.torch.inception(path) or another extractor, or pass a matrix of features.",
                )
            array = ingest(self.network(array), name=f"features of {name}", who=self.name)
        if array.ndim != 2 or kind_of(array) in ("text", "object"):
            raise InputError(self.name, name, f"must be a matrix (rows, features), got {describe(array)}")
        return array if kind_of(array) == "float" else as_float(array)

    def _stacked(self, parts: dict[str, Array]) -> Array:
        arrays = list(parts.values())
        if len(arrays) == 1:
            return arrays[0]
        foreign = next((a for a in arrays if not is_numpy(a)), None)
        arrays = [like(foreign, a) if foreign is not None else a for a in arrays]
        xp = namespace(*arrays)
        wide = xp.result_type(*arrays)
        return xp.concat([xp.astype(a, wide, copy=False) for a in arrays], axis=0)

    # ---- what results say

    def strata_of(self, data: Any) -> Any:
        """Each sample was drawn for itself, in a number of its own."""
        return to_host(data["sample"]).astype(np.int64)

    @abstractmethod
    def counts(self, total: Any) -> tuple[float, float]:
        """Weight of the real and of the fake rows."""

    def remarks(self, total: Any) -> dict[str, float]:
        """How many rows each sample has: a distance depends on them."""
        return dict(zip(self.sizes, self.counts(total), strict=True))

    def warn(self, outcome: Outcome) -> None:
        """Sizes of samples are facts, nothing to warn of."""
        more = {what: count for what, count in outcome.remarks.items() if what not in self.sizes}
        super().warn(replace(outcome, remarks=more))

    @property
    def weights_count(self) -> bool:
        """Covariances and pairs are counted with one row less."""
        return True

    @property
    def corrects_for_rows(self) -> bool:
        """They are."""
        return True


# ---- moments


@dataclass(frozen=True)
class SampleMoments(Statistic[Moments]):
    """Weight, mean and centred second moments of the features of each sample; with ``halves`` of each half of each sample.

    Which half a row belongs to follows from its own numbers, so that neither order nor batches matter.
    """

    halves: bool = False

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return ("features",)

    @memo
    def of(self, inputs: Inputs) -> Moments:
        """Axes of the result: sample, and half if asked for."""
        x, weight = inputs["features"], inputs.weight
        code = 2 * _as_codes(inputs["sample"]) + half_of(x) if self.halves else _as_codes(inputs["sample"])
        shape, d = (2, 2) if self.halves else (2,), int(x.shape[1])
        m2 = np.zeros((*shape, d, d))
        parts = [_moments(x, code, at, weight, out) for at, out in enumerate(m2.reshape(-1, d, d))]
        w, mean = (np.stack(part) for part in zip(*parts, strict=True))
        squares = np.diagonal(m2, axis1=-2, axis2=-1)  # no product is larger than those of a column with itself
        if not np.isfinite(squares).all():
            inputs.refuse_not_finite("features")
            inputs.refuse_overflow()
        mean = mean.reshape(*shape, d)
        return Moments(("features",), w.reshape(shape), mean, m2, inputs.n, np.zeros_like(mean))


def _as_codes(sample: Array) -> Array:
    xp = namespace(sample)
    return xp.astype(sample, xp.int64 if is_numpy(sample) or native(xp) else xp.int32, copy=False)


def _moments(x: Array, code: Array, at: int, weight: Array | None, m2: Floats) -> tuple[Any, Any]:
    """Weight and mean of the rows of one code; their centred second moments are added to ``m2``, block by block in double precision."""
    rows, w = _rows_of(x, code, at, weight)
    if is_numpy(x):
        return _host_moments(rows, w, m2)
    xp, n, d = namespace(x), int(rows.shape[0]), int(x.shape[1])
    size = np.float64(n) if w is None else np.float64(float(xp.sum(w)) if n else 0.0)
    sums = np.zeros(d)
    if size == 0:
        return size, sums
    for b, v in _blocks(rows, w):
        sums += np.asarray(to_host(xp.sum(b if v is None else b * v, axis=0)), dtype=np.float64)
    mean = sums / size
    for b, v in _blocks(rows, w):
        centred = b - xp.astype(like(b, mean), b.dtype)
        centred = centred if v is None else centred * xp.sqrt(v)
        m2 += np.asarray(to_host(xp.matmul(centred.T, centred)), dtype=np.float64)
    return size, mean


def _host_moments(rows: Any, w: Any, m2: Floats) -> tuple[Any, Any]:
    """The same on the host, by the threads of this library."""
    (n, d), size = rows.shape, np.float64(len(rows) if w is None else w.sum())
    if size == 0:
        return size, np.zeros(d)
    with products.one_thread() if n * d * d > products.LARGE else nullcontext():
        mean = products.column_sums(rows, w) / size
        products.add_products(rows, w, mean, m2)
    return size, mean


def _blocks(rows: Array, w: Array | None) -> Any:
    n = int(rows.shape[0])
    for i in range(0, n, BLOCK):
        at = slice(i, min(n, i + BLOCK))
        yield as_float(rows[at, ...]), None if w is None else as_float(w[at])[:, None]


def _rows_of(x: Array, code: Array, at: int, weight: Array | None) -> tuple[Array, Array | None]:
    """The rows of one code: a piece of the table if they stand together, a copy of them, or all with a weight of 0 for others."""
    mask = code == at
    xp = namespace(x)
    if is_numpy(x):
        found = np.flatnonzero(mask)
        together = len(found) and found[-1] - found[0] + 1 == len(found)
        mask = slice(int(found[0]), int(found[-1]) + 1) if together else found
    elif native(xp) is None:
        shares = xp.astype(mask, x.dtype)
        return x, shares if weight is None else xp.astype(weight, x.dtype) * shares
    return x[mask], None if weight is None else weight[mask]


def keys_of(x: Array) -> Any:
    """A number of 64 bits for each row, made of its own numbers in double precision: the same in every order and library."""
    torch = native(namespace(x))
    if torch:
        bits = x.double().contiguous().view(torch.int64)
        odd = torch.as_tensor(_multipliers(int(x.shape[1])).view(np.int64), device=x.device)
        return (bits * odd).sum(dim=1)
    bits = np.ascontiguousarray(to_host(x), dtype=np.float64).view(np.uint64)
    out = np.empty(len(bits), dtype=np.uint64)
    for i in range(0, len(bits), BLOCK):
        out[i : i + BLOCK] = (bits[i : i + BLOCK] * _multipliers(bits.shape[1])).sum(axis=1, dtype=np.uint64)
    return out.view(np.int64)


def _multipliers(count: int) -> Any:
    return (np.arange(1, count + 1, dtype=np.uint64) * _ODD) | np.uint64(1)


def half_of(x: Array) -> Array:
    """0 or 1 for each row."""
    keys = keys_of(x)
    if not isinstance(keys, np.ndarray):
        mixed = keys ^ (keys >> 32)
        mixed = mixed * 0x9E3779B97F4A7C1
        return (mixed >> 40) & 1
    mixed = keys ^ (keys >> 32)
    with np.errstate(over="ignore"):
        mixed = mixed * np.int64(0x9E3779B97F4A7C1)
    return like(x, (mixed >> 40) & 1)


# ---- rows


@dataclass(frozen=True)
class SampleRows(Statistic[Rows]):
    """The features themselves, for distances of pairs."""

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return ("features", "sample")

    @memo
    def of(self, inputs: Inputs) -> Rows:
        """Features, and which rows are fake."""
        x = to_host(inputs["features"])
        x = x if x.dtype == np.float32 else x.astype(np.float64, copy=False)
        if not max(float(x.max()), -float(x.min())) <= LARGEST:
            inputs.refuse_not_finite("features")
            inputs.refuse_overflow()
        return Rows({"features": x, "sample": self.codes(inputs)}, inputs.n, weight=inputs.host_weight())

    def codes(self, inputs: Inputs) -> Any:
        """0 for real rows, 1 for fake ones."""
        return to_host(inputs["sample"]).astype(np.int64)


def split_rows(total: Rows) -> tuple[Any, Any, Any, Any]:
    """(real features, their weights, fake features, their weights); rows of weight zero are not there."""
    fake, weight = total["sample"].astype(bool), total.weights()
    parts: list[Any] = []
    for side in (~fake, fake):
        at = side & (weight > 0)
        parts += [total["features"][at], weight[at]]
    return cast(Any, tuple(parts))
