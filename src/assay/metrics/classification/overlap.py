"""Overlap of the true and the predicted set of a class: F-beta, F1, Jaccard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.core.arrays import Floats
from assay.core.monoids import Sum
from assay.core.parameters import number
from assay.core.record import Record
from assay.core.sources import SEGMENTATION_TUTORIAL
from assay.metrics.classification.family import TAKES, OneVsRest

_UNDEFINED = "the class neither occurs nor is predicted"


@dataclass(frozen=True, kw_only=True)
class Overlap(OneVsRest):
    """How far the true and the predicted set of a class are the same: rests on the rows that are in either."""

    def trials(self, total: Any) -> Any:
        """The union of both sets."""
        if isinstance(total, Sum):
            return None
        tp, fp, fn, _ = self.cells(total)
        return (tp + fp + fn) * 1.0


@dataclass(frozen=True, kw_only=True)
class FBeta(Overlap):
    r"""Weighted harmonic mean of precision and recall.

    .. math:: F_\beta = \frac{(1+\beta^2)\,TP}{(1+\beta^2)\,TP + \beta^2\,FN + FP}

    ``beta`` above 1 favours recall. A class with neither support nor predictions leaves it undefined.

    >>> f_beta([0, 1, 2, 2], [0, 1, 1, 2], beta=1.0, average="macro")
    0.777...
    """

    record = Record(
        title="F-beta score", range=(0, 1), better="higher", family="overlap", transform="logit", takes=TAKES,
        undefined=_UNDEFINED, use="finding a rare class, with a say in what a miss costs against a false alarm",
        misleads="ignores true negatives; depends on which class is called positive",
        equals=("scikit-learn fbeta_score (zero_division=nan)", "torchmetrics fbeta_score"), references=("rijsbergen1979",),
        traps=(27, 32),
        aliases=("fbeta", "fbeta_score", "f_beta_score"),
    )  # fmt: skip

    beta: float = 1.0

    def check(self) -> None:
        """A positive weight."""
        number(self.name, "beta", self.beta, low=0)

    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """From the four cells."""
        b2 = self.beta**2
        return (1 + b2) * tp, (1 + b2) * tp + b2 * fn + fp


@dataclass(frozen=True, kw_only=True)
class F1(Overlap):
    r"""Harmonic mean of precision and recall.

    .. math:: F_1 = \frac{2\,TP}{2\,TP + FP + FN}

    A class with neither support nor predictions leaves it undefined.

    >>> f1([0, 1, 1, 0], [1, 1, 0, 0])
    0.5
    """

    record = Record(
        title="F1 score", range=(0, 1), better="higher", family="overlap", transform="logit", takes=TAKES,
        undefined=_UNDEFINED, use="finding a rare class, misses and false alarms alike",
        misleads="ignores true negatives; the baseline rises with prevalence; macro and micro F1 are different numbers",
        equals=("scikit-learn f1_score (zero_division=nan)", "torchmetrics f1_score", "Dice coefficient"),
        references=("rijsbergen1979",), traps=(27, 32),
        aliases=("f1_score", "f_score"),
        erratum=f"{SEGMENTATION_TUTORIAL}, writes 1/F1 = 1/P + 1/R; it is 2/F1 = 1/P + 1/R.",
    )  # fmt: skip

    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """From the four cells."""
        return 2 * tp, 2 * tp + fp + fn


@dataclass(frozen=True, kw_only=True)
class Jaccard(Overlap):
    r"""Intersection over union of the true and the predicted set.

    .. math:: J = \frac{TP}{TP + FP + FN}

    Orders models as F1 does on one class, F1 = 2J/(1+J). Undefined where the class neither occurs nor is predicted.

    >>> jaccard([0, 1, 1, 0], [1, 1, 0, 0])
    0.3333...
    """

    record = Record(
        title="Jaccard index", range=(0, 1), better="higher", family="overlap", transform="logit", takes=TAKES,
        undefined=_UNDEFINED, use="overlap of sets, as in detection and segmentation",
        misleads="never report it beside F1 as a second finding",
        equals=("scikit-learn jaccard_score", "torchmetrics jaccard_index"), references=("jaccard1912",), traps=(27, 32),
        properties=frozenset({"symmetric"}),
        aliases=("jaccard_score", "jaccard_index"),
    )  # fmt: skip

    def ratio(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
        """From the four cells."""
        return tp, tp + fp + fn
