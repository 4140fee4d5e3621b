"""How many test rows are needed for an interval of a given width, or to tell two models apart; and what a given number gives.

Intervals are planned by the formulas that measure them afterwards, at the value that is expected. Comparisons are paired:
both models predict the same rows. What no formula plans is refused, with the way that always works.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack

from assay.core.call_checks import guarded
from assay.core.comparison import POWER
from assay.core.errors import ParameterError, arg
from assay.core.metric import Metric
from assay.core.parameters import number, whole
from assay.core.score import digits
from assay.core.signatures import from_spec
from assay.inference.class_rates import average_of
from assay.inference.families import FAMILIES, family_of
from assay.inference.families.family import Family
from assay.inference.plan_rules import PowerRule, WidthRule
from assay.inference.plan_subject import MOST, Assumed, PlanSubject, least_rows

__all__ = [
    "Assumptions",
    "Plan",
    "detectable",
    "plan",
    "power_at",
    "rows_for_comparison",
    "rows_for_interval",
    "width_at",
]


class Assumptions(TypedDict, total=False):
    """What is assumed about the data before there are any.

    ``value``: the metric; ``sd``: the standard deviation of the losses of single rows, in comparisons of their differences;
    ``prevalence``: the fraction of positive rows; ``share``: the fraction of rows that count; ``discordance``: the fraction of
    rows on which only one of two models is right; ``correlation``: of the losses of two models, or of their areas under the curve.
    """

    value: float | None
    sd: float | None
    prevalence: float | None
    share: float | None
    discordance: float | None
    correlation: float | None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """An answer: ``n`` rows go with an interval of ``width`` (from ``low`` to ``high``), or find ``effect`` with ``power``.

    ``question`` names the one of them that was requested; ``inputs`` are the assumptions, ``method`` the formula in words.
    """

    question: Literal["rows", "width", "effect", "power"]
    metric: str
    n: int
    level: float
    method: str
    inputs: dict[str, float]
    width: float | None = None
    low: float | None = None
    high: float | None = None
    effect: float | None = None
    power: float | None = None

    def to_dict(self) -> dict[str, str | int | float | dict[str, float] | None]:
        """Everything as plain data, ready for JSON."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        told = ", ".join(f"{name} {value:g}" for name, value in self.inputs.items())
        by = f" (by {self.method}{'; assumed: ' + told if told else ''})."
        return f"{self.metric}: {self.n:,} rows {self._gain()}{by}"

    def _gain(self) -> str:
        if self.width is not None:
            return f"give a {100 * self.level:g} % interval of width {self.width:.3g}{self._limits()}"
        chance = 100 * (self.power or 0)
        return f"find a true difference of {self.effect:.3g} with a chance of {chance:.3g} % at level {100 * self.level:g} %"

    def _limits(self) -> str:
        if self.low is None or self.high is None:
            return ""
        return f", about [{digits(self.low, self.low, self.high)}, {digits(self.high, self.low, self.high)}]"


def subject_of(metric: str | Metric[Any]) -> tuple[PlanSubject, Family]:
    """What is planned, from a metric, its name (``"f_beta:beta=2"``) or a family (``"proportion"``)."""
    for key, family in FAMILIES.items():
        if metric == key:
            return PlanSubject(key, key, family.plan_range), family
    entry: Metric[Any] = from_spec(metric) if isinstance(metric, str) else metric
    subject = PlanSubject(entry.key, entry.record.family, entry.bounds, entry)
    average = average_of(entry)
    if average != "binary":
        how = f"with {arg('average', average)} mixes classes (plan each class with {arg('average', 'binary')})"
        raise subject.refuse(how)
    if getattr(entry, "beta", 1) != 1:
        raise subject.refuse("with beta other than 1 is not a function of the Jaccard index")
    return subject, family_of(entry)


def _width_rule(family: Family, subject: PlanSubject, assumed: Assumed) -> WidthRule:
    """The rule of a subject; refuses assumptions that play no part in it."""
    rule = family.width(subject, assumed)
    assumed.only(subject, "An interval", rule.names)
    return rule


@guarded
def rows_for_interval(
    metric: str | Metric[Any], width: float, *, level: float = 0.95, **assumptions: Unpack[Assumptions]
) -> Plan:
    """How many rows give an interval of at most this full width.

    >>> print(rows_for_interval("accuracy", 0.02, value=0.9))
    accuracy: 3,461 rows give a 95 % interval of width 0.02, about [0.8896, 0.9096] (by Wilson; assumed: value 0.9).
    """
    subject, family = subject_of(metric)
    rule = _width_rule(family, subject, Assumed.of(assumptions, level=level))
    size = subject.bounds[1] - subject.bounds[0]
    number(subject.who, "width", width, low=0, high=size, open_low=True, open_high=math.isfinite(size))
    n = least_rows(lambda rows: rule.at(rows) <= width, rule.least)
    if n is None:
        problem = f"of {width:g} takes more than {MOST:.0e} rows"
        raise ParameterError(subject.who, "width", problem, "Choose a larger width.")
    return _interval_plan("rows", metric, n, level, assumptions)


@guarded
def width_at(metric: str | Metric[Any], n: int, *, level: float = 0.95, **assumptions: Unpack[Assumptions]) -> Plan:
    """How wide the interval from ``n`` rows will be."""
    return _interval_plan("width", metric, n, level, assumptions)


def _interval_plan(
    question: Literal["rows", "width"], metric: str | Metric[Any], n: int, level: float, assumptions: Assumptions
) -> Plan:
    (subject, family), assumed = subject_of(metric), Assumed.of(assumptions, level=level)
    rule = _width_rule(family, subject, assumed)
    whole(subject.who, "n", n, low=rule.least)
    low, high = rule.limits(n) if assumed.value is not None else (None, None)  # around which value, nobody knows
    return Plan(
        question=question, metric=subject.key, n=n, level=level, method=rule.method, inputs=assumed.given(rule.names),
        width=rule.at(n), low=low, high=high,
    )  # fmt: skip


@guarded
def rows_for_comparison(
    metric: str | Metric[Any],
    effect: float,
    *,
    power: float = POWER,
    level: float = 0.95,
    **assumptions: Unpack[Assumptions],
) -> Plan:
    """How many rows, predicted by both models, find a true difference of ``effect`` with probability ``power``.

    >>> print(rows_for_comparison("accuracy", 0.02, discordance=0.08))
    accuracy: 1,568 rows find a true difference of 0.02 with a chance of 80 % at level 95 % (by McNemar; assumed: discordance 0.08).
    """
    question = _Comparison.of(metric, power, level, assumptions)
    size = question.size_of(effect)
    n = least_rows(lambda rows: question.test.power(rows, size) >= power, question.test.least)
    if n is None:
        problem = f"of {effect:g} takes more than {MOST:.0e} rows"
        raise ParameterError(question.subject.who, "effect", problem, "Plan for a larger one.")
    return question.plan("rows", n, size, power)


@guarded
def power_at(
    metric: str | Metric[Any], n: int, effect: float, *, level: float = 0.95, **assumptions: Unpack[Assumptions]
) -> Plan:
    """The probability that ``n`` rows find a true difference of ``effect``."""
    question = _Comparison.of(metric, POWER, level, assumptions)
    size = question.size_of(effect)
    whole(question.subject.who, "n", n, low=question.test.least)
    return question.plan("power", n, size, question.test.power(n, size))


@guarded
def detectable(
    metric: str | Metric[Any],
    n: int,
    *,
    power: float = POWER,
    level: float = 0.95,
    **assumptions: Unpack[Assumptions],
) -> Plan:
    """The smallest true difference that ``n`` rows find with probability ``power``."""
    question = _Comparison.of(metric, power, level, assumptions)
    subject, test = question.subject, question.test
    whole(subject.who, "n", n, low=test.least)
    effect = _least_effect(lambda size: test.power(n, size) >= power, test.largest)
    if effect is None:
        problem = (
            f"{n} rows do not find even the largest possible difference ({test.largest:g}) with a power of {power:g}"
        )
        raise ParameterError(subject.who, "", problem, "Take more rows.")
    return question.plan("effect", n, effect, power)


def _least_effect(enough: Callable[[float], bool], largest: float) -> float | None:
    high = min(1.0, largest * (1 - 1e-9))
    while not enough(high):
        if math.isfinite(largest):
            return None
        high *= 2
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


@dataclass(frozen=True)
class _Comparison:
    subject: PlanSubject
    assumed: Assumed
    test: PowerRule

    @classmethod
    def of(cls, metric: str | Metric[Any], power: float, level: float, assumptions: Assumptions) -> _Comparison:
        (subject, family), assumed = subject_of(metric), Assumed.of(assumptions, level=level, power=power)
        test = family.power(subject, assumed)
        assumed.only(subject, "A comparison", test.names)
        return cls(subject, assumed, test)

    def size_of(self, effect: float) -> float:
        """The size of the effect; refuses zero, and more than is possible."""
        size, largest = abs(effect), self.test.largest
        if not 0 < size < math.inf:
            raise ParameterError(self.subject.who, "effect", f"must be a difference other than 0, got {effect!r}")
        if size > largest:
            problem = f"of {size:g} is not possible, at most {largest:g} under these assumptions"
            fix = f"Lower {arg('effect')}, or check {arg('discordance')} and {arg('value')}."
            raise ParameterError(self.subject.who, "effect", problem, fix)
        return size

    def plan(self, question: Literal["rows", "effect", "power"], n: int, effect: float, power: float) -> Plan:
        inputs = self.assumed.given(self.test.names)
        return Plan(
            question=question, metric=self.subject.key, n=n, level=self.assumed.level, method=self.test.method,
            inputs=inputs, effect=effect, power=power,
        )  # fmt: skip


@guarded
def plan(
    metric: str | Metric[Any],
    *,
    width: float | None = None,
    effect: float | None = None,
    n: int | None = None,
    power: float | None = None,
    level: float = 0.95,
    **assumptions: Unpack[Assumptions],
) -> Plan:
    """Answer the question that the arguments pose.

    ``width``: rows for an interval. ``effect``: rows for a comparison. ``n``: the width of the interval, or with
    ``discordance`` or ``correlation`` the minimum detectable effect. ``n`` and ``effect``: the power. ``power`` is 0.8 by default,
    and refused where it plays no part in the answer.

    >>> plan("recall", n=500, value=0.8, prevalence=0.2).width
    0.155...
    """
    if width is not None and (effect is not None or n is not None):
        other = "effect" if effect is not None else "n"
        raise ParameterError("plan", "", f"{arg('width')} and {arg(other)} are two questions", "Give one of them.")
    if width is not None:
        _no_power(power, "an interval has none")
        return rows_for_interval(metric, width, level=level, **assumptions)
    if effect is not None and n is not None:
        _no_power(power, "it is the answer")
        return power_at(metric, n, effect, level=level, **assumptions)
    if effect is not None:
        return rows_for_comparison(metric, effect, power=POWER if power is None else power, level=level, **assumptions)
    if n is None:
        wanted = f"Give {arg('width')} (rows for an interval), {arg('effect')} (rows for a comparison) or {arg('n')} (what they give)."
        raise ParameterError("plan", "", "there is no question", wanted)
    if assumptions.get("discordance") is None and assumptions.get("correlation") is None:
        _no_power(power, "an interval has none")
        return width_at(metric, n, level=level, **assumptions)
    return detectable(metric, n, power=POWER if power is None else power, level=level, **assumptions)


def _no_power(power: float | None, why: str) -> None:
    if power is not None:
        raise ParameterError("plan", "power", f"plays no part in this question: {why}", f"Leave {arg('power')} out.")
