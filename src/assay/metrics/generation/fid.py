"""Fréchet distance of features (FID), plain, corrected for its bias, and extrapolated to infinite samples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from assay.core.arrays import Floats, to_host
from assay.core.inputs import Inputs
from assay.core.monoids import Moments, Rows
from assay.core.parameters import choice, whole
from assay.core.record import Record
from assay.metrics.generation.frechet import distance, slopes
from assay.metrics.generation.samples import TAKES, SampleMetric, SampleMoments, SampleRows, keys_of, split_rows

Law = tuple[Floats, Floats]  # mean and covariance


def laws(total: Moments) -> tuple[Law, Law] | None:
    """Mean and covariance of both samples; None if one has fewer than two rows."""
    if np.min(total.weight) <= 1:
        return None
    real, fake = ((total.mean[s], total.m2[s] / (total.weight[s] - 1)) for s in (0, 1))
    return real, fake


def _distance(total: Moments) -> float:
    if np.min(total.weight) <= 1:
        return np.nan
    a, b = (float(w) - 1 for w in total.weight)
    return distance(total.mean[0], total.m2[0], total.mean[1], total.m2[1], over=(a, b))


def _half(total: Moments, at: int) -> Moments:
    low = None if total.low is None else total.low[:, at]
    return Moments(total.names, total.weight[:, at], total.mean[:, at], total.m2[:, at], total.n, low)


def whole_of(total: Moments) -> Moments:
    """Moments of whole samples from those of their halves."""
    return replace(_half(total, 0) + _half(total, 1), n=total.n)


@dataclass(frozen=True, kw_only=True)
class FID(SampleMetric):
    r"""Fréchet distance of two samples of features: how far apart normal distributions with their means and covariances are.

    .. math:: |\mu_r - \mu_f|^2 + \mathrm{tr}\left(\Sigma_r + \Sigma_f - 2 (\Sigma_r \Sigma_f)^{1/2}\right)

    With features of an Inception network this is the FID. Small samples make it too large; ``correction="richardson"`` takes away the
    bias that falls with 1/n, by the distances of half samples. The interval is always about the distance of infinite samples. Undefined
    if a sample has fewer than two rows.

    >>> round(fid([[0.0, 1.0], [2.0, 3.0], [1.0, 5.0]], [[1.0, 1.0], [3.0, 3.0], [2.0, 5.0]]), 9)
    1.0
    """

    record = Record(
        title="Fréchet inception distance", range=(0, np.inf), better="lower", family="frechet", takes=TAKES, traps=(21,),
        undefined="a sample has fewer than two rows", use="how near generated images are to real ones, as distributions of features",
        misleads="depends on the number of images, the resizing and the weights of the network; blind to what two moments do not show",
        equals=("torch-fidelity, pytorch-fid and clean-fid on the same features",), references=("heusel2017", "chong2020"),
        properties=frozenset(),
        aliases=("frechet_inception_distance",),
    )  # fmt: skip

    correction: Literal["none", "richardson"] = "none"

    def check(self) -> None:
        """A known correction."""
        choice(self.name, "correction", self.correction, ("none", "richardson"))

    @property
    def bounds(self) -> tuple[float, float]:
        """Without its bias an estimate of 0 falls below 0 as often as not."""
        return (-np.inf, np.inf) if self.correction == "richardson" else self.record.range

    def statistic(self) -> SampleMoments:
        """Moments of each sample, and of halves where they are needed."""
        return SampleMoments(halves=self.correction == "richardson")

    def of(self, total: Moments) -> Any:
        """The distance, or twice that less the mean distance of half samples."""
        if self.correction == "none":
            return np.float64(_distance(total))
        halves = [_distance(_half(total, at)) for at in (0, 1)]
        return np.float64(2 * _distance(whole_of(total)) - np.mean(halves))

    def counts(self, total: Moments) -> tuple[float, float]:
        """Weights of both samples."""
        weight = np.asarray(total.weight).reshape(2, -1).sum(axis=1)
        return float(weight[0]), float(weight[1])

    def influence_of(self, inputs: Inputs, total: Moments | None = None) -> Floats:
        """Through the map that carries one normal distribution to the other; half samples are moved by their rows twice as much."""
        found: Moments = self.statistic().of(inputs) if total is None else total
        base = inputs.host_weight()
        w = np.ones(inputs.n) if base is None else base
        x, fake = to_host(inputs["features"]).astype(np.float64, copy=False), to_host(inputs["sample"]).astype(bool)
        if self.correction == "none":
            values = w * _influence(found, x, fake)
        else:
            values = 2 * w * _influence(whole_of(found), x, fake)
            half = _halves(inputs)
            for at in (0, 1):
                own = half == at
                values[own] -= 0.5 * w[own] * _influence(_half(found, at), x[own], fake[own])
        return values - w * (values.sum() / w.sum())


def _halves(inputs: Inputs) -> Any:
    from assay.metrics.generation.samples import half_of

    return np.asarray(half_of(to_host(inputs["features"])))


def _influence(total: Moments, x: Floats, fake: Any) -> Floats:
    """Derivative of the distance by the weight of each row."""
    found = laws(total)
    if found is None:
        return np.full(len(x), np.nan)
    slope = slopes(*found[0], *found[1])
    values = np.empty(len(x))
    sides = ((~fake, slope.cov_a, -slope.mean_b), (fake, slope.cov_b, slope.mean_b))
    for s, (own, by_cov, by_mean) in enumerate(sides):
        mean, cov = found[s]
        d = x[own] - mean
        curved = np.einsum("ij,ij->i", d @ by_cov, d) - float((by_cov * cov).sum())
        values[own] = curved / (total.weight[s] - 1) + d @ by_mean / total.weight[s]
    return values


# ---- extrapolated


@dataclass(frozen=True, kw_only=True)
class FIDInfinity(SampleMetric):
    r"""Fréchet distance extrapolated to an infinite generated sample.

    .. math:: \mathrm{FID}(n) \approx \mathrm{FID}_\infty + \frac{c}{n}

    A line through the distances of ``points`` nested subsets, from ``min_samples`` rows (a tenth of all without it) to all, against 1/n.
    Subsets are of the generated sample, as in Chong and Forsyth (2020), or with ``over="both"`` of the real one too, in proportion. Which
    rows come first follows from the rows' own numbers, so that their order does not matter. Undefined if a subset has fewer than two rows.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> fid_infinity(rng.normal(size=(400, 4)), rng.normal(size=(400, 4)))
    -0.01...
    """

    record = Record(
        title="FID-infinity", range=(-np.inf, np.inf), better="lower", family="frechet", takes=TAKES, traps=(21,),
        undefined="the smallest subset has fewer than two rows", use="to compare FIDs of different sample sizes",
        misleads="the fit adds noise of its own; its interval is known to hold less often than it says",
        equals=("the FID-infinity of Chong and Forsyth (2020), up to which subsets are drawn",), references=("chong2020",),
    )  # fmt: skip

    points: int = 15
    min_samples: int | None = None
    over: Literal["fake", "both"] = "fake"

    def check(self) -> None:
        """Enough points for a line."""
        whole(self.name, "points", self.points, low=2)
        choice(self.name, "over", self.over, ("fake", "both"))
        if self.min_samples is not None:
            whole(self.name, "min_samples", self.min_samples, low=2)

    def statistic(self) -> SampleRows:
        """The rows."""
        return SampleRows()

    def counts(self, total: Rows) -> tuple[float, float]:
        """Weights of both samples."""
        w, fake = total.weights(), total["sample"].astype(bool)
        return float(w[~fake].sum()), float(w[fake].sum())

    def of(self, total: Rows) -> Any:
        """The intercept of the line."""
        real, w_real, fake, w_fake = split_rows(total)
        size = float(w_fake.sum())
        least = size / 10 if self.min_samples is None else float(self.min_samples)
        if least <= 1 or least >= size or w_real.sum() <= 1:
            return np.float64(np.nan)
        shares = np.linspace(least / size, 1.0, self.points)
        fakes = _nested(fake, w_fake, shares)
        reals = _nested(real, w_real, shares if self.over == "both" else np.ones(1)) * (
            1 if self.over == "both" else self.points
        )
        if min(moments[0] for moments in (*fakes, *reals)) <= 1:
            return np.float64(np.nan)
        values = [distance(*_law(a), *_law(b)) for a, b in zip(reals, fakes, strict=True)]
        return np.float64(np.polynomial.polynomial.polyfit(1 / (shares * size), values, 1)[0])


def _law(moments: tuple[float, Floats, Floats]) -> Law:
    weight, mean, m2 = moments
    return mean, m2 / (weight - 1)


def _nested(x: Any, weight: Floats, shares: Floats) -> list[tuple[float, Floats, Floats]]:
    """Moments of the first rows that hold each share of the weight, in the order of the rows' keys; one row may count in part."""
    order = np.argsort(keys_of(x), kind="stable")
    x, weight = x[order].astype(np.float64, copy=False), weight[order]
    ends = np.cumsum(weight)
    edges = shares * ends[-1]
    edges[-1] = ends[-1]
    done: list[tuple[float, Floats, Floats]] = []
    total, before = Moments(("features",), np.float64(0), np.zeros(x.shape[1]), np.zeros((x.shape[1],) * 2), 0), 0.0
    for edge in edges:
        inside = np.clip(np.minimum(ends, edge) - np.maximum(ends - weight, before), 0, None)
        at = inside > 0
        w, rows = inside[at], x[at]
        mean = w @ rows / w.sum()
        centred = (rows - mean) * np.sqrt(w)[:, None]
        total, before = total + Moments(total.names, np.float64(w.sum()), mean, centred.T @ centred, 0), edge
        done.append((float(total.weight), total.mean, total.m2))
    return done
