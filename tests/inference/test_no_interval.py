"""Values that have no valid interval or test state the reason, and what can be said instead."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from messages import refusal

RNG = np.random.default_rng(4)
Y = RNG.gamma(3.0, 2.0, 300)
P = Y + RNG.normal(0, 1, 300)


def test_a_maximum_states_the_bound_of_wilks() -> None:
    """P(a further row lies beyond the largest of n) is Beta(1, n): its 95 % bound is 1 - 0.05^(1/n)."""
    score = assay.metrics.MaxError().interval(Y, P)
    assert (score.low, score.high, score.reliable) == (None, None, False)
    assert f"at most {1 - 0.05 ** (1 / 300):.2g} of further rows" in score.reason
    beyond = [float(np.mean(RNG.random(100_000) > RNG.random(300).max())) for _ in range(400)]
    assert np.mean(np.array(beyond) <= 1 - 0.05 ** (1 / 300)) == pytest.approx(0.95, abs=0.035)


def test_weights_and_groups_leave_no_bound() -> None:
    metric = assay.metrics.MaxError()
    for options in ({"weight": np.arange(1, 301) / 100}, {"groups": np.arange(300) // 3}):
        score = metric.interval(Y, P, **options)
        assert score.low is None
        assert "further rows" not in score.reason


@pytest.mark.parametrize("method", ["bootstrap", "percentile", "bca", "delta"])
def test_a_maximum_is_not_resampled(method: str) -> None:
    with refusal(assay.ParameterError):
        assay.metrics.MaxError().interval(Y, P, method=method)


def test_maxima_are_not_compared() -> None:
    found = assay.metrics.MaxError().compare(Y, P, P + 1)
    assert float(found) == assay.max_error(Y, P) - assay.max_error(Y, P + 1)
    assert (found.low, found.high, found.p, found.reliable) == (None, None, None, False)
    with refusal(assay.ParameterError):
        assay.metrics.MaxError().compare(Y, P, P + 1, method="bootstrap")


def test_a_range_below_the_line_is_doubted() -> None:
    assert not assay.metrics.NMAE(divisor="range").interval(Y, P, replicates=200).reliable
    assert assay.metrics.NMAE(divisor="iqr").interval(Y, P, replicates=200).reliable
    assert assay.metrics.NMAE().interval(Y, P).low == assay.metrics.WAPE().interval(Y, P).low
