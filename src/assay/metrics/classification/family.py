"""What label metrics share: truth and decisions in, a confusion table, one value per class, averaged as requested."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from assay.core.arrays import Floats
from assay.core.errors import InputError, ParameterError, arg
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Counts, Label, Sum
from assay.core.parameters import choice, number
from assay.core.statistic import Statistic
from assay.core.takes import Takes
from assay.metrics.averages import mean_defined, mean_of_rows
from assay.metrics.classification.decisions import Decision
from assay.metrics.classification.labels import LabelRules, binary_classes, counted_rows, shown
from assay.metrics.classification.tables import Confusion, SampleRates
from assay.ops import divide

Average: TypeAlias = Literal["binary", "macro", "micro", "weighted", "samples"] | None
TAKES = ("y_true: labels", "y_pred: labels", "y_prob: probabilities", "logits: logits")
# What messages offer in the place of average="binary".
AVERAGES = "{}, {}, {} or {}".format(*(arg("average", one) for one in ("macro", "weighted", "micro", None)))


@dataclass(frozen=True, kw_only=True)
class LabelMetric(Metric[Any]):
    """A metric of decisions.

    ``classes`` states the label set and its order, ``positive`` the positive class of a binary problem. From ``y_prob`` or
    ``logits`` the decision is the largest class, or positive from ``threshold`` on. Rows whose truth is ``ignore_index``, such as
    -100 for padding, are left out and counted; where it is predicted for other rows it is a miss.
    """

    takes = Takes(("y_true",), ("y_pred", "y_prob", "logits"), one_of=True)

    classes: tuple[Label, ...] | None = None
    positive: Label | None = None
    threshold: float = 0.5
    ignore_index: Label | None = None

    def __post_init__(self) -> None:
        """Check what all label metrics have in common."""
        super().__post_init__()
        number(self.name, "threshold", self.threshold, low=0, high=1)
        check_classes(self.name, self.classes)
        if self.classes is not None and self.positive is not None and self.positive not in self.classes:
            raise ParameterError(
                self.name, "positive", f"must be one of {arg('classes', self.classes)}, got {self.positive!r}"
            )

        if self.ignore_index is not None and self.ignore_index in (*(self.classes or ()), self.positive):
            problem = f"is {self.ignore_index!r}, which is among the classes; a class that counts cannot be ignored"
            raise ParameterError(self.name, "ignore_index", problem)

    def decision(self) -> Decision:
        """How labels come about."""
        return Decision(self.classes, self.positive, self.ignore_index, threshold=self.threshold)

    def counted_inputs(self, inputs: Inputs) -> Inputs:
        """The rows whose truth is not ignored."""
        return counted_rows(inputs, self.ignore_index)

    def remarks(self, total: Counts | Sum) -> dict[str, float]:
        """Rows that were left out."""
        return {f"rows ignored (truth {self.ignore_index!r})": float(total.ignored)}


def _is_whole(label: Label) -> bool:
    return isinstance(label, int) or (isinstance(label, float) and label.is_integer())


def check_classes(who: str, classes: tuple[Label, ...] | None) -> None:
    """Refuse label sets with repeats, of mixed kinds or with fewer than two classes."""
    if classes is None:
        return
    if not isinstance(cast(Any, classes), tuple) or len(classes) < 2 or len(set(classes)) != len(classes):
        raise ParameterError(who, "classes", f"must name at least two different labels, got {classes!r}")
    texts, numbers = all(isinstance(c, str) for c in classes), all(_is_whole(c) for c in classes)
    if not (texts or numbers):
        raise ParameterError(who, "classes", f"must be all text or all integers, got {classes!r}")


@dataclass(frozen=True, kw_only=True)
class TableMetric(LabelMetric):
    """A metric of the whole confusion table of a binary or multiclass problem."""

    def statistic(self) -> Confusion:
        """The confusion table."""
        return Confusion(self.decision())

    @abstractmethod
    def of_table(self, table: Floats) -> Floats:
        """The value from a table (..., true, predicted)."""

    def of(self, total: Counts) -> Floats:
        """The value; multilabel problems are refused."""
        if total.layout == "labelwise":
            raise InputError(
                self.name,
                "",
                f"is undefined for a multilabel problem ({arg('y_true')} is a matrix)",
                f"Take one label at a time: column j of {arg('y_true')} and of {arg('y_pred')}.",
            )
        return self.of_table(total.table)

    def cell_slopes(self, total: Counts, value: Floats) -> Floats | None:
        """Gradient of the value in the cells, where it exists, in closed form; None if there is none at hand."""
        return None

    def table_slope(self, total: Counts) -> Floats:
        """The closed form if there is one; one evaluation per cell is too many for a thousand classes."""
        value = self.of(total)
        if np.isnan(value):  # a number in its place does not move with the cells
            return np.zeros(total.table.shape) * self.settle(value)
        slopes = self.cell_slopes(total, value)
        return super().table_slope(total) if slopes is None else slopes


@dataclass(frozen=True, kw_only=True)
class OneVsRest(LabelMetric):
    """A rate of one class against the rest.

    ``average="binary"`` is the value of the positive class of two. With more classes or labels say how to average:
    ``"macro"`` (mean over classes), ``"weighted"`` (by support), ``"micro"`` (pooled cells), ``"samples"`` (mean over the
    rows of a multilabel problem), or None for one value per class. Classes where it is undefined are left out of averages
    and counted, unless ``undefined`` gives them a number. ``labels`` restricts averages to some classes, such as all entities but
    "O"; the rows of the other classes still count, as what these are mistaken for.
    """

    average: Average = "binary"
    labels: tuple[Label, ...] | None = None

    def __post_init__(self) -> None:
        """Check the average too."""
        super().__post_init__()
        choice(self.name, "average", self.average, ("binary", "macro", "micro", "weighted", "samples", None))
        if self.labels is None:
            return
        if self.average in ("binary", "samples"):
            fix = f"Choose {AVERAGES}."
            raise ParameterError(self.name, "labels", f"does not go with {arg('average', self.average)}", fix)
        if not self.labels or len(set(self.labels)) != len(self.labels):
            raise ParameterError(self.name, "labels", f"must name different labels, got {self.labels!r}")

    @property
    def properties(self) -> frozenset[str]:
        """Weights by the true support tell truth and prediction apart."""
        return self.record.properties - ({"symmetric"} if self.average == "weighted" else set[str]())

    @abstractmethod
    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """Numerator and denominator of the rate from the four cells, with any leading axes."""

    def rate(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Any:
        """The value from the four cells, with any leading axes."""
        return divide(*self.ratio(tp, fp, fn, tn))

    def statistic(self) -> Statistic[Any]:
        """The confusion table, or rates per row."""
        if self.average == "samples":
            return SampleRates(self.decision(), self.signature(), self.rate)
        return Confusion(self.decision())

    def of(self, total: Any) -> Any:
        """One value per class, or one in all."""
        if isinstance(total, Sum):
            return mean_of_rows(total["rate"], total["exists"], total["absent"], self.undefined)
        return self.rate(*self.cells(total))

    def cells(self, total: Counts) -> tuple[Any, ...]:
        """tp, fp, fn, tn that the rate is taken of: of each class, of the positive one, or pooled."""
        if self.average == "binary":
            return self._binary(total)
        cells = self._chosen(four_cells(total), total)
        if self.classes is None and total.layout != "labelwise":
            cells = _of_present(*cells)
        return tuple(c.sum(axis=-1) for c in cells) if self.average == "micro" else cells

    def _chosen(self, cells: tuple[Any, ...], total: Counts) -> tuple[Any, ...]:
        """The cells of the classes that averages are restricted to."""
        return cells if self.labels is None else tuple(c[..., self._places(total)] for c in cells)

    def _places(self, total: Counts) -> list[int]:
        """Where the classes stand that averages are restricted to, in the order in which they were named."""
        wanted = total.labels if self.labels is None else self.labels
        for label in wanted:
            if label not in total.labels:
                problem = f"names {label!r}, which is not among {shown(total.labels)}"
                raise InputError(self.name, "labels", problem, f"If it may occur, list it in {arg('classes')}.")
        return [total.labels.index(label) for label in wanted]

    def _spread(self, slopes: Floats, total: Counts) -> Floats:
        """Gradients of the classes that count among those of all classes, where the others have none."""
        if self.labels is None:
            return slopes
        full = np.zeros((*slopes.shape[:-1], len(total.labels)))
        full[..., self._places(total)] = slopes
        return full

    def _binary(self, total: Counts) -> tuple[Any, ...]:
        advice = f"Choose {AVERAGES} for {self.name}."
        if total.layout == "labelwise":
            raise InputError(
                self.name,
                "y_true",
                "is a matrix, so this is a multilabel problem",
                f"{advice[:-1]}, or {arg('average', 'samples')}.",
            )
        pair = binary_classes(self.name, total.labels, LabelRules(self.classes, self.positive), advice=advice)
        table = (
            total.over(pair).table if set(total.labels) <= set(pair) else _refuse_pair(self.name, total.labels, pair)
        )
        return table[..., 1, 1], table[..., 0, 1], table[..., 1, 0], table[..., 0, 0]

    def combine(self, values: Any, total: Any) -> Any:
        """The average over classes."""
        if self.average == "macro":
            return mean_defined(values)
        if self.average == "weighted":
            tp, _, fn, _ = self._chosen(four_cells(total), total)
            return mean_defined(values, tp + fn)
        return values

    def trials(self, total: Any) -> Any:
        """What the rate of each class, or the one rate there is, divides by; rates per row rest on all rows."""
        return None if isinstance(total, Sum) else self.ratio(*self.cells(total))[1] * 1.0

    def class_slopes(self, total: Counts) -> Floats:
        """Gradient of each class's rate in its own tp, fp, fn, tn: (4, classes). Zero where the rate does not exist."""
        step, cells = 1e-30, self.cells(total)
        nudged = [self.rate(*(c + 1j * step * (at == i) for i, c in enumerate(cells))) for at in range(4)]
        return np.where(np.isnan(self.rate(*cells)), 0.0, np.imag(nudged) / step)

    def table_slope(self, total: Counts) -> Floats:
        """Gradient of the value in the cells: that of every class, spread over the table at once."""
        if self.average not in ("macro", "weighted", "micro"):
            return super().table_slope(total)
        slopes = self.class_slopes(total)
        if self.average == "micro":
            return spread_slopes(total, self._unpooled(slopes, total))
        values = self.settle(self.of(total))
        exists = ~np.isnan(values)
        tp, _, fn, _ = self._chosen(four_cells(total), total)
        share = exists * (tp + fn if self.average == "weighted" else 1.0)
        if not share.any():  # no average exists, and a number in its place does not move with the cells
            return np.zeros(total.table.shape) * self.settle(np.float64(np.nan))
        slopes = divide(slopes * share, share.sum())
        if self.average == "weighted":
            slopes[[0, 2]] += np.where(exists, divide(values - mean_defined(values, share), share.sum()), 0.0)
        return spread_slopes(total, self._spread(slopes, total))

    def _unpooled(self, slopes: Floats, total: Counts) -> Floats:
        """Every class moves the pooled cells alike; the true negatives of one that is not there are not among them."""
        tp, fp, fn, tn = self._chosen(four_cells(total), total)
        each = np.repeat(slopes[:, None], len(tn), axis=1)
        if self.classes is None and total.layout != "labelwise":
            each[3] = _of_present(tp, fp, fn, each[3])[3]
        return self._spread(each, total)

    def part_covariance(self, total: Counts, squares: Any) -> Floats | None:
        """Covariance of the rates of the classes, from the table of squared weights (the table itself without weights).

        None where the table does not tell: a row of a multilabel problem stands in the table of every label.
        """
        if total.layout == "labelwise" or self.average not in ("macro", "weighted", None):
            return None
        every = rate_covariance(self._spread(self.class_slopes(total), total), np.asarray(squares, dtype=np.float64))
        return every if self.labels is None else every[np.ix_(self._places(total), self._places(total))]

    def remarks(self, total: Any) -> dict[str, float]:
        """Rows where a rate per row is undefined."""
        ignored = super().remarks(total)
        if not isinstance(total, Sum):
            return ignored
        how = "excluded" if isinstance(self.undefined, str) else f"counted as {self.undefined:g}"
        return {**ignored, f"rows undefined ({how})": float(total["absent"])}

    def part_names(self, total: Any) -> tuple[Label, ...]:
        """The classes."""
        if not isinstance(total, Counts) or self.average not in ("macro", "weighted", None):
            return ()
        return total.labels if self.labels is None else tuple(total.labels[place] for place in self._places(total))


def _of_present(tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Any, Any, Any, Any]:
    """A class that nobody named and no row has is not there, in a replicate either: no true negatives, so no value."""
    return tp, fp, fn, np.where(np.real(tp + fp + fn) > 0, tn, 0)


def _refuse_pair(who: str, labels: tuple[Label, ...], pair: tuple[Label, Label]) -> Any:
    raise InputError(who, "", f"the labels are {shown(labels)}, not {pair[0]!r} and {pair[1]!r}")


def four_cells(total: Counts) -> tuple[Any, Any, Any, Any]:
    """tp, fp, fn, tn of each class against the rest, classes last."""
    table = total.table
    if total.layout == "labelwise":
        return table[..., 1, 1], table[..., 0, 1], table[..., 1, 0], table[..., 0, 0]
    return square_cells(table)


def square_cells(table: Any) -> tuple[Any, Any, Any, Any]:
    """The same of a table (..., true, predicted). Whole numbers are subtracted; weights are only ever added up.

    A difference of sums of weights leaves a residue where there is no row, and nothing where there is a light one.
    """
    tp = np.diagonal(table, axis1=-2, axis2=-1)
    if table.dtype.kind in "iu":
        fp, fn = table.sum(axis=-2) - tp, table.sum(axis=-1) - tp
        return tp, fp, fn, table.sum(axis=(-2, -1))[..., None] - tp - fp - fn
    k = table.shape[-1]
    fp, fn, tn = (np.zeros(tp.shape, dtype=table.dtype) for _ in range(3))
    for order in (range(k), range(k - 1, -1, -1)):
        seen = np.zeros(tp.shape, dtype=table.dtype)  # by predicted class, of the true classes before this one
        for c in order:
            row = table[..., c, :]
            fp[..., c] += seen[..., c]
            tn[..., c] += seen[..., :c].sum(axis=-1) + seen[..., c + 1 :].sum(axis=-1)
            fn[..., c] = row[..., :c].sum(axis=-1) + row[..., c + 1 :].sum(axis=-1)
            seen += row
    return tp, fp, fn, tn


def spread_slopes(total: Counts, slopes: Floats) -> Floats:
    """From the gradient in each class's tp, fp, fn, tn (4, classes) to that in the cells of the table."""
    tp, fp, fn, tn = slopes
    if total.layout == "labelwise":
        return np.stack([np.stack([tn, fp], axis=-1), np.stack([fn, tp], axis=-1)], axis=-2)
    table = tn.sum() + (fn - tn)[:, None] + (fp - tn)[None, :]
    np.fill_diagonal(table, tn.sum() + tp - tn)
    return table


def rate_covariance(slopes: Floats, squares: Floats) -> Floats:
    """Sum over the cells of squared weight times the slopes of two classes there, for all pairs of classes.

    The slope of class c is its tn everywhere but in its own row and column: margins and cells suffice.
    """
    tp, fp, fn, tn = slopes
    row, column, own = squares.sum(axis=1), squares.sum(axis=0), np.diagonal(squares)
    in_row, in_column, in_both = fn - tn, fp - tn, tp - tn
    first = in_row * (row - own) + in_column * (column - own) + in_both * own
    second = in_row**2 * (row - own) + in_column**2 * (column - own) + in_both**2 * own
    crossed = in_row[:, None] * squares * in_column[None, :]
    np.fill_diagonal(crossed, second / 2)
    lifted = np.outer(tn, first + tn * squares.sum() / 2)
    return crossed + crossed.T + lifted + lifted.T
