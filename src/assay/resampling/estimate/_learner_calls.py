"""Calls into the user's objects: fresh seeded copies, targets in their library, predictions as arrays."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import array_api_compat
import numpy as np

from assay.core.arrays import Host

_device: Callable[[Any], Any] = cast(Any, array_api_compat).device
ANSWERS = {"predict": "y_pred", "predict_proba": "y_prob", "decision_function": "y_score"}


def matching_targets(X: Any, y: Any) -> Any:
    """Targets in the library and on the device of tensor rows; real ones in the same precision too, as networks require."""
    tensors = (
        array_api_compat.is_torch_array(X) or array_api_compat.is_jax_array(X) or array_api_compat.is_cupy_array(X)
    )
    if not tensors or y.dtype.kind not in "biuf":
        return y
    xp: Any = array_api_compat.array_namespace(X)
    real = y.dtype.kind == "f" and xp.isdtype(X.dtype, "real floating")
    return xp.asarray(y, dtype=X.dtype if real else None, device=_device(X))


def answers_of(model: Any) -> Answers:
    """The predictions of a fitted estimator: decisions, and probabilities or else scores."""
    graded = next((name for name in ("predict_proba", "decision_function") if hasattr(model, name)), None)
    methods = {name: getattr(model, name) for name in ("predict", graded) if name is not None}
    return Answers(methods, getattr(model, "classes_", None), pairwise(model))


def pairwise(estimator: Any) -> bool:
    """Whether scores are of pairs of classes, so that no column is the score of a class."""
    known: dict[str, Any] = estimator.get_params() if hasattr(estimator, "get_params") else {}
    return any(name.split("__")[-1] == "decision_function_shape" and value == "ovo" for name, value in known.items())


def seeded(estimator: Any, seed: int) -> Any:
    """A fresh copy of an estimator; every unset ``random_state`` gets the seed."""
    model = copied(estimator)
    known: dict[str, Any] = model.get_params() if hasattr(model, "get_params") else {}
    states = {name: seed for name, value in known.items() if name.split("__")[-1] == "random_state" and value is None}
    if states:
        model.set_params(**states)
    return model


def copied(estimator: Any) -> Any:
    """A fresh estimator with the same parameters, by its own protocol where it has one."""
    if hasattr(estimator, "__sklearn_clone__"):
        return estimator.__sklearn_clone__()
    return copy.deepcopy(estimator)


@dataclass(frozen=True)
class Answers:
    """The predictions of a fitted model by kind, with the classes of its columns if it names them."""

    methods: dict[str, Callable[[Any], Any]]
    columns: Any = None
    pairwise: bool = False

    def __call__(self, X: object) -> dict[str, Host]:
        """The predictions for these rows."""
        return {ANSWERS[name]: _array(method(X), self.columns) for name, method in self.methods.items()}


def _array(values: Any, columns: Any) -> Any:
    """Predictions on the host; tensors are detached first, probabilities of several labels stacked as columns."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    many: list[Any] = cast(Any, values) if isinstance(values, list) else []
    if many and getattr(many[0], "ndim", 0) == 2:
        known = list(columns) if columns is not None and len(columns) == len(many) else [None] * len(many)
        return np.stack([_chance(np.asarray(one), names) for one, names in zip(many, known, strict=True)], axis=1)
    return np.asarray(cast(Any, values))


def _chance(values: Any, names: Any) -> Any:
    """The probability that a label is present: 0 if the training rows never had it."""
    if names is None or np.ndim(names) != 1 or len(names) != values.shape[1]:
        return values[:, -1]
    there = np.flatnonzero(np.asarray(names) == 1)
    return values[:, there[0]] if len(there) else np.zeros(len(values))
