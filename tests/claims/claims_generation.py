"""Claims of metrics of pictures and of their features."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

import assay
from claims import claim, module, same


def pair(rng: Any, *shape: int) -> tuple[Any, Any]:
    base = rng.integers(0, 256, shape).astype(float)
    return base.astype(np.uint8), np.clip(base + rng.normal(0, 25, shape), 0, 255).astype(np.uint8)


def features(rng: Any, n: int = 300, m: int = 260, d: int = 8) -> tuple[Any, Any]:
    return rng.gamma(2, 1, (n, d)), rng.gamma(2, 1.2, (m, d)) @ rng.normal(size=(d, d)) / np.sqrt(d) + 0.5


# ---- pictures


@claim("metric.psnr", "skimage peak_signal_noise_ratio of each picture, averaged", peer="skimage.metrics")
def _(skimage: Any, rng: Any) -> None:
    x, y = pair(rng, 3, 33, 40)
    same(assay.psnr(x, y), np.mean([skimage.peak_signal_noise_ratio(a, b) for a, b in zip(x, y, strict=True)]))


@claim("metric.psnr", "torchmetrics PeakSignalNoiseRatio(dim=(1, 2, 3))", peer="torchmetrics.image")
def _(tm: Any, rng: Any) -> None:
    x, y = pair(rng, 3, 33, 40, 3)
    theirs = tm.PeakSignalNoiseRatio(data_range=255.0, dim=(1, 2, 3))(*(torch.tensor(a.astype(float)) for a in (y, x)))
    same(assay.psnr(x, y, channels="last"), theirs, 1e-6)


def ssim_claim(text: str, theirs: Any, ours: Any) -> None:
    @claim("metric.ssim", text, peer="skimage.metrics")
    def _(skimage: Any, rng: Any) -> None:
        x, y = pair(rng, 3, 33, 40)
        each = [skimage.structural_similarity(a, b, **theirs) for a, b in zip(x, y, strict=True)]
        same(assay.ssim(x, y, **ours), np.mean(each))


ssim_claim(
    "skimage structural_similarity(gaussian_weights=True, sigma=1.5, use_sample_covariance=False)",
    {"gaussian_weights": True, "sigma": 1.5, "use_sample_covariance": False}, {},
)  # fmt: skip
ssim_claim(
    "skimage's defaults: window='uniform', window_size=7, sample_covariance=True", {},
    {"window": "uniform", "window_size": 7, "sample_covariance": True},
)  # fmt: skip


@claim(
    "metric.ms_ssim", "piq multi_scale_ssim of float64 pictures whose sides stay even up to the last scale", peer="piq"
)
def _(piq: Any, rng: Any) -> None:
    x, y = pair(rng, 2, 3, 176, 192)
    theirs = piq.multi_scale_ssim(*(torch.from_numpy(a).double() for a in (y, x)), data_range=255.0)
    same(assay.ms_ssim(x, y, channels="first"), theirs, 1e-9)


# ---- features


@claim("metric.fid", "torch-fidelity, pytorch-fid and clean-fid on the same features", peer="pytorch_fid.fid_score")
def _(fid: Any, rng: Any) -> None:
    x, y = features(rng)
    moments = [part for rows in (x, y) for part in (rows.mean(axis=0), np.cov(rows, rowvar=False))]
    ours = assay.fid(x, y)
    same(ours, fid.calculate_frechet_distance(*moments), 1e-8)
    same(ours, module("cleanfid.fid").frechet_distance(*moments), 1e-8)
    theirs = module("torch_fidelity.metric_fid")
    parts = [theirs.fid_features_to_statistics(torch.from_numpy(rows)) for rows in (x, y)]
    same(ours, theirs.fid_statistics_to_metric(*parts, False)["frechet_inception_distance"], 1e-8)


@claim(
    "metric.fid_infinity",
    "the FID-infinity of Chong and Forsyth (2020), up to which subsets are drawn",
    peer="pytorch_fid.fid_score",
)
def _(fid: Any, rng: Any) -> None:
    """Their FIDs of 15 random subsets, and the intercept of a line in 1 / n by scikit-learn; ours lies within their spread."""
    from sklearn.linear_model import LinearRegression

    x, y = features(rng, 1500, 1500, 4)
    sizes = np.linspace(150, 1500, 15).astype(int)
    fixed, drawn = (x.mean(axis=0), np.cov(x, rowvar=False)), list[float]()
    for _ in range(8):
        values = []
        for n in sizes:
            rows = y[rng.permutation(len(y))[:n]]
            values.append(fid.calculate_frechet_distance(*fixed, rows.mean(axis=0), np.cov(rows, rowvar=False)))
        drawn.append(float(LinearRegression().fit(1 / sizes[:, None], values).intercept_))
    same(assay.fid_infinity(x, y), np.mean(drawn), rtol=0, atol=4 * np.std(drawn))


@claim(
    "metric.kid",
    "torch-fidelity's KID with subsets=100 (subset_size=1000, seed=2020)",
    peer="torch_fidelity.metric_kid",
)
def _(theirs: Any, rng: Any) -> None:
    x, y = features(rng, 1100, 1050, 4)
    wanted = theirs.kid_features_to_metric(
        torch.from_numpy(x), torch.from_numpy(y), kid_subsets=100, kid_subset_size=1000, rng_seed=2020, verbose=False
    )
    ours = assay.kid(x, y, subsets=100, subset_size=1000, seed=2020)
    same(ours, wanted["kernel_inception_distance_mean"], 1e-9)


@claim(
    "metric.inception_score", "torch-fidelity's inception score with splits=10 of the rows as it shuffles them",
    peer="torch_fidelity.metric_isc",
)  # fmt: skip
def _(theirs: Any, rng: Any) -> None:
    logits = rng.normal(0, 2, (203, 17))
    wanted = theirs.isc_features_to_metric(torch.from_numpy(logits))["inception_score_mean"]
    order = np.random.RandomState(2020).permutation(len(logits))
    same(assay.inception_score(logits=logits[order], splits=10), wanted)


@claim(
    "metric.precision_recall_generative", "torch-fidelity's PRC (precision, recall)", peer="torch_fidelity.metric_prc"
)
def _(theirs: Any, rng: Any) -> None:
    x, y = features(rng, 120, 100, 4)
    options = {"prc_neighborhood": 3, "prc_batch_size": 50, "save_cpu_ram": False, "verbose": False}
    wanted = theirs.prc_features_to_metric(torch.from_numpy(y), torch.from_numpy(x), **options)
    for measure in ("precision", "recall"):
        same(assay.precision_recall_generative(x, y, measure=measure), wanted[measure], atol=1e-6)


@claim("metric.precision_recall_generative", "prdc with k=5, but for rows on the edge of a ball", peer="prdc")
def _(prdc: Any, rng: Any) -> None:
    x, y = features(rng, 120, 100, 4)
    wanted = prdc.compute_prdc(x, y, nearest_k=5)
    for measure in ("precision", "recall", "density", "coverage"):
        same(assay.precision_recall_generative(x, y, k=5, measure=measure), wanted[measure])
