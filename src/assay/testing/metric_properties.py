"""What each property of a record promises, as pairs of values that must agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from statistics import NormalDist
from typing import Any

import numpy as np

from assay.core.arrays import Floats
from assay.core.metric import Metric
from assay.testing.metric_cases import MetricCase, accepts

Checked = Iterator[tuple[str, Any, Any]]  # what would be wrong, the value, the value it must have
_PREDICTIONS = ("y_pred", "y_score", "logits")  # what has no scale of its own; probabilities do


def _predicted(metric: Metric[Any], case: MetricCase) -> list[str]:
    return [name for name in case.rows(metric) if name in _PREDICTIONS]


def _symmetric(metric: Metric[Any], case: MetricCase) -> Checked:
    if "y_pred" in case.inputs:
        swapped = {**case.inputs, "y_true": case.inputs["y_pred"], "y_pred": case.inputs["y_true"]}
        yield "swapping truth and prediction changes the value", metric(**swapped), metric(**case.inputs)


def _scale_invariant(metric: Metric[Any], case: MetricCase) -> Checked:
    for name in _predicted(metric, case):
        other = {**case.inputs, name: 3.0 * np.asarray(case.inputs[name]) + 5.0}
        yield f"scaling and shifting {name} changes the value", metric(**other), metric(**case.inputs)


def _monotone_invariant(metric: Metric[Any], case: MetricCase) -> Checked:
    for name in _predicted(metric, case):
        other = {**case.inputs, name: _risen(metric, name, np.asarray(case.inputs[name]))}
        yield f"a rising transformation of {name} changes the value", metric(**other), metric(**case.inputs)


def _risen(metric: Metric[Any], name: str, scores: Floats) -> Floats:
    """Each column by itself; for one binary problem, two columns of logits give their difference as the score, so that is what rises."""
    if name == "logits" and scores.ndim == 2 and getattr(metric, "average", None) == "binary":
        risen = np.exp((scores[:, 1] - scores[:, 0]) / 8)
        return np.stack([-risen, risen], axis=1)
    return np.exp(scores / 8)


def _robust(metric: Metric[Any], case: MetricCase) -> Checked:
    for name in _predicted(metric, case):
        wild: list[Any] = []
        for size in (1e6, 1e12):
            values = np.array(case.inputs[name], dtype=np.float64)
            values[0] = size
            wild.append(metric(**{**case.inputs, name: values}))
        yield f"the size of one wild row of {name} changes the value", wild[1], wild[0]


# ---- proper: the honest forecast has the best expected score


def _of_classes(k: int, columns: bool) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Every outcome once, weighed by its probability; forecasts are the same for all outcomes."""
    rng = np.random.default_rng(k)
    honest, *others = rng.dirichlet(np.ones(k), 12)

    def forecast(p: Any) -> dict[str, Any]:
        shape = np.tile(p, (k, 1)) if columns else np.full(2, p[1])
        return {"y_prob": shape, "logits": np.log(shape) if columns else np.log(shape / (1 - shape))}

    truth = {"y_true": np.arange(k), "weight": honest}
    return truth, [forecast(p) for p in (honest, *others)]


def _of_values(level: float) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Outcomes on an even grid of quantiles of a normal distribution, and forecasts off by shift and spread."""
    n = 400
    y = np.array([NormalDist(3.0, 2.0).inv_cdf((i + 0.5) / n) for i in range(n)])
    tails = [np.quantile(y, q, method="inverted_cdf") for q in ((1 - level) / 2, (1 + level) / 2)]

    def forecast(shift: float, spread: float) -> dict[str, Any]:
        low, high = (np.full(n, 3 + shift + spread * (t - 3)) for t in tails)
        members = np.tile(3 + shift + spread * (y - 3), (n, 1))
        return {
            "lower": low,
            "upper": high,
            "members": members,
            "mean": np.full(n, 3 + shift),
            "sd": np.full(n, 2 * spread),
        }

    off = [(s, k) for s in (-0.7, 0.0, 0.4) for k in (0.6, 1.0, 1.5) if (s, k) != (0.0, 1.0)]
    return {"y_true": y}, [forecast(0.0, 1.0), *(forecast(s, k) for s, k in off)]


def _proper(metric: Metric[Any], case: MetricCase) -> Checked:
    names = [name for name in case.rows(metric) if name != "y_true"]
    for truth, forecasts in _experiments(metric, case, names):
        inputs = [{**truth, **{name: f[name] for name in names}} for f in forecasts]
        if not accepts(metric, inputs[0]):
            continue
        honest, *others = (metric(**one) for one in inputs)
        best = min(others) if metric.record.better == "lower" else max(others)
        ahead = honest < best if metric.record.better == "lower" else honest > best
        yield f"a dishonest forecast scores {best:.6g} and the honest one {honest:.6g}", float(ahead), 1.0


def _experiments(
    metric: Metric[Any], case: MetricCase, names: list[str]
) -> Iterator[tuple[Mapping[str, Any], list[dict[str, Any]]]]:
    if set(names) <= {"y_prob", "logits"}:
        width = np.asarray(case.inputs[names[0]]).ndim
        truth, forecasts = _of_classes(2 if width == 1 else 4, columns=width == 2)
        yield truth, forecasts
    elif set(names) <= {"lower", "upper", "members", "mean", "sd"}:
        yield _of_values(float(getattr(metric, "level", 0.9)))


CHECKS: dict[str, Callable[[Metric[Any], MetricCase], Checked]] = {
    "symmetric": _symmetric,
    "scale_invariant": _scale_invariant,
    "monotone_invariant": _monotone_invariant,
    "robust": _robust,
    "proper": _proper,
}
