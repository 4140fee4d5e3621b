"""Structural similarity of pictures, at one scale and at several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay import kernels
from assay.core.arrays import Array, Namespace
from assay.core.errors import InputError, ParameterError, arg
from assay.core.monoids import Sum
from assay.core.parameters import choice, number, whole
from assay.core.record import Record
from assay.core.sources import SURVEY
from assay.metrics.generation.pictures import TAKES, PictureMetric, on_planes, window_means

SCALES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


@dataclass(frozen=True)
class Window:
    """The odd window of one axis, and what turns its variance into that of a sample."""

    kind: str = "gaussian"
    size: int = 11
    sigma: float = 1.5
    sample: bool = False
    k1: float = 0.01
    k2: float = 0.03

    def taps(self) -> Any:
        """Weights that add up to 1."""
        if self.kind == "uniform":
            return np.full(self.size, 1 / self.size)
        at = np.arange(self.size) - self.size // 2
        taps = np.exp(-(at**2) / (2 * self.sigma**2))
        return taps / taps.sum()

    def constants(self, span: float) -> tuple[float, float, float]:
        """(C1, C2, factor of variances)."""
        places = self.size**2
        return (self.k1 * span) ** 2, (self.k2 * span) ** 2, places / (places - 1) if self.sample else 1.0

    def similarity(self, xp: Namespace, a: Array, b: Array, span: float) -> tuple[Array, Array]:
        """Mean of the map and of its contrast and structure part, for each plane; the plain twin of the kernel."""
        taps, (c1, c2, norm) = self.taps(), self.constants(span)
        m, n, squares, product = (window_means(xp, x, taps) for x in (a, b, a * a + b * b, a * b))
        part = (2 * norm * (product - m * n) + c2) / (norm * (squares - m * m - n * n) + c2)
        both = part * (2 * m * n + c1) / (m * m + n * n + c1)
        return xp.mean(both, axis=(-2, -1)), xp.mean(part, axis=(-2, -1))


@dataclass(frozen=True)
class Similarity:
    """Structural similarity of a picture, averaged over its channels."""

    window: Window

    @property
    def names(self) -> tuple[str, ...]:
        """One number per picture."""
        return ("ssim",)

    def check(self, who: str, height: int, width: int) -> None:
        """The window must fit."""
        if min(height, width) < self.window.size:
            raise InputError(
                who,
                "",
                f"pictures must be at least as large as the window ({self.window.size}), got {height} x {width}",
                f"Choose a smaller {arg('window_size')}.",
            )

    def batch(self, xp: Namespace, a: Array, b: Array, span: float) -> Array:
        """In any array library."""
        return xp.mean(self.window.similarity(xp, a, b, span)[0], axis=1)[:, None]

    def planes(self, a: Array, b: Array, span: float) -> tuple[float, ...]:
        """Compiled."""
        taps, constants = self.window.taps(), self.window.constants(span)
        return on_planes(lambda p, q: kernels.ssim.similarity(p, q, taps, *constants)[:1], a, b)


@dataclass(frozen=True)
class Scales:
    """The product over scales of a picture, averaged over its channels, and whether a scale was negative and counts 0."""

    window: Window
    powers: tuple[float, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The value and the count."""
        return ("ms_ssim", "negative")

    def check(self, who: str, height: int, width: int) -> None:
        """The window must fit on the coarsest scale."""
        least = (self.window.size - 1) * 2 ** (len(self.powers) - 1) + 1
        if min(height, width) < least:
            raise InputError(
                who,
                "",
                f"pictures must be at least {least} x {least} for {len(self.powers)} scales of a window of {self.window.size}, got "
                f"{height} x {width}",
                f"Choose fewer {arg('powers')} or a smaller {arg('window_size')}.",
            )

    def batch(self, xp: Namespace, a: Array, b: Array, span: float) -> Array:
        """In any array library."""
        value, negative = None, None
        for at, power in enumerate(self.powers):
            both, part = self.window.similarity(xp, a, b, span)
            term = both if at == len(self.powers) - 1 else part
            below = term < 0
            grown = xp.where(below, xp.zeros_like(term), term) ** power
            value = grown if value is None else value * grown
            negative = below if negative is None else negative | below
            a, b = _halved(xp, a), _halved(xp, b)
        counted = xp.astype(xp.any(negative, axis=1), value.dtype)  # pyright: ignore
        return xp.stack([xp.mean(value, axis=1), counted], axis=1)

    def planes(self, a: Array, b: Array, span: float) -> tuple[float, ...]:
        """Compiled, but for the halving."""
        taps, constants = self.window.taps(), self.window.constants(span)
        value, negative = on_planes(lambda p, q: self._plane(p, q, taps, constants), a, b)
        return value, float(negative > 0)

    def _plane(self, a: Any, b: Any, taps: Any, constants: Any) -> tuple[float, float]:
        value, negative = 1.0, 0.0
        for at, power in enumerate(self.powers):
            both, part = kernels.ssim.similarity(a, b, taps, *constants)
            term = both if at == len(self.powers) - 1 else part
            negative = max(negative, float(term < 0))
            value *= max(term, 0.0) ** power
            if at < len(self.powers) - 1:
                a, b = (np.ascontiguousarray(_halved(np, x)) for x in (a, b))
        return value, negative


def _halved(xp: Namespace, x: Array) -> Array:
    """Means of 2 x 2 blocks; the last row or column of an odd size stands twice."""
    if int(x.shape[-2]) % 2:
        x = xp.concat([x, x[..., -1:, :]], axis=-2)
    if int(x.shape[-1]) % 2:
        x = xp.concat([x, x[..., -1:]], axis=-1)
    return 0.25 * (x[..., ::2, ::2] + x[..., 1::2, ::2] + x[..., ::2, 1::2] + x[..., 1::2, 1::2])


@dataclass(frozen=True, kw_only=True)
class WindowMetric(PictureMetric):
    """A metric of local means, variances and covariances.

    ``window`` is ``"gaussian"`` of ``sigma`` or ``"uniform"``, ``window_size`` pixels wide; ``sample_covariance`` divides by the number
    of its pixels minus 1. ``k1`` and ``k2`` keep quotients of dark and of flat places finite.
    """

    window: Literal["gaussian", "uniform"] = "gaussian"
    window_size: int = 11
    sigma: float = 1.5
    sample_covariance: bool = False
    k1: float = 0.01
    k2: float = 0.03

    def check(self) -> None:
        """A window, and constants that keep quotients finite."""
        choice(self.name, "window", self.window, ("gaussian", "uniform"))
        whole(self.name, "window_size", self.window_size, low=3)
        if self.window_size % 2 == 0:
            raise ParameterError(
                self.name, "window_size", f"must be odd, so that a window has a centre, got {self.window_size}"
            )
        number(self.name, "sigma", self.sigma, low=0, open_low=True)
        number(self.name, "k1", self.k1, low=0, open_low=True)
        number(self.name, "k2", self.k2, low=0, open_low=True)

    def own_window(self) -> Window:
        """The window as the measure needs it."""
        return Window(self.window, self.window_size, self.sigma, self.sample_covariance, self.k1, self.k2)


@dataclass(frozen=True, kw_only=True)
class SSIM(WindowMetric):
    r"""Structural similarity: brightness, contrast and structure of small windows, compared with the reference.

    .. math:: \frac{(2 \mu_x \mu_y + C_1)(2 \sigma_{xy} + C_2)}{(\mu_x^2 + \mu_y^2 + C_1)(\sigma_x^2 + \sigma_y^2 + C_2)}

    Averaged over the places where the window fits, then over channels, then over pictures. The defaults are those of Wang et al.
    (2004): a Gaussian window of 11 x 11 with sigma 1.5, population covariance. 1 only for equal pictures.

    >>> import numpy as np
    >>> x = np.arange(256.0).reshape(1, 16, 16)
    >>> ssim(x, 0.5 * x, data_range=255)
    0.6520...
    """

    record = Record(
        title="Structural similarity", range=(-1, 1), better="higher", family="bounded_mean", transform="logit", takes=TAKES,
        use="how similar pictures look, beside a reference", references=("wang2004",), traps=(19,),
        misleads="windows, borders and data_range differ between tools and move it by a tenth; it forgives large shifts of colour",
        equals=("skimage structural_similarity(gaussian_weights=True, sigma=1.5, use_sample_covariance=False)",
                "skimage's defaults: window='uniform', window_size=7, sample_covariance=True"),
        properties=frozenset({"symmetric"}),
        aliases=("structural_similarity",),
        erratum=f"{SURVEY}, eq. 108, is one window, and -1 is called complete dissimilarity; the value is a mean over "
        "windows, and -1 is inverted structure.",
    )  # fmt: skip
    what = "ssim"

    def measure(self) -> Similarity:
        """The similarity of each picture."""
        return Similarity(self.own_window())


@dataclass(frozen=True, kw_only=True)
class MSSSIM(WindowMetric):
    r"""Structural similarity over several scales, each half as large as the one before.

    .. math:: l_M^{\beta_M} \prod_{j=1}^{M} (c_j s_j)^{\beta_j}

    ``powers`` are the exponents, one a scale, of Wang et al. (2003) by default: five scales, for which pictures must be 161 pixels
    wide. Of each channel, then averaged. A negative contrast term has no such power: it counts as 0, and such pictures are counted.

    >>> import numpy as np
    >>> x = np.arange(1024.0).reshape(1, 32, 32)
    >>> ms_ssim(x, 0.5 * x, data_range=1023, powers=(0.5, 0.5))
    0.7442...
    """

    key = "ms_ssim"
    record = Record(
        title="Multi-scale structural similarity", range=(0, 1), better="higher", family="bounded_mean", transform="logit",
        takes=TAKES, use="as structural similarity, less dependent on viewing distance", references=("wang2003",), traps=(19,),
        misleads="a product of powers: one scale without structure makes it 0; channels are averaged before or after it",
        equals=("piq multi_scale_ssim of float64 pictures whose sides stay even up to the last scale",),
        differs=("torchmetrics pads the borders at every scale (0.9633 on a grey picture that has 0.9629 here); with odd sides piq repeats "
                 "the first row, the authors' code mirrors the last.",),
        properties=frozenset({"symmetric"}),
        aliases=("multi_scale_ssim",),
    )  # fmt: skip
    what = "ms_ssim"

    powers: tuple[float, ...] = SCALES

    def check(self) -> None:
        """A window, and powers."""
        super().check()
        if not self.powers:
            raise ParameterError("MSSSIM", "powers", "must hold one number per scale, got none")
        for power in self.powers:
            number(self.name, "powers", power, low=0)

    def measure(self) -> Scales:
        """The product of each picture."""
        return Scales(self.own_window(), self.powers)

    def remarks(self, total: Sum) -> dict[str, float]:
        """Pictures of which a scale had no similar structure at all."""
        return {"pictures have a scale of negative structure, which counts as 0": float(total["negative"])}
