"""``--fail-under f1=0.8``: limits that a result must keep, each in the direction of its metric."""

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
        """Whether a metric of the result is meant: the same key, and the parameters that were said."""
        said = changed(self.metric)
        return metric.key == self.metric.key and all(getattr(metric, name) == value for name, value in said.items())

    def missed(self, score: Score) -> str | None:
        """One sentence if the score is worse than the limit; NaN is."""
        lower = self.metric.record.better == "lower"
        if math.isnan(score):
            return f"{self.spec} does not exist on these data, so the limit {self.value:g} is not kept."
        if (score > self.value) if lower else (score < self.value):
            shown = digits(score) if digits(score) != f"{self.value:g}" else repr(float(score))
            return f"{self.spec} is {shown}, {'above' if lower else 'below'} the limit {self.value:g}."
        return None


def parse(text: str) -> Limit:
    """The limit of ``f1=0.8`` or ``f_beta:beta=2=0.8``: the last = divides."""
    spec, mark, value = text.rpartition("=")
    if not mark or not spec:
        raise ParameterError(f"--fail-under {text!r}: write METRIC=VALUE, such as f1=0.8.")
    metric: Metric[Any] = from_spec(spec)
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise ParameterError(f"--fail-under {text!r}: {value!r} is not a number.")
    if metric.record.better == "none":
        raise ParameterError(f"--fail-under {text!r}: {spec} has no direction, so nothing is worse than a limit.")
    return Limit(spec, number, metric)


def find(limit: Limit, result: Result) -> Score | None:
    """The score that a limit speaks of; None if the result does not hold it, an error if it could be several."""
    if limit.spec in result.scores:
        return result.scores[limit.spec]
    names = [name for name in result.scores if limit.fits(result.metrics[name])]
    if len(names) > 1:
        raise ParameterError(f"--fail-under {limit.spec}: could be {' or '.join(names)}. Say which.")
    return result.scores[names[0]] if names else None
