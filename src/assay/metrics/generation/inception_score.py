"""Inception score: are generated images clear, and are they many kinds of things?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from assay import kernels
from assay.core.arrays import Array, is_numpy, namespace, to_host
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Rows, Sum
from assay.core.parameters import whole
from assay.core.record import Record
from assay.core.sources import SURVEY
from assay.core.statistic import Linear, Statistic
from assay.core.takes import Takes
from assay.ops import log_softmax, quiet, real, total

BLOCK = 128  # rows whose shares stay in the cache
TAKES = ("y_prob: class probabilities of generated images", "logits: class logits of generated images")


def class_shares(inputs: Inputs) -> tuple[Array, Array]:
    """Probabilities (rows, classes) and their sums of p log p."""
    name = "y_prob" if "y_prob" in inputs else "logits"
    values = inputs.numbers(name, ranks=(2,))
    if int(values.shape[1]) < 2:
        raise InputError(inputs.who, name, "must have a column for each of at least two classes")
    xp = namespace(values)
    values = values.astype(np.float64, copy=False) if is_numpy(values) else values
    if name == "logits":
        found = _host_shares(values) if is_numpy(values) and values.size else None
        if found is not None:
            return found
        with quiet():
            logs = log_softmax(xp, values)
            p = xp.exp(logs)
            return p, xp.sum(xp.where(p > 0, p * logs, xp.zeros_like(p)), axis=1)
    _check(inputs, xp, values)
    safe = xp.where(values > 0, values, xp.ones_like(values))
    return values, xp.sum(values * xp.log(safe), axis=1)


def _host_shares(logits: Any) -> tuple[Any, Any] | None:
    """The same on all cores with one exp a number; None where a logit is infinite, which takes more care."""
    p, negative = np.empty_like(logits), np.empty(len(logits))

    def fill(rows: slice) -> None:
        z = logits[rows] - logits[rows].max(axis=1, keepdims=True)
        share = np.exp(z, out=p[rows])
        size = share.sum(axis=1)
        negative[rows] = np.einsum("ij,ij->i", share, z) / size - np.log(size)
        share /= size[:, None]

    def work(first: int, last: int) -> None:
        with quiet():  # of each thread
            for a in range(first, last, BLOCK):
                fill(slice(a, min(last, a + BLOCK)))

    kernels.over_chunks(len(logits), work, least=2 * BLOCK)
    return (p, negative) if np.isfinite(negative).all() else None


def _check(inputs: Inputs, xp: Any, p: Array) -> None:
    near = max(1e-6, 64 * inputs.epsilon["y_prob"])
    off = xp.abs(xp.sum(p, axis=1) - 1)
    if bool(xp.all((p >= 0) & (p <= 1 + near))) and bool(xp.all(off <= near)):
        return
    inputs.refuse_not_finite("y_prob")
    host = to_host(p)
    row = int(np.argmax((host < 0).any(axis=1) | (np.abs(host.sum(axis=1) - 1) > near)))
    raise InputError(
        inputs.who,
        "y_prob",
        f"must be probabilities that sum to 1, but row {row} sums to {host[row].sum():.6g} with a minimum of {host[row].min():.3g}",
        f"Pass raw network outputs as {arg('logits')}.",
    )


@dataclass(frozen=True)
class ClassShares(Statistic[Sum]):
    """Sums of p log p and of the probability of each class."""

    def of(self, inputs: Inputs) -> Sum:
        """Weight, negative entropy, and one sum per class."""
        with quiet():
            rows = self.unit_rows(inputs)
        sums = total(namespace(rows), rows, inputs.weight)
        if not np.isfinite(sums).all():
            inputs.refuse_not_finite(*(name for name in ("y_prob", "logits") if name in inputs))
            inputs.refuse_overflow()
        return self._sum(sums, inputs)

    def linear(self, inputs: Inputs) -> Linear:
        """One row of probabilities per unit."""
        rows = to_host(self.unit_rows(inputs)).astype(np.float64, copy=False)
        return Linear(lambda t: self._sum(t, inputs), rows.shape[1], rows=rows)

    def unit_rows(self, inputs: Inputs) -> Array:
        """One, the negative entropy and the probabilities of each unit."""
        p, negative = class_shares(inputs)
        xp = namespace(p)
        return xp.concat([xp.ones_like(p[:, :1]), negative[:, None], p], axis=1)

    def _sum(self, sums: Any, inputs: Inputs) -> Sum:
        classes = sums.shape[-1] - 2
        return Sum(("weight", "negative entropy", *(f"class {i}" for i in range(classes))), sums, inputs.n)


@dataclass(frozen=True)
class ShareRows(Statistic[Rows]):
    """The probabilities themselves, in their order: splits are taken of it."""

    def of(self, inputs: Inputs) -> Rows:
        """Probabilities and p log p."""
        p, negative = (to_host(part).astype(np.float64, copy=False) for part in class_shares(inputs))
        if not np.isfinite(negative).all():
            inputs.refuse_not_finite(*(name for name in ("y_prob", "logits") if name in inputs))
        return Rows({"p": p, "negative entropy": negative}, inputs.n, weight=inputs.host_weight())


def _score(weight: Any, negative: Any, shares: Any) -> Any:
    """exp of the mean divergence from the mean."""
    size = np.where(real(weight) == 0, 1, weight)
    mean = shares / size[..., None]
    there = real(mean) > 0
    spread = np.where(there, mean * np.log(np.where(there, mean, 1)), 0).sum(axis=-1)
    return np.where(real(weight) == 0, np.nan, np.exp(negative / size - spread))


@dataclass(frozen=True, kw_only=True)
class InceptionScore(Metric[Any]):
    r"""Inception score: exp of the mean divergence of each image's class distribution from their mean.

    .. math:: \exp\left(\frac1n \sum_i \mathrm{KL}(p_i \,\|\, \bar p)\right)

    From 1 (no image says more than the average) to the number of classes. ``splits=10`` averages the scores of ten pieces of the rows
    in their order, as the first implementation did; pieces are smaller, so the value is lower, and ``parts`` holds each. Undefined
    without rows.

    >>> inception_score(y_prob=[[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    1.5874...
    """

    record = Record(
        title="Inception score", range=(1, np.inf), better="higher", family="mean", takes=TAKES, undefined="no rows",
        use="clear and varied images of known classes, without a real sample", references=("salimans2016", "barratt2018"),
        misleads="knows nothing of real images; one good image per class is enough; grows with the number of images",
        equals=("torch-fidelity's inception score with splits=10 of the rows as it shuffles them",), traps=(21,),
        erratum=f"{SURVEY}, eq. 109, is said to ignore how often classes occur; their frequency p(y) is in it.",
    )  # fmt: skip
    takes = Takes((), ("y_prob", "logits"), one_of=True)

    splits: int = 1

    def check(self) -> None:
        """A number of pieces."""
        whole(self.name, "splits", self.splits, low=1)

    def statistic(self) -> Any:
        """Sums, or the rows where pieces are taken of them."""
        return ClassShares() if self.splits == 1 else ShareRows()

    def of(self, total: Any) -> Any:
        """The score, or one a piece."""
        if self.splits == 1:
            return _score(total["weight"], total["negative entropy"], total.totals[..., 2:])
        n, w = total.n, total.weights()
        edges = [i * n // self.splits for i in range(self.splits + 1)]
        p, negative = total["p"] * w[:, None], total["negative entropy"] * w
        pieces = [slice(a, b) for a, b in pairwise(edges)]
        return np.array([float(_score(w[at].sum(), negative[at].sum(), p[at].sum(axis=0))) for at in pieces])

    def combine(self, values: Any, total: Any) -> Any:
        """The mean over pieces."""
        return values if self.splits == 1 else values.mean(axis=-1)

    def part_names(self, total: Any) -> tuple[Any, ...]:
        """The pieces, if there are several."""
        return tuple(f"split {i}" for i in range(self.splits)) if self.splits > 1 else ()
