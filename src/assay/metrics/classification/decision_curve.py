"""Decision curves: the net benefit of a model over the threshold probabilities that decision makers may hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.errors import ParameterError
from assay.core.record import Record
from assay.core.takes import Takes
from assay.metrics.classification.curves import Curve, CurveMetric
from assay.metrics.classification.scores import Steps
from assay.ops import divide

GRID = tuple(i / 100 for i in range(1, 100))


@dataclass(frozen=True, repr=False)
class DecisionPoints(Curve):
    """Net benefit at each threshold: of the model, and of acting on everybody. That of acting on nobody is 0."""

    threshold: Any
    net_benefit: Any
    treat_all: Any


@dataclass(frozen=True, kw_only=True)
class DecisionCurve(CurveMetric):
    r"""Net benefit of acting on a model's probabilities, beside that of acting on everybody, over all threshold probabilities.

    .. math:: t \mapsto \frac{TP(t)}{n} - \frac{FP(t)}{n} \cdot \frac{t}{1-t}

    A model helps where its curve lies above both acting on everybody and acting on nobody, which is 0. ``thresholds`` are 0.01 to
    0.99 by default; choose those that decision makers in your field may hold. `net_benefit` has the value at one threshold,
    with its interval.

    >>> decision_curve([1, 1, 0, 0], [0.9, 0.3, 0.6, 0.1], thresholds=(0.2, 0.5)).net_benefit
    array([0.4375, 0.    ])
    """

    record = Record(
        title="Decision curve", range=(-np.inf, 1), better="none", family="curve",
        takes=("y_true: labels", "y_prob: probabilities"), use="whether a model is worth using, at the costs that people have",
        misleads="probabilities must be calibrated; the model need not be best at the threshold that matters to you",
        references=("vickers2006",), aliases=("decision_curve_analysis", "dca"),
    )  # fmt: skip
    takes = Takes(("y_true", "y_prob"))

    thresholds: tuple[float, ...] = GRID

    def check(self) -> None:
        """Probabilities below 1: at 1 no false alarm is worth anything."""
        super().check()
        if not self.thresholds or not all(0 <= t < 1 for t in self.thresholds):
            raise ParameterError(self.name, "thresholds", f"must be numbers from 0 to below 1, got {self.thresholds!r}")

    def draw(self, s: Steps) -> DecisionPoints:
        """What lies at or above each threshold, priced."""
        t = np.asarray(self.thresholds, dtype=np.float64)
        at = np.searchsorted(-s.threshold, -t, side="right")
        tp, fp = np.append(0.0, s.tp)[at], np.append(0.0, s.fp)[at]
        n, price = s.positives + s.negatives, t / (1 - t)
        return DecisionPoints(t, divide(tp - price * fp, n), divide(s.positives - price * s.negatives, n))
