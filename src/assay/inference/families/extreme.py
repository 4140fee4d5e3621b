"""Largest errors: one row decides, so that there is no valid interval or test; what can be said about further rows is said."""

from __future__ import annotations

from assay.inference.families.family import Family, not_valid
from assay.inference.sample import Sample

WHY = "one row decides a maximum, and no replicate exceeds it (Efron and Tibshirani 1993, section 7.4)"


class ExtremeFamily(Family):
    """The largest of all rows."""

    interval_words = (
        "largest of all rows: no valid interval; the fraction of further rows beyond it is bounded instead (Wilks)"
    )
    from_states = False  # a state does not tell whether its rows had weights
    incomparable = "one row decides each maximum: no test of their difference is valid"
    unplanned = "grows with the number of rows"

    def without_interval(self, sample: Sample, level: float) -> str:
        """Why not, and Wilks' (1941) bound on the fraction of further rows that err more."""
        if sample.weighted or not sample.design.plain:
            return f"no valid interval: {WHY}"
        beyond = 1 - (1 - level) ** (1 / sample.n)
        return f"no valid interval: {WHY}; at {level:.0%} confidence at most {beyond:.2g} of further rows err more than this"

    def refuse_interval(self, sample: Sample, method: str) -> None:
        """No kind of resampling is valid, and there are no influence values."""
        if method != "auto":
            not_valid(sample.metric, method, WHY)
