"""The bootstrap's estimates of error, .632 and .632+ among them, with the standard error of Efron and Tibshirani (1997)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.distributions import z_quantile
from assay.resampling.estimate._interval_formulas import Limits, plus_632, weighted_632
from assay.resampling.schemes._sampling_units import codes_of

if TYPE_CHECKING:
    from assay.resampling.estimate._intervals import Evidence

FEW_GROUPS = 50
ALL_SHIFTS, SHIFTS = 256, 64  # up to how many rows all pairings give the no-information error; how many pairings beyond


@dataclass(frozen=True, eq=False)
class _Bags:
    """Out-of-bag losses: ``loss`` and ``out`` are (bags, units), ``drawn`` counts how often each unit was trained on."""

    loss: Any
    out: Any
    drawn: Any

    @property
    def each(self) -> Any:
        """The mean error of every unit over the bags that left it out."""
        return self.loss.sum(axis=0) / self.out.sum(axis=0)


def out_of_bag(evidence: Evidence, method: str) -> Limits:
    """The out-of-bag error, corrected towards the training error for ``"632"`` and ``"632+"``."""
    bags = _gathered(evidence)
    if not (bags.out.sum(axis=0) > 0).all():
        never = int((bags.out.sum(axis=0) == 0).sum())
        return _without(f"{never} units were never left out. Use more repeats")
    if np.isnan(bags.loss).any():
        return _without("undefined on the rows left out of some bags. Use stratify=True")
    left = float(bags.each.mean())
    value, ratio = left, 1.0
    if method != "oob":
        value = _corrected(evidence, left, method)
        ratio = _shrunk(evidence, value, left)
    error = ratio * _delete_error(bags)
    half = z_quantile(evidence.options.level) * error
    name = {"oob": "out-of-bag bootstrap", "632": ".632 bootstrap", "632+": ".632+ bootstrap"}[method]
    title = f"{name}, infinitesimal jackknife"
    groups = evidence.scorer.data.groups
    few = "" if groups is None or bags.out.shape[1] >= FEW_GROUPS else f"only {bags.out.shape[1]} groups"
    doubt = (
        "the learner memorises its training rows, for which .632 and .632+ are biased" if _remembers(evidence) else ""
    )
    form = "mean over the rows left out"
    return Limits(
        value, value - half, value + half, error, title, "learner", form, few or (doubt if method != "oob" else "")
    )


def _remembers(evidence: Evidence) -> bool:
    """Whether training rows are predicted without any error, as by a single nearest neighbour."""
    full = next(iter(evidence.of("full")), None)
    best = evidence.scorer.metrics[evidence.name].optimum
    if full is None or best is None:
        return False
    return abs(evidence.scorer.values(full.answers, full.rows)[evidence.name] - best) < 1e-9


def _without(reason: str) -> Limits:
    return Limits(math.nan, math.nan, math.nan, math.nan, "none", "learner", reason=reason)


def _gathered(evidence: Evidence) -> _Bags:
    data = evidence.scorer.data
    codes = np.arange(data.n) if data.groups is None else codes_of("estimate", "groups", data.groups)
    sizes = np.bincount(codes)
    folds = evidence.of("split")
    loss, out, drawn = (np.zeros((len(folds), len(sizes))) for _ in range(3))
    scale = len(sizes) / data.n  # so that the mean over units is the mean over rows
    for at, fold in enumerate(folds):
        losses = evidence.scorer.losses(evidence.name, fold)
        loss[at] = np.bincount(codes[fold.rows], losses, minlength=len(sizes)) * scale
        out[at] = np.bincount(codes[fold.rows], minlength=len(sizes)) > 0
        drawn[at] = np.bincount(codes[fold.train_rows], minlength=len(sizes)) / sizes
    return _Bags(loss, out, drawn)


def _corrected(evidence: Evidence, left: float, method: str) -> float:
    full = evidence.of("full")[0]
    train = evidence.scorer.values(full.answers, full.rows)[evidence.name]
    if method == "632":
        return weighted_632(train, left)
    sign = -1.0 if evidence.scorer.metrics[evidence.name].record.better == "higher" else 1.0
    return sign * plus_632(sign * train, sign * left, sign * no_information(evidence, full))


def no_information(evidence: Evidence, full: Any) -> float:
    """The metric if predictions and targets were independent: over all pairings, or `SHIFTS` of them."""
    n = len(full.rows)
    steps = np.arange(n) if n <= ALL_SHIFTS else np.unique(np.linspace(0, n - 1, SHIFTS).astype(np.int64))
    values = [
        evidence.scorer.values({k: np.roll(v, step, axis=0) for k, v in full.answers.items()}, full.rows)[evidence.name]
        for step in steps
    ]
    return float(np.nanmean(values))


def _shrunk(evidence: Evidence, value: float, left: float) -> float:
    """The standard error shrinks with the error itself, measured from that of a perfect learner."""
    best = evidence.scorer.metrics[evidence.name].optimum
    return abs(value - best) / abs(left - best) if best is not None and left != best else 1.0


def _delete_error(bags: _Bags) -> float:
    """The infinitesimal jackknife of the mean out-of-bag error, corrected for the finite number of bags.

    The second term is a covariance over bags; its noise adds up over the units (Wager, Hastie and Efron 2014). The spread of the
    units' own errors is a floor.
    """
    count, n = bags.loss.shape
    each = bags.each
    mean = float(each.mean())
    weight = (1 - 1 / n) ** -n
    bag = bags.loss.mean(axis=1)
    centred: Any = bags.drawn - bags.drawn.mean(axis=0)
    moved = weight * (centred * bag[:, None]).mean(axis=0)
    influence = (2 + 1 / (n - 1)) * (each - mean) / n + moved
    noise = n * weight**2 * float(bag.var()) * (1 - 1 / n) / count
    floor = float(each.var(ddof=1)) / n
    return math.sqrt(max(float(influence @ influence) - noise, floor))
