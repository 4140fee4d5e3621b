"""The measured lines of the page."""

from __future__ import annotations

from dataclasses import dataclass, field

WIDEST = 1.10  # of the oracle width, from WIDE_FROM rows on
WIDE_FROM = 100
LEVEL = (0.03, 0.065)  # what a test at 5 % may really have
LEARNED_WIDEST, WALD_WIDEST = 1.35, 1.20  # of the oracle width, and of the Wald interval of one cross-validation


@dataclass(frozen=True)
class Row:
    """One measured line of the page."""

    family: str
    name: str
    n: int
    replicates: int
    coverage: float
    error: float
    ratio: float  # mean width over 2 x 1.96 x the true standard deviation of the estimator
    low: float
    high: float
    flagged: float  # share of replicates in which the interval says not to trust it
    judged: bool = True  # rows for contrast have no band to meet
    sized: bool = True  # whether the width has a limit: not where the truth lies on a bound of the range
    classical: float | None = None  # mean width over that of the labels alone
    minimum: float | None = None  # over a grid of truths, next to the mean
    floor: float = 0.0
    unflagged: float | None = None  # coverage of the intervals that are not flagged

    @property
    def held(self) -> bool:
        """Whether the coverage lies in its band, give or take two Monte-Carlo errors."""
        deep = self.minimum is not None and self.minimum < self.floor
        return not deep and self.low - 2 * self.error <= self.coverage <= self.high + 2 * self.error

    @property
    def narrow(self) -> bool:
        """Whether the width is near the best possible where that is asked for."""
        return not self.sized or self.n < WIDE_FROM or round(self.ratio, 2) <= WIDEST


@dataclass(frozen=True)
class Test:
    """How often a test rejects: without a difference (level) and with one (power), beside the same of others."""

    family: str
    name: str
    n: int
    replicates: int
    level: float
    power: float
    peer: bool  # a peer's test on the same data
    judged: bool = True
    beaten: str = ""  # the peer that keeps its level and finds more

    @property
    def error(self) -> float:
        """Monte-Carlo error of the level."""
        return (self.level * (1 - self.level) / self.replicates) ** 0.5

    @property
    def held(self) -> bool:
        """Whether the level is what it says, give or take two Monte-Carlo errors, and no peer finds more."""
        low, high = LEVEL
        return low - 2 * self.error <= self.level <= high + 2 * self.error and not self.beaten


@dataclass(frozen=True)
class Edge:
    """How often a comparison without a star rejects though neither model is better, where few rows tell them apart."""

    family: str
    name: str
    n: int  # discordant units
    replicates: int
    level: float  # by the p value
    outside: float  # by the interval
    starred: float
    torn: float  # share of data sets in which the interval and the p value disagree
    judged: bool = True

    @property
    def error(self) -> float:
        """Monte-Carlo error of the level."""
        return (self.level * (1 - self.level) / self.replicates) ** 0.5

    @property
    def held(self) -> bool:
        """Whether neither rejects too often, give or take two Monte-Carlo errors; few rows may well reject less."""
        return max(self.level, self.outside) - 2 * self.error <= LEVEL[1]


@dataclass(frozen=True)
class Beside:
    """Coverage of an F1 average by assay and by confidenceinterval on the same data, with the widths over the oracle's."""

    family: str
    name: str
    n: int
    replicates: int
    coverage: float
    ratio: float
    other: float
    other_ratio: float
    judged: bool = False
    held: bool = True


@dataclass(frozen=True)
class Learned:
    """How often the interval of a learner's error holds it; ``beside`` counts the same for other intervals or other targets."""

    family: str
    name: str
    n: int
    replicates: int
    coverage: float
    error: float
    ratio: float  # mean width over 2 x 1.96 x the true standard deviation of the estimate around what it estimates
    low: float
    high: float
    flagged: float
    judged: bool = True
    wald: float | None = None  # mean width over that of the Wald interval of one cross-validation
    beside: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def held(self) -> bool:
        """Whether the coverage lies in its band, give or take two Monte-Carlo errors."""
        return self.low - 2 * self.error <= self.coverage <= self.high + 2 * self.error

    @property
    def narrow(self) -> bool:
        """Whether it is not much wider than it must be."""
        return round(self.ratio, 2) <= LEARNED_WIDEST and (self.wald is None or round(self.wald, 2) <= WALD_WIDEST)


@dataclass(frozen=True)
class Bias:
    """The bias of the .632+ bootstrap beside that of ten folds, each with its Monte-Carlo error."""

    family: str
    name: str
    n: int
    replicates: int
    truth: float
    plus: float
    plus_error: float
    folds: float
    folds_error: float
    plus_sd: float
    folds_sd: float
    coverage: float
    ratio: float
    judged: bool = True

    @property
    def held(self) -> bool:
        """Whether .632+ has the smaller bias, give or take two Monte-Carlo errors."""
        return abs(self.plus) <= abs(self.folds) + 2 * (self.plus_error**2 + self.folds_error**2) ** 0.5

    @property
    def plus_off(self) -> float:
        """How far .632+ is off: root mean square."""
        return (self.plus**2 + self.plus_sd**2) ** 0.5

    @property
    def folds_off(self) -> float:
        """How far ten folds are off: root mean square."""
        return (self.folds**2 + self.folds_sd**2) ** 0.5
