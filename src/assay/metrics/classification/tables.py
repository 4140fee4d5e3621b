"""Confusion tables and hit counts: what label metrics gather."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from assay import kernels
from assay.core.arrays import Array, as_float, as_int, is_numpy, kind_of, namespace, to_host
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs, memo
from assay.core.monoids import LARGEST_TABLE, Counts, Label, Sum
from assay.core.power_sums import sums_of
from assay.core.statistic import Linear, Statistic
from assay.metrics.classification.decisions import Coded, Decision, decided
from assay.metrics.classification.labels import DENSE, label_array
from assay.ops import bincount, total


@dataclass(frozen=True)
class Confusion(Statistic[Counts]):
    """The table of true and predicted labels, or one 2 x 2 table per label for multilabel problems."""

    decision: Decision

    @memo
    def of(self, inputs: Inputs) -> Counts:
        """The table, counted in one pass where the labels are small integers."""
        counts = self.quick(inputs) or self._coded(inputs)
        return replace(counts, ignored=inputs.ignored) if inputs.ignored else counts

    def _coded(self, inputs: Inputs) -> Counts:
        """The table by way of codes."""
        coded = decided(inputs, self.decision)
        if coded.labelwise:
            return Counts(coded.labels, _labelwise(coded, inputs.weight), inputs.n, "labelwise")
        if coded.pair and inputs.weight is None and is_numpy(coded.true) and is_numpy(coded.predicted):
            return Counts(coded.labels, _pair_table(coded), inputs.n, "pair")
        k = _affordable(inputs.who, len(coded.labels))
        xp = namespace(coded.true, coded.predicted)
        cells = as_int(coded.true) * k + as_int(coded.predicted)
        table = bincount(xp, cells, inputs.weight, k * k).reshape(k, k)
        if self.decision.classes is None and "y_pred" in inputs and inputs.weight is not None:
            return _seen(table, coded.labels, inputs.n)
        return Counts(coded.labels, table, inputs.n, "pair" if coded.pair else "square")

    @memo
    def quick(self, inputs: Inputs) -> Counts | None:
        """Integer labels straight from memory: no search for the classes, no codes, no copies. None if that cannot be."""
        if "y_pred" not in inputs or not kernels.worthwhile(inputs["y_true"], inputs["y_pred"]):
            return None
        true, predicted = inputs["y_true"], inputs["y_pred"]
        if true.ndim != 1 or predicted.ndim != 1 or {kind_of(true), kind_of(predicted)} - {"int", "bool"}:
            return None
        classes = self.decision.classes
        if classes is not None and classes != tuple(range(len(classes))):
            return None
        return _count_integers(true, predicted, inputs.host_weight(), classes, inputs.n)

    def linear(self, inputs: Inputs) -> Linear:
        """For each unit the cells it counts in."""
        coded = decided(inputs, self.decision)
        true, predicted = to_host(coded.true), to_host(coded.predicted)
        labels, n = coded.labels, inputs.n
        if coded.labelwise:
            size = len(labels)
            cells = 4 * np.arange(size) + 2 * true + predicted
            return Linear(
                lambda t: Counts(labels, t.reshape(*t.shape[:-1], size, 2, 2), n, "labelwise"), 4 * size, cells=cells
            )
        k = _affordable(inputs.who, len(labels))
        cells = (true.astype(np.int64) * k + predicted)[:, None]
        layout = "pair" if coded.pair else "square"
        return Linear(lambda t: Counts(labels, t.reshape(*t.shape[:-1], k, k), n, layout), k * k, cells=cells)

    def unit_rows(self, inputs: Inputs) -> Array | None:
        """Ones in the cells of each label that a unit counts in; other tables say all by themselves."""
        coded = decided(inputs, self.decision)
        if not coded.labelwise:
            return None
        t, p = coded.true == 1, coded.predicted == 1
        cells = namespace(t, p).stack([~t & ~p, ~t & p, t & ~p, t & p], axis=-1)
        return as_float(namespace(cells).reshape(cells, (inputs.n, -1)))


def _pair_table(coded: Coded) -> Any:
    """Two classes by counting, without a cell number for each row."""
    both = int(np.count_nonzero(coded.true & coded.predicted))
    true, predicted = (int(np.count_nonzero(mask)) for mask in (coded.true, coded.predicted))
    return np.array(
        [[len(coded.true) - true - predicted + both, predicted - both], [true - both, both]], dtype=np.int64
    )


def _affordable(who: str, k: int) -> int:
    """The number of classes, if a table of all their pairs fits in memory."""
    size = 8 * k * k
    if size > LARGEST_TABLE:
        raise InputError(
            who,
            "",
            f"there are {k} classes: a table of all pairs would need {size / 2**30:.0f} GiB",
            f"Identifiers are not classes; for them use accuracy or top_k_accuracy, or restrict {arg('classes')}.",
        )
    return k


def _seen(table: Any, labels: tuple[Label, ...], n: int) -> Counts:
    """The labels that were found on rows of some weight: a row of weight zero is not there, and neither is its label."""
    seen = np.flatnonzero(table.sum(axis=0) + table.sum(axis=1))
    return Counts(tuple(labels[i] for i in seen), table[np.ix_(seen, seen)], n)


def _labelwise(coded: Coded, weight: Array | None) -> Any:
    t, p = coded.true, coded.predicted
    xp = namespace(t, p)
    dtype = xp.float32 if weight is None else weight.dtype

    def count(mask: Array) -> Any:
        return total(xp, xp.astype(mask, dtype), weight)

    if weight is None:
        both, true, predicted = count((t == 1) & (p == 1)), count(t == 1), count(p == 1)
        neither = t.shape[0] - true - predicted + both
        cells = [neither, predicted - both, true - both, both]
        return np.rint(np.stack(cells, -1).reshape(-1, 2, 2)).astype(np.int64)
    # Weights are added up cell by cell: a difference of sums would leave a residue where there is no row.
    cells = [count((t == true) & (p == predicted)) for true in (0, 1) for predicted in (0, 1)]
    return np.stack(cells, -1).reshape(-1, 2, 2)


def _count_integers(true: Any, predicted: Any, weight: Any, classes: tuple[Label, ...] | None, n: int) -> Counts | None:
    """Count under a guess of how many classes there are; a label that does not fit corrects the guess."""
    if classes is None:
        k = 1 + max(int(true[:DENSE].max()), int(predicted[:DENSE].max()))
        if not 0 < k <= DENSE:  # identifiers, not small codes: a square table of them would not fit in memory
            return None
        table = kernels.confusion_tables.count(true, predicted, weight, k)
        if table is None:
            lowest = min(int(true.min()), int(predicted.min()))
            highest = max(int(true.max()), int(predicted.max()))
            if lowest < 0 or highest >= DENSE:
                return None
            k = highest + 1
            table = kernels.confusion_tables.count(true, predicted, weight, k)
        seen = np.flatnonzero(table.sum(axis=0) + table.sum(axis=1))
        return Counts(tuple(seen.tolist()), table[np.ix_(seen, seen)], n)
    if 8 * len(classes) ** 2 > LARGEST_TABLE:
        return None  # refused by the slow way
    table = kernels.confusion_tables.count(true, predicted, weight, len(classes))
    return None if table is None else Counts(classes, table, n)


@dataclass(frozen=True)
class Hits(Statistic[Sum]):
    """A row value from the codes alone: whether it is right or wrong, or the shares of its labels that are."""

    decision: Decision
    of_labels: bool = False  # False: all labels of the row must be right; True: the fraction that is
    names: ClassVar[tuple[str, ...]] = ("weight", "hits", "misses")

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return self.names

    def of(self, inputs: Inputs) -> Sum:
        """Weight, hits and misses; read off the confusion table if somebody needs that anyway."""
        confusion = Confusion(self.decision)
        if inputs["y_true"].ndim == 1 and (
            confusion in inputs.wanted or inputs.known(Confusion.of, confusion) is not None
        ):
            table = confusion.of(inputs).table
            hits, everything = np.trace(table), table.sum()
            misses = table[~np.eye(len(table), dtype=np.bool_)].sum()
            return self._sum([everything, hits, misses], inputs)
        right, wrong = self._rows(inputs)
        xp = namespace(right)
        if kernels.worthwhile(right) and inputs.weight is None and right.dtype == np.bool_:
            hits = sum(kernels.over_chunks(inputs.n, lambda a, b: int(np.count_nonzero(right[a:b]))))
            return self._sum([inputs.n, hits, inputs.n - hits], inputs)
        hits, misses = (total(xp, as_float(part), inputs.weight) for part in (right, wrong))
        return self._sum([inputs.n if inputs.weight is None else hits + misses, hits, misses], inputs)

    def _sum(self, totals: list[Any], inputs: Inputs) -> Sum:
        return Sum(self.names, np.array(totals, dtype=np.float64), inputs.n, _layout(inputs), ignored=inputs.ignored)

    def linear(self, inputs: Inputs) -> Linear:
        """One row per unit."""
        return Linear(lambda t: Sum(self.names, t, inputs.n), 3, rows=to_host(self.unit_rows(inputs)))

    def unit_rows(self, inputs: Inputs) -> Array:
        """One, how far the unit is right, and how far it is wrong."""
        right, wrong = map(as_float, self._rows(inputs))
        xp = namespace(right)
        return xp.stack([xp.ones_like(right), right, wrong], axis=-1)

    def power_sums(self, inputs: Inputs, total: Sum, slope: Any, centre: float) -> tuple[float, float] | None:
        """Rows are right or wrong, so their numbers tell everything."""
        if inputs.weight is not None or self.of_labels:
            return None
        right, wrong = slope[0] + slope[1] - centre, slope[0] + slope[2] - centre
        square, cube = (float(total["hits"]) * right**k + float(total["misses"]) * wrong**k for k in (2, 3))
        return square, cube

    def row_powers(self, inputs: Inputs, total: Sum, *, cubes: bool) -> tuple[Any, Any] | None:
        """Rows are right or wrong: the squares of their weights tell everything."""
        if self.of_labels or cubes:
            return None
        sizes = np.array([float(total["hits"]), float(total["misses"])])
        shares = sizes / sizes.sum()
        if inputs.weight is not None:
            sizes = np.diag(sums_of(self.unit_rows(inputs), inputs.weight, cubes=False)[0])[1:]
        each = np.concatenate([[[1.0, 0.0]] * 2, np.eye(2) - shares], axis=1)  # a right row, and a wrong one
        return each.T @ (sizes[:, None] * each), None

    def _rows(self, inputs: Inputs) -> tuple[Array, Array]:
        """How far each row is right, and how far it is wrong."""
        if self._comparable(inputs):
            same = _equal(*(label_array(inputs, name) for name in ("y_true", "y_pred")))
            return same, ~same
        coded = decided(inputs, self.decision)
        same = coded.true == coded.predicted
        xp = namespace(same)
        if coded.labelwise and self.of_labels:
            right = as_float(xp.sum(as_int(same), axis=1))
            return right / same.shape[1], (same.shape[1] - right) / same.shape[1]
        same = xp.all(same, axis=1) if coded.labelwise else same
        return same, ~same

    def _comparable(self, inputs: Inputs) -> bool:
        """Whether equality of integers is all there is to know: then no codes are needed."""
        if "y_pred" not in inputs or self.decision.classes is not None:
            return False
        arrays = [inputs[name] for name in ("y_true", "y_pred")]
        return all(a.ndim == 1 and kind_of(a) in ("int", "bool") for a in arrays)


def _layout(inputs: Inputs) -> str:
    """What a row is, in words: sums over rows of different problems must not be added."""
    y = inputs["y_true"]
    return "one label per row" if y.ndim == 1 else f"{y.shape[1]} labels per row"


def _equal(a: Array, b: Array) -> Array:
    if not kernels.worthwhile(a, b):
        return a == b
    return np.concatenate(kernels.over_chunks(len(a), lambda i, j: a[i:j] == b[i:j]))


@dataclass(frozen=True)
class SampleRates(Statistic[Sum]):
    """A rate of each row's own labels (multilabel), summed over the rows where it exists."""

    decision: Decision
    key: str
    rate: Callable[[Any, Any, Any, Any], Any]
    names: ClassVar[tuple[str, ...]] = ("weight", "rate", "exists", "absent")

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return self.names

    def of(self, inputs: Inputs) -> Sum:
        """Weight, rates and the weight of rows where the rate exists and where it does not."""
        rows = self.unit_rows(inputs)
        return Sum(self.names, total(namespace(rows), rows, inputs.weight), inputs.n, _layout(inputs))

    def linear(self, inputs: Inputs) -> Linear:
        """One row per unit."""
        rows = to_host(self.unit_rows(inputs)).astype(np.float64)
        return Linear(lambda s: Sum(self.names, s, inputs.n), len(self.names), rows=rows)

    def unit_rows(self, inputs: Inputs) -> Array:
        """One, the rate, whether it exists and whether it does not."""
        coded = decided(inputs, self.decision)
        if not coded.labelwise:
            raise InputError(
                inputs.who,
                "",
                f"{arg('average', 'samples')} is the mean over the rows of a multilabel problem, and {arg('y_true')} holds one "
                "label per row",
                "Choose {}, {} or {}, or pass a 0/1 matrix (rows, labels).".format(
                    *(arg("average", one) for one in ("macro", "weighted", "micro"))
                ),
            )
        t, p = coded.true == 1, coded.predicted == 1
        xp = namespace(t, p)
        cells = (as_float(xp.sum(as_int(c), axis=1)) for c in (t & p, ~t & p, t & ~p, ~t & ~p))
        values = self.rate(*cells)
        missing = xp.isnan(values)
        rate = xp.where(missing, xp.zeros_like(values), values)
        exists, absent = (xp.astype(mask, values.dtype) for mask in (~missing, missing))
        return xp.stack([xp.ones_like(values), rate, exists, absent], axis=-1)
