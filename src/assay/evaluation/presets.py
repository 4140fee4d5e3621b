"""Which metrics a practitioner expects of each task, given what there is to score."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, Literal, cast

from assay.core.errors import ParameterError
from assay.core.metric import Metric
from assay.core.parameters import changed
from assay.core.text import as_text, from_spec

Task = Literal["regression", "binary", "multiclass", "multilabel"]
TASKS: tuple[Task, ...] = ("regression", "binary", "multiclass", "multilabel")

_DECISIONS = {
    "binary": ["accuracy", "balanced_accuracy", "precision", "recall", "specificity", "f1", "matthews_correlation"],
    "multiclass": ["accuracy", "balanced_accuracy", "precision", "recall", "f1", "matthews_correlation", "cohen_kappa"],
    "multilabel": ["accuracy", "hamming", "precision", "recall", "f1", "f1:average=micro", "jaccard:average=samples"],
}
_ORDER = ["roc_auc", "average_precision"]
# With two classes the top label hides it when both are off by the same amount: look at the positive class.
_CALIBRATION = {
    "binary": ["calibration_error:of_what=positive", "calibration_error:norm=l2,debiased=true,of_what=positive"],
    "multiclass": ["calibration_error", "calibration_error:norm=l2,debiased=true"],
}
_PROBABILITIES = ["log_loss", "brier"]
REGRESSION = ["mae", "rmse", "median_absolute_error", "mape", "r2", "pearson", "spearman"]


def preset(task: Task, given: Iterable[str], classes: int) -> list[str]:
    """Specs of the metrics that can be had from the inputs given."""
    inputs = set(given)
    if task == "regression":
        return REGRESSION
    chances = bool(inputs & {"y_prob", "logits"})
    specs = list(_DECISIONS[task]) if inputs & {"y_pred", "y_prob", "logits"} else []
    if task == "multiclass" and classes > 10 and inputs & {"y_prob", "logits", "y_score"}:
        specs.append("top_k_accuracy")
    specs += _ORDER if chances or "y_score" in inputs else []
    specs += _PROBABILITIES if chances else []
    return specs + (_CALIBRATION.get(task, []) if chances else [])


def prepared(metric: str | Metric[Any], task: Task, facts: dict[str, Any]) -> Metric[Any]:
    """The metric with what the call knows (classes, positive, threshold) filled in where it left them open."""
    built = cast("Metric[Any]", from_spec(metric)) if isinstance(metric, str) else metric
    if not isinstance(cast(Any, built), Metric):
        raise ParameterError(
            f"evaluate: metrics must be names, specs such as 'f_beta:beta=2', or metrics, got {metric!r}."
        )
    fields = {f.name: f.default for f in dataclasses.fields(built)}
    known = {**facts, **({"average": "macro"} if task != "binary" else {})}
    open_fields = {n: v for n, v in known.items() if n in fields and getattr(built, n) == fields[n] and v is not None}
    return dataclasses.replace(built, **open_fields)


def titles(specs: Sequence[str | Metric[Any]], metrics: list[Metric[Any]], *, chosen: bool) -> list[str]:
    """A short name for each: its key with the parameters that were said, or that tell it from its namesakes."""
    if chosen:
        return [_said(spec, metric) for spec, metric in zip(specs, metrics, strict=True)]
    return [_title(m, [o for o in metrics if o.key == m.key]) for m in metrics]


def _said(spec: str | Metric[Any], metric: Metric[Any]) -> str:
    own = changed(from_spec(spec) if isinstance(spec, str) else metric)
    return _named(metric.key, {n: v for n, v in own.items() if n not in ("classes", "positive", "threshold")})


def _title(metric: Metric[Any], namesakes: list[Metric[Any]]) -> str:
    own = changed(metric)
    return _named(metric.key, {n: v for n, v in own.items() if any(getattr(o, n) != v for o in namesakes)})


def _named(key: str, parameters: dict[str, Any]) -> str:
    return key + (":" + ",".join(f"{n}={as_text(v)}" for n, v in parameters.items()) if parameters else "")
