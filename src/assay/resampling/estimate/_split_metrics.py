"""Metrics of folds: the value on each split, on all splits pooled, and the losses of rows behind them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.core.errors import InputError, ParameterError, UndefinedError
from assay.core.inputs import Inputs
from assay.core.metric import Metric, is_numeric
from assay.evaluation.case import Specs, opened
from assay.evaluation.measure import views
from assay.inference.families import family_of
from assay.inference.sample import NotSmoothError, Sample
from assay.resampling.estimate._fits import FitRecord
from assay.resampling.estimate._learning_data import LearningData

HALF = 0.5  # the threshold that learners take by themselves


class SplitScorer:
    """The metrics of a call, made ready on the first answers that come, and then the same for every fold."""

    def __init__(self, data: LearningData, metrics: Specs | None, threshold: float = 0.5) -> None:
        self.data, self.specs, self.threshold = data, metrics, threshold
        self.metrics: dict[str, Metric[Any]] = {}
        self.kinds: list[str] = []

    def ready(self, answers: Mapping[str, Any], rows: Any) -> None:
        """Settle labels and metrics, once."""
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
        """Truth and answers of some rows."""
        return Inputs({"y_true": self._truth(rows), **self._usable(answers)}, who="estimate")

    def _usable(self, answers: Mapping[str, Any]) -> Mapping[str, Any]:
        """Under a threshold of the caller's, decisions follow from the probabilities and not from the learner."""
        if self.threshold == HALF or self.data.task not in ("binary", "multilabel"):
            return answers
        if "y_prob" not in answers:
            raise InputError(f"estimate: threshold={self.threshold} needs probabilities, and the learner gives none.")
        return {kind: values for kind, values in answers.items() if kind != "y_pred"}

    def values(self, answers: Mapping[str, Any], rows: Any) -> dict[str, float]:
        """Every metric on these rows; NaN where it does not exist on them."""
        self.ready(answers, rows)
        samples = views(self.metrics, self.inputs(answers, rows), self.kinds)
        return {name: _value(sample) for name, sample in samples.items()}

    def sample(self, name: str, answers: Mapping[str, Any], rows: Any) -> Sample:
        """One metric on these rows."""
        return views({name: self.metrics[name]}, self.inputs(answers, rows), self.kinds)[name]

    def losses(self, name: str, fold: FitRecord, at: Any = None) -> Any:
        """A loss a row whose mean is the metric on these rows: the value and n times the influence of each.

        For a mean of losses these are the losses themselves; for others they stand in their place to first order.
        """
        rows = fold.rows if at is None else fold.rows[at]
        answers = fold.answers if at is None else {k: v[at] for k, v in fold.answers.items()}
        sample = self.sample(name, answers, rows)
        value = _value(sample)
        try:
            return value + len(rows) * sample.influence
        except NotSmoothError as error:
            raise ParameterError(
                f"estimate: {name} has no influence values, which this method needs ({error}). Choose method='corrected_t'."
            ) from error


def _value(sample: Sample) -> float:
    try:
        value = sample.metric.finalize(sample.total)
    except UndefinedError:
        return math.nan
    if not is_numeric(value) or np.ndim(value):
        raise InputError(
            f"estimate: {sample.metric.name} does not give one number here; choose how to average, or another metric."
        )
    return float(value)


@dataclass(frozen=True, eq=False)
class Pool:
    """The answers of several folds one below the other: ``split`` says which fold each row of the table belongs to."""

    folds: Sequence[FitRecord]

    @cached_property
    def rows(self) -> Any:
        """The row of the data behind each answer."""
        return np.concatenate([fold.rows for fold in self.folds])

    @cached_property
    def answers(self) -> dict[str, Any]:
        """The answers of all folds by kind."""
        kinds = self.folds[0].answers
        return {kind: np.concatenate([fold.answers[kind] for fold in self.folds]) for kind in kinds}
