"""A loss that checks its values: too slow for a training loop, useful when looking for a fault."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np

from assay.core.arrays import array_api_compat, kind_of, to_host
from assay.core.errors import InputError
from assay.core.loss import find_loss
from assay.losses.segmentation.lovasz import one_mask

F = TypeVar("F", bound=Callable[..., Any])
_OVERLAP = ("dice", "jaccard", "tversky")
_SHARED = ("cross_entropy", "label_smoothing", "kl_divergence")  # a soft target is a distribution over the classes
_TWO = ("binary_cross_entropy", "focal", "poly", *_OVERLAP)
_BOXES = ("iou", "giou", "diou", "ciou")
_SCORES = ("logits", "probabilities", "log_probabilities")
_LOGS = ("logits", "log_probabilities", "target_logits", "target_log_probabilities")
_VECTORS = ("prototypes", "centers", "output")  # one row per class


def checked(loss: F | str) -> F:
    """The loss with every input value checked first: finite numbers, valid classes, probabilities, boxes and weights.

    ``checked(losses.focal)(logits, target)`` gives what the loss gives, or an error that names the input, the place and the
    number; also if all inputs are fine and the value is not finite. What a mask or ``ignore_index`` leaves out may be anything,
    and a logit may be minus infinity. Tensors must hold numbers: not under JAX's jit.

    >>> from assay.losses import cross_entropy
    >>> float(checked(cross_entropy)([[0.0, 0.0]], [1]))
    0.6931471805599453
    """
    function = cast(Any, find_loss(loss) if isinstance(loss, str) else loss)
    parameters = inspect.signature(function).parameters
    who = getattr(function, "key", getattr(function, "__name__", "loss"))
    said = {name: p.default for name, p in parameters.items() if name in ("ignore_index", "form")}

    @functools.wraps(function)
    def looked_at(*inputs: Any, **named: Any) -> Any:
        given = {**said, **dict(zip(parameters, inputs, strict=False)), **named}
        look(who, given)
        value = function(*inputs, **named)
        total: Any = value.total if hasattr(value, "total") else value
        if given.get("undefined") != "nan" and not np.isfinite(_host(who, "the value", total)).all():
            raise InputError(who, "", f"the value is not finite although every input is: {total}")
        return value

    return cast(F, looked_at)


def look(who: str, given: Mapping[str, object]) -> None:
    """Refuse the first value that cannot be right."""
    found = {name: _numbers(who, name, value) for name, value in given.items()}
    call = _Call(who, dict(given), {name: values for name, values in found.items() if values is not None})
    call = _of_one_mask(call) if who == "lovasz_softmax" else call
    for check in (_finite, _probabilities, _classes, _distribution, _two, _signs, _weights, _boxes):
        check(call)


@dataclass(frozen=True)
class _Call:
    """A call of a loss: its name, what was given, and the arrays of it on the host."""

    who: str
    given: dict[str, Any]
    arrays: dict[str, Any]

    @property
    def target(self) -> Any:
        return self.arrays.get("target")

    @property
    def scores(self) -> str | None:
        """The name under which scores of classes came."""
        return next((name for name in _SCORES if name in self.arrays), None)

    @property
    def axis(self) -> int:
        """The axis of the classes: the second or the only one; the last for tokens."""
        scores = self.arrays[self.scores or ""]
        return -1 if self.who == "token_cross_entropy" or scores.ndim < 2 else 1

    @property
    def labelled(self) -> bool:
        """Whether the target holds classes."""
        if self.target is None or self.target.dtype.kind not in "iu":
            return False
        if self.scores is not None:
            return self.target.ndim == self.arrays[self.scores].ndim - 1
        return any(name in self.arrays for name in _VECTORS)

    @property
    def shared(self) -> bool:
        """Whether the probabilities of the classes sum to 1."""
        return self.labelled or self.who in _SHARED or self.given.get("form") in ("multiclass", "softmax")

    def left_out(self) -> list[Any]:
        """Where nothing counts: by the mask, and by labels that are ignored."""
        masks = [self.arrays["mask"] == 0] if "mask" in self.arrays else []
        ignored = self.given.get("ignore_index")
        marked = self.labelled or self.given.get("form") in ("binary", "multilabel")
        return [*masks, self.target == ignored] if marked and ignored is not None else masks

    def refuse(self, name: str, bad: Any, what: str, values: Any = None) -> None:
        """Refuse the first bad value that counts."""
        for out in self.left_out():
            bad = bad & ~_spread(out, bad.shape)
        if bad.any():
            at = tuple(int(i) for i in np.argwhere(bad)[0])
            value = (self.arrays[name] if values is None else values)[at]
            raise InputError(self.who, name, f"{what}, got {value} at {(at if len(at) != 1 else at[0])}")


def _of_one_mask(call: _Call) -> _Call:
    """The call of a mask with or without one channel as `lovasz_hinge` takes it; any other as it is."""
    scores = call.arrays.get(call.scores or "")
    if scores is None or call.target is None:
        return call
    integers = call.target.dtype.kind != "f"
    if not one_mask(call.who, call.given.get("form"), scores.shape, call.target.shape, integers=integers):
        return call
    form = call.target.shape if scores.ndim > call.target.ndim else scores.shape
    flat = {call.scores or "": scores.reshape(form), "target": call.target.reshape(form)}
    return replace(call, given={**call.given, "form": "binary"}, arrays={**call.arrays, **flat})


def _spread(out: Any, shape: tuple[int, ...]) -> Any:
    """Places in the shape of an input: as they are, with the classes in the second axis, or with further axes behind."""
    if out.ndim == len(shape) - 1 and out.ndim and out.shape == (shape[0], *shape[2:]):
        return np.broadcast_to(np.expand_dims(out, 1), shape)
    if out.shape == shape[: out.ndim]:
        return np.broadcast_to(out.reshape(*out.shape, *[1] * (len(shape) - out.ndim)), shape)
    return np.zeros(shape, dtype=bool)


def _numbers(who: str, name: str, value: Any) -> Any:
    """Arrays, lists and tuples of numbers, on the host; None for anything else, for which the loss has its own error."""
    if array_api_compat.is_array_api_obj(value):
        return _host(who, name, value)
    if not isinstance(value, list | tuple):
        return None
    try:
        array: Any = np.asarray(cast(Any, value))
    except ValueError:
        return None
    return array if array.dtype.kind in "biuf" else None


def _host(who: str, name: str, value: Any) -> Any:
    if type(value).__name__.endswith("Tracer"):
        raise InputError(who, name, "is traced by JAX and holds no numbers", "Check the loss outside of jit.")
    if hasattr(value, "detach"):
        value = value.detach()
        value = value.float() if "bfloat16" in str(value.dtype) else value  # NumPy has no bfloat16
    return to_host(value) if array_api_compat.is_array_api_obj(value) else np.asarray(value)


# ---- what cannot be right


def _finite(call: _Call) -> None:
    for name, values in call.arrays.items():
        if kind_of(values) == "float":
            fine = np.isfinite(values) | ((values == -np.inf) if name in _LOGS else False)
            call.refuse(name, ~fine, "must be finite")


def _probabilities(call: _Call) -> None:
    p = call.arrays.get("probabilities")
    if p is None:
        return
    call.refuse("probabilities", (p < 0) | (p > 1), "must lie in [0, 1]")
    if call.shared and p.ndim:
        _adds_up(call, "probabilities", p)


def _adds_up(call: _Call, name: str, values: Any) -> None:
    total = values.sum(axis=call.axis)
    call.refuse(name, np.abs(total - 1) > 1e-2, "must add up to 1 over the classes", total)


def _classes(call: _Call) -> None:
    """Labels must be valid classes: as many as there are scores, or class vectors."""
    if not call.labelled:
        return
    if call.scores is not None:
        count = call.arrays[call.scores].shape[call.axis]
    else:
        count = next(call.arrays[name].shape[0] for name in _VECTORS if name in call.arrays)
    wrong = (call.target < 0) | (call.target >= count)
    call.refuse("target", wrong, f"must hold classes 0 to {count - 1}, or ignore_index")


def _distribution(call: _Call) -> None:
    """A soft target must sum to 1 over the classes."""
    target, name = call.target, call.scores
    if target is None or name is None or target.dtype.kind != "f" or not call.shared:
        return
    if target.ndim and target.shape == call.arrays[name].shape:
        call.refuse("target", target < 0, "must not be negative")
        _adds_up(call, "target", target)


def _two(call: _Call) -> None:
    """Targets of two classes, and of pairs, must lie between the two."""
    target = call.target
    if target is None or call.labelled:
        return
    if call.scores is not None and call.who in _TWO and not call.shared:
        call.refuse("target", (target < 0) | (target > 1), "must lie in [0, 1]")
    if call.who in ("lovasz_hinge", "lovasz_softmax") or (call.who == "contrastive" and "other" in call.arrays):
        call.refuse("target", (target != 0) & (target != 1), "must be 0 or 1")


def _signs(call: _Call) -> None:
    if call.target is None or call.labelled:
        return
    if call.who == "hinge":
        call.refuse("target", np.abs(call.target) != 1, "must be -1 or 1")
    if call.who == "poisson_nll":
        call.refuse("target", call.target < 0, "must be counts")


def _weights(call: _Call) -> None:
    for name in ("weight", "variance", "class_weight", "pos_weight"):
        if name in call.arrays:
            call.refuse(name, call.arrays[name] < 0, "must not be negative")


def _boxes(call: _Call) -> None:
    if call.who not in _BOXES:
        return
    for name in ("prediction", "target"):
        boxes = call.arrays.get(name)
        if boxes is None or not boxes.ndim or boxes.shape[-1] != 4:
            continue  # the loss has its own error for it
        if call.given.get("form") == "xyxy":
            call.refuse(name, boxes[..., 2:] < boxes[..., :2], "must have x1 <= x2 and y1 <= y2", boxes[..., :2])
        else:
            call.refuse(name, boxes[..., 2:] < 0, "must have sizes that are not negative", boxes[..., 2:])
