"""A loss that looks at its values: what a training loop does not pay for, and a search for a fault wants."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from assay.core.arrays import array_api_compat, kind_of, to_host
from assay.core.errors import InputError
from assay.core.loss import find_loss

F = TypeVar("F", bound=Callable[..., Any])
_BINARY = ("binary_cross_entropy", "focal", "poly", "dice", "jaccard", "tversky")
_BOXES = ("iou", "giou", "diou", "ciou")


def checked(loss: F | str) -> F:
    """The loss with every value looked at first: not finite, no such class, no probability, no box, no weight.

    ``checked(losses.focal)(logits, target)`` gives what the loss gives, or an error that names the input, the place and the
    number; also if all inputs are fine and the value is not finite. Tensors must hold numbers: not under JAX's jit.

    >>> from assay.losses import cross_entropy
    >>> float(checked(cross_entropy)([[0.0, 0.0]], [1]))
    0.6931471805599453
    """
    function = cast(Any, find_loss(loss) if isinstance(loss, str) else loss)
    names = list(inspect.signature(function).parameters)
    who = getattr(function, "key", getattr(function, "__name__", "loss"))

    @functools.wraps(function)
    def looked_at(*inputs: Any, **named: Any) -> Any:
        given = {**dict(zip(names, inputs, strict=False)), **named}
        look(who, given)
        value = function(*inputs, **named)
        total: Any = value.total if hasattr(value, "total") else value
        if not np.isfinite(_host(who, "the value", total)).all():
            raise InputError(f"{who}: the value is not finite although every input is: {total}.")
        return value

    return cast(F, looked_at)


def look(who: str, given: dict[str, Any]) -> None:
    """Refuse the first value that cannot be right."""
    arrays = {n: _host(who, n, v) for n, v in given.items() if _is_data(v)}
    for name, values in arrays.items():
        if values.dtype.kind == "f":
            _refuse(who, name, values, ~np.isfinite(values), "must be finite")
    _probabilities(who, arrays)
    if "target" in arrays:
        _target(who, given, arrays)
    for name in ("weight", "variance", "class_weight"):
        if name in arrays:
            _refuse(who, name, arrays[name], arrays[name] < 0, "must not be negative")
    if who in _BOXES and given.get("form", "xyxy") == "xyxy":
        for name in ("prediction", "target"):
            boxes = arrays[name]
            _refuse(who, name, boxes[..., :2], boxes[..., 2:] < boxes[..., :2], "must have x1 <= x2 and y1 <= y2")


def _is_data(value: Any) -> bool:
    return array_api_compat.is_array_api_obj(value) or isinstance(value, list)


def _host(who: str, name: str, value: Any) -> Any:
    if type(value).__name__.endswith("Tracer"):
        raise InputError(f"{who}: {name} is traced by JAX and holds no numbers. Check the loss outside of jit.")
    if hasattr(value, "detach"):
        value = value.detach()
        value = value.float() if kind_of(value) == "float" else value  # NumPy has no bfloat16
    return to_host(value) if array_api_compat.is_array_api_obj(value) else np.asarray(value)


def _refuse(who: str, name: str, values: Any, bad: Any, what: str) -> None:
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        raise InputError(f"{who}: {name} {what}, got {values[at]} at {at if len(at) != 1 else at[0]}.")


def _probabilities(who: str, arrays: dict[str, Any]) -> None:
    p = arrays.get("probabilities")
    if p is None:
        return
    _refuse(who, "probabilities", p, (p < 0) | (p > 1), "must lie in [0, 1]")
    target = arrays.get("target")
    if target is not None and target.ndim == p.ndim - 1:
        total = p.sum(axis=1)
        _refuse(who, "probabilities", total, np.abs(total - 1) > 1e-3, "must add up to 1 over the classes")


def _target(who: str, given: dict[str, Any], arrays: dict[str, Any]) -> None:
    target = arrays["target"]
    scores = arrays.get("logits", arrays.get("probabilities"))
    if scores is not None and target.dtype.kind in "iu" and target.ndim == scores.ndim - 1:
        count, ignored = scores.shape[1], given.get("ignore_index", -100)
        wrong = ((target < 0) | (target >= count)) & (target != (-1 if ignored is None else ignored))
        _refuse(who, "target", target, wrong, f"must hold classes 0 to {count - 1}, or ignore_index")
    elif scores is not None and who in _BINARY:
        _refuse(who, "target", target, (target < 0) | (target > 1), "must lie in [0, 1]")
    elif who == "hinge":
        _refuse(who, "target", target, np.abs(target) != 1, "must be -1 or 1")
    elif who == "poisson_nll":
        _refuse(who, "target", target, target < 0, "must be counts")
