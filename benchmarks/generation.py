"""Metrics of generated images: SSIM, MS-SSIM and PSNR of pictures, FID and KID of features, precision and recall."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np

from benchmarks.harness import Row, Workload
from benchmarks.memory import extra

PEERS = Path(sys.prefix) / "peers"
VISION = (
    "",
    ".transforms",
    ".transforms.functional",
    ".datasets",
    ".models",
    ".models.feature_extraction",
    ".models.inception",
)
PICTURES = (64, 3, 256, 256)
ALLOWED = 200  # megabytes that SSIM may take beside the pictures


def peer(name: str) -> Any:
    """A peer that asks for torchvision and needs nothing of it here; torchmetrics must not find torch-fidelity, so they live apart."""
    importlib.import_module("torchmetrics")
    names = [f"torchvision{part}" for part in VISION]
    with contextlib.ExitStack() as stack:
        sys.path.append(str(PEERS))
        stack.callback(sys.path.remove, str(PEERS))
        for missing in [n for n in names if n not in sys.modules]:
            sys.modules[missing] = MagicMock(__spec__=None)
            stack.callback(sys.modules.pop, missing)
        return importlib.import_module(name)


def workloads() -> Iterator[Workload]:
    yield from _pictures()
    yield from _features()


def _pictures() -> Iterator[Workload]:
    import torch
    from skimage.metrics import peak_signal_noise_ratio, structural_similarity
    from torchmetrics.functional.image import (
        multiscale_structural_similarity_index_measure as tm_scales,
    )
    from torchmetrics.functional.image import peak_signal_noise_ratio as tm_psnr
    from torchmetrics.functional.image import structural_similarity_index_measure as tm_ssim

    import assay

    rng = np.random.default_rng(0)
    x = rng.random(PICTURES, dtype=np.float32)
    y = np.clip(x + rng.normal(0, 0.1, PICTURES).astype(np.float32), 0, 1)
    a, b = torch.from_numpy(x), torch.from_numpy(y)
    options: dict[str, Any] = {"channels": "first", "data_range": 1.0}
    wang = {"gaussian_weights": True, "sigma": 1.5, "use_sample_covariance": False}

    def skimage(function: Callable[..., Any], **more: Any) -> Callable[[], Any]:
        return lambda: np.mean([function(p, q, data_range=1.0, **more) for p, q in zip(x, y, strict=True)])

    yield Workload(
        "SSIM 64x3x256x256",
        lambda: assay.ssim(x, y, **options),
        {
            "skimage Gaussian": (skimage(structural_similarity, channel_axis=0, **wang), 2.0),
            "torchmetrics": (lambda: tm_ssim(b, a, data_range=1.0), 4.0),
        },
        rounds=3,
    )
    yield Workload(
        "SSIM 64x3x256x256, uniform window",
        lambda: assay.ssim(x, y, window="uniform", window_size=7, sample_covariance=True, **options),
        {"skimage default": (skimage(structural_similarity, channel_axis=0), 1.0)},
        rounds=3,
    )
    yield Workload(
        "MS-SSIM 64x3x256x256",
        lambda: assay.ms_ssim(x, y, **options),
        {
            "torchmetrics": (lambda: tm_scales(b, a, data_range=1.0), 2.0),
            "piq": (lambda: peer("piq").multi_scale_ssim(b, a), 2.0),
        },
        rounds=3,
    )
    yield Workload(
        "PSNR 64x3x256x256",
        lambda: assay.psnr(x, y, **options),
        {
            "skimage": (skimage(peak_signal_noise_ratio), None),
            "torchmetrics": (lambda: tm_psnr(b, a, data_range=1.0, dim=(1, 2, 3), reduction="elementwise_mean"), 0.9),
        },
        rounds=3,
    )


def _features() -> Iterator[Workload]:
    import torch

    import assay

    rng = np.random.default_rng(0)
    mix = rng.normal(size=(2048, 2048)).astype(np.float32) / 45
    x, y = (np.maximum(rng.standard_normal((10_000, 2048), dtype=np.float32) @ mix + shift, 0) for shift in (0.3, 0.35))
    a, b = torch.from_numpy(x), torch.from_numpy(y)
    fid, clean, kid = peer("torch_fidelity.metric_fid"), peer("cleanfid.fid"), peer("torch_fidelity.metric_kid")

    def fidelity() -> Any:
        return fid.fid_statistics_to_metric(*(fid.fid_features_to_statistics(part) for part in (a, b)), False)

    yield Workload(
        "FID of 1e4 x 2048 features",
        lambda: assay.fid(x, y),
        {"torch-fidelity": (fidelity, 2.0), "clean-fid": (lambda: clean.fid_from_feats(x, y), 5.0)},
        rounds=2,
    )
    yield Workload(
        "KID of 1e4 x 2048 features",
        lambda: assay.kid(x, y),
        {
            "torch-fidelity, 100 x 1000": (
                lambda: kid.kid_features_to_metric(a, b, kid_subsets=100, kid_subset_size=1000, verbose=False),
                1.0,
            )
        },
        rounds=1,
    )
    logits = rng.normal(0, 2, (10_000, 1008))
    score = peer("torch_fidelity.metric_isc")
    yield Workload(
        "inception score of 1e4 x 1008 logits, 10 splits",
        lambda: assay.inception_score(logits=logits, splits=10),
        {"torch-fidelity": (lambda: score.isc_features_to_metric(torch.from_numpy(logits)), 0.9)},
        rounds=3,
    )
    neighbours = peer("torch_fidelity.metric_prc")
    few = slice(0, 4000)
    options = {"prc_neighborhood": 3, "prc_batch_size": 10_000, "save_cpu_ram": False, "verbose": False}
    yield Workload(
        "precision and recall of 4e3 x 2048 features",
        lambda: _both(x[few], y[few]),
        {"torch-fidelity": (lambda: neighbours.prc_features_to_metric(b[few], a[few], **options), 1.5)},
        rounds=1,
    )


def _both(real: Any, fake: Any) -> tuple[float, float]:
    from assay.metrics import PrecisionRecallGenerative

    state = PrecisionRecallGenerative().state(real, fake)
    return state.value(), float(PrecisionRecallGenerative(measure="recall").of(state.total))


def rows() -> Iterator[Row]:
    """What SSIM takes beside the pictures, as the share of what it may."""
    setup = f"""
import numpy as np, assay
rng = np.random.default_rng(0)
x = rng.random({PICTURES}, dtype=np.float32)
y = x[:, :, ::-1].copy()
assay.ssim(x[:8], y[:8], channels="first", data_range=1.0)
"""
    used = extra(setup, 'assay.ssim(x, y, channels="first", data_range=1.0)')
    yield Row("SSIM 64x3x256x256, memory", f"limit of {ALLOWED} MB", ALLOWED / max(used, 0.1), 1.0, (used, ALLOWED))
