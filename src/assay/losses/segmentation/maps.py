"""What losses of segmentation share: maps of scores and truth in one form, their soft counts, means over classes and images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from assay.core.arrays import Array, ArrayLike, Namespace, array_api_compat, describe, kind_of
from assay.core.errors import InputError, ParameterError
from assay.losses.accelerators import torch_accelerators
from assay.losses.class_inputs import (
    classes_last,
    one_kind,
    refuse_unclear_weight,
    settled,
    visible,
    weights_of_classes,
    whole_numbers,
    wide,
)
from assay.losses.inputs import floating
from assay.losses.loss_body import blocked
from assay.losses.parameter_checks import one_of
from assay.losses.reduction import LossOptions, known, over, reduce
from assay.ops import sigmoid, softmax

Mode: TypeAlias = Literal["multiclass", "multilabel", "binary"]
Over: TypeAlias = Literal["batch", "image"]
Classes: TypeAlias = Literal["present", "all"] | Sequence[int]
Average: TypeAlias = Literal["macro", "micro"]


@dataclass(frozen=True)
class Maps:
    """A batch of maps: images in the first axis, classes in the second, all places in the third.

    ``truth`` holds the class of each place (images, places), or how much of each class it is, in the shape of the scores.
    ``share`` is what each place counts, (images, 1 or classes, places); None if all count 1.
    """

    xp: Namespace
    scores: Array
    truth: Array
    share: Array | None
    kind: Literal["softmax", "sigmoid", "probabilities"]

    @property
    def labelled(self) -> bool:
        """Whether the truth holds one class for each place."""
        return self.truth.ndim == 2

    def probabilities(self) -> Array:
        """Of each class at each place, in at least single precision; places that count nothing are as if they were 0."""
        xp, scores = self.xp, wide(self.xp, self.scores)
        if self.share is not None:  # what is left out may be infinite, and must not reach the gradient
            scores = xp.where(xp.broadcast_to(self.share, scores.shape) != 0, scores, xp.zeros_like(scores))
        if self.kind == "softmax":
            return xp.permute_dims(softmax(xp, classes_last(xp, scores)), (0, 2, 1))
        return sigmoid(xp, scores) if self.kind == "sigmoid" else scores

    def hits(self, p: Array) -> Array:
        """The fraction of each class at each place, in the dtype of the probabilities: 0 and 1 for labels."""
        xp = self.xp
        if not self.labelled:
            return xp.astype(self.truth, p.dtype)
        classes = xp.arange(p.shape[1], dtype=self.truth.dtype, device=array_api_compat.device(self.truth))
        return xp.astype(self.truth[:, None, :] == classes[None, :, None], p.dtype)

    def whole(self) -> Maps:
        """The batch as one image."""
        xp = self.xp

        def joined(x: Array) -> Array:
            if x.ndim == 2:
                return xp.reshape(x, (1, math.prod(x.shape)))
            return xp.reshape(xp.permute_dims(x, (1, 0, 2)), (1, x.shape[1], x.shape[0] * x.shape[2]))

        share = None if self.share is None else joined(self.share)
        return replace(self, scores=joined(self.scores), truth=joined(self.truth), share=share)


def maps(
    who: str,
    given: tuple[ArrayLike | None, ArrayLike | None, ArrayLike | None],
    mode: Mode,
    ignore_index: int | None,
    options: LossOptions,
) -> Maps:
    """The inputs (logits, probabilities, target) as `Maps`; shapes and labels are checked, and what kind they are is said."""
    known(who, options)
    xp, scores, target, from_logits = one_kind(who, *given)
    kind = ("softmax" if mode == "multiclass" else "sigmoid") if from_logits else "probabilities"
    labelled = mode == "multiclass" and kind_of(target) != "float"
    if labelled or kind_of(target) == "int":
        target = whole_numbers(who, xp, target)
    _check(who, scores, target, mode, labelled)
    images, rest = scores.shape[0], scores.shape[1 if mode == "binary" else 2 :]
    size = math.prod(rest)
    share = _share(who, xp, scores if mode == "binary" else scores[:, 0, ...], options)
    form = (images, 1 if mode == "binary" else scores.shape[1], size)
    truth = xp.reshape(target, (images, size) if labelled else form)
    truth, keep = _true(who, truth, (labelled, mode), form[1], ignore_index, xp)
    if keep is not None:
        share = _kept(xp, keep[:, None, :] if labelled else keep, share, scores)
    truth = truth if labelled else floating(xp, truth, like=scores)
    return Maps(xp, xp.reshape(scores, form), truth, share, kind)


def _check(who: str, scores: Array, target: Array, mode: Mode, labelled: bool) -> None:
    if scores.ndim < (1 if mode == "binary" else 2):
        raise InputError(who, "", f"the scores must be images, then classes, then places, got {describe(scores)}")
    if mode == "multiclass" and scores.shape[1] == 1:
        raise InputError(
            who,
            "",
            f"one channel is not a choice between classes, its softmax is 1 everywhere, got {describe(scores)}",
            "Pass form='binary'.",
        )
    wanted = (scores.shape[0], *scores.shape[2:]) if labelled else tuple(scores.shape)
    if tuple(target.shape) != wanted:
        what = "one class for each place" if labelled else "the shape of the scores"
        raise InputError(
            who,
            "target",
            f"must have {what}, {wanted}, got {describe(target)}",
            "Labels are integers of shape (images, ...); masks and soft targets have the shape of the scores.",
        )


def _true(
    who: str, truth: Array, form: tuple[bool, Mode], classes: int, ignore_index: int | None, xp: Namespace
) -> tuple[Array, Array | None]:
    """The truth with 0 for what is ignored, and what is not: None if that is all, as in most maps."""
    labelled, mode = form
    if labelled:
        return settled(who, xp, truth, classes, ignore_index)
    if ignore_index is None or mode == "multiclass":
        return truth, None
    keep = truth != ignore_index
    if visible(truth) and bool(xp.all(keep)):
        return truth, None
    return xp.where(keep, truth, xp.zeros_like(truth)), keep


def _share(who: str, xp: Namespace, channel: Array, options: LossOptions) -> Array | None:
    """Weight and mask of the places as one array (images, 1, places)."""
    if options.get("weight") is None and options.get("mask") is None:
        return None
    share = reduce(who, xp, xp.ones_like(wide(xp, channel)), {**options, "reduction": "none"})
    return xp.reshape(share, (channel.shape[0], 1, math.prod(channel.shape[1:])))


def _kept(xp: Namespace, keep: Array, share: Array | None, scores: Array) -> Array:
    kept = xp.astype(keep, wide(xp, scores).dtype)
    return kept if share is None else kept * share


# ---- counts


class SoftCounts(NamedTuple):
    """Soft counts of each image and class: predicted and true, predicted, true."""

    both: Array
    predicted: Array
    true: Array


def counts(given: Maps, over: Over, *, squared: bool) -> SoftCounts:
    """Sums over the places of each image (images, classes), or of the whole batch (1, classes)."""
    found = _torch_counts(given, squared) or _plain_counts(given, squared)
    if over == "image":
        return found
    return SoftCounts(*(given.xp.sum(x, axis=0, keepdims=True) for x in found))


def _plain_counts(given: Maps, squared: bool) -> SoftCounts:
    xp, p = given.xp, given.probabilities()
    t = given.hits(p)
    own, true = (p * p, t * t) if squared else (p, t)
    shared = [p * t, own, true] if given.share is None else [x * given.share for x in (p * t, own, true)]
    return SoftCounts(*(xp.sum(x, axis=-1) for x in shared))


def _torch_counts(given: Maps, squared: bool) -> SoftCounts | None:
    """The fast route of large CPU tensors: a softmax of logits against a map of labels; None elsewhere."""
    if not (given.xp.__name__.endswith("torch") and given.kind == "softmax" and given.labelled):
        return None
    if not blocked(given.xp, given.scores):
        return None
    fast = torch_accelerators().segmentation
    if not fast.worthwhile(given):
        return None
    return SoftCounts(*fast.counts(given, squared, _plain_counts))


# ---- means over classes and images


@dataclass(frozen=True)
class ClassRule:
    """How much each class counts, and in which order averages are taken."""

    over: Over
    classes: Classes
    class_weight: Any = None
    average: Average = "macro"

    def check(self, who: str, given: Maps, options: LossOptions) -> None:
        """Refuse invalid rules, and a weight that could be one per class."""
        count = given.scores.shape[1]
        if self.class_weight is None:
            refuse_unclear_weight(who, options, given.scores, count)
        if isinstance(self.classes, str):
            one_of(who, "classes", self.classes, "present", "all")
            return
        if not self._listed(count):
            raise ParameterError(
                who,
                "classes",
                f"must be 'present', 'all' or different numbers from 0 to {count - 1}, got {self.classes!r}",
            )

    def _listed(self, count: int) -> bool:
        """Whether these are different numbers of classes."""
        given: Any = self.classes
        if not isinstance(given, list | tuple | range):
            return False
        listed: list[Any] = list(cast("Sequence[Any]", given))
        whole = all(isinstance(c, int | np.integer) and not isinstance(c, bool) for c in listed)
        return bool(listed) and whole and len(set(listed)) == len(listed) and all(0 <= c < count for c in listed)

    def weights(self, who: str, xp: Namespace, true: Array) -> Array:
        """What each class of each image counts, (images, classes): 0 for those that do not."""
        count = true.shape[-1]
        chosen = xp.ones_like(true)
        if self.classes == "present":
            chosen = xp.astype(true != 0, true.dtype)
        elif self.classes != "all":
            listed = [float(c in self.classes) for c in range(count)]
            chosen = chosen * xp.asarray(listed, dtype=true.dtype, device=array_api_compat.device(true))
        by_class = weights_of_classes(who, xp, self.class_weight, true, count)
        return chosen if by_class is None else chosen * by_class


def pooled(who: str, xp: Namespace, found: SoftCounts, rule: ClassRule) -> tuple[SoftCounts, Array]:
    """The counts to form ratios of, and what each ratio counts: those of the classes, or of all classes as one."""
    weights = rule.weights(who, xp, found.true)
    if rule.average == "macro":
        return found, weights
    found = SoftCounts(*(xp.sum(x * weights, axis=-1, keepdims=True) for x in found))
    return found, xp.ones_like(found.true)


def averaged(who: str, given: Maps, values: Array, weights: Array, rule: ClassRule, options: LossOptions) -> Array:
    """Weighted means over the classes of each image, then over the images that have one; or all values, or their sum."""
    xp, reduction = given.xp, options.get("reduction", "mean")
    dtype = given.scores.dtype
    values = xp.where(weights != 0, values, xp.zeros_like(values)) * weights
    if reduction == "none":
        return xp.astype(_single(who, xp, values, weights, rule, options), dtype)
    if reduction == "sum":
        return xp.astype(xp.sum(values), dtype)
    size = xp.sum(weights, axis=-1)
    some = size != 0
    image = xp.sum(values, axis=-1) / xp.where(some, size, xp.ones_like(size))
    return xp.astype(over(who, xp, xp.sum(image), xp.sum(xp.astype(some, size.dtype)), options), dtype)


def _single(who: str, xp: Namespace, values: Array, weights: Array, rule: ClassRule, options: LossOptions) -> Array:
    """One value per class, and of each image where images stand alone; undefined ones are as ``undefined`` specifies."""
    undefined = options.get("undefined", 0.0)
    if undefined == "error":
        over(who, xp, xp.sum(values), xp.sum(weights), options)
    elif undefined != 0:
        values = xp.where(weights != 0, values, xp.full_like(values, float(undefined)))
    if rule.average == "micro":
        values = values[:, 0]
    return values[0, ...] if rule.over == "batch" else values
