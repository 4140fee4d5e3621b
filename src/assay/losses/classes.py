"""What losses of classes share: which kind was given, log-probabilities without overflow, the true class of each place."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.arrays import Array, Namespace, kind_of, like
from assay.core.errors import InputError, ParameterError
from assay.losses.basis import arrays, blocked, floating
from assay.ops import log_softmax


def one_kind(who: str, logits: Any, probabilities: Any, target: Any) -> tuple[Namespace, Array, Array, bool]:
    """Scores, target and whether the scores are logits: exactly one kind must be given, and is never guessed."""
    if target is None or (logits is None) == (probabilities is None):
        raise InputError(
            f"{who}: give logits and target, or target= and probabilities=; got {_given(logits, probabilities, target)}."
        )
    scores = logits if probabilities is None else probabilities
    xp, (scores, target) = arrays(who, scores=scores, target=target)
    return xp, floating(xp, scores), target, probabilities is None


def _given(logits: Any, probabilities: Any, target: Any) -> str:
    names = {"logits": logits, "probabilities": probabilities, "target": target}
    return ", ".join(name for name, value in names.items() if value is not None) or "nothing"


def safe_log(xp: Namespace, p: Array) -> Array:
    """``log p``, of the smallest normal number where p is 0: one impossible event must not end a training."""
    least = xp.finfo(p.dtype).smallest_normal
    return xp.log(xp.where(p > least, p, xp.full_like(p, float(least))))


def class_logs(xp: Namespace, scores: Array, *, logits: bool) -> Array:
    """Log-probabilities with the classes in the last axis; they come in the second, or in the only one."""
    last = classes_last(xp, scores)
    return log_softmax(xp, last) if logits else safe_log(xp, last)


def classes_last(xp: Namespace, scores: Array) -> Array:
    """The axis of the classes, the second or the only one, moved behind all others."""
    return scores if scores.ndim < 3 else xp.moveaxis(scores, 1, -1)


def distribution(who: str, xp: Namespace, target: Array, logs: Array) -> Array | None:
    """A soft target with the classes last, or None if it holds one class for each place."""
    if kind_of(target) != "float":
        if tuple(target.shape) != tuple(logs.shape[:-1]):
            raise InputError(
                f"{who}: target must hold one class for each of {tuple(logs.shape[:-1])}, got shape {tuple(target.shape)}."
            )
        return None
    soft = classes_last(xp, target)
    if tuple(soft.shape) != tuple(logs.shape):
        raise InputError(
            f"{who}: a soft target must have the shape of the scores, got {tuple(target.shape)} for {logs.shape[-1]} classes."
        )
    return soft


def kept(
    xp: Namespace, target: Array, ignore_index: int | None, scores: Array | None = None
) -> tuple[Array, Array | None]:
    """The classes with 0 for the ignored places, and where they count: None if that is everywhere for sure.

    Beside large tensors, told by ``scores``, it is worth while to look whether any place is ignored at all.
    """
    if ignore_index is None:
        return target, None
    keep = target != ignore_index
    if scores is not None and blocked(xp, scores) and bool(xp.all(keep)):
        return target, None
    return xp.where(keep, target, xp.zeros_like(target)), keep


def true_of(xp: Namespace, values: Array, target: Array) -> Array:
    """The value of the true class of each place; the classes stand in the last axis."""
    return xp.take_along_axis(values, xp.expand_dims(target, axis=-1), axis=-1)[..., 0]


def picked(xp: Namespace, values: Array, target: Array, ignore_index: int | None) -> tuple[Array, Array | None]:
    """The value of the true class of each place, and where it counts; ignored places take class 0 and count nothing."""
    safe, keep = kept(xp, target, ignore_index)
    return true_of(xp, values, safe), keep


def weights_of_classes(
    who: str, xp: Namespace, given: Any, scores: Array, count: int, name: str = "class_weight"
) -> Array | None:
    """One weight a class, in the library and dtype of the scores."""
    if given is None:
        return None
    array: Any = like(scores, np.asarray(given, dtype=np.float64)) if isinstance(given, list | tuple) else given
    if tuple(array.shape) != (count,):
        raise ParameterError(
            f"{who}: {name} must hold one number for each of {count} classes, got {tuple(array.shape)}."
        )
    return xp.astype(array, scores.dtype)
