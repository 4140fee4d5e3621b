"""Generation metrics against skimage, torchmetrics, piq, torch-fidelity, SciPy and plain loops."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy.linalg import sqrtm
from scipy.ndimage import convolve, gaussian_filter
from scipy.spatial.distance import cdist

import assay
import fixtures
from image_peers import peer


def pair(shape: tuple[int, ...], seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 256, shape).astype(float)
    return base.astype(np.uint8), np.clip(base + rng.normal(0, 25, shape), 0, 255).astype(np.uint8)


# ---- pictures


def test_camera_as_published() -> None:
    read = pytest.importorskip("assay.io.pictures").read_picture
    folder = fixtures.path("11_generation_iqa", "skimage_camera")
    x, y = (read(folder / name)[None] for name in ("camera.png", "camera_noisy_seed5.png"))
    expected = json.loads((folder / "expected.json").read_text())
    computed = expected["computed_skimage_0.26"]
    assert assay.psnr(x, y) == pytest.approx(22.409353, abs=1e-4)
    assert assay.psnr(x, y) == pytest.approx(10 * np.log10(255**2 / computed["mse"]), rel=1e-12)
    assert assay.ssim(x, y) == pytest.approx(computed["ssim_gaussian"], rel=1e-10)
    assert assay.ssim(x, y) == pytest.approx(0.357959091663361, abs=1e-3)
    assert assay.ssim(x, y, window="uniform", window_size=7, sample_covariance=True) == pytest.approx(
        0.3674518327910367, rel=1e-10
    )


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_ssim_and_psnr_of_skimage(colour: bool, dtype: str) -> None:
    skimage = pytest.importorskip("skimage.metrics")
    x, y = pair((3, 33, 40, *((3,) if colour else ())))
    span = 255 if dtype == "uint8" else 1.0
    x, y = (a if dtype == "uint8" else (a / 255).astype(dtype) for a in (x, y))
    layout: dict[str, Any] = {"channels": "last"} if colour else {}
    axis = -1 if colour else None
    given = {} if dtype == "uint8" else {"data_range": span}

    def theirs(**options: Any) -> float:
        one = skimage.structural_similarity
        return float(np.mean([one(a.astype(float), b.astype(float), data_range=span, channel_axis=axis, **options)
                              for a, b in zip(x, y, strict=True)]))  # fmt: skip

    gaussian = theirs(gaussian_weights=True, sigma=1.5, use_sample_covariance=False)
    assert assay.ssim(x, y, **layout, **given) == pytest.approx(gaussian, rel=1e-10)
    uniform = assay.ssim(x, y, window="uniform", window_size=7, sample_covariance=True, **layout, **given)
    assert uniform == pytest.approx(theirs(), rel=1e-10)
    psnr = np.mean([skimage.peak_signal_noise_ratio(a, b, data_range=span) for a, b in zip(x, y, strict=True)])
    assert assay.psnr(x, y, **layout, **given) == pytest.approx(psnr, rel=1e-5 if dtype == "float32" else 1e-10)


def test_ms_ssim_of_piq() -> None:
    torch, piq = pytest.importorskip("torch"), peer("piq")
    x, y = pair((2, 3, 176, 192))
    double = piq.multi_scale_ssim(*(torch.from_numpy(a).double() for a in (y, x)), data_range=255.0)
    assert assay.ms_ssim(x, y, channels="first") == pytest.approx(float(double), rel=1e-9)


def test_ms_ssim_of_odd_sizes_as_its_authors_halve_them() -> None:
    """A 2 x 2 mean with mirrored edges, of which every second place is kept; piq repeats the first row instead."""
    skimage = pytest.importorskip("skimage.metrics")
    x, y = (a[0].astype(float) for a in pair((1, 181, 197)))
    wanted = 1.0
    for at, power in enumerate((0.0448, 0.2856, 0.3001, 0.2363, 0.1333)):
        full = skimage.structural_similarity(
            x, y, data_range=255, gaussian_weights=True, sigma=1.5, use_sample_covariance=False, full=True
        )[1][5:-5, 5:-5]
        means = [gaussian_filter(a, 1.5, truncate=3.5)[5:-5, 5:-5] for a in (x, y)]
        bright = (2 * means[0] * means[1] + 2.55**2) / (means[0] ** 2 + means[1] ** 2 + 2.55**2)
        wanted *= (full if at == 4 else full / bright).mean() ** power
        x, y = (convolve(a, np.full((2, 2), 0.25), mode="reflect")[::2, ::2] for a in (x, y))
    got = assay.ms_ssim(*pair((1, 181, 197)))
    assert got == pytest.approx(wanted, rel=1e-9)


# ---- features


def features(n: int = 300, m: int = 260, d: int = 12) -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    mix = rng.normal(size=(d, d)) / np.sqrt(d)
    return rng.gamma(2, 1, (n, d)), rng.gamma(2, 1.2, (m, d)) @ mix + 0.5


def plain_frechet(x: Any, y: Any) -> float:
    s, t = np.cov(x, rowvar=False), np.cov(y, rowvar=False)
    return float(((x.mean(0) - y.mean(0)) ** 2).sum() + np.trace(s + t - 2 * np.real(sqrtm(s @ t))))


def test_fid_of_scipy_and_torch_fidelity() -> None:
    torch, theirs = pytest.importorskip("torch"), peer("torch_fidelity.metric_fid")
    x, y = features()
    parts = [theirs.fid_features_to_statistics(torch.from_numpy(part)) for part in (x, y)]
    wanted = theirs.fid_statistics_to_metric(*parts, False)["frechet_inception_distance"]
    assert assay.fid(x, y) == pytest.approx(wanted, rel=1e-9)
    assert assay.fid(x, y) == pytest.approx(plain_frechet(x, y), rel=1e-9)


def test_fid_of_singular_covariances() -> None:
    folder = fixtures.path("11_generation_iqa", "fid_digits")
    digits, expected = np.load(folder / "digits_features.npz"), json.loads((folder / "expected.json").read_text())
    assert assay.fid(digits["a"], digits["b"]) == pytest.approx(expected["frechet_distance"]["value"], abs=1e-6)
    tiny = expected["tiny"]
    assert assay.fid(tiny["x"], tiny["y"]) == pytest.approx(tiny["fid"], abs=5e-5)
    kid = next(value for name, value in expected.items() if name.startswith("polynomial MMD"))["value"]
    assert assay.kid(digits["a"], digits["b"]) == pytest.approx(kid, rel=1e-9)


@pytest.mark.parametrize("rows", [(8, 300), (300, 8), (8, 9), (2, 2)])
def test_fid_with_fewer_rows_than_features(rows: tuple[int, int]) -> None:
    """Against the nuclear norm of the product of centred rows: no root of a matrix is taken."""
    x, y = features(*rows)
    a, b = ((p - p.mean(0)) / np.sqrt(len(p) - 1) for p in (x, y))
    root = np.linalg.svd(a @ b.T, compute_uv=False).sum()
    wanted = ((x.mean(0) - y.mean(0)) ** 2).sum() + (a**2).sum() + (b**2).sum() - 2 * root
    assert assay.fid(x, y) == pytest.approx(wanted, rel=1e-9)


def test_fid_infinity_is_the_intercept_over_subsets() -> None:
    """Random subsets of the peers' kind agree with ours within their own spread."""
    x, y = features(3000, 3000, 6)
    sizes = np.linspace(300, 3000, 15).astype(int)
    rng, drawn = np.random.default_rng(0), list[float]()
    for _ in range(8):
        values = [plain_frechet(x, y[rng.permutation(3000)[:n]]) for n in sizes]
        drawn.append(np.polyfit(1 / sizes, values, 1)[1])
    assert assay.fid_infinity(x, y) == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn))


def test_kid_of_torch_fidelity_and_of_all_pairs() -> None:
    torch, theirs = pytest.importorskip("torch"), peer("torch_fidelity.metric_kid")
    x, y = features()
    for dtype, rel in ((np.float64, 1e-9), (np.float32, 2e-3)):
        parts = [torch.from_numpy(part.astype(dtype)) for part in (x, y)]
        wanted = theirs.kid_features_to_metric(*parts, kid_subsets=20, kid_subset_size=100, verbose=False)
        score = assay.metrics.KID(subsets=20, subset_size=100).score(*(part.numpy() for part in parts))
        assert float(score) == pytest.approx(wanted["kernel_inception_distance_mean"], rel=rel)
        spread = np.std(list(score.parts.values()))
        assert spread == pytest.approx(wanted["kernel_inception_distance_std"], rel=rel)
    k = [(a @ b.T / 12 + 1) ** 3 for a, b in ((x, x), (y, y), (x, y))]
    n, m = len(x), len(y)
    own = [(part.sum() - np.trace(part)) / (size * (size - 1)) for part, size in ((k[0], n), (k[1], m))]
    assert assay.kid(x, y) == pytest.approx(sum(own) - 2 * k[2].mean(), rel=1e-10)


def test_inception_score_of_torch_fidelity() -> None:
    torch, theirs = pytest.importorskip("torch"), peer("torch_fidelity.metric_isc")
    logits = np.random.default_rng(0).normal(0, 2, (203, 17))
    for splits in (1, 10):
        wanted = theirs.isc_features_to_metric(torch.from_numpy(logits), splits=splits, shuffle=False)
        metric = assay.metrics.InceptionScore(splits=splits)
        assert metric(logits=logits) == pytest.approx(wanted["inception_score_mean"], rel=1e-12)
        if splits > 1:
            spread = np.std(list(metric.score(logits=logits).parts.values()))
            assert spread == pytest.approx(wanted["inception_score_std"], rel=1e-9)
    shuffled = theirs.isc_features_to_metric(torch.from_numpy(logits))["inception_score_mean"]
    order = np.random.RandomState(2020).permutation(len(logits))
    assert assay.inception_score(logits=logits[order], splits=10) == pytest.approx(shuffled, rel=1e-12)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_precision_recall_generative_of_torch_fidelity_and_by_force(k: int) -> None:
    torch, theirs = pytest.importorskip("torch"), peer("torch_fidelity.metric_prc")
    x, y = features(120, 100, 4)
    options = {"prc_neighborhood": k, "prc_batch_size": 50, "save_cpu_ram": False, "verbose": False}
    wanted = theirs.prc_features_to_metric(torch.from_numpy(y), torch.from_numpy(x), **options)
    got = {m: assay.precision_recall_generative(x, y, k=k, measure=m)
           for m in ("precision", "recall", "density", "coverage")}  # fmt: skip
    assert got["precision"] == pytest.approx(wanted["precision"], abs=1e-6)
    assert got["recall"] == pytest.approx(wanted["recall"], abs=1e-6)
    radius = np.sort(cdist(x, x), axis=1)[:, k]
    inside = cdist(x, y) <= radius[:, None]
    assert got["density"] == pytest.approx(inside.sum(axis=0).mean() / k, rel=1e-12)
    assert got["coverage"] == pytest.approx(inside.any(axis=1).mean(), rel=1e-12)
