"""What a plan is about: a metric or family, and what is assumed about the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from assay.core.errors import ParameterError, arg
from assay.core.metric import Metric
from assay.core.parameters import check_names, number
from assay.core.record import FamilyKey

PILOT = "Take pilot data of n rows: where the interval is w wide, n * (w / width)**2 rows bring it to width; for two models,"
MOST = 10**12  # rows; nobody has more, and the searches end


@dataclass(frozen=True)
class PlanSubject:
    """A metric, or a family in general, as far as planning needs it."""

    key: str
    family: FamilyKey
    bounds: tuple[float, float]
    metric: Metric[Any] | None = None

    @property
    def who(self) -> str:
        """How messages name it."""
        return f"plan: {self.key}"

    def refuse(self, why: str = "") -> ParameterError:
        """The error for what no formula plans, with the way that always works."""
        why = why or f"of the family {self.family} has no such formula"
        return ParameterError(
            "plan",
            "",
            f"{self.key} {why}, so its rows cannot be planned by formula",
            f"{PILOT} compare(...).rows_for(effect) returns the number of rows.",
        )


@dataclass(frozen=True, kw_only=True)
class Assumed:
    """What is assumed about the data before there are any; None where nothing was specified."""

    value: float | None = None
    sd: float | None = None
    prevalence: float | None = None
    share: float | None = None
    discordance: float | None = None
    correlation: float | None = None
    level: float = 0.95
    power: float = 0.8

    @classmethod
    def of(cls, assumptions: Mapping[str, object], **more: float) -> Assumed:
        """From the keyword arguments of a call."""
        check_names("plan", assumptions, (f.name for f in fields(cls)))
        return cls(**assumptions, **more)

    def __post_init__(self) -> None:
        """Refuse what is out of range whatever the metric."""
        for name in ("level", "power", "prevalence"):
            if getattr(self, name) is not None:
                number("plan", name, getattr(self, name), low=0, high=1, open_low=True, open_high=True)
        for name in ("share", "discordance"):
            if getattr(self, name) is not None:
                number("plan", name, getattr(self, name), low=0, high=1, open_low=True)
        if self.sd is not None:
            number("plan", "sd", self.sd, low=0, open_low=True)
        if self.correlation is not None:
            number("plan", "correlation", self.correlation, low=-1, high=1, open_high=True)

    def need(self, subject: PlanSubject, name: str, why: str) -> float:
        """An assumption that the question requires."""
        given = getattr(self, name)
        if given is None:
            raise ParameterError(subject.who, name, f"is needed: {why}")
        return given

    def value_of(self, subject: PlanSubject, *, inside: bool = False) -> float:
        """The value around which to plan; ``inside`` keeps it off the bounds."""
        value = self.need(subject, "value", "what you expect it to be")
        low, high = subject.bounds
        number(subject.who, "value", value, low=low, high=high, open_low=inside, open_high=inside)
        return value

    def only(self, subject: PlanSubject, question: str, names: set[str]) -> None:
        """Refuse an assumption that plays no part in the answer: it would be ignored silently."""
        for field in fields(self):
            if field.name not in (*names, "level", "power") and getattr(self, field.name) is not None:
                known = ", ".join(arg(name) for name in sorted(names)) or "nothing"
                raise ParameterError(
                    subject.who, field.name, "is not used here", f"{question} is planned from {known}."
                )

    def given(self, names: set[str]) -> dict[str, float]:
        """Those of the named assumptions that were made."""
        return {
            f.name: getattr(self, f.name) for f in fields(self) if f.name in names and getattr(self, f.name) is not None
        }


def least_rows(enough: Callable[[int], bool], start: int) -> int | None:
    """The smallest number of rows, from ``start`` on, that is enough; None if none within reason is."""
    low, high = start - 1, start
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
