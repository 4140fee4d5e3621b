"""Rank tests of learners on many data sets: ranks by Friedman and Nemenyi, claims by Wilcoxon and Holm (Demšar 2006).

A mean rank depends on which other learners take part, so Nemenyi's critical difference only draws the diagram, and a claim
about a pair rests on that pair alone (Benavoli, Corani and Mangili 2016).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from assay.core.arrays import ArrayLike, to_host
from assay.core.call_checks import guarded
from assay.core.distributions import chi2_upper_tail, f_upper_tail, two_sided
from assay.core.errors import InputError
from assay.core.escaping import visible
from assay.core.ingestion import ingest
from assay.core.parameters import choice
from assay.core.plain_data import plain_data
from assay.core.value_checks import Name
from assay.inference.formulas import holm
from assay.resampling._figures import critical_difference
from assay.resampling.compare.paired_tests import PairedTest, check_level, differences_of

EXACT_RANKS = 100  # up to here the distribution of the signed ranks is exact
FEW = 6  # data sets, below which chi-square and F are rough approximations
_WHO = "friedman"


@dataclass(frozen=True, kw_only=True)
class RankPair:
    """Two learners over all data sets, ``first`` the one with the better mean rank.

    ``gap`` is the difference of their mean ranks, ``nemenyi_p`` its p value. ``effect`` is the typical difference
    ``first - second`` of their values, ``p`` Wilcoxon's and ``adjusted_p`` Holm's over all pairs; ``winner`` is the learner that
    the signed ranks favour.
    """

    first: str
    second: str
    gap: float
    nemenyi_p: float
    effect: float
    p: float
    adjusted_p: float
    winner: str | None
    level: float

    @property
    def significant(self) -> bool:
        """Whether Holm's p value lies below one minus the level."""
        return self.adjusted_p < 1 - self.level


@dataclass(frozen=True, kw_only=True, repr=False)
class Ranks:
    """Learners from best to worst mean rank over ``datasets`` data sets, with tests.

    ``chi2`` and ``chi2_p`` are Friedman's; ``f`` and ``p`` are Iman and Davenport's, which is less conservative. Mean ranks that
    lie ``critical`` or more apart differ by Nemenyi's test; ``groups`` are the largest runs that do not.
    """

    ranks: dict[str, float]
    datasets: int
    better: Literal["lower", "higher"]
    level: float
    chi2: float
    chi2_df: float
    chi2_p: float
    f: float
    f_df: tuple[float, float]
    p: float
    critical: float
    groups: tuple[tuple[str, ...], ...]
    pairs: tuple[RankPair, ...]
    reason: str = ""

    @property
    def order(self) -> list[str]:
        """The learners from best to worst mean rank."""
        return list(self.ranks)

    @property
    def significant(self) -> bool:
        """Whether the learners differ at all, by Iman and Davenport's test."""
        return self.p < 1 - self.level

    @guarded
    def pair(self, a: Name, b: Name) -> RankPair:
        """The comparison of two learners, with the one of the better mean rank first."""
        for one in self.pairs:
            if {one.first, one.second} == {a, b}:
                return one
        known = f"The learners are: {', '.join(self.ranks)}."
        raise InputError(_WHO, "", f"unknown pair of learners {a!r} and {b!r}", known)

    def findings(self) -> list[str]:
        """The results in words."""
        said = (
            [] if self.significant else [f"Over these data sets the learners may all be equally good (p={self.p:.3g})."]
        )
        said += [f"The mean ranks of {_listed(run)} cannot be told apart." for run in self.groups]
        for name in self.ranks:
            beaten = [_other(pair, name) for pair in self.pairs if pair.significant and pair.winner == name]
            said += [f"{name} is better than {_listed(beaten)} (Wilcoxon, Holm)."] if beaten else []
        return said + ([f"* {self.reason}."] if self.reason else [])

    def diagram(self) -> str:
        """The critical-difference diagram, as the text of an SVG file."""
        return critical_difference(self.ranks, self.critical, self.groups, level=self.level)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        pairs = [{**dataclasses.asdict(pair), "significant": pair.significant} for pair in self.pairs]
        return plain_data({**dataclasses.asdict(self), "pairs": pairs, "findings": self.findings()})

    def __str__(self) -> str:
        head = f"{len(self.ranks)} learners on {self.datasets} data sets, mean ranks ({self.better} is better)"
        rows = [f"{rank:>7.3f}  {visible(name)}" for name, rank in self.ranks.items()]
        above, below = self.f_df
        tests = f"Iman-Davenport F({above:g}, {below:g}) = {self.f:.3g}, p={self.p:.3g}; "
        tests += f"Friedman chi-square({self.chi2_df:g}) = {self.chi2:.3g}, p={self.chi2_p:.3g}"
        reach = f"Nemenyi's critical difference at {100 * self.level:g} %: {self.critical:.3g}"
        return "\n".join([head, *rows, tests, reach, *map(visible, self.findings())])

    def __repr__(self) -> str:
        return str(self)


@guarded
def friedman(
    table: ArrayLike,
    names: Sequence[str],
    better: Literal["lower", "higher"] = "lower",
    *,
    datasets: Sequence[str] | None = None,
    level: float = 0.95,
    correct_ties: bool = True,
) -> Ranks:
    """Learners (columns) compared over data sets (rows) by their ranks in each.

    ``names`` are those of the learners and ``datasets``, if given, those of the data sets, for messages. ``correct_ties=False``
    leaves the statistics uncorrected for ties, as Demšar's formulas do.
    """
    choice(_WHO, "better", better, ("lower", "higher"))
    check_level(_WHO, level)
    values, learners = _checked(table, names, datasets)
    ranks = np.stack([midranks(row if better == "lower" else -row) for row in values])
    means: Any = ranks.mean(axis=0)
    order = [int(j) for j in np.argsort(means, kind="stable")]
    chi2, f, p = _statistics(ranks, correct_ties)
    n, k = values.shape
    critical = nemenyi(n, k, level)
    return Ranks(
        ranks={learners[j]: float(means[j]) for j in order},
        datasets=n,
        better=better,
        level=level,
        chi2=chi2,
        chi2_df=float(k - 1),
        chi2_p=chi2_upper_tail(chi2, k - 1),
        f=f,
        f_df=(float(k - 1), float((k - 1) * (n - 1))),
        p=p,
        critical=critical,
        groups=tuple(tuple(learners[order[i]] for i in range(*run)) for run in _runs(means[order], critical)),
        pairs=_pairs(values[:, order], means[order], [learners[j] for j in order], better, level),
        reason=_reason(n, k, level),
    )


@guarded
def nemenyi(datasets: int, learners: int, level: float = 0.95) -> float:
    """How far two mean ranks must lie apart (Nemenyi 1963): the studentised range over that many data sets."""
    quantile = float(_studentized_range().ppf(level, learners, math.inf)) / math.sqrt(2)
    return quantile * _rank_error(datasets, learners)


def _rank_error(datasets: int, learners: int) -> float:
    return math.sqrt(learners * (learners + 1) / (6 * datasets))


def _studentized_range() -> Any:
    from scipy.stats import studentized_range  # pyright: ignore - loading scipy.stats costs two seconds

    return studentized_range  # pyright: ignore


def _statistics(ranks: Any, correct_ties: bool) -> tuple[float, float, float]:
    """Friedman's chi-square, Iman and Davenport's F, and the p value of F."""
    n, k = ranks.shape
    middle = (k + 1) / 2
    spread = float(((ranks - middle) ** 2).sum()) if correct_ties else n * k * (k * k - 1) / 12
    if spread == 0:  # all learners are tied on all data sets
        return 0.0, 0.0, 1.0
    chi2 = (k - 1) * float(((ranks.sum(axis=0) - n * middle) ** 2).sum()) / spread
    rest = n * (k - 1) - chi2
    if rest > 1e-9 * n * k:
        f = (n - 1) * chi2 / rest
        return chi2, f, f_upper_tail(f, k - 1, (k - 1) * (n - 1))
    # All data sets agree and F is infinite: its p value would be 0, but the probability of that many equal orders is known.
    _, tied = np.unique(ranks[0], return_counts=True)
    orders = math.lgamma(k + 1) - sum(math.lgamma(t + 1) for t in tied.tolist())
    return chi2, math.inf, math.exp(-(n - 1) * orders)


def _runs(means: Any, critical: float) -> list[tuple[int, int]]:
    """Start and stop of the largest runs of sorted mean ranks that lie less than the critical difference apart."""
    runs, reached = list[tuple[int, int]](), 0
    for start in range(len(means)):
        stop = start + int((means[start:] < means[start] + critical * (1 - 1e-12)).sum())
        if stop - start > 1 and stop > reached:
            runs.append((start, stop))
            reached = stop
    return runs


def _pairs(values: Any, means: Any, names: list[str], better: str, level: float) -> tuple[RankPair, ...]:
    n, k = values.shape
    pairs = list(combinations(range(k), 2))
    tests = [_signed(values[:, i] - values[:, j]) for i, j in pairs]
    adjusted = holm([t.p for t in tests])
    gaps = np.array([means[j] - means[i] for i, j in pairs])
    distant: Any = _studentized_range().sf(gaps * math.sqrt(2) / _rank_error(n, k), k, math.inf)
    return tuple(
        RankPair(
            first=names[i],
            second=names[j],
            gap=float(gaps[at]),
            nemenyi_p=float(distant[at]),
            effect=tests[at].effect,
            p=tests[at].p,
            adjusted_p=adjusted[at],
            winner=_winner(tests[at], better, names[i], names[j]),
            level=level,
        )
        for at, (i, j) in enumerate(pairs)
    )


def _winner(test: _Signed, better: str, first: str, second: str) -> str | None:
    if test.up == test.down:
        return None
    return first if (test.up > test.down) == (better == "higher") else second


def _reason(n: int, k: int, level: float) -> str:
    pairs = k * (k - 1) // 2
    least = min(1.0, pairs * 2.0 ** (1 - n))
    said = [f"with fewer than {FEW} data sets chi-square and F are rough approximations"] if n < FEW else []
    if least >= 1 - level:
        said.append(f"with {n} data sets none of {pairs} pairs can have a Holm p value below {least:.3g}")
    return "; ".join(said)


# ---- one pair


@dataclass(frozen=True)
class _Signed:
    effect: float
    p: float
    up: float
    down: float
    idle: float
    moved: int
    exact: bool


@guarded
def signed_rank(differences: ArrayLike, *, level: float = 0.95) -> PairedTest:
    """Wilcoxon's signed-rank test: for two learners on many data sets, one difference ``a - b`` per data set.

    Differences of zero keep their ranks and are split between the sides (Pratt; Demšar 2006). The distribution is exact, ties
    included, for up to 100 differences. The effect is the median of all pairwise means (Hodges and Lehmann); the statistic is
    the smaller sum of ranks.
    """
    who = "signed ranks"
    d = differences_of(who, differences, least=1)
    check_level(who, level)
    found = _signed(d)
    least = 2.0 ** (1 - found.moved) if found.moved else 1.0
    return PairedTest(
        effect=found.effect,
        p=found.p,
        statistic=min(found.up, found.down) + found.idle,
        method="Wilcoxon signed ranks, " + ("exact" if found.exact else "normal"),
        about="data sets",
        level=level,
        n=len(d),
        reason=""
        if least < 1 - level
        else f"{found.moved} differences other than 0 cannot give a p value below {least:.3g}",
    )


def _signed(d: Any) -> _Signed:
    size: Any = np.abs(d)
    rounded: Any = (size / (size.max() or 1.0)).round(12)  # 0.97 - 0.96 and 0.98 - 0.97 are tied
    ranks, moved = midranks(rounded), rounded > 0
    up, down = float(ranks[moved & (d > 0)].sum()), float(ranks[moved & (d < 0)].sum())
    exact = len(d) <= EXACT_RANKS
    first, second = np.triu_indices(len(d))
    return _Signed(
        effect=float(np.median((d[first] + d[second]) / 2)),
        p=(_counted if exact else _normal)(ranks[moved], up - down),
        up=up,
        down=down,
        idle=float(ranks[~moved].sum()) / 2,
        moved=int(moved.sum()),
        exact=exact,
    )


def midranks(values: Any) -> Any:
    """Ranks from 1; equal values share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place.reshape(-1)]


def _counted(ranks: Any, gap: float) -> float:
    """The probability that the two sums of ranks lie at least ``gap`` apart, over all signs."""
    doubled: Any = (2 * ranks).round().astype(np.int64)  # midranks are halves
    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0] = 1.0
    for step in doubled:
        moved = np.zeros_like(chances)
        moved[step:] = chances[: len(chances) - step]
        chances = (chances + moved) / 2
    apart: Any = np.abs(2 * np.arange(len(chances)) - len(chances) + 1) / 2
    return min(1.0, float(chances[apart >= abs(gap) - 0.25].sum()))


def _normal(ranks: Any, gap: float) -> float:
    return two_sided(gap / math.sqrt(float((ranks**2).sum()))) if len(ranks) else 1.0


# ---- checks and wording


def _checked(table: ArrayLike, names: Sequence[str], datasets: Sequence[str] | None) -> tuple[Any, list[str]]:
    values = to_host(ingest(table, name="table", who=_WHO))
    if values.ndim != 2 or values.dtype.kind not in "fiub":
        why = f"must hold numbers, data sets x learners, got {values.dtype} {values.shape}"
        raise InputError(_WHO, "table", why)
    learners, (n, k) = [str(name) for name in names], values.shape
    if len(learners) != k or len(set(learners)) != k:
        what = f"{len(learners)}" if len(set(learners)) == len(learners) else "some twice"
        raise InputError(
            _WHO, "names", f"must name each of the {k} columns, got {what}", "Put the data sets in the rows."
        )
    if datasets is not None and len(datasets) != n:
        raise InputError(_WHO, "datasets", f"must name each of the {n} rows, got {len(datasets)}")
    if k == 2:
        fix = "Use signed_rank (Wilcoxon) on their differences."
        raise InputError(_WHO, "table", "must have at least 3 learners, got 2", fix)
    if k < 2 or n < 2:
        raise InputError(_WHO, "table", f"must have at least 2 data sets and 3 learners, got {n} and {k}")
    values = values.astype(np.float64)
    _refuse_holes(values, learners, [f"row {i}" for i in range(n)] if datasets is None else [str(s) for s in datasets])
    return values, learners


def _refuse_holes(values: Any, learners: list[str], rows: list[str]) -> None:
    holes = [f"{learners[j]} on {rows[i]} is {values[i, j]}" for i, j in np.argwhere(~np.isfinite(values)).tolist()]
    if holes:
        shown = ", ".join(holes[:5]) + (f" and {len(holes) - 5} more" if len(holes) > 5 else "")
        fix = "Fix these cells, or leave the whole data set or learner out."
        raise InputError(_WHO, "table", f"must be finite: {shown}", fix)


def _other(pair: RankPair, name: str) -> str:
    return pair.second if pair.first == name else pair.first


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
