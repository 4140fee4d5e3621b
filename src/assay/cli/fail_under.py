"""``--fail-under f1=0.8``: limits that a result must meet, each in the direction of its metric."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from assay.core.errors import ParameterError
from assay.core.metric import Metric
from assay.core.parameters import changed
from assay.core.score import Score, digits
from assay.core.signatures import from_spec
from assay.evaluation.result import Result


@dataclass(frozen=True)
class Limit:
    """A metric, as it was written, and the value that it must reach."""

    spec: str
    value: float
    metric: Metric[Any]

    def fits(self, metric: Metric[Any]) -> bool:
        """Whether a metric of the result is meant: the same key, and the parameters that were given."""
        given = changed(self.metric)
        return metric.key == self.metric.key and all(getattr(metric, name) == value for name, value in given.items())

    def missed(self, score: Score) -> str | None:
        """One sentence if the score is worse than the limit; NaN is."""
        lower = self.metric.record.better == "lower"
        if math.isnan(score):
            return f"{self.spec} is undefined on these data, so the limit {self.value:g} is not met."
        if (score > self.value) if lower else (score < self.value):
            shown = digits(score) if digits(score) != f"{self.value:g}" else repr(float(score))
            return f"{self.spec} is {shown}, {'above' if lower else 'below'} the limit {self.value:g}."
        return None


def parse(text: str) -> Limit:
    """The limit of ``f1=0.8`` or ``f_beta:beta=2=0.8``: the last = divides."""
    spec, mark, value = text.rpartition("=")
    if not mark or not spec:
        raise ParameterError("", "--fail-under", f"must be METRIC=VALUE, such as f1=0.8; got {text!r}")
    metric: Metric[Any] = from_spec(spec)
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise ParameterError(f"--fail-under {text!r}", "", f"{value!r} is not a number")
    if metric.record.better == "none":
        words = "has no direction, so that no value is worse than a limit"
        raise ParameterError(f"--fail-under {text!r}", spec, words)
    return Limit(spec, number, metric)


def ambiguous(limit: Limit, names: list[str]) -> ParameterError:
    """The error for a limit that several metrics of the result could mean."""
    return ParameterError("--fail-under", limit.spec, f"could be {' or '.join(names)}", "Specify which.")


def find(limit: Limit, result: Result) -> Score | None:
    """The score that a limit refers to; None if the result does not hold it, an error if it could be several."""
    if limit.spec in result.scores:
        return result.scores[limit.spec]
    names = [name for name in result.scores if limit.fits(result.metrics[name])]
    if len(names) > 1:
        raise ambiguous(limit, names)
    return result.scores[names[0]] if names else None
