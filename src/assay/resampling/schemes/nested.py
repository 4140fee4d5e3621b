"""Nested resampling: in every outer split the parameters are selected anew, from its training rows alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Annotated, Any, ClassVar, cast

import numpy as np

from assay.core.arrays import ArrayLike
from assay.core.errors import InputError, ParameterError
from assay.core.metric import Metric
from assay.core.monoids import Label
from assay.core.value_checks import Says
from assay.evaluation.presets import Task
from assay.resampling.estimate._fingerprint import mark
from assay.resampling.estimate._fits import FitJob, fitted
from assay.resampling.estimate._learning_data import LearningData
from assay.resampling.estimate._searches import is_search, takes_groups
from assay.resampling.estimate._split_metrics import SplitScorer
from assay.resampling.estimate.learners import Fitted, Learner, answers_of, as_learner, copied, seeded
from assay.resampling.schemes._sampling_units import SamplingUnits
from assay.resampling.schemes.scheme import CrossValidation, Scheme
from assay.resampling.schemes.time_ordered import TimeOrdered

_DEFAULT = {"regression": "mse", "binary": "log_loss", "multiclass": "log_loss", "multilabel": "hamming"}
_SCHEME = "a scheme such as CrossValidation(folds=5)"
_GRID = "a dict from parameter to list of values, such as {'max_depth': [2, 4, 8]}"


@dataclass(frozen=True, kw_only=True)
class Nested(Scheme):
    """An outer scheme that estimates, and in each of its training sets an inner search that selects.

    The search is the learner itself if it has scikit-learn's search interface (``GridSearchCV`` and the like), or a ``grid`` of
    parameters, each combination tried on the ``inner`` scheme and judged by ``select``, a metric (by default the first one of the
    call). The estimate without nesting is shown next to the nested one, with its optimism.
    """

    stratified: ClassVar[str] = "set it on outer= and inner="

    outer: Annotated[Scheme, Says(_SCHEME)] = field(default_factory=lambda: CrossValidation(folds=5))
    inner: Annotated[Scheme | None, Says(_SCHEME)] = None
    grid: Annotated[Mapping[str, Sequence[Any]] | None, Says(_GRID)] = None
    select: str | Metric[Any] | None = None

    def check(self) -> None:
        """An outer scheme that is not nested itself, and a grid with something to choose from."""
        for name, scheme in (("outer", self.outer), ("inner", self.inner)):
            if (scheme is not None and not isinstance(cast(Any, scheme), Scheme)) or isinstance(scheme, Nested):
                raise ParameterError("Nested", name, f"must be {_SCHEME}, got {scheme!r}")
        if self.grid is None:
            return
        if not isinstance(cast(Any, self.grid), Mapping) or not self.grid or not all(map(_listed, self.grid.values())):
            raise ParameterError("Nested", "grid", f"must be {_GRID}, got {self.grid!r}")

    def __hash__(self) -> int:
        """Only what can be hashed: the values of a grid need not be."""
        return hash((self.seed, self.outer, self.inner, tuple(self.grid or ())))

    @property
    def within(self) -> Scheme:
        """The inner scheme: ordered in time if the outer one is, five folds otherwise."""
        if self.inner is not None:
            return self.inner
        return TimeOrdered(folds=3) if isinstance(self.outer, TimeOrdered) else CrossValidation(folds=5)

    def units(self, X: Any, y: ArrayLike | None, groups: ArrayLike | None) -> SamplingUnits:
        """What the outer scheme splits."""
        return self.outer.units(X, y, groups)

    def parts(self, units: SamplingUnits) -> Iterator[tuple[Any, Any, int, int]]:
        """The outer splits."""
        return self.outer.parts(units)

    def count(self, units: SamplingUnits) -> int:
        """The outer splits."""
        return self.outer.count(units)


def _listed(values: Any) -> bool:
    """Whether there is something to choose from; a string is one value, not its letters."""
    try:
        return not isinstance(values, str | bytes | Mapping) and len(values) > 0
    except TypeError:
        return False


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
