"""What diagnostic tests are judged by: likelihood ratios, Youden's index and the net benefit of a decision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Floats
from assay.core.errors import ParameterError
from assay.core.monoids import Counts, Sum
from assay.core.record import Record
from assay.metrics.classification.family import AVERAGES, TAKES, OneVsRest
from assay.ops import divide, real


@dataclass(frozen=True, kw_only=True)
class PositiveLikelihoodRatio(OneVsRest):
    r"""How much a positive result raises the odds of the positive class (LR+).

    .. math:: \mathrm{LR}^+ = \frac{\mathrm{sensitivity}}{1 - \mathrm{specificity}}

    The odds after a positive result are the odds before it times this ratio, whatever the prevalence. 1 is a useless test, above
    10 a strong one. Infinite where hits come without a false alarm, undefined where there are neither.

    >>> positive_likelihood_ratio([1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0])
    2.6666...
    """

    record = Record(
        title="Positive likelihood ratio", range=(0, np.inf), better="higher", family="confusion", transform="log", takes=TAKES,
        undefined="a class does not occur or nothing is called positive",
        use="carrying a test over to a population of another prevalence",
        misleads="depends on the few false alarms of a good test: read its interval",
        equals=("scikit-learn class_likelihood_ratios (the first value)",), references=("simel1991",),
        aliases=("LR_plus", "lr_positive", "PLR", "class_likelihood_ratios"),
    )  # fmt: skip

    def check(self) -> None:
        """A row has too few labels for a ratio that is often infinite."""
        if self.average == "samples":
            raise ParameterError(
                self.name,
                "average",
                "'samples' is not defined: ratios of single rows are infinite",
                f"Choose {AVERAGES}.",
            )

    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """Sensitivity over the false positive rate, on one fraction line."""
        return tp * (fp + tn), fp * (tp + fn)

    def rate(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Floats:
        """Infinite where only the denominator is zero; where a class is missing it does not exist."""
        above, below = self.ratio(tp, fp, fn, tn)
        both = (real(tp + fn) > 0) & (real(fp + tn) > 0)
        return np.where((real(below) == 0) & (real(above) > 0) & both, np.inf, divide(above, below))

    def trials(self, total: Counts | Sum) -> None:
        """All rows: no single denominator counts them."""
        return


@dataclass(frozen=True, kw_only=True)
class NegativeLikelihoodRatio(PositiveLikelihoodRatio):
    r"""How much a negative result lowers the odds of the positive class (LR-).

    .. math:: \mathrm{LR}^- = \frac{1 - \mathrm{sensitivity}}{\mathrm{specificity}}

    The odds after a negative result are the odds before it times this ratio. 1 is a useless test, below 0.1 a strong one.
    Infinite where misses come without a negative row that is recognised, undefined where there are neither.

    >>> negative_likelihood_ratio([1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0])
    0.4444...
    """

    record = Record(
        title="Negative likelihood ratio", range=(0, np.inf), better="lower", family="confusion", transform="log", takes=TAKES,
        undefined="a class does not occur or nothing is called negative", use="whether a negative result rules the class out",
        misleads="depends on the few misses of a good test: read its interval",
        equals=("scikit-learn class_likelihood_ratios (the second value)",), references=("simel1991",),
        aliases=("LR_minus", "lr_negative", "NLR"),
    )  # fmt: skip

    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """The false negative rate over specificity, on one fraction line."""
        return fn * (fp + tn), tn * (tp + fn)


@dataclass(frozen=True, kw_only=True)
class Youden(OneVsRest):
    r"""Youden's index J: sensitivity plus specificity minus 1.

    .. math:: J = \frac{TP}{TP + FN} + \frac{TN}{TN + FP} - 1

    0 for guessing at any rate, 1 for a perfect test, below 0 for one that is wrong more often than not. Does not depend on the
    prevalence. For the threshold where it is largest: ``threshold_sweep(...).best("youden")``.

    >>> youden([1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0])
    0.4166...
    """

    record = Record(
        title="Youden's index", range=(-1, 1), better="higher", family="youden", transform="fisher_z", takes=TAKES,
        undefined="a class does not occur", use="a threshold where misses and false alarms cost the same rate of their class",
        misleads="weighs a miss against a false alarm by prevalence alone, which is rarely what they cost",
        equals=("scikit-learn balanced_accuracy_score(adjusted=True) of two classes",), references=("youden1950", "newcombe1998"),
        aliases=("youden_index", "youdens_j", "informedness", "bookmaker_informedness", "true_skill_statistic", "TSS",
                 "peirce_skill_score"),
    )  # fmt: skip

    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """On one fraction line."""
        return tp * tn - fp * fn, (tp + fn) * (fp + tn)

    def trials(self, total: Counts | Sum) -> None:
        """All rows: no single denominator counts them."""
        return


@dataclass(frozen=True, kw_only=True)
class NetBenefit(OneVsRest):
    r"""Net benefit of acting at a threshold probability: hits minus false alarms at their price, per row.

    .. math:: \mathrm{NB}(t) = \frac{TP}{n} - \frac{FP}{n} \cdot \frac{t}{1-t}

    Whoever acts from a probability of t on is willing to have (1-t)/t false alarms for a hit; ``threshold`` is both the decision
    rule and that price. 0 is the benefit of acting on nobody, and the prevalence that of perfect decisions. Compare it with
    acting on everybody (`decision_curve` gives both at all thresholds). Decisions given as ``y_pred`` are taken as they are.

    >>> net_benefit([1, 1, 0, 0], y_prob=[0.9, 0.3, 0.6, 0.1], threshold=0.2)
    0.4375
    """

    record = Record(
        title="Net benefit", range=(-np.inf, 1), better="higher", family="mean", transform="identity", takes=TAKES,
        use="whether a model helps at the price of false alarms that a decision maker accepts",
        misleads="a value at one threshold says nothing about others; probabilities must be calibrated",
        equals=("dcurves dca(thresholds=[threshold])",), references=("vickers2006",),
    )  # fmt: skip

    def check(self) -> None:
        """At a threshold of 1 no false alarm is worth anything."""
        if self.threshold == 1:
            raise ParameterError(self.name, "threshold", "must be below 1: the price of a false alarm is t / (1 - t)")

    @property
    def price(self) -> float:
        """Of a false alarm, in hits."""
        return self.threshold / (1 - self.threshold)

    @property
    def bounds(self) -> tuple[float, float]:
        """Nobody is worse off than by a false alarm on every row."""
        return (-self.price, 1)

    @property
    def optimum(self) -> float | None:
        """The prevalence, which the data decide."""
        return None

    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """Hits minus priced false alarms, over all rows."""
        return tp - self.price * fp, tp + fp + fn + tn
