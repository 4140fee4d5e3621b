"""What can be trained: scikit-learn estimators, pairs of functions, and functions that train and return a predictor."""

from __future__ import annotations

import copy
import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, cast

import numpy as np

from assay.core.errors import InputError

ANSWERS = {"predict": "y_pred", "predict_proba": "y_prob", "decision_function": "y_score"}


class Fitted(Protocol):
    """A trained model: what it answers to rows, by kind (``y_pred``, ``y_prob``, ``y_score``).

    ``columns`` names the classes that its probabilities stand for, if it says so: a fold may lack a class.
    """

    @property
    def columns(self) -> Any:
        """The classes of the columns, or None."""
        ...

    def __call__(self, X: Any) -> dict[str, Any]:
        """The answers to these rows."""
        ...


@dataclass(frozen=True)
class Learner:
    """A way to train: called with rows, targets and a seed it gives a `Fitted`; ``inner_loss`` is what it minimises.

    ``identity`` tells it from others when a stored run is taken up again. One that selects inside (``grouped``) also takes the
    ``groups`` of its rows, which its inner splits must keep whole too.
    """

    name: str
    train: Callable[..., Fitted]
    inner_loss: str = "not stated"
    classes: bool = False
    identity: str = ""
    grouped: bool = False


def as_learner(given: Any, *, name: str | None = None, inner_loss: str | None = None) -> Learner:
    """A learner from what users have.

    An estimator with ``fit`` and ``predict`` is copied for every split. A pair ``(fit, predict)`` (or a mapping with ``fit``,
    ``predict`` and, if there are probabilities, ``predict_proba``) is called as ``predict(fit(X, y), X)``. A single function is
    called as ``train(X, y)`` and must return a function of rows. Functions with a ``seed`` parameter get one a split.
    """
    if isinstance(given, Learner):
        return given
    if hasattr(given, "fit") and hasattr(given, "predict"):
        return Learner(
            name or _title(given), _Estimator(given), inner_loss or _loss_of(given), _classifies(given), repr(given)
        )
    functions = _functions(given)
    if functions is not None:
        fit, answers = functions
        return Learner(
            name or _title(fit),
            _Functions(fit, answers, takes_seed="seed" in inspect.signature(fit).parameters),
            inner_loss or "not stated",
            "predict_proba" in answers,
            f"{_title(fit)} {_code(fit)}",
        )
    raise InputError(
        f"estimate: a learner is an estimator with fit and predict, a pair (fit, predict), or a function that trains and returns "
        f"a predictor; got {type(given).__name__}."
    )


def _functions(given: Any) -> tuple[Callable[..., Any], dict[str, Callable[..., Any]]] | None:
    """The training function and the answering ones by name."""
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


def _code(function: Any) -> str:
    """A mark of what a function does, so that a changed one is not taken for the old one."""
    inner = getattr(function, "func", function)  # of a partial
    found = getattr(inner, "__code__", None)
    given = (getattr(function, "args", ()), getattr(function, "keywords", {}))
    body = b"" if found is None else found.co_code + repr(found.co_consts).encode() + repr(found.co_names).encode()
    return hashlib.sha256(body + repr(given).encode()).hexdigest()[:12]


def _title(given: Any) -> str:
    return getattr(given, "__name__", type(given).__name__)


def _classifies(estimator: Any) -> bool:
    return hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")


def _loss_of(estimator: Any) -> str:
    """What the last step of an estimator says it minimises."""
    steps = getattr(estimator, "steps", None)
    last = steps[-1][1] if steps else estimator
    for name in ("loss", "criterion"):
        value = getattr(last, name, None)
        if isinstance(value, str):
            return value
    return "not stated"


@dataclass(frozen=True)
class _Estimator:
    estimator: Any

    def __call__(self, X: Any, y: Any, seed: int) -> Fitted:
        model = seeded(self.estimator, seed)
        model.fit(X, y)
        return answers_of(model)


def answers_of(model: Any) -> Fitted:
    """What a fitted estimator answers: its decisions, and its probabilities or else its scores."""
    graded = next((name for name in ("predict_proba", "decision_function") if hasattr(model, name)), None)
    methods = {name: getattr(model, name) for name in ("predict", graded) if name is not None}
    return _Answers(methods, getattr(model, "classes_", None))


def seeded(estimator: Any, seed: int) -> Any:
    """A fresh copy of an estimator; what would be left to chance gets the seed."""
    model = _copied(estimator)
    known: dict[str, Any] = model.get_params() if hasattr(model, "get_params") else {}
    states = {name: seed for name, value in known.items() if name.split("__")[-1] == "random_state" and value is None}
    if states:
        model.set_params(**states)
    return model


def _copied(estimator: Any) -> Any:
    """A fresh estimator with the same parameters, by its own protocol where it has one."""
    if hasattr(estimator, "__sklearn_clone__"):
        return estimator.__sklearn_clone__()
    return copy.deepcopy(estimator)


@dataclass(frozen=True)
class _Answers:
    methods: dict[str, Callable[[Any], Any]]
    columns: Any = None

    def __call__(self, X: Any) -> dict[str, Any]:
        return {ANSWERS[name]: _array(method(X)) for name, method in self.methods.items()}


@dataclass(frozen=True)
class _Functions:
    fit: Callable[..., Any]
    answers: dict[str, Callable[..., Any]]
    takes_seed: bool

    def __call__(self, X: Any, y: Any, seed: int) -> Fitted:
        model = self.fit(X, y, seed=seed) if self.takes_seed else self.fit(X, y)
        return _Answers({name: partial(answer, model) for name, answer in self.answers.items()})


def _array(values: Any) -> Any:
    """Answers on the host; tensors that ask for gradients are let go of first, probabilities of many labels put side by side."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    many: list[Any] = cast(Any, values) if isinstance(values, list) else []
    if many and getattr(many[0], "ndim", 0) == 2:
        return np.stack([np.asarray(one)[:, -1] for one in many], axis=1)
    return np.asarray(cast(Any, values))
