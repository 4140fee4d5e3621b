"""The result of `estimate`: for each metric an estimate with its interval, the training value, and every split."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.core import escaping
from assay.core.arrays import Floats
from assay.core.call_checks import guarded
from assay.core.errors import UnknownNameError, did_you_mean
from assay.core.frames import Framed, FrameData
from assay.core.metric import Metric
from assay.core.plain_data import plain_data
from assay.core.score import Score
from assay.evaluation import table_layout
from assay.evaluation.opening import Specs
from assay.resampling.estimate import _view as view
from assay.resampling.estimate._fits import FitRecord
from assay.resampling.estimate._split_metrics import MetricSpec, SplitScorer
from assay.resampling.schemes.scheme import Scheme
from assay.version import __version__


@dataclass(frozen=True, eq=False)
class Performance:
    """One metric of a learner.

    ``score`` is the estimate with its interval, formed as ``form`` describes; ``averaged`` is the mean over splits and ``pooled``
    the metric on all test rows together. ``test`` and ``train`` hold one value per split. ``overfitting`` is how much worse the test
    value is than the training value, ``underfitting`` how much worse than the best known one, if given: positive is worse, whatever
    the direction of the metric. ``about`` describes the quantity that the interval covers.
    """

    score: Score
    averaged: float
    pooled: float
    test: Floats
    train: Floats
    overfitting: float
    underfitting: float | None
    form: str
    about: str
    error: float

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            **self.__dict__,
            "score": self.score.to_dict(),
            "test": self.test.tolist(),
            "train": self.train.tolist(),
        }


@dataclass(frozen=True, eq=False)
class Run:
    """The fits behind an estimate: further metrics can be computed from them."""

    learner: str
    inner_loss: str
    scheme: Scheme
    method: str
    scorer: SplitScorer
    folds: tuple[FitRecord, ...]
    level: float
    best: Mapping[str, float]

    @property
    def splits(self) -> list[FitRecord]:
        """The fits of the scheme itself."""
        return [fold for fold in self.folds if fold.role == "split"]

    @property
    def failures(self) -> list[FitRecord]:
        """The fits that ended in an error."""
        return [fold for fold in self.folds if fold.error]


class Estimate(Framed):
    """The performance of a learner on new data. Index it by metric, print it, or convert it to a frame, JSON, Markdown or LaTeX.

    ``performance`` holds, for each metric, what is known besides the `Score`. If parameters were selected inside, ``flat`` is the
    estimate without nesting and ``chosen`` what was selected in each split.
    """

    def __init__(self, run: Run, performance: Mapping[str, Performance], flat: Estimate | None = None) -> None:
        self.run, self.performance, self.flat = run, dict(performance), flat

    @guarded
    def __getitem__(self, name: str) -> Score:
        return self._found(name).score

    def _found(self, name: str) -> Performance:
        if name in self.performance:
            return self.performance[name]
        fix = did_you_mean(name, self.performance).strip()
        raise UnknownNameError("", "", f"the estimate has no metric {name!r}", fix)

    def __contains__(self, name: object) -> bool:
        return name in self.performance

    def __iter__(self) -> Iterator[str]:
        return iter(self.performance)

    def __len__(self) -> int:
        return len(self.performance)

    @property
    def learner(self) -> str:
        """The name of the learner."""
        return self.run.learner

    @property
    def scheme(self) -> Scheme:
        """How the data were split."""
        return self.run.scheme

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.run.scorer.data.n

    @property
    def task(self) -> str:
        """The task: ``"binary"``, ``"regression"`` and the like."""
        return self.run.scorer.data.task

    @property
    def inner_loss(self) -> str:
        """What the learner minimised, as far as it is known."""
        return self.run.inner_loss

    @property
    def outer_loss(self) -> list[str]:
        """The metrics that are reported."""
        return list(self.performance)

    @property
    def scores(self) -> dict[str, Score]:
        """The estimates by metric."""
        return {name: one.score for name, one in self.performance.items()}

    @property
    def failures(self) -> list[str]:
        """The errors of the fits that failed, with their repeat and fold."""
        return [f"{view.place(fold)}: {fold.error}" for fold in self.run.failures]

    @property
    def chosen(self) -> list[str]:
        """The parameters selected in each split of a nested scheme."""
        return [fold.chosen for fold in self.run.splits if fold.chosen]

    @cached_property
    def predictions(self) -> Any:
        """Every prediction for a test row as a polars frame: split, row, truth, and the predictions by kind."""
        return view.predictions(self)

    @cached_property
    def splits(self) -> Any:
        """Every metric on every split as a polars frame: train, test, seconds and the error if there was one."""
        return view.splits(self)

    @guarded
    def measure(self, metrics: Specs | MetricSpec) -> Estimate:
        """Other metrics of the same fits: nothing is trained again. Training values are available only with ``keep_train=True``."""
        from assay.resampling.estimate._summary import summed

        return summed(self.run, [metrics] if isinstance(metrics, str | Metric) else metrics, flat=self.flat)

    @property
    def optimism(self) -> dict[str, float]:
        """How much better the estimate without nesting looks, by metric; empty unless parameters were selected inside."""
        if self.flat is None:
            return {}
        metrics = self.run.scorer.metrics
        sign = {name: 1 if metrics[name].record.better == "higher" else -1 for name in self.performance}
        return {name: sign[name] * (float(self.flat[name]) - float(self[name])) for name in self.performance}

    @property
    def overfitting(self) -> dict[str, float]:
        """How much worse the metric is on test rows than on training rows."""
        return {name: one.overfitting for name, one in self.performance.items()}

    @property
    def underfitting(self) -> dict[str, float]:
        """How much worse the metric is than the best known value, where one was given."""
        return {name: one.underfitting for name, one in self.performance.items() if one.underfitting is not None}

    @property
    def about(self) -> str:
        """The quantity that the intervals cover."""
        return next(iter(self.performance.values())).about

    def to_dict(self) -> dict[str, Any]:
        """Everything but the predictions as plain data, ready for JSON."""
        return plain_data({
            "learner": self.learner, "task": self.task, "n": self.n, "resampling": str(self.scheme),
            "method": self.run.method, "level": self.run.level, "inner_loss": self.inner_loss, "outer_loss": self.outer_loss,
            "fits": len(self.run.folds), "failures": self.failures, "about": self.about,
            "scores": {name: one.to_dict() for name, one in self.performance.items()},
            "optimism": self.optimism, "chosen": self.chosen,
            "flat": None if self.flat is None else {name: float(s) for name, s in self.flat.scores.items()},
            "assay": __version__,
        })  # fmt: skip

    def frame_data(self) -> FrameData:
        """One row per metric, with its interval and its training value."""
        return FrameData(view.records(self), view.SCHEMA)

    def to_markdown(self) -> str:
        """Table and notes as Markdown."""
        return table_layout.to_markdown(view.tables(self), view.notes(self))

    def to_latex(self) -> str:
        """Table and notes as LaTeX (booktabs)."""
        return table_layout.to_latex(view.tables(self), view.notes(self))

    def __rich__(self) -> Any:
        return view.page(self)

    def __str__(self) -> str:
        return view.page(self).text()

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={score.short()}" for name, score in self.scores.items())
        return escaping.visible(f"<Estimate {self.learner} n={self.n}: {said}>")

    def _repr_html_(self) -> str:
        return table_layout.to_html(view.tables(self), view.notes(self))


def known(values: Floats) -> float:
    """The mean; NaN if any value is undefined, because an average over the others would hide it."""
    numbers: Any = np.asarray(values, dtype=np.float64)
    return float(numbers.mean()) if len(numbers) else math.nan
