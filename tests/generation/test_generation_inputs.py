"""What generation metrics take and refuse, with the words they use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import InputError, ParameterError, UndefinedWarning
from assay.metrics import FID, KID, MSSSIM, PSNR, SSIM, InceptionScore, PrecisionRecallGenerative
from messages import refusal, warned


def samples(n: int = 60, m: int = 50, d: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), 1.2 * rng.normal(size=(m, d)) + 0.3


@pytest.mark.parametrize("metric", [FID(), FID(correction="richardson"), KID(), PrecisionRecallGenerative()])
def test_two_arrays_or_one_table_or_two_states(metric: Any) -> None:
    real, fake = samples()
    value = metric(real, fake)
    mixed = np.random.default_rng(1).permutation(110)
    table, words = np.concatenate([real, fake])[mixed], np.array(["real"] * 60 + ["fake"] * 50)[mixed]
    assert metric(features=table, sample=words) == pytest.approx(value, rel=1e-9)
    assert metric(features=table, sample=words == "fake") == pytest.approx(value, rel=1e-9)
    parts = [metric.state(real=real[:20]), metric.state(fake=fake), metric.state(real=real[20:])]
    assert sum(parts).value() == pytest.approx(value, rel=1e-9)
    travelled = [assay.State.from_bytes(part.to_bytes()) for part in parts]
    assert sum(travelled).value() == pytest.approx(value, rel=1e-9)
    with warned(UndefinedWarning):
        assert np.isnan(parts[0].value())


def test_tensors() -> None:
    torch = pytest.importorskip("torch")
    real, fake = samples()
    for metric in (FID(), FID(correction="richardson"), KID()):
        assert metric(torch.from_numpy(real), torch.from_numpy(fake)) == pytest.approx(metric(real, fake), rel=1e-9)
    x = np.random.default_rng(0).random((3, 1, 16, 16))
    y = np.clip(x + 0.1, 0, 1)
    metric = SSIM(channels="first", data_range=1.0)
    assert metric(torch.from_numpy(x), torch.from_numpy(y)) == pytest.approx(metric(x, y), rel=1e-12)
    listed = [torch.from_numpy(a) for a in x], [torch.from_numpy(a) for a in y]
    assert metric(*listed) == pytest.approx(metric(x, y), rel=1e-12)


def test_large_pictures_by_the_kernel_equal_the_plain_way(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 256, (4, 3, 200, 220), dtype=np.uint8)
    y = np.clip(x + rng.normal(0, 20, x.shape), 0, 255).astype(np.uint8)
    for metric in (SSIM(channels="first"), MSSSIM(channels="first"), PSNR(channels="first")):
        fast = metric(x, y)
        with monkeypatch.context() as patch:
            patch.setattr("assay.kernels.LARGE", 10**9)
            assert metric(x, y) == pytest.approx(fast, rel=1e-11)


REFUSED = {
    "no input": (lambda: assay.fid(), "Give real and fake, or features and sample"),
    "half of a table": (lambda: assay.fid(features=np.zeros((3, 2))), "features and sample must be given together"),
    "other codes": (lambda: assay.fid(features=np.zeros((3, 2)), sample=[0, 1, 2]), r"must be 0 \(real\) or 1 \(fake\)"),
    "other words": (lambda: assay.fid(features=np.zeros((3, 2)), sample=["real", "fake", "fale"]), "must be 0 .real. or 1"),
    "other features": (lambda: assay.fid(np.zeros((3, 2)), np.zeros((3, 4))), "the same features, got 2 and 4 columns"),
    "one column": (lambda: assay.fid(np.zeros(3), np.zeros(3)), r"real must be a matrix \(rows, features\)"),
    "not finite": (lambda: assay.fid([[0.0], [np.nan]], [[1.0], [2.0]]), "features must be finite, got nan in row 1"),
    "kid not finite": (lambda: assay.kid([[0.0], [np.inf]], [[1.0], [2.0]]), "features must be finite, got inf in row 1"),
    "shapes": (lambda: assay.psnr(np.zeros((2, 4, 4)), np.zeros((2, 4, 5)), data_range=1), "must have the same shape"),
    "wide whole numbers": (lambda: assay.psnr(np.zeros((2, 4, 4), int), np.ones((2, 4, 4), int)), "data_range must be given"),
    "colours": (lambda: assay.ssim(np.zeros((2, 3, 16, 16)), np.zeros((2, 3, 16, 16)), data_range=1), "channels='first'"),
    "small": (lambda: assay.ssim(np.zeros((2, 8, 8)), np.zeros((2, 8, 8)), data_range=1), r"as the window \(11\), got 8 x 8"),
    "too small for scales": (lambda: assay.ms_ssim(np.zeros((1, 99, 99)), np.zeros((1, 99, 99)), data_range=1), "at least 161"),
    "nan": (lambda: assay.ssim(np.full((2, 16, 16), np.nan), np.zeros((2, 16, 16)), data_range=1), "y_true must be finite, but row 0"),
    "shares": (lambda: assay.inception_score(y_prob=[[0.5, 0.4]]), r"sum to 1, but row 0 sums to 0\.9.*logits"),
    "one class": (lambda: assay.inception_score(y_prob=[[1.0]]), "at least two classes"),
    "subsets": (lambda: KID(subsets=3)(*samples()), "subset_size is 1000, which needs as many rows"),
    "weighted subsets": (lambda: KID(subsets=3, subset_size=9)(*samples(), weight=np.ones(110)), "without weights"),
    "normal weights": (lambda: assay.fid(*samples(), weight=np.full(110, 1 / 110)), "weights count rows here"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str) -> None:
    call, words = REFUSED[case]
    with pytest.raises((InputError, ParameterError, ArithmeticError), match=words):
        call()


@pytest.mark.parametrize(
    "make",
    [
        lambda: SSIM(window_size=10),
        lambda: SSIM(window="flat"),
        lambda: PSNR(channels="middle"),
        lambda: PSNR(data_range=0),
        lambda: MSSSIM(powers=()),
        lambda: FID(correction="jackknife"),
        lambda: KID(degree=0),
        lambda: InceptionScore(splits=0),
        lambda: PrecisionRecallGenerative(measure="f1"),
    ],
)
def test_parameters_that_make_no_sense(make: Any) -> None:
    with refusal(ParameterError):
        make()


def test_negative_structure_counts_as_zero_and_is_counted() -> None:
    rng = np.random.default_rng(0)
    x = rng.random((2, 32, 32))
    with warned(UndefinedWarning):
        assert assay.ms_ssim(x, 1 - x, data_range=1.0, powers=(0.5, 0.5)) == 0


def test_too_few_rows_are_undefined() -> None:
    for metric in (FID(undefined=0), KID(undefined=0), PrecisionRecallGenerative(undefined=0)):
        assert metric([[1.0, 2.0]], [[1.0, 2.0], [2.0, 3.0]]) == 0
