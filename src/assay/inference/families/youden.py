"""Youden's index: a difference of two proportions of different rows, by Newcombe's hybrid of their Wilson intervals."""

from __future__ import annotations

import math
from typing import Protocol, runtime_checkable

from assay.core.arrays import Floats
from assay.core.monoids import Counts
from assay.inference import formulas
from assay.inference.class_rates import averaged
from assay.inference.delta_method import FEW_ROWS, Interval, scaled
from assay.inference.families.family import Family
from assay.inference.sample import Sample, asked


@runtime_checkable
class CellsMetric(Protocol):
    """What the family asks of its metrics."""

    def cells(self, total: Counts) -> tuple[Floats, ...]:
        """tp, fp, fn, tn."""
        ...


class YoudenFamily(Family):
    """The difference of the rates at which two classes are called positive."""

    interval_words = "Youden's index: Newcombe's hybrid of two Wilson intervals"
    powers = 2
    unplanned = "depends on the number of rows of both classes"

    def interval(self, sample: Sample, level: float) -> Interval:
        """Newcombe's (1998) method 10; influence values on the Fisher scale for averages and uneven weights."""
        if averaged(sample) != "binary" or sample.uneven:
            return scaled(sample, level)
        tp, fp, fn, tn = (float(cell) * sample.scale for cell in asked(sample.metric, CellsMetric).cells(sample.total))
        (low, high), (least, most) = (formulas.wilson(k, n, level) for k, n in ((tp, tp + fn), (fp, fp + tn)))
        hit, alarm = tp / (tp + fn), fp / (fp + tn)
        down, up = math.hypot(hit - low, most - alarm), math.hypot(high - hit, alarm - least)
        few = min(tp + fn, fp + tn)
        reason = f"only {few:.3g} rows of the smaller class" if few < FEW_ROWS else ""
        return Interval(sample.value - down, sample.value + up, "Newcombe's hybrid of Wilson intervals", reason)
