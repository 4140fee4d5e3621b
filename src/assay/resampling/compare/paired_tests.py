"""Paired tests of two learners on the same splits or rows: tests of the differences ``a - b``, on plain arrays.

McNemar's test and the other comparisons of two fixed models live with the metrics (``Metric.compare``).
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.core.arrays import ArrayLike, to_host
from assay.core.call_checks import guarded
from assay.core.distributions import f_quantile, f_upper_tail, t_quantile, two_sided, upper_tail
from assay.core.errors import InputError
from assay.core.ingestion import ingest
from assay.core.parameters import number, whole
from assay.core.plain_data import plain_data
from assay.core.score import digits
from assay.resampling.estimate import _interval_formulas as formulas
from assay.resampling.schemes._sampling_units import codes_of, key_table

EXACT_UNITS = 20  # up to here all sign flips are enumerated: half a million sums
_STREAMS = 1 << 40  # the schemes draw from the streams below: flips must not follow the splits
_BATCH = 1 << 22  # signs held at a time
LARGEST = 1e150  # of a difference: its square must not overflow
EQUAL = 1e-12  # difference that rounding leaves between equal numbers, relative to the largest


@dataclass(frozen=True, kw_only=True)
class PairedTest:
    """The outcome of a test of ``a - b``: the difference, its limits where the method has them, and the p value.

    ``about`` tells whether the models at hand were compared, the learners at this training set size, or the learners over
    ``data sets``. ``n`` counts the differences that the method treats as its units. ``df`` are the degrees of freedom: two
    numbers for an F test. ``reason`` tells why the result is not reliable, if it is not.
    """

    effect: float
    p: float
    method: str
    about: Literal["model", "learner", "data sets"]
    level: float
    n: int
    low: float | None = None
    high: float | None = None
    statistic: float | None = None
    error: float | None = None
    df: float | tuple[float, float] | None = None
    reason: str = ""

    @property
    def significant(self) -> bool:
        """Whether the p value lies below one minus the level."""
        return self.p < 1 - self.level

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return plain_data(dataclasses.asdict(self))

    def __str__(self) -> str:
        text = _signed(self.effect, self.low, self.high, self.level) + ("" if not self.reason else " *")
        return f"{text} p={self.p:.3g} · n={self.n} · {self.method}" + (f"\n* {self.reason}." if self.reason else "")


Contest = PairedTest  # its former name


@dataclass(frozen=True, kw_only=True)
class Posterior:
    """The posterior of ``a - b``: probabilities that it lies left of, within or right of the region of practical equivalence.

    The region reaches from ``-rope`` to ``rope``; ``low`` and ``high`` contain the difference with probability ``level``.
    """

    effect: float
    low: float
    high: float
    left: float
    within: float
    right: float
    rope: float
    level: float
    n: int
    scale: float
    df: float
    method: str = "Bayesian correlated t"
    about: Literal["learner"] = "learner"
    reason: str = ""

    @property
    def verdict(self) -> Literal["left", "within", "right"] | None:
        """The one of the three whose probability reaches the level; None if none does."""
        chances: dict[Literal["left", "within", "right"], float]
        chances = {"left": self.left, "within": self.within, "right": self.right}
        return next((name for name, chance in chances.items() if chance >= self.level), None)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return plain_data({**dataclasses.asdict(self), "verdict": self.verdict})

    def __str__(self) -> str:
        text = _signed(self.effect, self.low, self.high, self.level) + ("" if not self.reason else " *")
        chances = f"below {self.left:.3g}"
        chances += f", within ±{self.rope:g} {self.within:.3g}" if self.rope else ""
        text += f" · {chances}, above {self.right:.3g} · n={self.n} · {self.method}"
        return text + (f"\n* {self.reason}." if self.reason else "")


def _signed(effect: float, low: float | None, high: float | None, level: float) -> str:
    text = ("+" if effect >= 0 else "-") + digits(abs(effect), low, high)
    if low is None or high is None:
        return text
    return f"{text} [{digits(low, low, high)}, {digits(high, low, high)}] {100 * level:g} %"


# ---- splits that share training rows


@guarded
def corrected_paired_t(differences: ArrayLike, ratio: float, *, level: float = 0.95) -> PairedTest:
    """Nadeau and Bengio (2003): a paired t over splits, with the variance that overlapping training sets leave.

    ``differences`` hold one number per split, ``ratio`` is n_test / n_train: 1 / (K - 1) for K folds, repeated or not.
    """
    who = "corrected paired t"
    d = differences_of(who, differences, least=2)
    check_level(who, level)
    number(who, "ratio", ratio, low=0, open_low=True)
    limits = formulas.corrected_t(d, ratio, level)
    statistic, p, reason = _over(limits.value, limits.error, _constant(d), len(d) - 1)
    return PairedTest(
        effect=limits.value,
        low=limits.low,
        high=limits.high,
        p=p,
        statistic=statistic,
        error=limits.error,
        df=float(len(d) - 1),
        method="corrected resampled t",
        about="learner",
        level=level,
        n=len(d),
        reason=reason,
    )


@guarded
def five_by_two_t(differences: ArrayLike, *, level: float = 0.95) -> PairedTest:
    """Dietterich (1998): t of five repeats of two-fold cross-validation; ``differences`` is a table of 5 repeats x 2 folds.

    The effect is the first difference alone, which is what the statistic tests: the other nine only give its variance.
    `five_by_two_f` uses them all.
    """
    d = _five_by_two("5x2cv t", differences, level)
    constant = _constant(d, by_row=True)
    error = 0.0 if constant else math.sqrt(float(((d[:, 0] - d[:, 1]) ** 2).sum()) / 10)
    statistic, p, reason = _over(float(d[0, 0]), error, constant, 5)
    if not constant:
        statistic = formulas.two_fold_t(d)[0]
        p = two_sided(statistic, 5)
    half = t_quantile(level, 5) * error
    return PairedTest(
        effect=float(d[0, 0]),
        low=float(d[0, 0]) - half,
        high=float(d[0, 0]) + half,
        p=p,
        statistic=statistic,
        error=error,
        df=5.0,
        method="5x2cv t",
        about="learner",
        level=level,
        n=10,
        reason=reason,
    )


@guarded
def five_by_two_f(differences: ArrayLike, *, level: float = 0.95) -> PairedTest:
    """Alpaydin (1999): the combined F of the same ten differences, which does not depend on the order of the folds.

    The effect is their mean, and the limits contain every common difference that the test would not reject. There are no limits
    if it rejects all of them: the repeats then differ by more than their folds.
    """
    d = _five_by_two("5x2cv F", differences, level)
    effect = float(d.mean())
    if _constant(d):
        statistic, p, reason = _over(effect, 0.0, True, 5)
        return _combined(d, effect, effect, abs(statistic), p, level, reason)
    if _constant(d, by_row=True):
        return _combined(d, None, None, math.inf, 0.0, level, _FLAT)
    statistic = formulas.two_fold_f(d)
    # sum (d - x)^2 <= 2 F S is quadratic in x: these are its roots around the mean.
    within = float(((d[:, 0] - d[:, 1]) ** 2).sum()) / 2
    room = (2 * f_quantile(level, 10, 5) * within - float(((d - effect) ** 2).sum())) / 10
    half = math.sqrt(room) if room >= 0 else None
    reason = "" if half is not None else "the repeats differ by more than their folds, so there are no limits"
    low, high = (None, None) if half is None else (effect - half, effect + half)
    return _combined(d, low, high, statistic, f_upper_tail(statistic, 10, 5), level, reason)


def _combined(
    d: Any, low: float | None, high: float | None, statistic: float | None, p: float, level: float, reason: str
) -> PairedTest:
    return PairedTest(
        effect=float(d.mean()),
        low=low,
        high=high,
        p=p,
        statistic=statistic,
        df=(10.0, 5.0),
        method="combined 5x2cv F",
        about="learner",
        level=level,
        n=10,
        reason=reason,
    )


@guarded
def correlated_t(differences: ArrayLike, rho: float, *, rope: float = 0.0, level: float = 0.95) -> Posterior:
    """Corani and Benavoli (2015): the posterior of the mean difference over splits that share training rows.

    ``rho`` is the fraction of rows that are tested, n_test / (n_test + n_train): 1 / K for K folds. Differences up to ``rope``
    count as none in practice. The prior is uninformative, so the limits are those of the corrected t.
    """
    who = "correlated t"
    d = differences_of(who, differences, least=2)
    check_level(who, level)
    number(who, "rho", rho, low=0, high=1, open_low=True, open_high=True)
    number(who, "rope", rope, low=0)
    mean, df = float(d.mean()), len(d) - 1
    scale = 0.0 if _constant(d) else float(d.std(ddof=1)) * math.sqrt(1 / len(d) + rho / (1 - rho))
    left, right = (_beyond(side * mean, rope, scale, df) for side in (-1, 1))
    half = t_quantile(level, df) * scale
    return Posterior(
        effect=mean,
        low=mean - half,
        high=mean + half,
        left=left,
        within=max(0.0, 1 - left - right) if rope else 0.0,
        right=right,
        rope=float(rope),
        level=level,
        n=len(d),
        scale=scale,
        df=float(df),
        reason="" if scale else _FLAT,
    )


def _beyond(mean: float, rope: float, scale: float, df: float) -> float:
    """The probability that a Student variable around ``mean`` exceeds ``rope``."""
    if scale:
        return upper_tail((rope - mean) / scale, df)
    return 0.5 if mean == rope == 0 else float(mean > rope)


# ---- independent units


@guarded
def sign_flips(
    differences: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    replicates: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
) -> PairedTest:
    """A paired permutation test of the mean: had the learners been swapped on a unit, its difference would change sign.

    ``differences`` hold one number per row; rows of one group flip together. All flips are enumerated where 20 units or fewer
    differ, otherwise ``replicates`` of them are drawn. Do not pass the splits of a resampling: they share rows, so they are
    not independent units.
    """
    who = "sign flips"
    d = differences_of(who, differences, least=1)
    check_level(who, level)
    whole(who, "replicates", replicates, low=99)
    whole(who, "seed", seed, low=0)
    sums = d if groups is None else _by_group(who, d, groups)
    units = len(sums)
    moving = sums[np.abs(sums) > EQUAL * np.abs(d).max()]  # a unit without a difference is unchanged by a flip
    exact = len(moving) <= EXACT_UNITS
    reached = abs(float(moving.sum())) - EQUAL * float(np.abs(moving).sum())  # equal sums differ by rounding
    if exact:
        p = float((np.abs(_all_flips(moving)) >= reached).mean())
    else:
        p = (1 + _drawn_flips(moving, replicates, seed, reached)) / (replicates + 1)
    least = 2.0 ** (1 - len(moving)) if len(moving) else 1.0
    return PairedTest(
        effect=float(d.mean()),
        p=p,
        method="paired permutation, " + ("all sign flips" if exact else f"{replicates} sign flips"),
        about="model",
        level=level,
        n=units,
        reason="" if least < 1 - level else f"{len(moving)} units that differ cannot give a p value below {least:.3g}",
    )


def _by_group(who: str, d: Any, groups: ArrayLike) -> Any:
    codes = codes_of(who, "groups", groups)
    if len(codes) != len(d):
        raise InputError(who, "groups", f"must hold one label per difference: {len(d)}, got {len(codes)}")
    return np.bincount(codes, weights=d)


def _all_flips(sums: Any) -> Any:
    """The total under every flip; the first sign is fixed, since the other half mirrors these."""
    totals = sums[:1] if len(sums) else np.zeros(1)
    for one in sums[1:]:
        totals = np.concatenate([totals + one, totals - one])
    return totals


def _drawn_flips(sums: Any, replicates: int, seed: int, reached: float) -> int:
    """How many of the drawn flips reach the observed total; each is a function of the seed and its own number alone."""
    words, total, count = -(-len(sums) // 64), float(sums.sum()), 0
    step = max(1, _BATCH // len(sums))
    for start in range(0, replicates, step):
        streams = np.arange(_STREAMS + start, _STREAMS + min(start + step, replicates), dtype=np.uint64)
        octets: Any = key_table(seed, streams, words).astype("<u8").view(np.uint8)
        bits = np.unpackbits(octets, axis=1, count=len(sums), bitorder="little")
        count += int((np.abs(2 * (bits.astype(np.float64) @ sums) - total) >= reached).sum())
    return count


# ---- checks

_FLAT = "the differences do not vary, so their spread says nothing about new data"


def _over(effect: float, error: float, constant: bool, df: float) -> tuple[float, float, str]:
    """The statistic, its p value and the reason to doubt it; equal differences have no spread to compare with."""
    if not constant:
        return effect / error, two_sided(effect / error, df), ""
    return (0.0, 1.0, _FLAT) if effect == 0 else (math.copysign(math.inf, effect), 0.0, _FLAT)


def _constant(d: Any, *, by_row: bool = False) -> bool:
    """Whether the differences (of each repeat) are equal up to rounding."""
    spread: Any = np.ptp(d, axis=1).max() if by_row else np.ptp(d)
    return bool(spread <= EQUAL * np.abs(d).max())


def check_level(who: str, level: float) -> None:
    """Refuse a level outside 0 to 1."""
    number(who, "level", level, low=0, high=1, open_low=True, open_high=True)


def differences_of(who: str, given: ArrayLike, *, least: int) -> Any:
    """One finite number per split or unit."""
    d = _finite(who, given)
    if d.ndim != 1 or len(d) < least:
        why = f"must be one-dimensional with at least {least} number{'s' * (least > 1)}, got shape {d.shape}"
        raise InputError(who, "differences", why)
    return d


def _five_by_two(who: str, given: ArrayLike, level: float) -> Any:
    d = _finite(who, given)
    check_level(who, level)
    if d.shape != (5, 2):
        raise InputError(who, "differences", f"must be of five repeats of two folds, shape (5, 2), got {d.shape}")
    return d


def _finite(who: str, given: ArrayLike) -> Any:
    values = to_host(ingest(given, name="differences", who=who))
    if values.dtype.kind not in "fiub":
        raise InputError(who, "differences", f"must be numbers, got {values.dtype}")
    d = values.astype(np.float64)
    if not np.isfinite(d).all():
        at = [int(i) for i in np.argwhere(~np.isfinite(d))[0]]
        where = at[0] if len(at) == 1 else tuple(at)
        raise InputError(
            who,
            "differences",
            f"must be finite, number {where} is {d[tuple(at)]}: a fit failed or the metric is undefined there",
            "Fix that fit: leaving its split out would select the data by the result.",
        )
    if np.abs(d).max(initial=0.0) > LARGEST:
        why = f"must not exceed {LARGEST:g}, whose square overflows"
        raise InputError(who, "differences", why, "Rescale them first.")
    return d
