"""What losses of classes share: which kind was given, log-probabilities without overflow, the true class of each place."""

from __future__ import annotations

import sys
from typing import Any, cast

import numpy as np

from assay.core.arrays import (
    Array,
    ArrayLike,
    Namespace,
    array_api_compat,
    as_int,
    compiling,
    epsilon,
    kind_of,
    like,
    namespace,
    to_host,
)
from assay.core.errors import InputError, ParameterError
from assay.losses.inputs import arrays, floating, is_foreign, numbers_of
from assay.losses.reduction import LossOptions, chosen
from assay.ops import log_softmax, stop_gradient

IGNORED = -100  # the label that every loss ignores unless told otherwise, as in PyTorch


def one_kind(
    who: str, logits: ArrayLike | None, probabilities: ArrayLike | None, target: ArrayLike | None
) -> tuple[Namespace, Array, Array, bool]:
    """Scores, target and whether the scores are logits: exactly one kind must be given, and is never guessed."""
    if target is None or (logits is None) == (probabilities is None):
        raise InputError(
            who,
            "",
            f"give logits and target, or target= and probabilities=; got {_given(logits, probabilities, target)}",
        )
    xp, (scores, truth) = arrays(who, scores=logits if probabilities is None else probabilities, target=target)
    return xp, floating(xp, scores), truth, probabilities is None


def _given(logits: Any, probabilities: Any, target: Any) -> str:
    names = {"logits": logits, "probabilities": probabilities, "target": target}
    return ", ".join(name for name, value in names.items() if value is not None) or "nothing"


def class_count(who: str, scores: Array) -> int:
    """How many classes there are: the length of the second axis, or of the only one."""
    if not scores.ndim:
        raise InputError(who, "", "the scores must have an axis of classes, got a single number")
    return scores.shape[min(1, scores.ndim - 1)]


def safe_log(xp: Namespace, p: Array) -> Array:
    """``log p``, of the smallest normal number where p is 0: one impossible event must not end a training run."""
    least = xp.finfo(p.dtype).smallest_normal
    return xp.log(xp.where(p <= least, xp.full_like(p, float(least)), p))


def class_logs(xp: Namespace, scores: Array, *, logits: bool) -> Array:
    """Log-probabilities with the classes in the last axis; they come in the second, or in the only one."""
    last = classes_last(xp, scores)
    return log_softmax(xp, last) if logits else safe_log(xp, last)


def classes_last(xp: Namespace, scores: Array) -> Array:
    """The axis of the classes, the second or the only one, moved behind all others."""
    if scores.ndim < 3:
        return scores
    return xp.permute_dims(scores, (0, *range(2, scores.ndim), 1))  # PyTorch's moveaxis has no rule for vmap


def distribution(who: str, xp: Namespace, target: Array, logs: Array) -> Array | None:
    """A soft target with the classes last, or None if it holds one class for each place."""
    class_count(who, logs)
    if kind_of(target) != "float":
        if tuple(target.shape) != tuple(logs.shape[:-1]):
            raise InputError(
                who,
                "target",
                f"must hold one class for each of {tuple(logs.shape[:-1])}, got shape {tuple(target.shape)}",
            )
        return None
    soft = classes_last(xp, target)
    if tuple(soft.shape) != tuple(logs.shape):
        raise InputError(
            who,
            "",
            f"a soft target must have the shape of the scores, got {tuple(target.shape)} for {logs.shape[-1]} classes",
        )
    return soft


def shares_of(xp: Namespace, soft: Array, logs: Array) -> Array:
    """The log-probabilities, 0 where what cannot be has no share either: ``0 log 0`` is 0, and has no gradient."""
    dead = (soft == 0) & (logs == -float("inf"))
    return xp.where(dead, xp.zeros_like(logs), logs)


def wide(xp: Namespace, x: Array) -> Array:
    """In single precision at least: half precision cannot count beyond a few thousand."""
    return xp.astype(x, xp.float32) if epsilon(x) > 1e-4 else x


# ---- labels


def whole_numbers(who: str, xp: Namespace, target: Array) -> Array:
    """Labels as wide integers, once for all: narrow ones wrap beside ignore_index, and PyTorch cannot look them up."""
    if target.dtype == xp.int64:
        return target
    if kind_of(target) == "bool":
        raise InputError(
            who, "target", "holds booleans, which are not classes", "Pass integers, or floats for a distribution."
        )
    return as_int(target)


def settled(who: str, xp: Namespace, target: Array, count: int, ignore_index: int | None) -> tuple[Array, Array | None]:
    """Labels with 0 for the ignored places, and where they count: None if that is everywhere for sure.

    A label that is not a class is refused wherever labels can be read, since they are far fewer than the scores: a -1 would
    silently mean the last class. What is traced cannot be read, and JAX arrays never are.
    """
    target = whole_numbers(who, xp, target)
    if not visible(target):
        return kept(xp, target, ignore_index)
    return (target, None) if _all_count(who, to_host(target), count, ignore_index) else kept(xp, target, ignore_index)


def _all_count(who: str, labels: Any, count: int, ignore_index: int | None) -> bool:
    """Whether no label is ignored; one that is not a class is refused. On the host, since JAX traces whatever it does itself."""
    if not labels.size:
        return True
    low, high, all_count = int(labels.min()), int(labels.max()), True
    if ignore_index is not None and low <= ignore_index <= high:
        counted = labels[labels != ignore_index]
        low, high = (int(counted.min()), int(counted.max())) if counted.size else (0, 0)
        all_count = counted.size == labels.size
    for label in (low, high):
        if not 0 <= label < count:
            raise InputError(
                who,
                "target",
                f"holds class {label}; there are classes 0 to {count - 1} and ignore_index={ignore_index}",
                f"If it marks places to leave out, pass ignore_index={label}.",
            )
    return all_count


def visible(array: Array) -> bool:
    """Whether there are numbers to look at, on the host: no compiler and no transformation is at work."""
    if traced(array):
        return False
    device: Any = array_api_compat.device(array)
    return getattr(device, "type", getattr(device, "platform", "cpu")) == "cpu"


def traced(array: Array) -> bool:
    """Whether a compiler or a transformation is looking, and there are no numbers yet."""
    jax, torch = (cast(Any, sys.modules.get(name)) for name in ("jax", "torch"))
    if jax is not None and isinstance(array, jax.Array):  # also of a constant: what is done to it under jit is traced
        return True
    if torch is None or not isinstance(array, torch.Tensor):
        return False
    return bool(
        torch.compiler.is_compiling()
        or torch._C._are_functorch_transforms_active()
        or type(array) not in (torch.Tensor, torch.nn.Parameter)  # such as fake tensors, which hold no numbers
    )


def kept(xp: Namespace, target: Array, ignore_index: int | None) -> tuple[Array, Array | None]:
    """The classes with 0 for the ignored places, and where they count: None if nothing is ignored at all."""
    if ignore_index is None:
        return target, None
    keep = target != ignore_index
    return xp.where(keep, target, xp.zeros_like(target)), keep


def elements_kept(
    who: str, xp: Namespace, target: Array, ignore_index: int | None, options: LossOptions
) -> tuple[Array, LossOptions]:
    """Targets of two classes with 0 for the ignored elements, and the options with those left out.

    Among floats the default of -100 is not looked for, as a pass over all of them would cost every call. Labels that do not
    exclude each other are in the second axis or in the last: a weight as long as one of them and as the batch is refused.
    """
    for axis in {1, target.ndim - 1} if target.ndim > 1 else ():
        refuse_unclear_weight(who, options, target, target.shape[axis], _BY_LABEL)
    if ignore_index is None or (ignore_index == IGNORED and kind_of(target) == "float"):
        return target, options
    keep = target != ignore_index
    if visible(target) and bool(xp.all(keep)):
        return target, options
    return xp.where(keep, target, xp.zeros_like(target)), chosen(who, xp, options, keep)


def true_of(xp: Namespace, values: Array, target: Array) -> Array:
    """The value of the true class of each place; the classes are in the last axis."""
    return xp.take_along_axis(values, xp.expand_dims(target, axis=-1), axis=-1)[..., 0]


def picked(xp: Namespace, values: Array, target: Array, ignore_index: int | None) -> tuple[Array, Array | None]:
    """The value of the true class of each place, and where it counts; ignored places take class 0 and count nothing."""
    safe, keep = kept(xp, target, ignore_index)
    return true_of(xp, values, safe), keep


# ---- parameters


def weights_of_classes(
    who: str, xp: Namespace, given: ArrayLike | None, scores: Array, count: int, name: str = "class_weight"
) -> Array | None:
    """One weight per class, in the library and dtype of the scores; lists and NumPy join it."""
    if given is None:
        return None
    array = numbers_beside(who, name, given, scores, f"one number for each of {count} classes")
    if tuple(array.shape) != (count,):
        raise ParameterError(
            who, name, f"must hold one number for each of {count} classes, got shape {tuple(array.shape)}"
        )
    return xp.astype(array, scores.dtype)


_BY_CLASS = "class_weight= for one number per class"
_BY_LABEL = "weight of the shape of the target for one number per label (class_weight= would be negative and positive)"


def refuse_unclear_weight(who: str, options: LossOptions, first: Array, count: int, remedy: str = _BY_CLASS) -> None:
    """Refuse a ``weight`` that may be meant for the classes or for the rows: as many numbers as there are of both.

    The one rule of all losses with an axis of classes. ``first`` holds the rows along its first axis, of two or more, and
    ``remedy`` says what to pass for the classes.
    """
    weight = options.get("weight")
    if weight is None or count < 2 or first.shape[0] != count:
        return
    if tuple(numbers_of(who, "weight", weight, first).shape) == (count,):
        raise ParameterError(
            who,
            "weight",
            f"has {count} numbers, and there are {count} classes and {count} rows: it could be meant for either",
            f"Pass {remedy}, or weight of shape ({count}, 1) for one number per row.",
        )


def looked_up(target: Array) -> str:
    """The remedy of losses of labels that have no weights of classes: one number per row, which is that of its class."""
    column = "[:, None]" if target.ndim == 1 else ""
    return f"weight=class_weight[target]{column} for one number per class (this loss has no class_weight=)"


def numbers_beside(who: str, name: str, given: ArrayLike, scores: Array, wanted: str) -> Array:
    """Weights in the library of the scores, checked where that is possible: none may be negative."""
    if is_foreign(who, name, given):
        if namespace(given) is not namespace(scores):
            raise ParameterError(who, name, f"must be of the library of the scores, got {type(given).__module__}")
        array = given
    else:
        array = like(scores, _host_numbers(who, name, given, wanted))
    if visible(array) and not bool((to_host(stop_gradient(wide(namespace(array), array))) >= 0).all()):
        raise ParameterError(who, name, f"must not be negative, got {given!r}")
    return array


def _host_numbers(who: str, name: str, given: Any, wanted: str) -> Any:
    try:
        if compiling() or np.asarray(given).dtype.kind in "biuf":
            return np.asarray(given, dtype=np.float64)
        raise TypeError
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise ParameterError(who, name, f"must hold {wanted}, got {given!r}") from error
