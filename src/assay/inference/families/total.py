"""Totals over rows: the mean's interval and test, times the number of rows."""

from __future__ import annotations

from assay.inference.families.family import Family
from assay.inference.families.mean import MeanFamily


class TotalFamily(MeanFamily):
    """A sum over rows that is not divided by their number."""

    interval_words = "total: as for the mean, times n"
    comparison_words = ""
    plan_range = Family.plan_range
    mean_of_rows = False
    unplanned = "grows with the number of rows"
    width = Family.width
    power = Family.power
