"""Rates of one class against the rest: precision, recall, specificity and their complements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from assay.core.arrays import Floats
from assay.core.record import Record
from assay.core.sources import SURVEY
from assay.metrics.classification.family import TAKES, OneVsRest

_AVERAGES = (27, 32)
RowsThatCount: TypeAlias = tuple[Literal["true", "predicted"], Literal["positive", "negative"]]  # the denominator


@dataclass(frozen=True, kw_only=True)
class Precision(OneVsRest):
    r"""Of what was called positive, the fraction that is.

    .. math:: \mathrm{precision} = \frac{TP}{TP + FP}

    Also positive predictive value. Depends on how common the class is. Undefined where nothing was called positive.

    >>> precision([0, 1, 1, 0], [1, 1, 1, 0])
    0.6666...
    """

    record = Record(
        title="Precision", range=(0, 1), better="higher", family="proportion", transform="logit", takes=TAKES,
        undefined="the class is never predicted", use="false alarms are what costs",
        misleads="easy to raise by predicting rarely; changes with prevalence",
        equals=("scikit-learn precision_score (zero_division=nan)",),
        references=("kent1955",), traps=_AVERAGES,
        aliases=("PPV", "positive_predictive_value", "precision_score"),
    )  # fmt: skip
    counts_rows: ClassVar[RowsThatCount] = ("predicted", "positive")

    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """TP over predicted positive."""
        return tp, tp + fp


@dataclass(frozen=True, kw_only=True)
class Recall(OneVsRest):
    r"""Of what is positive, the fraction that was found.

    .. math:: \mathrm{recall} = \frac{TP}{TP + FN}

    Also sensitivity, true positive rate. Undefined where the class does not occur.

    >>> recall([0, 1, 1, 0], [1, 1, 0, 0])
    0.5
    """

    record = Record(
        title="Recall", range=(0, 1), better="higher", family="proportion", transform="logit", takes=TAKES,
        undefined="the class does not occur", use="misses are what costs", misleads="calling everything positive scores 1",
        equals=("scikit-learn recall_score (zero_division=nan)",), references=("kent1955",), traps=_AVERAGES,
        aliases=("sensitivity", "TPR", "true_positive_rate", "recall_score"),
        erratum=f"{SURVEY} recommends micro averages under imbalance; macro averages are for that, micro ones are dominated "
        "by the large classes.",
    )  # fmt: skip
    counts_rows: ClassVar[RowsThatCount] = ("true", "positive")

    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """TP over truly positive."""
        return tp, tp + fn


@dataclass(frozen=True, kw_only=True)
class Specificity(OneVsRest):
    r"""Of what is negative, the fraction that was left alone.

    .. math:: \mathrm{specificity} = \frac{TN}{TN + FP}

    Also true negative rate. Undefined where nothing is negative.

    >>> specificity([0, 1, 1, 0], [1, 1, 1, 0])
    0.5
    """

    record = Record(
        title="Specificity", range=(0, 1), better="higher", family="proportion", transform="logit", takes=TAKES,
        undefined="nothing is negative", use="beside recall in diagnostic tests", misleads="near 1 for every rare class",
        equals=("torchmetrics specificity",), references=("yerushalmy1947",), traps=_AVERAGES,
        aliases=("TNR", "true_negative_rate", "selectivity"),
    )  # fmt: skip
    counts_rows: ClassVar[RowsThatCount] = ("true", "negative")

    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """TN over truly negative."""
        return tn, tn + fp


@dataclass(frozen=True, kw_only=True)
class FalsePositiveRate(OneVsRest):
    r"""Of what is negative, the fraction that raised a false alarm.

    .. math:: \mathrm{FPR} = \frac{FP}{FP + TN}

    One minus specificity. Undefined where nothing is negative.

    >>> false_positive_rate([0, 1, 1, 0], [1, 1, 1, 0])
    0.5
    """

    record = Record(
        title="False positive rate", range=(0, 1), better="lower", family="proportion", transform="logit", takes=TAKES,
        undefined="nothing is negative", use="the horizontal axis of the ROC curve", misleads="tiny rates of huge classes are many alarms",
        references=("yerushalmy1947",),
        traps=_AVERAGES,
        aliases=("FPR", "fall_out", "false_alarm_rate"),
        erratum=f"{SURVEY}, table 7, writes FP/(FP+FN); the denominator is all negatives, FP+TN.",
    )  # fmt: skip
    counts_rows: ClassVar[RowsThatCount] = ("true", "negative")

    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """FP over truly negative."""
        return fp, fp + tn


@dataclass(frozen=True, kw_only=True)
class FalseNegativeRate(OneVsRest):
    r"""Of what is positive, the fraction that was missed.

    .. math:: \mathrm{FNR} = \frac{FN}{FN + TP}

    One minus recall. Undefined where the class does not occur.

    >>> false_negative_rate([0, 1, 1, 0], [1, 1, 0, 0])
    0.5
    """

    record = Record(
        title="False negative rate", range=(0, 1), better="lower", family="proportion", transform="logit", takes=TAKES,
        undefined="the class does not occur", use="misses, read as an error", misleads="calling everything positive scores 0",
        references=("yerushalmy1947",), traps=_AVERAGES,
        aliases=("FNR", "miss_rate"),
        erratum=f"{SURVEY}, table 7, calls it the type I error; that is the false positive, a miss is a type II error.",
    )  # fmt: skip
    counts_rows: ClassVar[RowsThatCount] = ("true", "positive")

    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """FN over truly positive."""
        return fn, fn + tp


@dataclass(frozen=True, kw_only=True)
class NegativePredictiveValue(OneVsRest):
    r"""Of what was called negative, the fraction that is.

    .. math:: \mathrm{NPV} = \frac{TN}{TN + FN}

    Undefined where nothing was called negative.

    >>> negative_predictive_value([0, 1, 1, 0], [1, 1, 0, 0])
    0.5
    """

    record = Record(
        title="Negative predictive value", range=(0, 1), better="higher", family="proportion", transform="logit", takes=TAKES,
        undefined="nothing is predicted negative", use="can a negative result be trusted",
        misleads="near 1 for every rare class, whatever the model", equals=("torchmetrics negative_predictive_value",),
        references=("yerushalmy1947",), traps=_AVERAGES,
        aliases=("NPV",),
        erratum=f"{SURVEY} describes it as a fraction of the negative cases, which is specificity; it is a fraction of the "
        "negative calls, and rises by itself as prevalence falls.",
    )  # fmt: skip
    counts_rows: ClassVar[RowsThatCount] = ("predicted", "negative")

    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """TN over predicted negative."""
        return tn, tn + fn


@dataclass(frozen=True, kw_only=True)
class FalseDiscoveryRate(OneVsRest):
    r"""Of what was called positive, the fraction that is not.

    .. math:: \mathrm{FDR} = \frac{FP}{FP + TP}

    One minus precision. Undefined where nothing was called positive.

    >>> false_discovery_rate([0, 1, 1, 0], [1, 1, 1, 0])
    0.3333...
    """

    record = Record(
        title="False discovery rate", range=(0, 1), better="lower", family="proportion", transform="logit", takes=TAKES,
        undefined="the class is never predicted", use="the fraction of discoveries that will not hold",
        misleads="changes with prevalence", references=("benjamini1995",), traps=_AVERAGES,
        aliases=("FDR",),
    )  # fmt: skip
    counts_rows: ClassVar[RowsThatCount] = ("predicted", "positive")

    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """FP over predicted positive."""
        return fp, fp + tp


@dataclass(frozen=True, kw_only=True)
class FalseOmissionRate(OneVsRest):
    r"""Of what was called negative, the fraction that is positive.

    .. math:: \mathrm{FOR} = \frac{FN}{FN + TN}

    One minus the negative predictive value. Undefined where nothing was called negative.

    >>> false_omission_rate([0, 1, 1, 0], [1, 1, 0, 0])
    0.5
    """

    record = Record(
        title="False omission rate", range=(0, 1), better="lower", family="proportion", transform="logit", takes=TAKES,
        undefined="nothing is predicted negative", use="what slips through a screen", misleads="near 0 for every rare class",
        references=("benjamini1995",), traps=_AVERAGES,
        erratum=f"{SURVEY}, table 7, calls FN/(TN+FN) the true discovery rate; that is precision, this is the false omission "
        "rate.",
    )  # fmt: skip
    counts_rows: ClassVar[RowsThatCount] = ("predicted", "negative")

    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """FN over predicted negative."""
        return fn, fn + tn
