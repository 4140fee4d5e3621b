"""Gates: ``--fail-under roc_auc.low=0.98`` on results, ``--fail-if-worse accuracy=0.01`` on comparisons, and their outcomes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from assay.core.comparison import Comparison
from assay.core.errors import ParameterError
from assay.core.metric import Metric
from assay.core.parameters import changed
from assay.core.score import Score, digits
from assay.core.signatures import from_spec
from assay.evaluation.comparisons import turned

FAIL_UNDER, FAIL_IF_WORSE = "--fail-under", "--fail-if-worse"
LIMIT_MISSED = 1  # the exit code
Verdict = Literal["pass", "fail", "undecided"]


@dataclass(frozen=True)
class Outcome:
    """How a gate ended: the option as it was written, what it looked at, and one sentence."""

    gate: str
    metric: str
    limit: float
    outcome: Verdict
    message: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    model: str | None = None

    def to_dict(self) -> dict[str, object]:
        """Plain data, ready for JSON."""
        return {name: value for name, value in asdict(self).items() if name != "model" or value is not None}


@dataclass(frozen=True)
class Limit:
    """A metric, as it was written, the number of its score that counts, and the value that this must reach."""

    text: str
    spec: str
    value: float
    metric: Metric[Any]
    of: Literal["value", "low", "high"] = "value"

    def fits(self, metric: Metric[Any]) -> bool:
        """Whether a metric of the result is meant: the same key, and the parameters that were given."""
        given = changed(self.metric)
        return metric.key == self.metric.key and all(getattr(metric, name) == value for name, value in given.items())

    def name_in(self, metrics: Mapping[str, Metric[Any]], names: Iterable[str]) -> str | None:
        """The name under which a result holds the metric; None if it does not, an error if it could be several."""
        known = list(names)
        found = [self.spec] if self.spec in known else [name for name in known if self.fits(metrics[name])]
        if len(found) > 1:
            raise ParameterError(FAIL_UNDER, self.spec, f"could be {' or '.join(found)}", "Specify which.")
        return found[0] if found else None

    def outcome(self, score: Score) -> Outcome:
        """Pass or fail: worse than the limit in the direction of the metric, undefined, or without the interval asked for, is a fail."""
        seen = {"value": float(score), "low": score.low, "high": score.high}[self.of]
        name = self.spec if self.of == "value" else f"{self.spec}.{self.of}"
        worse, said = True, ""
        lower = self.metric.record.better == "lower"
        if math.isnan(score):
            said = f"{self.spec} is undefined on these data, so the limit {self.value:g} is not met."
        elif seen is None:
            said = f"{self.spec} has no interval on these data, so the limit {self.value:g} is not met."
        else:
            worse = seen > self.value if lower else seen < self.value
            shown = digits(seen) if digits(seen) != f"{self.value:g}" else repr(float(seen))
            where = ("above" if lower else "below") if worse else "within"
            said = f"{name} is {shown}, {where} the limit {self.value:g}."
        return Outcome(
            f"{FAIL_UNDER} {self.text}", name, self.value, "fail" if worse else "pass", said,
            None if seen is None or math.isnan(seen) else seen, score.low, score.high,
        )  # fmt: skip


def _parsed(option: str, text: str, example: str) -> tuple[str, float]:
    """The metric and the number of ``f_beta:beta=2=0.8``: the last = divides."""
    spec, mark, value = text.rpartition("=")
    if not mark or not spec:
        raise ParameterError("", option, f"must be METRIC=VALUE, such as {example}; got {text!r}")
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise ParameterError(f"{option} {text!r}", "", f"{value!r} is not a number")
    return spec, number


def _directed(option: str, text: str, spec: str) -> Metric[Any]:
    metric: Metric[Any] = from_spec(spec)
    if metric.record.better == "none":
        words = "has no direction, so that no value is worse than a limit"
        raise ParameterError(f"{option} {text!r}", spec, words)
    return metric


def parse(text: str, *, intervals: bool = True) -> Limit:
    """The limit of ``f1=0.8``, ``roc_auc.low=0.98`` or ``f_beta:beta=2=0.8``."""
    spec, number = _parsed(FAIL_UNDER, text, "f1=0.8 or f1.low=0.75")
    for of in ("low", "high"):
        if spec.endswith(f".{of}"):
            if not intervals:
                words = "is a limit of an interval, and --no-intervals omits them"
                raise ParameterError("", f"{FAIL_UNDER} {text}", words, "Drop one of them.")
            spec = spec.removesuffix(f".{of}")
            return Limit(text, spec, number, _directed(FAIL_UNDER, text, spec), of)
    return Limit(text, spec, number, _directed(FAIL_UNDER, text, spec))


def regression_of(text: str) -> Limit:
    """The margin of ``accuracy=0.01``; no less than zero."""
    spec, number = _parsed(FAIL_IF_WORSE, text, "accuracy=0.01")
    if number < 0:
        raise ParameterError(f"{FAIL_IF_WORSE} {text!r}", "", "the margin must not be negative")
    return Limit(text, spec, number, _directed(FAIL_IF_WORSE, text, spec))


def worse(limit: Limit, first: str, model: str, difference: Comparison) -> Outcome:
    """Whether a model is worse than the first by more than the margin, by the interval of the difference ``first - model``.

    It is a fail if the whole interval says so, a pass if the whole interval says that it is not, else undecided.
    """
    loss = difference if limit.metric.record.better == "higher" else turned(difference)
    low, high, margin = loss.low, loss.high, limit.value
    if loss.low is None and loss == 0 and not loss.error:  # the same on every row
        low = high = 0.0
    base = Outcome(
        f"{FAIL_IF_WORSE} {limit.text}", limit.spec, margin, "undecided", "", None if math.isnan(loss) else float(loss),
        low, high, model,
    )  # fmt: skip
    if math.isnan(loss):
        return replace(base, outcome="fail", message=f"{limit.spec} of {model} or {first} is undefined on these data.")
    if low is None or high is None:
        return replace(base, message=f"{limit.spec}: the difference of {model} and {first} has no interval: undecided.")
    about = f"{_standing(model, first, float(loss), low, high)} in {limit.spec}"
    if low > margin:
        return replace(base, outcome="fail", message=f"{about}: more than the margin {margin:g}.")
    better = loss < 0
    if high <= margin:
        within = f"within the margin {margin:g}"
        known = ("at worst " + within if high > 0 else "not worse") if better else within
        return replace(base, outcome="pass", message=f"{about}: {known}.")
    open_ = "whether it may still be worse by" if better else "whether that is"
    return replace(base, message=f"{about}: these rows do not decide {open_} more than the margin {margin:g}.")


def _standing(model: str, first: str, loss: float, low: float, high: float) -> str:
    """``new is better than old by 0.014 [0.002, 0.026]``: the difference in the direction that it has."""
    if loss == 0:
        return f"{model} is as good as {first}, 0 [{digits(low, low, high)}, {digits(high, low, high)}],"
    word, size, ends = ("worse", loss, (low, high)) if loss > 0 else ("better", -loss, (-high, -low))
    return (
        f"{model} is {word} than {first} by {digits(size, *ends)} [{digits(ends[0], *ends)}, {digits(ends[1], *ends)}]"
    )
