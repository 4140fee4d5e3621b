"""Base of metrics that compare pictures with references: pictures as arrays, tensors or files, one row of numbers per picture."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from assay import kernels
from assay.core.arrays import (
    Array,
    ArrayLike,
    Floats,
    Namespace,
    as_float,
    describe,
    is_numpy,
    kind_of,
    like,
    namespace,
    to_host,
)
from assay.core.errors import InputError
from assay.core.inputs import Inputs, memo
from assay.core.metric import Metric
from assay.core.monoids import Sum
from assay.core.parameters import choice, number
from assay.core.statistic import Linear, Statistic
from assay.data.pictures import as_pictures
from assay.ops import divide, quiet, total

TAKES = ("y_true: pictures", "y_pred: pictures")
RANGES = {"bool": 1.0, "uint8": 255.0, "int8": 255.0, "uint16": 65535.0, "int16": 65535.0}
BLOCK = 1 << 20  # numbers of a block of pictures that is worked on at once
Channels = Literal["last", "first"] | None


class Measure(Protocol):
    """What is measured on two pictures; equal measures are taken once."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the numbers of a picture."""
        ...

    def check(self, who: str, height: int, width: int) -> None:
        """Refuse pictures that are too small."""
        ...

    def batch(self, xp: Namespace, a: Array, b: Array, span: float) -> Array:
        """Numbers (pictures, names) of pictures (pictures, channels, height, width), in any array library."""
        ...

    def planes(self, a: Array, b: Array, span: float) -> tuple[float, ...]:
        """The compiled twin: the numbers of one picture (channels, height, width) on the host."""
        ...


@dataclass(frozen=True)
class PictureSums(Statistic[Sum]):
    """Sums over pictures of what a measure says of each."""

    measure: Any
    channels: Channels
    data_range: float | None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sums."""
        return ("weight", *self.measure.names)

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return self.names

    def of(self, inputs: Inputs) -> Sum:
        """The sums; pictures that hold what is not a number are refused."""
        rows = self.unit_rows(inputs)
        sums = total(namespace(rows), rows, inputs.weight)
        if not np.isfinite(sums).all():
            _refuse_not_finite(inputs)
            inputs.refuse_overflow()
        return Sum(self.names, sums, inputs.n)

    def linear(self, inputs: Inputs) -> Linear:
        """One row per picture."""
        rows = to_host(self.unit_rows(inputs)).astype(np.float64, copy=False)
        return Linear(lambda t: Sum(self.names, t, inputs.n), rows.shape[1], rows=rows)

    def unit_rows(self, inputs: Inputs) -> Array:
        """One and the numbers of each picture."""
        rows = self.rows(inputs)
        xp = namespace(rows)
        return xp.concat([xp.ones_like(rows[:, :1]), rows], axis=1)

    @memo
    def rows(self, inputs: Inputs) -> Array:
        """Numbers (pictures, names), worked out once."""
        a, b = inputs["y_true"], inputs["y_pred"]
        if kind_of(a) == "object" or kind_of(b) == "object":
            return self._each(inputs.who, to_host(a), to_host(b), inputs.n)
        _same_shape(inputs.who, a, b, "")
        if is_numpy(a) and is_numpy(b) and kernels.worthwhile(a, b):
            return self._each(inputs.who, a, b, inputs.n)
        span = self._span(inputs.who, a, b, "")
        xp = namespace(a, b)
        step = max(1, BLOCK * inputs.n // max(1, int(np.prod(a.shape, dtype=np.int64))))
        edges = [(i, min(inputs.n, i + step)) for i in range(0, inputs.n, step)]
        parts = [self._block(inputs.who, xp, a[i:j, ...], b[i:j, ...], span) for i, j in edges]
        return parts[0] if len(parts) == 1 else xp.concat(parts, axis=0)

    def _block(self, who: str, xp: Namespace, a: Array, b: Array, span: float) -> Array:
        a, b = (self._planes(who, xp, as_float(x), "") for x in (a, b))
        self.measure.check(who, int(a.shape[-2]), int(a.shape[-1]))
        a, b = (x.astype(np.float64, copy=False) if is_numpy(x) else x for x in (a, b))
        with quiet():
            return self.measure.batch(xp, a, b, span)

    def _planes(self, who: str, xp: Namespace, pictures: Array, where: str) -> Array:
        """Pictures as (pictures, channels, height, width)."""
        wanted = 3 if self.channels is None else 4
        if pictures.ndim != wanted:
            shape = tuple(int(s) for s in pictures.shape[1:])
            raise InputError(
                who,
                "channels",
                f"is {self.channels!r}, which needs pictures with {'height and width' if wanted == 3 else 'three axes'}, "
                f"got shape {shape}{where}",
                _layout_hint(self.channels, len(shape)),
            )
        if self.channels is None:
            return pictures[:, None, ...]
        return xp.permute_dims(pictures, (0, 3, 1, 2)) if self.channels == "last" else pictures

    def _each(self, who: str, a: Any, b: Any, n: int) -> Any:
        """Picture by picture on all cores; files are read here, one at a time in each thread."""
        out = np.empty((n, len(self.measure.names)))
        large = a.dtype != object or n * np.asarray(a[0]).size >= kernels.LARGE

        def work(start: int, stop: int) -> None:
            for i in range(start, stop):
                out[i] = self._one(who, a[i], b[i], f" in row {i}{_named(a[i])}", large)

        kernels.over_chunks(n, work, least=1)
        return out

    def _one(self, who: str, a: Any, b: Any, where: str, large: bool) -> Any:
        _same_name(who, a, b, where)
        a, b = (to_host(x) if hasattr(x, "cpu") else np.asarray(x) for x in (a, b))
        _same_shape(who, a, b, where)
        span = self._span(who, a, b, where)
        p, q = (self._planes(who, np, x[None], where)[0] for x in (a, b))
        self.measure.check(who, *p.shape[-2:])
        if large:
            return self.measure.planes(p, q, span)
        with quiet():
            return self.measure.batch(np, *(x[None].astype(np.float64) for x in (p, q)), span)[0]

    def _span(self, who: str, a: Array, b: Array, where: str) -> float:
        """The largest difference that two values of such pictures can have: given, or implied by an integer type."""
        for name, x in (("y_true", a), ("y_pred", b)):
            if kind_of(x) in ("object", "text"):
                raise InputError(who, name, f"must hold pictures of numbers, got {describe(x)}{where}")
        if self.data_range is not None:
            return self.data_range
        kinds = {str(x.dtype).rsplit(".", 1)[-1].lstrip("<>=|") for x in (a, b)}
        names = {_DTYPES.get(kind, kind) for kind in kinds}
        if len(names) == 1 and (name := next(iter(names))) in RANGES:
            return RANGES[name]
        raise InputError(
            who,
            "data_range",
            f"must be given for pictures of {' and '.join(sorted(names))}{where}: the distance between black and white",
            "Give 1.0 for floats from 0 to 1, or 255 for bytes in a wider type.",
        )


LARGEST = 1e100  # of a range: its powers must fit in a number
_DTYPES = {"u1": "uint8", "u2": "uint16", "i2": "int16", "b1": "bool", "i1": "int8"}


def _layout_hint(channels: Channels, axes: int) -> str:
    if axes == 3 and channels is None:
        return "For colours say where they are: channels='last' or channels='first'."
    return "Grey pictures take channels=None." if axes == 2 else ""


def _named(cell: Any) -> str:
    name = getattr(cell, "path", None)
    return "" if name is None else f" ({name})"


def _same_name(who: str, a: Any, b: Any, where: str) -> None:
    """Two folders are paired by the order of their files; files of other names would be paired without a word."""
    first, second = (getattr(x, "stem", None) for x in (a, b))
    if first is not None and second is not None and first != second:
        raise InputError(
            who, "", f"the pictures{where} and {b.path} have different names", "Put the same files into both folders."
        )


def _same_shape(who: str, a: Array, b: Array, where: str) -> None:
    if tuple(a.shape) != tuple(b.shape):
        raise InputError(
            who,
            "",
            f"the two pictures{where} must have the same shape, got {tuple(a.shape)} and {tuple(b.shape)}",
            "Resize or crop them first; nothing is resized here.",
        )


def _refuse_not_finite(inputs: Inputs) -> None:
    """The slow pass: find and name the first picture with NaN or infinity."""
    for name in ("y_true", "y_pred"):
        for i in range(inputs.n):
            cell = inputs[name][i]
            picture = to_host(cell) if hasattr(cell, "cpu") else np.asarray(cell)
            if picture.dtype.kind == "f" and not np.isfinite(picture).all():
                raise InputError(inputs.who, name, f"must be finite, but row {i}{_named(cell)} holds NaN or infinity")


def channel_mean(xp: Namespace, values: Array) -> Array:
    """Numbers (pictures, channels) as one per picture."""
    return xp.mean(values, axis=1)


def window_means(xp: Namespace, x: Array, taps: Floats) -> Array:
    """Means of the last two axes under a separable window, where it fits."""
    for axis in (-1, -2):
        size = int(x.shape[axis]) - len(taps) + 1
        parts = (float(g) * _shifted(x, axis, t, size) for t, g in enumerate(taps))
        total_ = next(parts)
        for part in parts:
            total_ = total_ + part
        x = total_
    return x


def _shifted(x: Array, axis: int, start: int, size: int) -> Array:
    return x[..., start : start + size] if axis == -1 else x[..., start : start + size, :]


def stacked(xp: Namespace, columns: list[Array]) -> Array:
    """Columns of numbers side by side."""
    return xp.stack(columns, axis=1)


def on_planes(function: Callable[[Floats, Floats], tuple[float, ...]], a: Array, b: Array) -> tuple[float, ...]:
    """The mean over channels of what a compiled function says of two planes."""
    values = [function(*(np.ascontiguousarray(x, dtype=np.float64) for x in pair)) for pair in zip(a, b, strict=True)]
    return tuple(float(v) for v in np.mean(values, axis=0))


@dataclass(frozen=True, kw_only=True)
class PictureMetric(Metric[Sum]):
    """A metric of pictures beside their references; the unit is a picture.

    ``channels`` says where colours are: None for grey pictures (n, height, width), ``"last"`` or ``"first"``. ``data_range`` is the
    distance between black and white; bytes and 16-bit numbers tell it themselves.
    """

    what: ClassVar[str]

    channels: Literal["last", "first"] | None = None
    data_range: float | None = None

    def __post_init__(self) -> None:
        """Check layout and range beside everything else."""
        super().__post_init__()
        choice(self.name, "channels", self.channels, (None, "last", "first"))
        if self.data_range is not None:
            number(self.name, "data_range", self.data_range, low=0, high=LARGEST, open_low=True)

    @abstractmethod
    def measure(self) -> Any:
        """What is measured on a picture."""

    def statistic(self) -> PictureSums:
        """Its sums over pictures."""
        return PictureSums(self.measure(), self.channels, self.data_range)

    def inputs(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Inputs:
        """Lists of pictures of any size become columns of pictures."""
        bound = {name: as_pictures(value) for name, value in self.takes.bind(self.name, args, named).items()}
        return super().inputs(weight=weight, **bound)

    def of(self, total: Sum) -> Any:
        """The mean over pictures."""
        return divide(total[self.what], total["weight"])


__all__ = ["TAKES", "Measure", "PictureMetric", "PictureSums", "channel_mean", "like", "on_planes",
           "stacked", "window_means"]  # fmt: skip
