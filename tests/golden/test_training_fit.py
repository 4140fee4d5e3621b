"""Deviance and information criteria: what is refused, and that nobody takes them for measures of new data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import assay
from messages import refusal


@pytest.mark.parametrize(
    ("distribution", "y", "p"),
    [
        ("poisson", [1.0, -1.0], [1.0, 1.0]),
        ("poisson", [1.0, 2.0], [1.0, 0.0]),
        ("gamma", [1.0, 0.0], [1.0, 1.0]),
        ("gamma", [1.0, 1.0], [1.0, -2.0]),
        ("binomial", [1.0, 2.0], [0.5, 0.5]),
        ("binomial", [1.0, 0.0], [0.5, 1.0]),
        ("binomial", [1.0, 0.0], [0.5, -3.0]),
    ],
)
def test_impossible_values_are_named(distribution: Any, y: Any, p: Any) -> None:
    with refusal() as caught:
        assay.deviance(y, p, distribution=distribution)
    assert "in row 1" in str(caught.value)


def test_a_likelihood_is_of_counts_and_events() -> None:
    with refusal() as caught:
        assay.aic([0.5, 1.0], [0.5, 0.5], distribution="binomial")
    assert "0 or 1" in str(caught.value)
    with refusal() as caught:
        assay.bic([0.5, 1.0], [0.5, 0.5], distribution="poisson")
    assert "integer" in str(caught.value)


def test_a_mean_of_zero_fits_a_count_of_zero() -> None:
    assert assay.deviance([0.0, 1.0], [0.0, 1.0], distribution="poisson") == 0.0
    assert assay.deviance([0.0, 1.0], [0.0, 1.0], distribution="binomial") == 0.0


@pytest.mark.parametrize("distribution", ["gaussian", "poisson", "gamma", "binomial"])
@pytest.mark.parametrize("where", [0, 1])
def test_not_a_number_is_refused_under_every_distribution(distribution: Any, where: int) -> None:
    values = [[1.0, 0.5], [0.5, 0.5]]
    values[where][1] = math.nan
    with refusal() as caught:
        assay.mean_deviance(*values, distribution=distribution)
    assert "must be finite" in str(caught.value)


def test_a_fit_without_errors_is_infinitely_likely() -> None:
    assert assay.aic([1.0, 2.0], [1.0, 2.0]) == -math.inf


def test_weights_must_count_rows() -> None:
    with refusal() as caught:
        assay.aic([1.0, 2.0], [1.5, 2.0], weight=[0.1, 0.1])
    assert "count rows" in str(caught.value)


def test_no_interval_of_a_training_fit_passes_for_one_of_new_data() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=300)
    p, q = y + rng.normal(size=300), y + 2 * rng.normal(size=300)
    for metric in (assay.metrics.AIC(), assay.metrics.BIC(), assay.metrics.Deviance()):
        for method in ("auto", "bootstrap"):
            score = metric.interval(y, p, method=method, replicates=200)
            assert not score.reliable
            assert "trained on" in score.reason
        found = metric.compare(y, p, q)
        assert found.favours == "a"
        assert "trained on" in found.reason
    mean = assay.metrics.MeanDeviance().interval(y, p)
    assert mean.reliable
    total = assay.metrics.Deviance().interval(y, p)
    np.testing.assert_allclose([total.low, total.high], [300 * mean.low, 300 * mean.high], rtol=1e-9)
