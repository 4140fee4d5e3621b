"""Operating points: the best rate among the thresholds that keep another rate, and the threshold itself."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from assay.core.arrays import ArrayLike, Floats
from assay.core.monoids import Label, Rows
from assay.core.parameters import number
from assay.core.record import Record
from assay.metrics.classification.scores import TAKES, ScoreMetric, Steps, pooled, steps
from assay.metrics.classification.thresholds import ChosenThreshold, warn_of_selection
from assay.ops import divide

Chosen: TypeAlias = ChosenThreshold | dict[Label, ChosenThreshold]
NEARLY = 1 - 1e-12  # a rate such as 3/30 must meet its own limit 0.1
_MISLEADS = "the threshold is chosen on the rows it is judged on: fix it (point) and test it on others"


@dataclass(frozen=True, kw_only=True)
class OperatingPoint(ScoreMetric):
    """The best rate among the thresholds at which another rate is high enough; nothing is interpolated.

    Calling nobody positive (a threshold of infinity) is among them.
    """

    @abstractmethod
    def rates(self, s: Steps) -> tuple[Floats, Floats, float]:
        """What is sought and what must be high enough at every step, the first of which calls nobody positive; and how high."""

    def chosen(self, rows: Rows, column: int | None = None) -> ChosenThreshold:
        """The threshold and the value there; among equal values the highest threshold."""
        s = steps(rows, column)
        above = Steps(np.append(np.inf, s.threshold), np.append(0.0, s.tp), np.append(0.0, s.fp))
        sought, held, least = self.rates(above)
        if np.isnan(sought).all():
            return ChosenThreshold(np.nan, np.nan)
        allowed = ~np.isnan(sought) & (held >= least * NEARLY)
        if (
            not allowed.any()
        ):  # only a precision may be out of reach; whoever calls nobody positive never falls short of it
            return ChosenThreshold(np.inf, 0.0)
        at = int(np.argmax(np.where(allowed, sought, -np.inf)))
        return ChosenThreshold(float(above.threshold[at]), float(sought[at]))

    def binary(self, rows: Rows, column: int | None = None) -> float:
        """The value of one binary problem."""
        return self.chosen(rows, column).value

    def point(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Chosen:
        """The threshold with the value there, or one per class by label; a warning that they were chosen on these data.

        A row is positive from the threshold on. Where no threshold will do it is infinity, and NaN where the value is undefined.
        """
        total = self.statistic().of(self.inputs(*args, weight=weight, **named))
        self.refuse_average(total)
        warn_of_selection(self.key)
        if self.average == "binary":
            return self.chosen(total)
        if self.average == "micro":
            return self.chosen(pooled(total))
        return {label: self.chosen(total, j) for j, label in enumerate(total.labels)}


@dataclass(frozen=True, kw_only=True)
class RecallAtPrecision(OperatingPoint):
    r"""The largest recall at a precision of at least ``precision``.

    .. math:: \max_t \{\mathrm{recall}(t) : \mathrm{precision}(t) \ge p\}

    0 where no threshold reaches the precision: nobody is called positive then. ``point`` gives the threshold too. Undefined
    where no row is positive.

    >>> recall_at_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], precision=0.6)
    1.0
    """

    record = Record(
        title="Recall at precision", range=(0, 1), better="higher", family="bootstrap", transform="logit", takes=TAKES,
        undefined="no row is positive", use="how much is found if false alarms may be no more than a fraction of all alarms",
        misleads=f"jumps where a few rows of high score decide the precision; {_MISLEADS}",
        equals=("torchmetrics binary_recall_at_fixed_precision(min_precision=precision)",), references=("davis2006",),
        traps=(28,), properties=frozenset({"monotone_invariant"}), aliases=("recall_at_fixed_precision", "sensitivity_at_ppv"),
    )  # fmt: skip

    precision: float = 0.9

    def check(self) -> None:
        """A rate."""
        number(self.name, "precision", self.precision, low=0, high=1)

    def rates(self, s: Steps) -> tuple[Floats, Floats, float]:
        """Recall, precision; nobody called positive keeps any precision of 0."""
        precision = divide(s.tp, s.tp + s.fp)
        return divide(s.tp, s.positives), np.where(np.isnan(precision), 0.0, precision), self.precision


@dataclass(frozen=True, kw_only=True)
class PrecisionAtRecall(OperatingPoint):
    r"""The largest precision at a recall of at least ``recall``.

    .. math:: \max_t \{\mathrm{precision}(t) : \mathrm{recall}(t) \ge r\}

    Every recall is reached, at the latest by calling everybody positive, where precision is the prevalence. ``point`` gives the
    threshold too. Undefined where no row is positive.

    >>> precision_at_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], recall=0.6)
    0.6666...
    """

    record = Record(
        title="Precision at recall", range=(0, 1), better="higher", family="bootstrap", transform="logit", takes=TAKES,
        undefined="no row is positive", use="how many false alarms it takes to find a required part of the positives",
        misleads=f"changes with prevalence; {_MISLEADS}",
        equals=("torchmetrics binary_precision_at_fixed_recall(min_recall=recall)",), references=("davis2006",),
        traps=(28,), properties=frozenset({"monotone_invariant"}), aliases=("precision_at_fixed_recall", "ppv_at_sensitivity"),
    )  # fmt: skip

    recall: float = 0.9

    def check(self) -> None:
        """A rate."""
        number(self.name, "recall", self.recall, low=0, high=1)

    def rates(self, s: Steps) -> tuple[Floats, Floats, float]:
        """Precision, recall."""
        recall = divide(s.tp, s.positives)
        return np.where(np.isnan(recall), np.nan, divide(s.tp, s.tp + s.fp)), recall, self.recall


@dataclass(frozen=True, kw_only=True)
class SpecificityAtSensitivity(OperatingPoint):
    r"""The largest specificity at a sensitivity of at least ``sensitivity``.

    .. math:: \max_t \{\mathrm{specificity}(t) : \mathrm{sensitivity}(t) \ge s\}

    What a screening test that must not miss more than a fraction 1 - s spares the healthy. ``point`` gives the threshold too.
    The other way round it is `TprAtFpr`. Undefined when only one class occurs.

    >>> specificity_at_sensitivity([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], sensitivity=0.9)
    0.5
    """

    record = Record(
        title="Specificity at sensitivity", range=(0, 1), better="higher", family="bootstrap", transform="logit", takes=TAKES,
        undefined="only one class occurs", use="screening, where the sensitivity is required",
        misleads=f"rests on the few positives of lowest score; {_MISLEADS}",
        equals=("torchmetrics binary_specificity_at_sensitivity(min_sensitivity=sensitivity)",), references=("hanley1982",),
        traps=(28,), properties=frozenset({"monotone_invariant"}), aliases=("specificity_at_recall", "tnr_at_tpr"),
    )  # fmt: skip

    sensitivity: float = 0.9

    def check(self) -> None:
        """A rate."""
        number(self.name, "sensitivity", self.sensitivity, low=0, high=1)

    def rates(self, s: Steps) -> tuple[Floats, Floats, float]:
        """Specificity, sensitivity; neither exists without the other class."""
        recall, specificity = divide(s.tp, s.positives), 1 - divide(s.fp, s.negatives)
        return np.where(np.isnan(recall), np.nan, specificity), recall, self.sensitivity
