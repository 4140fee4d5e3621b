"""How many test rows are needed: for an interval of a given width, or to tell two models apart; and what a given number gives.

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
from assay.core.errors import ParameterError
from assay.core.metric import Metric
from assay.core.parameters import number, whole
from assay.core.score import digits
from assay.inference.plan_power import Test, check_effect, test_of
from assay.inference.plan_subject import MOST, Assumed, Subject, least_rows, subject_of
from assay.inference.plan_widths import width_of

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
    """What is believed of the data before they are there.

    ``value``: the metric; ``sd``: of the losses of single rows, in comparisons of their differences; ``prevalence``: the
    part of positive rows; ``share``: the part of rows that count; ``discordance``: the part of rows on which only one of
    two models is right; ``correlation``: of the losses of two models, or of their areas under the curve.
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

    ``question`` names the one of them that was asked for; ``inputs`` are the assumptions, ``method`` the formula in words.
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

    def to_dict(self) -> dict[str, Any]:
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


@guarded
def rows_for_interval(
    metric: str | Metric[Any], width: float, *, level: float = 0.95, **assumptions: Unpack[Assumptions]
) -> Plan:
    """How many rows give an interval of at most this full width.

    >>> print(rows_for_interval("accuracy", 0.02, value=0.9))
    accuracy: 3,461 rows give a 95 % interval of width 0.02, about [0.8896, 0.9096] (by Wilson; assumed: value 0.9).
    """
    subject = subject_of(metric)
    rule = width_of(subject, Assumed.of(assumptions, level=level))
    size = subject.bounds[1] - subject.bounds[0]
    number(subject.who, "width", width, low=0, high=size, open_low=True, open_high=math.isfinite(size))
    n = least_rows(lambda rows: rule.at(rows) <= width, rule.least)
    if n is None:
        raise ParameterError(
            f"{subject.who}: a width of {width:g} takes more than {MOST:.0e} rows. Ask for a larger width."
        )
    return _interval_plan("rows", subject, n, level, assumptions)


@guarded
def width_at(metric: str | Metric[Any], n: int, *, level: float = 0.95, **assumptions: Unpack[Assumptions]) -> Plan:
    """How wide the interval from ``n`` rows will be."""
    return _interval_plan("width", subject_of(metric), n, level, assumptions)


def _interval_plan(
    question: Literal["rows", "width"], subject: Subject, n: int, level: float, assumptions: Assumptions
) -> Plan:
    assumed = Assumed.of(assumptions, level=level)
    rule = width_of(subject, assumed)
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
    """How many rows, predicted by both models, find a true difference of ``effect`` with the chance ``power``.

    >>> print(rows_for_comparison("accuracy", 0.02, discordance=0.08))
    accuracy: 1,568 rows find a true difference of 0.02 with a chance of 80 % at level 95 % (by McNemar; assumed: discordance 0.08).
    """
    question = _Comparison.of(metric, power, level, assumptions)
    size = check_effect(question.subject, question.test, effect)
    n = least_rows(lambda rows: question.test.power(rows, size) >= power, question.test.least)
    if n is None:
        raise ParameterError(
            f"{question.subject.who}: an effect of {effect:g} takes more than {MOST:.0e} rows. Plan for a larger one."
        )
    return question.plan("rows", n, size, power)


@guarded
def power_at(
    metric: str | Metric[Any], n: int, effect: float, *, level: float = 0.95, **assumptions: Unpack[Assumptions]
) -> Plan:
    """The chance that ``n`` rows find a true difference of ``effect``."""
    question = _Comparison.of(metric, POWER, level, assumptions)
    size = check_effect(question.subject, question.test, effect)
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
    """The smallest true difference that ``n`` rows find with the chance ``power``."""
    question = _Comparison.of(metric, power, level, assumptions)
    subject, test = question.subject, question.test
    whole(subject.who, "n", n, low=test.least)
    effect = _least_effect(lambda size: test.power(n, size) >= power, test.largest)
    if effect is None:
        raise ParameterError(
            f"{subject.who}: {n} rows find not even the largest possible difference ({test.largest:g}) with a chance of "
            f"{power:g}. Take more rows."
        )
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
    subject: Subject
    assumed: Assumed
    test: Test

    @classmethod
    def of(cls, metric: str | Metric[Any], power: float, level: float, assumptions: Assumptions) -> _Comparison:
        subject, assumed = subject_of(metric), Assumed.of(assumptions, level=level, power=power)
        return cls(subject, assumed, test_of(subject, assumed))

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
    """Answer the question that the arguments ask.

    ``width``: rows for an interval. ``effect``: rows for a comparison. ``n``: the width of the interval, or with
    ``discordance`` or ``correlation`` the detectable difference. ``n`` and ``effect``: the power. ``power`` is 0.8 where it
    is not asked for, and refused where it has no part in the answer.

    >>> plan("recall", n=500, value=0.8, prevalence=0.2).width
    0.155...
    """
    if width is not None and (effect is not None or n is not None):
        other = "effect" if effect is not None else "n"
        raise ParameterError(f"plan: width and {other} are two questions. Give one of them.")
    if width is not None:
        _no_power(power, "an interval has none")
        return rows_for_interval(metric, width, level=level, **assumptions)
    if effect is not None and n is not None:
        _no_power(power, "it is the answer")
        return power_at(metric, n, effect, level=level, **assumptions)
    if effect is not None:
        return rows_for_comparison(metric, effect, power=POWER if power is None else power, level=level, **assumptions)
    if n is None:
        raise ParameterError(
            "plan: what is asked? Give width (rows for an interval), effect (rows for a comparison) or n (what they give)."
        )
    if assumptions.get("discordance") is None and assumptions.get("correlation") is None:
        _no_power(power, "an interval has none")
        return width_at(metric, n, level=level, **assumptions)
    return detectable(metric, n, power=POWER if power is None else power, level=level, **assumptions)


def _no_power(power: float | None, why: str) -> None:
    if power is not None:
        raise ParameterError(f"plan: power has no part in this question: {why}. Leave power out.")
