"""A prediction-powered estimate next to that of the labels alone, and how it is assembled."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from assay.core.score import Score
from assay.inference.ppi_data import LEAST, Settings, Strata, strata_of
from assay.inference.ppi_estimate import JudgedSample, PpiEstimate, mean_variance, rectified, stratified
from assay.inference.ppi_limits import LimitRule
from assay.version import __version__

FEW_GROUPS, FEW_IN_STRATUM = 12, 10
SKEWED = 0.2  # of the estimate: Cochran's rule for a mean, n > 25 skew²


class PpiScore(Score):
    """A `Score` from ``n`` labels and ``unlabelled`` predictions.

    ``power`` is the trust in the predictions (0: none, 1: full), ``powers`` the same by stratum; ``error`` and ``df`` are
    the standard error and its degrees of freedom; ``classical`` is the score of the labels alone (its own is None).
    """

    unlabelled: int
    power: float
    powers: dict[Any, float]
    error: float
    df: float
    classical: PpiScore | None

    def __new__(
        cls,
        value: float,
        *,
        unlabelled: int,
        power: float,
        error: float,
        df: float,
        classical: PpiScore | None = None,
        powers: Mapping[Any, float] | None = None,
        **facts: Any,
    ) -> PpiScore:
        """Keep the facts with the number; ``facts`` are those of every `Score`."""
        self = cast(PpiScore, super().__new__(cls, value, **facts))
        self.unlabelled, self.power, self.error, self.df = unlabelled, power, error, df
        self.powers, self.classical = dict(powers or {}), classical
        return self

    def but(self, value: float | None = None, **facts: Any) -> PpiScore:
        """The same with other facts."""
        return PpiScore(float(self) if value is None else value, **{**self.__dict__, **facts})

    @property
    def width_ratio(self) -> float:
        """The interval's width over that of the labels alone; NaN where one of them has none."""
        own, other = _width(self), _width(self.classical or self)
        return own / other if other > 0 else math.nan

    def __str__(self) -> str:
        if self.classical is None:
            return super().__str__()
        sizes = f"n={self.n} labels + {self.unlabelled} predictions"
        ratio = [] if math.isnan(self.width_ratio) else [f"{self.width_ratio:.2f} of the classical width"]
        return " · ".join([self.short(), sizes, f"{self.method}, power {self.power:.2f}", *ratio])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        powers = {str(name): power for name, power in self.powers.items()}
        classical = None if self.classical is None else self.classical.to_dict()
        ratio = None if math.isnan(self.width_ratio) else self.width_ratio
        return {**super().to_dict(), "powers": powers, "classical": classical, "width_ratio": ratio}


def _width(score: Score) -> float:
    return math.nan if score.low is None or score.high is None else score.high - score.low


@dataclass(frozen=True)
class Facts:
    """What a score reports in addition to its estimate."""

    what: str
    n: int
    unlabelled: int
    level: float
    reason: str = ""
    parts: Mapping[Any, PpiEstimate] = field(default_factory=lambda: dict[Any, PpiEstimate]())


def scored(settings: Settings, what: str, sample: JudgedSample, rule: LimitRule) -> PpiScore:
    """The score of a sample, stratified or not."""
    strata = None if settings.strata is None else strata_of(settings, sample)
    parts = _fit(settings, sample, strata, settings.power)
    whole = _together(settings, sample, strata, parts)
    alone = _together(settings, sample, strata, _fit(settings, sample, strata, 0.0))
    named = {} if strata is None else dict(zip(strata.names, parts, strict=True))
    outside = not rule.range[0] <= whole.value <= rule.range[1]
    whole = alone if outside else whole  # a correction that leaves the range has misread the labels
    low, high = rule.limits(whole, alone, settings.level)
    doubt = _doubt(
        sample, strata, outside=outside, skewed=rule.suffers_from_skew and abs(whole.skew) > SKEWED, empty=low == high
    )
    facts = Facts(what, len(sample.labels), len(sample.unlabelled), settings.level, doubt, named)
    return assembled(facts, whole, alone, rule, _method(settings, sample, rule.name))


def _fit(settings: Settings, sample: JudgedSample, strata: Strata | None, power: Any) -> list[PpiEstimate]:
    parts = [sample] if strata is None else strata.parts
    return [rectified(part, power, settings.folds, settings.seed) for part in parts]


def _together(settings: Settings, sample: JudgedSample, strata: Strata | None, parts: list[PpiEstimate]) -> PpiEstimate:
    if strata is None:
        return parts[0]
    means = np.array([part.value for part in parts])[strata.codes]
    units = np.concatenate([sample.codes, sample.unlabelled_codes])
    between = mean_variance(means, units) if settings.shares is None else 0.0
    return stratified(parts, strata.shares, between)


def _method(settings: Settings, sample: JudgedSample, name: str) -> str:
    first = "PPI++" if settings.power == "tuned" else "PPI"
    more = {"stratified": settings.strata is not None, "clustered": sample.grouped, "cross-fit": settings.folds > 0}
    return ", ".join([first, name, *(word for word, holds in more.items() if holds)])


def _doubt(sample: JudgedSample, strata: Strata | None, *, outside: bool, skewed: bool, empty: bool) -> str:
    """Why the interval may not attain its nominal level; empty where it does."""
    smallest = math.inf if strata is None else min(part.units[0] for part in strata.parts)
    doubts = {
        "the predictions carry the estimate out of its range, so this is that of the labels alone": outside,
        f"fewer than {LEAST} labels": len(sample.labels) < LEAST,
        f"fewer than {FEW_GROUPS} labelled groups": sample.grouped and sample.units[0] < FEW_GROUPS,
        f"fewer than {FEW_IN_STRATUM} labelled units in a stratum": smallest < FEW_IN_STRATUM,
        "a few large values decide the estimate, so more labels are needed": skewed,
        "all labelled rows agree, so they say nothing about the spread": empty,
    }
    return "; ".join(text for text, holds in doubts.items() if holds)


def assembled(facts: Facts, whole: PpiEstimate, alone: PpiEstimate, rule: LimitRule, method: str) -> PpiScore:
    """The score of an estimate, with that of the labels alone inside."""
    classical = _filled(facts, alone, alone, rule, method.partition(", ")[2], unlabelled=0)
    more = {
        "parts": {k: e.value for k, e in facts.parts.items()},
        "powers": {k: e.power for k, e in facts.parts.items()},
    }
    return _filled(facts, whole, alone, rule, method, unlabelled=facts.unlabelled, classical=classical, **more)


def _filled(facts: Facts, own: PpiEstimate, alone: PpiEstimate, rule: LimitRule, method: str, **more: Any) -> PpiScore:
    low, high = rule.limits(own, alone, facts.level)
    return PpiScore(
        own.value, low=low, high=high, level=facts.level, method=method, metric=facts.what, n=facts.n,
        signature=f"ppi:{facts.what}|power:{own.power:g}|n:{facts.n}|assay:{__version__}",
        reliable=not facts.reason, reason=facts.reason, power=own.power, error=own.error, df=own.df, **more,
    )  # fmt: skip
