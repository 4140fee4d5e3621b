"""Peak signal-to-noise ratio."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay import kernels
from assay.core.arrays import Array, Namespace
from assay.core.monoids import Sum
from assay.core.record import Record
from assay.metrics.generation.pictures import TAKES, PictureMetric
from assay.ops import divide, real


def _native(x: Any) -> Any:
    """Types that the kernel is compiled for as they are; the rest are widened."""
    return x.dtype if x.dtype in (np.uint8, np.float32) else np.float64


@dataclass(frozen=True)
class Noise:
    """Decibels of a picture, 0 where it equals its reference, and whether it does."""

    names: ClassVar[tuple[str, ...]] = ("psnr", "infinite")

    def check(self, who: str, height: int, width: int) -> None:
        """Any size will do."""

    def batch(self, xp: Namespace, a: Array, b: Array, span: float) -> Array:
        """From the mean squared error of each picture."""
        square = xp.mean((a - b) ** 2, axis=(1, 2, 3))
        same = square == 0
        ratio = xp.where(same, xp.ones_like(square), span * span / xp.where(same, xp.ones_like(square), square))
        return xp.stack([10 * xp.log10(ratio), xp.astype(same, square.dtype)], axis=1)

    def planes(self, a: Array, b: Array, span: float) -> tuple[float, ...]:
        """The same of one picture."""
        square = kernels.ssim.mean_square(*(np.asarray(x, _native(x)) for x in (a, b)))
        if not math.isfinite(square):
            return math.nan, 0.0  # refused with the name of the picture, once all are done
        return (0.0, 1.0) if square == 0 else (10 * math.log10(span * span / square), 0.0)


@dataclass(frozen=True, kw_only=True)
class PSNR(PictureMetric):
    r"""Peak signal-to-noise ratio in decibels, of each picture, then averaged.

    .. math:: \frac1n \sum_i 10 \log_{10} \frac{L^2}{\frac1{|P|}\sum_{p \in P} (x_{ip} - \hat x_{ip})^2}

    ``data_range`` is the distance L between black and white. A picture that equals its reference has an infinite ratio, and
    so has the mean then; such pictures are counted. The ratio of the error pooled over pictures is another number: pitfall 20.

    >>> psnr([[[0.0, 0.5], [1.0, 0.5]]], [[[0.0, 0.5], [0.9, 0.5]]], data_range=1.0)
    26.0205...
    """

    record = Record(
        title="Peak signal-to-noise ratio", range=(-np.inf, np.inf), better="higher", family="mean", takes=TAKES,
        undefined="infinite where a picture equals its reference", use="fidelity of compression, denoising and super-resolution",
        misleads="blind to where the error is and what it looks like: blur and noise of one size score alike",
        equals=("skimage peak_signal_noise_ratio of each picture, averaged", "torchmetrics PeakSignalNoiseRatio(dim=(1, 2, 3))"),
        references=("huynh2008",), traps=(20,), properties=frozenset({"symmetric"}),
        aliases=("peak_signal_noise_ratio",),
    )  # fmt: skip
    what = "psnr"

    def measure(self) -> Noise:
        """Decibels of each picture."""
        return Noise()

    def of(self, total: Sum) -> Any:
        """Their mean, infinite if some are."""
        return np.where(real(total["infinite"]) > 0, np.inf, divide(total["psnr"], total["weight"]))

    def remarks(self, total: Sum) -> dict[str, float]:
        """Pictures without any error."""
        return {"pictures equal their reference; the ratio is infinite": float(total["infinite"])}
