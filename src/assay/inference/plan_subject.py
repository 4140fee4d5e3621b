"""What a plan is about: a metric or family, and what is assumed of the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, get_args

from assay.core.errors import ParameterError
from assay.core.metric import Metric
from assay.core.parameters import check_names, number
from assay.core.record import Family
from assay.core.signatures import from_spec

MOST = 10**12  # rows; nobody has more, and the searches end
FAMILIES: tuple[str, ...] = get_args(Family)

_WHY_NOT = {
    "agreement": "depends on all cells of the table",
    "balanced": "depends on the number of rows of every class",
    "average_precision": "depends on the whole order of the scores",
    "calibration": "depends on the number of bins and on how far each is off",
    "r2": "depends on the spread of the targets and on the tails of the errors",
    "quantile": "depends on how dense the errors are around the quantile",
    "total": "grows with the number of rows",
    "bootstrap": "has no formula, only resampling",
    "frechet": "is a distance of two samples",
    "kernel_distance": "is a distance of two samples",
    "manifold": "is a share between two samples",
    "curve": "is not one number",
}


@dataclass(frozen=True)
class Subject:
    """A metric, or a family in general, as far as planning needs it."""

    key: str
    family: str
    bounds: tuple[float, float]
    entry: Metric[Any] | None = None

    @property
    def who(self) -> str:
        """How messages name it."""
        return f"plan: {self.key}"

    def refuse(self, why: str = "") -> ParameterError:
        """The error for what no formula plans, with the way that always works."""
        why = why or _WHY_NOT.get(self.family, f"of the family {self.family} has no such formula")
        return ParameterError(
            f"{self.who} {why}, so its rows cannot be planned by formula. Take pilot data of n rows: where the interval is w wide, "
            "n * (w / width)**2 rows bring it to width; for two models, compare(...).rows_for(effect) tells the rows."
        )


def subject_of(metric: str | Metric[Any]) -> Subject:
    """From a metric, its name (``"f_beta:beta=2"``) or a family (``"proportion"``)."""
    if isinstance(metric, str) and metric in FAMILIES:
        bounds = {"mean": (float("-inf"), float("inf")), "correlation": (-1.0, 1.0), "rank_correlation": (-1.0, 1.0)}
        wide = (0.0, float("inf")) if metric == "root_mean" else (0.0, 1.0)
        return Subject(metric, metric, bounds.get(metric, wide))
    entry: Metric[Any] = from_spec(metric) if isinstance(metric, str) else metric
    subject = Subject(entry.key, entry.record.family, entry.bounds, entry)
    average = getattr(entry, "average", "binary")
    if average != "binary":
        raise subject.refuse(f"with average={average!r} mixes classes (plan each class with average='binary')")
    if getattr(entry, "beta", 1) != 1:
        raise subject.refuse("with beta other than 1 is no function of the Jaccard index")
    return subject


@dataclass(frozen=True, kw_only=True)
class Assumed:
    """What is believed of the data before they are there; None where nothing was said."""

    value: float | None = None
    sd: float | None = None
    prevalence: float | None = None
    share: float | None = None
    discordance: float | None = None
    correlation: float | None = None
    level: float = 0.95
    power: float = 0.8

    @classmethod
    def of(cls, assumptions: Mapping[str, Any], **more: float) -> Assumed:
        """From the named arguments of a call."""
        check_names("plan", assumptions, (f.name for f in fields(cls)))
        return cls(**assumptions, **more)

    def __post_init__(self) -> None:
        """Refuse what is out of range whatever the metric is."""
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

    def need(self, subject: Subject, name: str, why: str) -> float:
        """An assumption that the question cannot do without."""
        given = getattr(self, name)
        if given is None:
            raise ParameterError(f"{subject.who} needs {name}: {why}.")
        return given

    def value_of(self, subject: Subject, *, inside: bool = False) -> float:
        """The value around which is planned; ``inside`` keeps it off the bounds."""
        value = self.need(subject, "value", "what you expect it to be")
        low, high = subject.bounds
        number(subject.who, "value", value, low=low, high=high, open_low=inside, open_high=inside)
        return value

    def only(self, subject: Subject, question: str, names: set[str]) -> None:
        """Refuse an assumption that has no part in the answer: it would be passed over in silence."""
        for field in fields(self):
            if field.name not in (*names, "level", "power") and getattr(self, field.name) is not None:
                known = ", ".join(sorted(names)) or "nothing"
                raise ParameterError(
                    f"{subject.who} has no use for {field.name} here. {question} is planned from {known}."
                )

    def given(self, names: set[str]) -> dict[str, float]:
        """Those of the named assumptions that were made."""
        return {
            f.name: getattr(self, f.name) for f in fields(self) if f.name in names and getattr(self, f.name) is not None
        }


_POSITIVE_ROWS, _NEGATIVE_ROWS = {"recall", "false_negative_rate"}, {"specificity", "false_positive_rate"}
_PREDICTED = {"precision", "false_discovery_rate", "negative_predictive_value", "false_omission_rate"}


def trial_share(subject: Subject, assumed: Assumed) -> float:
    """The share of rows that count for a proportion: all for accuracy, the positive ones for recall."""
    if assumed.share is not None:
        return assumed.share
    if subject.key in _PREDICTED:
        side = "negative" if subject.key in ("negative_predictive_value", "false_omission_rate") else "positive"
        raise ParameterError(f"{subject.who} needs share: the part of all rows that is predicted {side}.")
    if subject.key not in _POSITIVE_ROWS | _NEGATIVE_ROWS:
        return 1.0
    prevalence = assumed.need(subject, "prevalence", "the part of all rows that is positive; only some rows count")
    return prevalence if subject.key in _POSITIVE_ROWS else 1 - prevalence


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
