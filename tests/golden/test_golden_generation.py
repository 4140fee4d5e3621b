"""Hand-checked values of generation metrics, and the traps that concern them (rows 19, 20 and 21 of the trap list)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.linalg import sqrtm

import assay
from assay.core.errors import InputError, UndefinedWarning
from messages import refusal, warned


def test_psnr_of_one_wrong_pixel() -> None:
    true, predicted = np.zeros((1, 2, 2), dtype=np.uint8), np.array([[[0, 0], [0, 51]]], dtype=np.uint8)
    assert assay.psnr(true, predicted) == pytest.approx(10 * math.log10(255**2 / (51**2 / 4)), rel=1e-14)


def test_ssim_of_flat_pictures_is_their_brightness_alone() -> None:
    a, b, c1 = 0.2, 0.7, 0.01**2
    flat = (2 * a * b + c1) / (a * a + b * b + c1)
    assert assay.ssim(np.full((1, 20, 20), a), np.full((1, 20, 20), b), data_range=1.0) == pytest.approx(flat, rel=1e-9)


def test_ms_ssim_of_flat_pictures_is_a_power_of_their_brightness() -> None:
    a, b, c1 = 0.2, 0.7, 0.01**2
    flat = (2 * a * b + c1) / (a * a + b * b + c1)
    pictures = (np.full((1, 176, 176), value) for value in (a, b))
    assert assay.ms_ssim(*pictures, data_range=1.0) == pytest.approx(flat**0.1333, rel=1e-9)


def test_inception_score_of_sure_and_of_unsure_images() -> None:
    assert assay.inception_score(y_prob=np.eye(5)) == pytest.approx(5.0, rel=1e-14)
    assert assay.inception_score(y_prob=np.full((7, 4), 0.25)) == pytest.approx(1.0, rel=1e-14)


def test_fid_of_one_feature_is_that_of_two_numbers() -> None:
    real, fake = np.array([[0.0], [2.0], [4.0]]), np.array([[1.0], [1.0], [7.0]])
    gap = (3 - 2) ** 2 + (real.std(ddof=1) - fake.std(ddof=1)) ** 2
    assert assay.fid(real, fake) == pytest.approx(gap, rel=1e-13)


def test_kid_of_two_rows_each() -> None:
    x, y = [[1.0], [2.0]], [[0.0], [3.0]]

    def k(a: float, b: float) -> float:
        return (a * b + 1) ** 3

    wanted = k(1, 2) + k(0, 3) - 2 * (k(1, 0) + k(1, 3) + k(2, 0) + k(2, 3)) / 4
    assert assay.kid(x, y) == pytest.approx(wanted, rel=1e-14)


def test_precision_recall_generative_on_a_line() -> None:
    real, fake = [[0.0], [1.0], [3.0], [10.0]], [[0.4], [2.5], [30.0], [30.5]]
    got = {m: assay.precision_recall_generative(real, fake, k=1, measure=m)
           for m in ("precision", "recall", "density", "coverage")}  # fmt: skip
    # Real radii 1, 1, 2, 7 hold 0.4 (balls of 0 and 1) and 2.5 (of 3; of 10 from 3 on no); fake radii 2.1, 2.1, 0.5, 0.5 hold 0, 1, 3.
    assert got == {"precision": 0.5, "recall": 0.75, "density": (2 + 1) / 4, "coverage": 0.75}


def test_fid_infinity_of_a_distance_without_bias() -> None:
    """Where every subset has the same mean and covariance, so has the limit."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 3))
    moved = np.array([1.0, 0.0, 2.0])
    got = assay.fid_infinity(x, x + moved)
    assert got == pytest.approx(5.0, abs=0.15)
    assert abs(got - 5.0) < abs(assay.fid(x[:400], x[:400] + moved) - 5.0) + 0.15


# ---- traps


def noisy() -> tuple[Any, Any]:
    """The pictures of which the text of trap 19 speaks."""
    rng = np.random.default_rng(0)
    waves = np.sin(np.arange(64) / 6)[:, None] * np.cos(np.arange(64) / 9)[None]
    x = np.clip(0.5 + 0.3 * waves + 0.05 * rng.standard_normal((64, 64)), 0, 0.8)
    return x[None], np.clip(x + 0.08 * np.random.default_rng(1).standard_normal((64, 64)), 0, 0.8)[None]


def test_19_window_border_and_range() -> None:
    x, y = noisy()
    assert assay.ssim(x, y, data_range=1.0) == pytest.approx(0.591, abs=5e-4)
    uniform = assay.ssim(x, y, data_range=1.0, window="uniform", window_size=7, sample_covariance=True)
    assert uniform == pytest.approx(0.651, abs=5e-4)
    read_off = float(max(np.ptp(x), np.ptp(y)))
    assert assay.ssim(x, y, data_range=read_off) == pytest.approx(0.581, abs=5e-4)
    with refusal(InputError):
        assay.ssim(x, y)


def test_19_the_peers() -> None:
    torch = pytest.importorskip("torch")
    tm = pytest.importorskip("torchmetrics.functional.image")
    x, y = noisy()
    a, b = torch.from_numpy(x)[:, None], torch.from_numpy(y)[:, None]
    bordered = float(tm.structural_similarity_index_measure(b, a, data_range=1.0))
    assert bordered == pytest.approx(0.602, abs=5e-4)
    guessed = float(tm.structural_similarity_index_measure(b, a))
    assert guessed != pytest.approx(bordered, abs=5e-3)  # the range of the batch


def test_20_each_picture_then_the_mean() -> None:
    true = np.zeros((2, 10, 10))
    predicted = true + np.array([0.1, 0.01])[:, None, None]
    assert assay.psnr(true, predicted, data_range=1.0) == pytest.approx(30.0, rel=1e-12)
    pooled = 10 * math.log10(1 / np.mean((true - predicted) ** 2))
    assert pooled == pytest.approx(22.97, abs=5e-3)


def test_20_a_picture_without_error_is_infinite_and_counted() -> None:
    true = np.zeros((3, 4, 4))
    predicted = true + np.array([0.1, 0.0, 0.0])[:, None, None]
    with warned(UndefinedWarning):
        assert assay.psnr(true, predicted, data_range=1.0) == math.inf
    score = assay.metrics.PSNR(data_range=1.0).interval(true, predicted)
    assert score.low is None
    assert score.reason == "the value is infinite"


def test_21_the_distance_falls_with_the_number_of_rows() -> None:
    x = np.random.default_rng(0).normal(size=(20_000, 32))
    plain = [assay.fid(x[:n], x[10_000 : 10_000 + n]) for n in (100, 1000, 10_000)]
    np.testing.assert_allclose(plain, [5.845, 0.626, 0.0586], rtol=1e-3)
    corrected = [assay.fid(x[:n], x[10_000 : 10_000 + n], correction="richardson") for n in (100, 1000, 10_000)]
    assert all(abs(c) < 0.2 * p for c, p in zip(corrected, plain, strict=True))


def test_21_single_precision_loses_half_of_it() -> None:
    x = np.random.default_rng(0).normal(size=(20_000, 32))
    real, fake = x[:1000] * 0.01 + 1000, x[10_000:11_000] * 0.01 + 1000.003
    narrow = [part.astype(np.float32) for part in (real, fake)]
    assert assay.fid(*narrow) == pytest.approx(assay.fid(real, fake), rel=1e-3)
    (m, s), (n, t) = ((part.mean(axis=0), np.cov(part, rowvar=False, dtype=np.float32)) for part in narrow)
    theirs = float(((m - n) ** 2).sum() + np.trace(s + t - 2 * np.real(sqrtm(s @ t))))
    assert abs(theirs / assay.fid(real, fake) - 1) > 0.3


def test_21_results_say_both_sizes_and_the_extractor() -> None:
    x = np.random.default_rng(0).normal(size=(50, 3))
    score = assay.metrics.FID(extractor="clip/a1b2/bicubic-224").score(x, x[:20])
    assert score.notes == {"real rows": 50, "fake rows": 20}
    assert "extractor:clip/a1b2/bicubic-224" in score.signature
    assert score.n == 70
