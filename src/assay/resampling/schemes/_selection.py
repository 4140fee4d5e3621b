"""The search inside a nested scheme: selects parameters on training rows and trains the winner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, cast

import numpy as np

from assay.core.errors import InputError, ParameterError
from assay.core.metric import Metric
from assay.core.monoids import Label
from assay.evaluation.presets import Task
from assay.resampling.estimate._fingerprint import mark
from assay.resampling.estimate._fits import FitJob, fitted
from assay.resampling.estimate._learner_calls import answers_of, copied, seeded
from assay.resampling.estimate._learning_data import LearningData
from assay.resampling.estimate._searches import is_search, takes_groups
from assay.resampling.estimate._split_metrics import SplitScorer
from assay.resampling.estimate.learners import Fitted, Learner, as_learner
from assay.resampling.schemes.nested import Nested
from assay.resampling.schemes.scheme import Scheme

_DEFAULT = {"regression": "mse", "binary": "log_loss", "multiclass": "log_loss", "multilabel": "hamming"}


@dataclass(frozen=True)
class Chosen:
    """A model that was selected, with the parameters that won."""

    model: Fitted
    columns: Any
    parameters: dict[str, Any]
    pairwise: bool = False

    def __call__(self, X: Any) -> dict[str, Any]:
        """The predictions of the winner."""
        return self.model(X)


@dataclass(frozen=True)
class Selecting:
    """Training by search: called like any learner, it selects on the given rows and trains the winner on all of them."""

    given: Any
    nested: Nested
    task: Task
    classes: tuple[Label, ...]
    select: str | Metric[Any]
    columns: tuple[Label, ...] = ()

    def __call__(self, X: Any, y: Any, seed: int, groups: Any = None) -> Fitted:
        """Select parameters, then train with them."""
        if self.nested.grid is None:
            return _searched(self.given, X, y, seed, groups)
        data = LearningData(X, y, groups, self.task, self.classes, self.columns)
        best = self._best(data, seed)
        model = with_parameters(self.given, best).train(X, y, seed)
        return Chosen(model, model.columns, best, getattr(model, "pairwise", False))

    def _best(self, data: LearningData, seed: int) -> dict[str, Any]:
        scheme = replace(self.nested.within, seed=seed)
        tried = [(self._value(data, scheme, candidate), candidate) for candidate in candidates(self.nested.grid or {})]
        known = [(value, candidate) for value, candidate in tried if not np.isnan(value)]
        if not known:
            raise InputError("", "select", "is undefined on the inner splits", "Choose another metric.")
        return min(known, key=lambda pair: pair[0])[1]

    def _value(self, data: LearningData, scheme: Scheme, candidate: dict[str, Any]) -> float:
        """The mean over the inner splits; smaller is better."""
        learner, scorer = with_parameters(self.given, candidate), SplitScorer(data, [self.select])
        values: list[float] = []
        for at, split in enumerate(scheme.splits(data.X, data.y, data.groups)):
            fold = fitted(learner, data, FitJob(at, split, "pair"), scheme.seed)
            if fold.error:
                raise InputError("", "", f"with {candidate}: {fold.error}")
            values += scorer.values(fold.answers, fold.rows).values()
        better = next(iter(scorer.metrics.values())).record.better
        return float(np.mean(values)) * (-1 if better == "higher" else 1)


def _searched(search: Any, X: Any, y: Any, seed: int, groups: Any) -> Fitted:
    """An object with scikit-learn's search interface, fitted; groups are passed on to its own splits."""
    model = seeded(search, seed)
    known = groups is not None and takes_groups(model.fit)
    model.fit(X, y, **({"groups": groups} if known else {}))
    found = getattr(model, "best_params_", None)
    if found is None:
        why = "is not a search: it has no best_params_ after fit"
        raise InputError("Nested", "learner", why, "Give Nested(grid={'parameter': [values]}).")
    answers: Any = answers_of(model)
    return Chosen(answers, answers.columns, dict(found), answers.pairwise)


def candidates(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """All combinations of the values, in the order of the grid."""
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def with_parameters(given: Any, parameters: Mapping[str, Any]) -> Learner:
    """The learner with other parameters: by ``set_params``, or as keywords of its training function."""
    if hasattr(given, "set_params"):
        return as_learner(copied(given).set_params(**parameters))  # random parts are seeded at each fit
    learner = as_learner(given)
    if hasattr(given, "fit"):
        why = f"{learner.name} has no set_params, so its parameters cannot be varied"
        raise ParameterError("Nested", "learner", why)
    if isinstance(given, Mapping):
        functions = dict(cast("Mapping[str, Any]", given))
        return as_learner({**functions, "fit": partial(functions["fit"], **parameters)}, name=learner.name)
    first, *rest = cast("tuple[Any, ...]", given) if isinstance(given, tuple) else (given,)
    trained = partial(first, **parameters)
    return as_learner((trained, *rest) if rest else trained, name=learner.name)


def selecting(given: Any, nested: Nested, data: LearningData, first: str | Metric[Any] | None) -> Learner:
    """The learner that selects inside."""
    plain = as_learner(given)
    if nested.grid is None and not is_search(given):
        raise InputError(
            "Nested",
            "learner",
            f"{plain.name} is not a search (an object that wraps an estimator and has best_params_ after fit), and there is no grid",
            "Give Nested(grid={'parameter': [values]}).",
        )
    select = nested.select or first or _DEFAULT[data.task]
    train = Selecting(given, nested, data.task, data.classes, select, data.columns)
    chosen = f"{mark(nested.grid)}|{nested.within!r}|{nested.seed}|{select}"
    return replace(plain, train=train, grouped=True, identity=f"{plain.identity}|{chosen}")
