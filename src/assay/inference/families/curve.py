"""Curves and tables: not one number, so no interval."""

from __future__ import annotations

from assay.inference.families.family import Family


class CurveFamily(Family):
    """A curve or a table."""

    interval_words = "a curve or a table: no interval of its own"
    has_interval = False
    unplanned = "is not one number"
