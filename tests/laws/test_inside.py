"""A value lies inside its own interval, or the bias-corrected estimate that the interval is about stands beside it and does."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from assay.core.errors import AssayError
from registered import all_defaults, cases_of


def has_interval(metric: Any) -> bool:
    """Curves and tables have a band or no interval at all; a maximum has no valid one (`tests/inference/test_no_interval.py`)."""
    return metric.record.family not in ("curve", "extreme")


def scored(metric: Any, case: Any, **options: Any) -> Any:
    """The score with its interval; None where there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return metric.interval(**case.inputs, replicates=100, **options)
    except AssayError:
        return None


def compared(score: Any) -> bool:
    """Whether there was an interval to compare with."""
    if score is None or score.low is None:
        return False
    centre = float(score) if score.corrected is None else score.corrected
    assert score.low - 1e-9 <= centre <= score.high + 1e-9, str(score)
    if score.corrected is not None:
        assert f"(bias-corrected {score.corrected:.3f}"[:20] in str(score)
        assert score.to_dict()["corrected"] == score.corrected
    return True


@pytest.mark.parametrize("metric", [m for m in all_defaults() if has_interval(m)], ids=lambda m: m.signature())
def test_value_or_corrected_estimate_lies_inside(metric: Any) -> None:
    assert sum(compared(scored(metric, case)) for case in cases_of(metric))
