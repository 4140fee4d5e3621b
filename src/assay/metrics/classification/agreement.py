"""How far truth and decisions agree: accuracy, balanced accuracy, Matthews, kappa, Hamming, the table itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.arrays import Floats
from assay.core.monoids import Counts, Sum
from assay.core.parameters import choice
from assay.core.record import Record
from assay.core.sources import RESAMPLING_NOTES, SURVEY
from assay.metrics.averages import but_own, mean_defined
from assay.metrics.classification.family import TAKES, LabelMetric, TableMetric, square_cells
from assay.metrics.classification.tables import Confusion, Hits
from assay.ops import divide, real, within


@dataclass(frozen=True, kw_only=True)
class Accuracy(LabelMetric):
    r"""Fraction of rows that are right; in a multilabel problem, of rows whose labels are all right.

    .. math:: \frac1n \sum_i 1[\hat y_i = y_i]

    Reads well when the classes are balanced and all errors cost the same.

    >>> accuracy([0, 1, 2, 3], [0, 2, 1, 3])
    0.5
    """

    record = Record(
        title="Accuracy", range=(0, 1), better="higher", family="proportion", transform="logit", takes=TAKES,
        use="balanced classes, equal costs", misleads="on 99:1 data always saying the common class scores 0.99",
        equals=("scikit-learn accuracy_score", 'torchmetrics multiclass accuracy with average="micro"'),
        references=("hand1997",), traps=(27, 32),
        aliases=("accuracy_score",),
        erratum=f"{SURVEY} says that it treats all classes equally; it treats all rows equally, so that large classes decide.",
    )  # fmt: skip

    def statistic(self) -> Hits:
        """Rows that are right."""
        return Hits(self.decision())

    def of(self, total: Sum) -> Floats:
        """Their fraction."""
        return divide(total["hits"], total["weight"])


@dataclass(frozen=True, kw_only=True)
class Misclassification(LabelMetric):
    r"""Fraction of rows that are wrong.

    .. math:: \frac1n \sum_i 1[\hat y_i \ne y_i]

    One minus accuracy, as a loss.

    >>> misclassification([0, 1, 2, 3], [0, 2, 1, 3])
    0.5
    """

    record = Record(
        title="Misclassification error", range=(0, 1), better="lower", family="proportion", transform="logit", takes=TAKES,
        use="as accuracy, where errors are minimised", misleads="as accuracy", equals=("scikit-learn zero_one_loss",),
        references=("hand1997",),
        aliases=("zero_one_loss", "error_rate"),
    )  # fmt: skip

    def statistic(self) -> Hits:
        """Rows that are right."""
        return Hits(self.decision())

    def of(self, total: Sum) -> Floats:
        """The fraction that are not."""
        return divide(total["misses"], total["weight"])


@dataclass(frozen=True, kw_only=True)
class Hamming(LabelMetric):
    r"""Fraction of labels that are wrong.

    .. math:: \frac{1}{nL} \sum_i \sum_l 1[\hat y_{il} \ne y_{il}]

    In a multilabel problem every label of every row counts once; with one label per row it is the misclassification error.

    >>> hamming([[0, 1], [1, 1]], [[0, 0], [1, 1]])
    0.25
    """

    record = Record(
        title="Hamming loss", range=(0, 1), better="lower", family="bounded_mean", transform="logit", takes=TAKES,
        use="multilabel problems", misleads="near 0 when labels are sparse, whatever the model",
        equals=("scikit-learn hamming_loss", "torchmetrics multilabel hamming_distance (micro)"), references=("tsoumakas2007",),
        aliases=("hamming_loss", "hamming_distance"),
    )  # fmt: skip

    def statistic(self) -> Hits:
        """Labels that are right."""
        return Hits(self.decision(), of_labels=True)

    def of(self, total: Sum) -> Floats:
        """The fraction that are not."""
        return divide(total["misses"], total["weight"])


@dataclass(frozen=True, kw_only=True)
class BalancedAccuracy(TableMetric):
    r"""Mean recall of the classes that occur.

    .. math:: \frac1K \sum_k \frac{TP_k}{TP_k + FN_k}

    Every class counts the same, however rare; guessing scores 1/K. ``adjusted=True`` puts guessing at 0.

    >>> balanced_accuracy([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])
    0.625
    """

    record = Record(
        title="Balanced accuracy", range=(0, 1), better="higher", family="balanced", transform="logit", takes=TAKES,
        undefined="no row", use="classes of unequal size that matter alike; prevalence that will change",
        misleads="one rare class with a handful of rows can decide it", equals=("scikit-learn balanced_accuracy_score",),
        references=("brodersen2010",), traps=(27,),
        aliases=("balanced_accuracy_score", "bacc"),
    )  # fmt: skip

    adjusted: bool = False

    @property
    def bounds(self) -> tuple[float, float]:
        """With guessing at 0, two classes that are always confused reach -1."""
        return (-1, 1) if self.adjusted else self.record.range

    def of_table(self, table: Floats) -> Floats:
        """Mean of the diagonal over the row sums that are not empty."""
        support = table.sum(axis=-1)
        value = mean_defined(divide(np.diagonal(table, axis1=-2, axis2=-1), support))
        if not self.adjusted:
            return value
        chance = divide(1.0, (real(support) > 0).sum(axis=-1))
        return divide(value - chance, 1 - chance)

    def cell_slopes(self, total: Counts, value: Floats) -> Floats:
        """A row moves the recall of its own class alone."""
        support = total.table.sum(axis=-1, keepdims=True)
        hit = np.eye(len(support))
        moved = np.nan_to_num(divide(hit - divide(np.diagonal(total.table)[:, None], support), support))
        return moved / ((support > 0).sum() - self.adjusted)


@dataclass(frozen=True, kw_only=True)
class MatthewsCorrelation(TableMetric):
    r"""Correlation of truth and decision; Gorodkin's R_K for more than two classes.

    .. math:: \frac{TP\,TN - FP\,FN}{\sqrt{(TP+FP)(TP+FN)(TN+FP)(TN+FN)}}

    High only when all four cells are good; 0 is guessing. Undefined when truth or decisions hold a single class.

    >>> matthews_correlation([1, 1, 1, 0], [1, 0, 1, 1])
    -0.3333...
    """

    record = Record(
        title="Matthews correlation coefficient", range=(-1, 1), better="higher", family="agreement", transform="fisher_z",
        takes=TAKES, undefined="truth or decisions hold a single class", use="one number for a 2 x 2 table that uses all four cells",
        misleads="not comparable between data of different prevalence",
        equals=("scikit-learn matthews_corrcoef, which gives 0 where it is undefined",), references=("matthews1975", "gorodkin2004"),
        properties=frozenset({"symmetric"}),
        aliases=("MCC", "matthews_corrcoef"),
    )  # fmt: skip

    def of_table(self, table: Floats) -> Floats:
        """From each class against the rest: sums of products of cells, which vanish only where a class is alone."""
        n = table.sum(axis=(-2, -1))[..., None]
        tp, fp, fn, tn = (divide(cells, n) for cells in square_cells(table))
        apart = [(part * rest).sum(axis=-1) for part, rest in ((tp + fn, fp + tn), (tp + fp, fn + tn))]
        return within(divide((tp * tn - fp * fn).sum(axis=-1), np.sqrt(apart[0]) * np.sqrt(apart[1])), -1, 1)

    def cell_slopes(self, total: Counts, value: Floats) -> Floats:
        """From margins and diagonal, as shares."""
        n = total.table.sum()
        true, predicted = total.table.sum(axis=-1) / n, total.table.sum(axis=-2) / n
        apart_true, apart_predicted = ((margin * but_own(margin)).sum() for margin in (true, predicted))
        scale = np.sqrt(apart_true) * np.sqrt(apart_predicted)
        by_true = predicted / scale + value * (1 - true) / apart_true
        by_predicted = true / scale + value * (1 - predicted) / apart_predicted
        slopes = np.trace(total.table) / n / scale - by_true[:, None] - by_predicted[None, :]
        return (slopes + np.eye(len(true)) / scale) / n


@dataclass(frozen=True, kw_only=True)
class CohenKappa(TableMetric):
    r"""Agreement beyond what the margins give by chance.

    .. math:: \kappa = \frac{p_o - p_e}{1 - p_e}

    ``weights="linear"`` or ``"quadratic"`` forgives near misses on ordered classes, in the order of ``classes``. Undefined
    when chance alone would agree always.

    >>> cohen_kappa([0, 1, 0, 1], [0, 1, 1, 1])
    0.5
    """

    record = Record(
        title="Cohen's kappa", range=(-1, 1), better="higher", family="agreement", transform="fisher_z", takes=TAKES,
        undefined="truth and decisions hold the same single class", use="agreement of raters; weighted, for ordered classes",
        misleads="falls with unequal margins at the same accuracy; quadratic weights reward guessing the middle",
        equals=("scikit-learn cohen_kappa_score", "torchmetrics cohen_kappa"), references=("cohen1960", "cohen1968"),
        properties=frozenset({"symmetric"}),
        aliases=("kappa", "cohen_kappa_score", "cohens_kappa"),
    )  # fmt: skip

    weights: Literal["linear", "quadratic"] | None = None

    def check(self) -> None:
        """Known weights."""
        choice(self.name, "weights", self.weights, (None, "linear", "quadratic"))

    def fines(self, k: int) -> Floats:
        """The price of each confusion of k classes; symmetric."""
        apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)
        return {None: np.sign(apart), "linear": apart, "quadratic": apart**2}[self.weights]

    def of_table(self, table: Floats) -> Floats:
        """One minus observed over expected disagreement."""
        fine = self.fines(table.shape[-1])
        n = table.sum(axis=(-2, -1))
        chance = table.sum(axis=-1)[..., :, None] * (table.sum(axis=-2) / n[..., None])[..., None, :]
        return 1 - divide((fine * table).sum(axis=(-2, -1)), (fine * chance).sum(axis=(-2, -1)))

    def cell_slopes(self, total: Counts, value: Floats) -> Floats:
        """A row is fined itself, and moves the fines to be expected through both margins."""
        fine, n = self.fines(len(total.labels)), total.table.sum()
        true, predicted = total.table.sum(axis=-1), total.table.sum(axis=-2)
        of_true, of_predicted = fine @ predicted / n, fine @ true / n
        expected = true @ of_true
        moved = of_true[:, None] + of_predicted[None, :] - expected / n
        return ((1 - value) * moved - fine) / expected


@dataclass(frozen=True, kw_only=True)
class ConfusionMatrix(LabelMetric):
    r"""Counts of true against predicted classes: rows true, columns predicted.

    .. math:: C_{jk} = \#\{i : y_i = j, \hat y_i = k\}

    ``normalize="true"`` divides rows, ``"predicted"`` columns, ``"all"`` by everything. A multilabel problem gives one
    2 x 2 table per label.

    >>> confusion_matrix([0, 1, 1, 0], [1, 1, 0, 0])
    array([[1, 1],
           [1, 1]])
    """

    record = Record(
        title="Confusion matrix", range=(0, np.inf), better="none", family="curve", takes=TAKES,
        undefined="a row or column to divide by is empty",
        use="which classes are taken for which", misleads="libraries differ in what stands in rows and columns",
        equals=("scikit-learn confusion_matrix, multilabel_confusion_matrix",), references=("pearson1904",),
        erratum=f"{RESAMPLING_NOTES} have the predictions in rows; here the truth is in rows, as in scikit-learn.",
    )  # fmt: skip

    normalize: Literal["true", "predicted", "all"] | None = None

    def check(self) -> None:
        """A known way to normalise."""
        choice(self.name, "normalize", self.normalize, (None, "true", "predicted", "all"))

    @property
    def weights_count(self) -> bool:
        """Plain cells grow with the weights."""
        return self.normalize is None

    def statistic(self) -> Confusion:
        """The table."""
        return Confusion(self.decision())

    def of(self, total: Counts) -> Floats:
        """The table, normalised as requested."""
        if self.normalize is None:
            return total.table
        axis = {"true": -1, "predicted": -2, "all": (-2, -1)}[self.normalize]
        return divide(total.table, total.table.sum(axis=axis, keepdims=True))
