"""What prediction-powered inference is given, checked: rows, groups, strata and options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypedDict, cast

import numpy as np

from assay.core.arrays import ArrayLike, Floats, Host, kind_of, to_host
from assay.core.errors import InputError, ParameterError, arg
from assay.core.inputs import Inputs
from assay.core.name_columns import name_column
from assay.core.parameters import check_names, number, whole
from assay.inference.ppi_estimate import Codes, JudgedSample, Power

LEAST = 50  # labels; below, the tuned power and its variance come from too few rows for nominal coverage


class Options(TypedDict, total=False):
    """The keyword arguments of every function of :mod:`assay.inference.ppi`; see there."""

    power: Power
    level: float
    groups: ArrayLike
    unlabelled_groups: ArrayLike
    strata: ArrayLike
    unlabelled_strata: ArrayLike
    shares: Mapping[Any, float]
    cross_fit: bool | int
    seed: int
    few_labels: bool


@dataclass(frozen=True)
class Settings:
    """The options with their defaults, checked."""

    who: str
    power: Power = "tuned"
    level: float = 0.95
    groups: Any = None
    unlabelled_groups: Any = None
    strata: Any = None
    unlabelled_strata: Any = None
    shares: Mapping[Any, float] | None = None
    cross_fit: bool | int = False
    seed: int = 0
    few_labels: bool = False

    @classmethod
    def of(cls, who: str, options: Options) -> Settings:
        """From the named arguments of a call."""
        check_names(who, options, (f.name for f in fields(cls) if f.name != "who"))
        return cls(who, **options)

    def __post_init__(self) -> None:
        """Refuse what makes no sense, alone or together."""
        check_level(self.who, self.level)
        if self.power != "tuned":
            if isinstance(self.power, str):
                raise ParameterError(self.who, "power", f"must be 'tuned' or a number from 0 to 1, got {self.power!r}")
            number(self.who, "power", self.power, low=0, high=1)
        if self.folds:
            whole(self.who, "cross_fit", self.folds, low=2)
            if self.power != "tuned":
                fix = f"Leave it out, or {arg('power', self.power)}."
                raise ParameterError(self.who, "cross_fit", "tunes the power by folds", fix)
        whole(self.who, "seed", self.seed, low=0)
        for first, second in (("groups", "unlabelled_groups"), ("strata", "unlabelled_strata")):
            self._both(first, second)
        if self.shares is not None and self.strata is None:
            raise ParameterError(self.who, "shares", "belong to strata", "Give strata and unlabelled_strata too.")

    def _both(self, first: str, second: str) -> None:
        given = [getattr(self, name) is not None for name in (first, second)]
        if any(given) and not all(given):
            missing = second if given[0] else first
            problem = (
                f"must be given too: {first} and {second} hold one value for each labelled and each unlabelled row"
            )
            raise ParameterError(self.who, missing, problem)

    @property
    def folds(self) -> int:
        """Folds for the power: 5 for ``cross_fit=True``, none for False."""
        return 5 * self.cross_fit if isinstance(self.cross_fit, bool) else self.cross_fit


def check_level(who: str, level: float) -> None:
    """Refuse a level that is not between 0 and 1."""
    number(who, "level", level, low=0, high=1, open_low=True, open_high=True)


def columns(who: str, **given: ArrayLike) -> list[Floats]:
    """Columns of finite numbers of one length."""
    inputs = Inputs(given, who=who)
    host = [to_host(inputs.numbers(name)).astype(np.float64) for name in given]
    inputs.refuse_not_finite(*given)
    return host


def sample_of(settings: Settings, labels: Floats, predictions: Floats, unlabelled: Floats) -> JudgedSample:
    """The rows with the unit each belongs to; refuses too few of them."""
    who, n, others = settings.who, len(labels), len(unlabelled)
    if n < LEAST and not settings.few_labels:
        fix = f"Label more rows, or give {arg('few_labels', True)} to get a number that is marked as unreliable."
        raise InputError(who, "", f"needs at least {LEAST} labels for nominal coverage, got {n}", fix)
    codes, more = np.arange(n), n + np.arange(others)
    if settings.groups is not None:
        _, codes, more = coded(settings, "groups", n, others)
    sample = JudgedSample(labels, predictions, unlabelled, codes, more, settings.groups is not None)
    _enough(settings, sample, "")
    return sample


def _enough(settings: Settings, sample: JudgedSample, where: str) -> None:
    what = "groups" if sample.grouped else "rows"
    least = 3 if settings.power == "tuned" else 2  # a tuned power costs a degree of freedom
    for name, count, needed in zip(("labelled", "unlabelled"), sample.units, (least, 2), strict=True):
        if count < needed:
            advice = "Join small strata." if where else "Give more data."
            raise InputError(settings.who, "", f"needs at least {needed} {name} {what}{where}, got {count}", advice)
    if settings.folds > sample.units[0]:
        problem = f"of {settings.folds} folds needs as many labelled {what}{where}, got {sample.units[0]}"
        raise InputError(settings.who, "cross_fit", problem)


def coded(settings: Settings, name: str, n: int, others: int) -> tuple[Host, Codes, Codes]:
    """The distinct values of ``groups`` or ``strata``, and which of them each labelled and unlabelled row has."""
    first = _identifiers(settings, name, n)
    second = _identifiers(settings, f"unlabelled_{name}", others)
    kinds = [kind_of(values).replace("object", "text") for values in (first, second)]
    if kinds[0] != kinds[1]:
        problem = f"and unlabelled_{name} must be of one kind, got {kinds[0]} and {kinds[1]}"
        raise InputError(settings.who, name, problem, "Make both text or both integers.")
    values, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
    return values, codes[:n], codes[n:]


def _identifiers(settings: Settings, name: str, rows: int) -> Host:
    return name_column(getattr(settings, name), name=name, who=settings.who, n=rows)


@dataclass(frozen=True)
class Strata:
    """The parts of a sample, their names and shares; ``codes`` says which part every row, labelled first, is in."""

    names: list[Any]
    parts: list[JudgedSample]
    shares: Floats
    codes: Codes


def strata_of(settings: Settings, sample: JudgedSample) -> Strata:
    """The sample by stratum; shares are those of all rows unless they are given."""
    n, others = len(sample.labels), len(sample.unlabelled)
    values, codes, more = coded(settings, "strata", n, others)
    names, everyone = cast("list[Any]", values.tolist()), np.concatenate([codes, more])
    _refuse_spread_groups(settings, sample, everyone)
    parts = [sample.part(codes == k, more == k) for k in range(len(names))]
    for name, part in zip(names, parts, strict=True):
        _enough(settings, part, f" in stratum {name!r}")
    counted = np.bincount(everyone) / len(everyone)
    return Strata(names, parts, counted if settings.shares is None else _given_shares(settings, names), everyone)


def _refuse_spread_groups(settings: Settings, sample: JudgedSample, strata: Codes) -> None:
    if not sample.grouped:
        return
    groups = np.concatenate([sample.codes, sample.unlabelled_codes])
    pairs = np.unique(np.stack([groups, strata]), axis=1)
    if pairs.shape[1] > len(np.unique(groups)):
        problem = "must lie in one stratum each: strata that share groups are not independent"
        raise InputError(settings.who, "groups", problem, "Leave strata out, or make the groups smaller.")


def _given_shares(settings: Settings, names: list[Any]) -> Floats:
    shares = dict(settings.shares or {})
    if set(shares) != set(names):
        problem = f"must name every stratum once: {', '.join(map(repr, names))}; got {', '.join(map(repr, shares))}"
        raise ParameterError(settings.who, "shares", problem)
    for name, share in shares.items():
        number(settings.who, f"shares[{name!r}]", share, low=0, high=1)
    total = sum(shares.values())
    if abs(total - 1) > 1e-6:
        raise ParameterError(settings.who, "shares", f"must add up to 1, got {total:g}", "Divide each by their sum.")
    return np.array([shares[name] for name in names], dtype=np.float64) / total
