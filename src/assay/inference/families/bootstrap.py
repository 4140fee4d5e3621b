"""Metrics without a closed form: the bootstrap, BCa where there are influence values."""

from __future__ import annotations

from assay.inference.families.family import Family


class BootstrapFamily(Family):
    """A metric about which nothing more is known: the defaults of `Family`."""

    interval_words = "no closed form: bootstrap, BCa where there are influence values"
    unplanned = "has no formula, only resampling"
