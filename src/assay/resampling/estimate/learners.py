"""What can be trained: scikit-learn estimators, pairs of functions, and functions that train and return a predictor."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeAlias, cast

from assay.core.arrays import Host
from assay.core.call_checks import guarded
from assay.core.errors import InputError
from assay.resampling.estimate._fingerprint import mark
from assay.resampling.estimate._learner_calls import ANSWERS, Answers, answers_of, matching_targets, pairwise, seeded
from assay.resampling.estimate._searches import is_search, takes_groups
from assay.resampling.estimate._training_losses import UNKNOWN, loss_of


class Fitted(Protocol):
    """A trained model: its predictions for rows, by kind (``y_pred``, ``y_prob``, ``y_score``).

    ``columns`` names the classes of its probability columns, if known: the training rows of a fold may lack a class.
    """

    @property
    def columns(self) -> object:
        """The classes of the columns, or None."""
        ...

    def __call__(self, X: object) -> dict[str, Host]:
        """The predictions for these rows."""
        ...


class EstimatorLike(Protocol):
    """What scikit-learn calls an estimator: ``fit(X, y)`` and ``predict(X)``."""

    @property
    def fit(self) -> Callable[..., object]:
        """Trains on rows and targets."""
        ...

    @property
    def predict(self) -> object:
        """Predicts rows; scikit-learn's pipelines have a descriptor here, so its type is left open."""
        ...


@dataclass(frozen=True)
class Learner:
    """A way to train: ``train`` takes rows, targets and a seed and returns a `Fitted`; ``inner_loss`` is what it minimises.

    ``identity`` distinguishes it from others when a stored run is resumed. One that selects parameters inside (``grouped``) also
    takes the ``groups`` of its rows, which its inner splits must keep whole too; ``search`` is the object that selects, if there is
    one. ``pairwise`` learners score pairs of classes.
    """

    name: str
    train: Callable[..., Fitted]
    inner_loss: str = UNKNOWN
    classes: bool = False
    identity: str = ""
    grouped: bool = False
    search: Any = None
    pairwise: bool = False


Function: TypeAlias = Callable[..., object]
LearnerLike: TypeAlias = EstimatorLike | Function | tuple[Function, Function] | Mapping[str, Function] | Learner


@guarded
def as_learner(given: LearnerLike, *, name: str | None = None, inner_loss: str | None = None) -> Learner:
    """A learner from an estimator, functions, or a mapping of them.

    An estimator with ``fit`` and ``predict`` is copied for every split. A pair ``(fit, predict)`` (or a mapping with ``fit``,
    ``predict`` and, if there are probabilities, ``predict_proba``) is called as ``predict(fit(X, y), X)``. A single function is
    called as ``train(X, y)`` and must return a function of rows. Functions with a ``seed`` parameter get one seed per split.

    Probabilities from functions have one column per class, in sorted order or in that of ``classes``, whichever is positive; a
    single column belongs to the last. A matrix from the predictor of a training function holds probabilities if the task has
    classes. Where rows are tensors, targets are tensors too.
    """
    if isinstance(given, Learner):
        return given
    if isinstance(given, type):
        name = given.__name__
        raise InputError("estimate", "learner", f"must be an instance, got the class {name}", f"Give {name}(...).")
    if hasattr(given, "fit") and hasattr(given, "predict"):
        searches = is_search(given)
        return Learner(
            name or _title(given), _Estimator(given), inner_loss or loss_of(given), _classifies(given),
            f"{_title(given)} {mark(given)}", searches, given if searches else None,
            pairwise(given),
        )  # fmt: skip
    functions = _functions(given)
    if functions is not None:
        fit, answers = functions
        return Learner(
            name or _title(fit),
            _Functions(fit, answers, takes_seed="seed" in inspect.signature(fit).parameters),
            inner_loss or UNKNOWN,
            "predict_proba" in answers,
            # A callable instance may count or log as it trains: it is identified by its class and its repr alone.
            f"{_title(fit)} {mark((fit, answers), changing=fit)}",
        )
    raise InputError(
        "estimate",
        "learner",
        "must be an estimator with fit and predict, a pair (fit, predict), or a function that trains and returns a predictor, "
        f"got {type(given).__name__}",
    )


def _functions(given: Any) -> tuple[Callable[..., Any], dict[str, Callable[..., Any]]] | None:
    """The training function, and the predicting ones by name."""
    if isinstance(given, Mapping):
        found = dict(cast("Mapping[str, Any]", given))
        fit = found.pop("fit", None)
        known = callable(fit) and found and set(found) <= set(ANSWERS) and all(callable(f) for f in found.values())
        return (cast(Any, fit), found) if known else None
    pair: list[Any] = list(cast(Any, given)) if isinstance(given, tuple) else [given]
    if not all(callable(f) and not isinstance(f, type) for f in pair) or len(pair) not in (1, 2):
        return None
    return pair[0], {"predict": pair[1] if len(pair) == 2 else _called}


def _called(model: Any, X: Any) -> Any:
    return model(X)


def _title(given: Any) -> str:
    return getattr(given, "__name__", type(given).__name__)


def _classifies(estimator: Any) -> bool:
    """By its scikit-learn tags; without them, by whether it returns probabilities or scores."""
    kind = _kind(estimator)
    if kind in ("classifier", "regressor"):
        return kind == "classifier"
    return hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")


def _kind(estimator: Any) -> str | None:
    try:
        return estimator.__sklearn_tags__().estimator_type
    except Exception:  # older estimators have no tags, or do not inherit them
        return getattr(estimator, "_estimator_type", None)


@dataclass(frozen=True)
class _Estimator:
    estimator: Any

    def __call__(self, X: Any, y: Any, seed: int, groups: Any = None) -> Fitted:
        model = seeded(self.estimator, seed)
        known = groups is not None and takes_groups(model.fit)
        model.fit(X, matching_targets(X, y), **({"groups": groups} if known else {}))
        return answers_of(model)


@dataclass(frozen=True)
class _Functions:
    fit: Callable[..., Any]
    answers: dict[str, Callable[..., Any]]
    takes_seed: bool

    def __call__(self, X: Any, y: Any, seed: int) -> Fitted:
        target = matching_targets(X, y)
        model = self.fit(X, target, seed=seed) if self.takes_seed else self.fit(X, target)
        return Answers({name: partial(answer, model) for name, answer in self.answers.items()})
