"""Metrics of fits: the value on each split, on all splits pooled, and the per-row losses behind them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from assay.core.errors import InputError, ParameterError, UndefinedError, arg
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.outcomes import is_numeric
from assay.evaluation.measure import views
from assay.evaluation.opening import Specs, opened
from assay.inference.families import family_of
from assay.inference.sample import NotSmoothError, Sample
from assay.resampling.estimate._fits import FitRecord
from assay.resampling.estimate._learning_data import LearningData

MetricSpec: TypeAlias = str | Metric[Any]  # a metric by name, or as a value
HALF = 0.5  # the threshold that learners use by themselves


class SplitScorer:
    """The metrics of a call, prepared on the first predictions and then the same for every fit."""

    def __init__(self, data: LearningData, metrics: Specs | None, threshold: float = 0.5) -> None:
        self.data, self.specs, self.threshold = data, metrics, threshold
        self.metrics: dict[str, Metric[Any]] = {}
        self.kinds: list[str] = []

    def ready(self, answers: Mapping[str, Any], rows: Any) -> None:
        """Determine labels and metrics, once."""
        if self.metrics:
            return
        data = self.data
        classes = data.classes or None
        given = {"y_true": self._truth(rows), **self._usable(answers)}
        case = opened(
            data.task, given, metrics=self.specs, weight=None, classes=classes,
            positive=data.classes[-1] if data.task == "binary" else None, threshold=self.threshold,
        )  # fmt: skip
        self.kinds = case.problem.available
        self.metrics = {name: m for name, m in case.told.items() if family_of(m).ranks_models or not case.lenient}

    def _truth(self, rows: Any) -> Any:
        return self.data.y.take(rows, axis=0)

    def inputs(self, answers: Mapping[str, Any], rows: Any) -> Inputs:
        """Truth and predictions of some rows."""
        return Inputs({"y_true": self._truth(rows), **self._usable(answers)}, who="estimate")

    def _usable(self, answers: Mapping[str, Any]) -> Mapping[str, Any]:
        """With a threshold other than the default, decisions follow from the probabilities and not from the learner."""
        if self.threshold == HALF or self.data.task not in ("binary", "multilabel"):
            return answers
        if "y_prob" not in answers:
            why = f"{self.threshold} needs probabilities, and the learner returns none"
            raise InputError("estimate", "threshold", why)
        return {kind: values for kind, values in answers.items() if kind != "y_pred"}

    def values(self, answers: Mapping[str, Any], rows: Any) -> dict[str, float]:
        """Every metric on these rows; NaN where it is undefined."""
        self.ready(answers, rows)
        samples = views(self.metrics, self.inputs(answers, rows), self.kinds)
        return {name: _value(sample) for name, sample in samples.items()}

    def sample(self, name: str, answers: Mapping[str, Any], rows: Any) -> Sample:
        """One metric on these rows."""
        return views({name: self.metrics[name]}, self.inputs(answers, rows), self.kinds)[name]

    def losses(self, name: str, fold: FitRecord, at: Any = None) -> Any:
        """One loss per row whose mean is the metric on these rows: the value plus n times the influence of each.

        For a mean of losses these are the losses themselves; for other metrics they are a first-order approximation.
        """
        rows = fold.rows if at is None else fold.rows[at]
        answers = fold.answers if at is None else {k: v[at] for k, v in fold.answers.items()}
        sample = self.sample(name, answers, rows)
        value = _value(sample)
        try:
            return value + len(rows) * sample.influence
        except NotSmoothError as error:
            why = f"needs influence values, which {name} does not have ({error})"
            raise ParameterError("estimate", "method", why, f"Choose {arg('method', 'corrected_t')}.") from error


def _value(sample: Sample) -> float:
    try:
        value = sample.metric.finalize(sample.total)
    except UndefinedError:
        return math.nan
    if not is_numeric(value) or np.ndim(value):
        why = f"holds {sample.metric.name}, which is not a single number here"
        raise InputError("estimate", "metrics", why, "Choose how to average, or another metric.")
    return float(value)


@dataclass(frozen=True, eq=False)
class Pool:
    """The predictions of several fits, concatenated."""

    folds: Sequence[FitRecord]

    @cached_property
    def rows(self) -> Any:
        """The row of the data behind each prediction."""
        return np.concatenate([fold.rows for fold in self.folds])

    @cached_property
    def answers(self) -> dict[str, Any]:
        """The predictions of all fits by kind."""
        kinds = self.folds[0].answers
        return {kind: np.concatenate([fold.answers[kind] for fold in self.folds]) for kind in kinds}
