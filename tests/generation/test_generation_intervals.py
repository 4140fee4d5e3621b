"""Intervals of distances: about infinite samples, each sample for itself, and no bootstrap where it does not hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import InputError, ParameterError
from assay.metrics import FID, KID, SSIM, FIDInfinity, InceptionScore, PrecisionRecallGenerative
from assay.metrics.generation.frechet import distance
from messages import refusal


def samples(n: int, m: int, d: int, rng: Any) -> tuple[Any, Any]:
    return rng.normal(size=(n, d)), 1.3 * rng.normal(size=(m, d)) + 0.2


def truth(d: int) -> float:
    return distance(np.zeros(d), np.eye(d), np.full(d, 0.2), 1.69 * np.eye(d))


def test_fid_covers_the_distance_of_infinite_samples() -> None:
    rng, d, hits, plain = np.random.default_rng(0), 8, 0, 0
    for _ in range(200):
        score = FID().interval(*samples(400, 600, d, rng))
        assert score.low is not None
        hits += score.low <= truth(d) <= score.high
        plain += float(score) > truth(d)
    assert 0.91 <= hits / 200 <= 0.985
    assert plain > 120  # the plain value is too large more often than not


def test_fid_says_what_its_interval_is_around() -> None:
    data = samples(1000, 1200, 5, np.random.default_rng(1))
    score, corrected = FID().interval(*data), FID(correction="richardson").interval(*data)
    centre = score.corrected
    assert centre == pytest.approx(FID(correction="richardson")(*data), rel=1e-9)
    assert (score.low, score.high) == (corrected.low, corrected.high)
    assert (score.low + score.high) / 2 == pytest.approx(centre, rel=1e-9)
    assert float(corrected) == pytest.approx(centre, rel=1e-12)
    assert score.method == "influence values around the bias-corrected distance"
    assert score.reliable
    few = FID().interval(data[0][:60], data[1])
    assert not few.reliable
    assert few.reason.startswith("only 60 rows in a sample for 5 features")


def test_fid_error_is_that_of_repeated_samples() -> None:
    rng = np.random.default_rng(2)
    found = [FID().interval(*samples(500, 300, 4, rng)) for _ in range(150)]
    spread = np.std([score.corrected for score in found])
    half = np.mean([(score.high - score.low) / 2 for score in found]) / 1.96
    assert half == pytest.approx(spread, rel=0.2)


def test_kid_covers_with_its_own_error() -> None:
    rng, hits = np.random.default_rng(3), 0
    many = [float(KID()(*samples(150, 100, 3, rng))) for _ in range(400)]
    for _ in range(200):
        score = KID().interval(*samples(150, 100, 3, rng))
        hits += score.low <= np.mean(many) <= score.high
    assert 0.89 <= hits / 200 <= 0.99


def test_kid_of_equal_laws_covers_zero() -> None:
    rng, hits = np.random.default_rng(4), 0
    for _ in range(200):
        score = KID().interval(rng.normal(size=(100, 3)), rng.normal(size=(120, 3)))
        hits += score.low <= 0 <= score.high
    assert hits / 200 >= 0.94


def test_shares_are_wilsons_given_the_balls() -> None:
    data = samples(200, 150, 3, np.random.default_rng(5))
    from assay.inference.formulas import wilson

    for measure, size in (("precision", 150), ("recall", 200), ("coverage", 200)):
        score = PrecisionRecallGenerative(measure=measure).interval(*data)
        assert (score.low, score.high) == pytest.approx(wilson(float(score) * size, size, 0.95), rel=1e-9)
        assert score.method == "Wilson, given the balls"
    density = PrecisionRecallGenerative(measure="density").interval(*data)
    assert density.low < float(density) < density.high
    assert density.method == "t, given the balls"


@pytest.mark.parametrize("metric", [FID(), KID(), FIDInfinity(), PrecisionRecallGenerative()])
@pytest.mark.parametrize("method", ["bootstrap", "percentile", "bca"])
def test_resampling_is_refused_with_the_reason(metric: Any, method: str) -> None:
    with refusal(ParameterError):
        metric.interval(*samples(60, 50, 3, np.random.default_rng(0)), method=method)


def test_fid_infinity_says_that_its_interval_is_not_to_be_trusted() -> None:
    score = FIDInfinity().interval(*samples(400, 400, 3, np.random.default_rng(6)))
    assert not score.reliable
    assert "the fit over subset sizes" in score.reason
    assert score.low < float(score) < score.high


def test_states_that_keep_rows_have_the_same_interval() -> None:
    real, fake = samples(200, 150, 3, np.random.default_rng(7))
    for metric in (KID(), PrecisionRecallGenerative(), FIDInfinity()):
        state = metric.state(real=real) + metric.state(fake=fake)
        one, other = state.interval(), metric.interval(real, fake)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)
    with refusal(InputError):
        (FID().state(real=real) + FID().state(fake=fake)).interval()


def test_two_generators_beside_the_same_real_images() -> None:
    rng = np.random.default_rng(8)
    real, a = samples(800, 800, 4, rng)
    b = 1.1 * rng.normal(size=(800, 4)) + 0.05
    found = FID().compare(real, a, b)
    assert float(found) == pytest.approx(assay.fid(real, a) - assay.fid(real, b), rel=1e-9)
    assert found.favours == "b"
    assert found.p < 1e-3
    assert found.low > 0
    with refusal(InputError):
        FID().compare(real, a, b[:700])


def test_groups_stay_within_their_sample() -> None:
    rng = np.random.default_rng(9)
    real, fake = samples(200, 200, 3, rng)
    groups = np.concatenate([np.repeat(np.arange(50), 4), 50 + np.repeat(np.arange(50), 4)])
    wide = FID().interval(np.repeat(real[::4], 4, axis=0), np.repeat(fake[::4], 4, axis=0), groups=groups)
    narrow = FID().interval(np.repeat(real[::4], 4, axis=0), np.repeat(fake[::4], 4, axis=0))
    assert (wide.high - wide.low) / (narrow.high - narrow.low) == pytest.approx(2.0, rel=0.05)
    with refusal(InputError):
        FID().interval(real, fake, groups=np.tile(np.arange(100), 4))


def test_means_over_pictures_and_images_have_intervals_of_their_families() -> None:
    rng = np.random.default_rng(10)
    x = rng.random((30, 16, 16))
    score = SSIM(data_range=1.0).interval(x, np.clip(x + rng.normal(0, 0.1, x.shape), 0, 1))
    assert score.low < float(score) < score.high
    assert "logit" in score.method
    logits = rng.normal(0, 2, (500, 10))
    found = InceptionScore().interval(logits=logits)
    resampled = InceptionScore().interval(logits=logits, method="percentile", replicates=500)
    assert found.high - found.low == pytest.approx(resampled.high - resampled.low, rel=0.2)
    assert math.isfinite(found.low)
