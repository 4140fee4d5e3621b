"""Lovász losses: the convex extension of the Jaccard loss from sets of errors to sizes of errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack, cast

import numpy as np

from assay import kernels
from assay.core.arrays import Array, ArrayLike, Namespace, kind_of
from assay.core.errors import InputError, ParameterError, arg
from assay.core.loss import loss
from assay.core.sources import SEGMENTATION_TUTORIAL, SURVEY
from assay.losses.accelerators import torch_accelerators
from assay.losses.class_inputs import one_kind
from assay.losses.loss_body import blocked
from assay.losses.parameter_checks import one_of
from assay.losses.reduction import LossOptions
from assay.losses.segmentation.maps import Classes, ClassRule, Maps, Over, averaged, maps, wide
from assay.ops import ramp, stop_gradient


@loss(
    "robust",
    "bounded",
    title="Lovász-softmax",
    use="segmentation that is judged by the mean intersection over union",
    instead="cross_entropy first and this one to finish; jaccard, which is smooth",
    misleads="over a batch it aims at the IoU of the data set only if the batch is large; over='image' aims at that of single images",
    equals=(
        "lovasz_softmax of the authors on probabilities; its per_image=True is over='image'",
        "lovasz_softmax of the authors on sigmoid outputs, (images, height, width) or one channel, with classes=[1]",
        "smp LovaszLoss('multiclass')",
        "kornia lovasz_softmax_loss: over='image', classes='all'",
    ),
    references=("berman2018", "lovasz1983"),
    traps=(34,),
    range=(0.0, 1.0),
    aliases=("lovasz",),
    erratum=f"{SURVEY}, eq. 64, sums single errors and calls the loss smooth; it is the extension of the whole vector of "
    f"errors, and piecewise linear. {SEGMENTATION_TUTORIAL}, has the errors m in {{0, 1}}^p, which are in [0, "
    "1]^p, and code that fails for one class and for one valid pixel.",
)
def lovasz_softmax(
    logits: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    probabilities: ArrayLike | None = None,
    form: Literal["multiclass", "binary"] | None = None,
    over: Over = "batch",
    classes: Classes = "present",
    class_weight: ArrayLike | None = None,
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""The Lovász extension of the Jaccard loss of each class, at the errors of its probabilities.

    .. math:: \ell_c = \sum_k m_{\pi(k)} \left(\Delta_c(\{\pi(1..k)\}) - \Delta_c(\{\pi(1..k-1)\})\right),\quad m_i = |t_{ic} - p_{ic}|

    Errors are sorted from the largest on, and the k-th is multiplied by what it adds to the Jaccard loss :math:`\Delta_c` of
    the set of wrong places. The mean divides by the number (or weights) of the classes that occur in the target, for each
    image with ``over="image"``; a weight of 2 is a place given twice. With nothing to count it is ``undefined``.

    Scores with one channel, (images, 1, ...), or without an axis of classes, in the shape of the target, are of one mask
    (``form="binary"``): logits take a sigmoid, targets are 0 and 1, and the foreground is the only class.

    >>> round(float(lovasz_softmax(probabilities=[[0.75, 0.25], [0.5, 0.5]], target=[0, 1], classes=[0])), 6)
    0.375
    """
    who = "lovasz_softmax"
    _, scores, truth, from_logits = one_kind(who, logits, probabilities, target)
    one = one_mask(who, form, tuple(scores.shape), tuple(truth.shape), integers=kind_of(truth) != "float")
    if one:
        scores, truth, classes = _one_channel(scores), _one_channel(truth), _foreground(who, classes)
    inputs = (scores, None, truth) if from_logits else (None, scores, truth)
    given = maps(who, inputs, "binary" if one else "multiclass", ignore_index, options)
    if not (one or given.labelled):
        raise InputError(
            who,
            "target",
            "must hold one class for each place as integers; soft targets have no set",
            f"For one mask of zeros and ones in the shape of the scores pass {arg('form', 'binary')}.",
        )
    return _extended(who, given, ClassRule(over, classes, class_weight), _miss, options)


@loss(
    "convex",
    "robust",
    "monotone",
    "sparse",
    title="Lovász hinge",
    use="segmentation of one foreground that is judged by the intersection over union",
    instead="lovasz_softmax for several classes; jaccard, which is smooth",
    misleads="an image without foreground counts its single largest error",
    equals=(
        "lovasz_hinge of the authors: its per_image=True, the default there, is over='image'",
        "kornia lovasz_hinge_loss: over='image'",
        "smp LovaszLoss('binary')",
    ),
    references=("berman2018", "lovasz1983", "yu2015"),
    erratum=f"{SURVEY}, eq. 64, sums single errors and calls the loss smooth; it is the extension of the whole vector of "
    "errors, and piecewise linear.",
)
def lovasz_hinge(
    logits: ArrayLike,
    target: ArrayLike,
    *,
    form: Literal["binary", "multilabel"] = "binary",
    over: Over = "batch",
    classes: Classes = "all",
    class_weight: ArrayLike | None = None,
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""The Lovász extension of the Jaccard loss of one foreground, at the hinge losses of its logits.

    .. math:: \ell = \sum_k m_{\pi(k)} \left(\Delta(\{\pi(1..k)\}) - \Delta(\{\pi(1..k-1)\})\right),\quad m_i = \max(0, 1 - z_i (2 t_i - 1))

    Targets are 0 and 1, in the shape of the logits. All places of the batch are one mask, or those of each image with
    ``over="image"``; with ``form="multilabel"`` the second axis holds several masks, and the mean is over them.

    >>> round(float(lovasz_hinge([2.0, 0.5, -0.5], [1, 1, 0])), 6)
    0.333333
    """
    who = "lovasz_hinge"
    given = maps(who, (logits, None, target), form, ignore_index, options)
    return _extended(who, given, ClassRule(over, classes, class_weight), _short, options)


def one_mask(who: str, form: str | None, shape: tuple[int, ...], target: tuple[int, ...], *, integers: bool) -> bool:
    """Whether the scores are of one mask: as ``form`` says, or by shapes that fit nothing else.

    A target with more axes in the shape of the scores could be one-hot, and is not guessed at.
    """
    if form is not None:
        one_of(who, "form", form, "multiclass", "binary")
        return form == "binary"
    if len(shape) > 2 and shape[1] == 1:
        return target in (shape, (shape[0], *shape[2:]))
    return len(shape) == 3 and shape == target and integers


def _one_channel(given: Array) -> Array:
    """Maps without their axis of one channel."""
    return given[:, 0, ...] if given.ndim > 2 and given.shape[1] == 1 else given


def _foreground(who: str, classes: Any) -> Classes:
    """The only class there is, which may be named by its label."""
    if isinstance(classes, list | tuple) and list(cast("Sequence[Any]", classes)) == [1]:
        return "all"
    if not isinstance(classes, str):
        raise ParameterError(who, "classes", f"of one mask must be 'present', 'all' or [1], got {classes!r}")
    return cast(Classes, classes)


def _miss(given: Maps) -> tuple[Array, Array]:
    """How far each probability is from the truth, and the truth."""
    p = given.probabilities()
    hit = given.hits(p)
    return given.xp.where(hit > 0, 1 - p, p), hit


def _short(given: Maps) -> tuple[Array, Array]:
    """How far each logit falls short of a margin of 1 on its side, and the truth."""
    z = wide(given.xp, given.scores)
    hit = given.hits(z)
    if given.share is not None:
        z = given.xp.where(given.share != 0, z, given.xp.zeros_like(z))
    return ramp(given.xp, 1 - z * (2 * hit - 1)), hit


def _extended(who: str, given: Maps, rule: ClassRule, errors: Any, options: LossOptions) -> Array:
    """The extension of every class (and image), averaged by the rule."""
    rule.check(who, given, options)
    values, true = _fast(given, rule) or _plain(given if rule.over == "image" else given.whole(), errors)
    return averaged(who, given, values, rule.weights(who, given.xp, true), rule, options)


def _plain(given: Maps, errors: Any) -> tuple[Array, Array]:
    """The extension of each image and class, and the weight of its true places."""
    size, hit = errors(given)
    xp = given.xp
    share = xp.ones_like(size) if given.share is None else xp.broadcast_to(given.share, size.shape)
    return extension(xp, size, hit, share), xp.sum(hit * share, axis=-1)


def _fast(given: Maps, rule: ClassRule) -> tuple[Array, Array] | None:
    """The compiled route of large arrays and CPU tensors in single precision; None elsewhere."""
    if kernels.worthwhile(given.scores) and given.labelled and given.scores.dtype == np.float32:
        return _compiled(given, rule)
    if not (blocked(given.xp, given.scores) and given.kind == "softmax"):
        return None
    fast = torch_accelerators().segmentation
    return fast.lovasz(given, rule.over == "image", _plain_softmax) if fast.worthwhile(given) else None


def _compiled(given: Maps, rule: ClassRule) -> tuple[Array, Array]:
    errors, hit = _miss(given)
    true = hit if given.share is None else hit * given.share
    share = None if given.share is None else given.share[:, 0, :]
    by_image = rule.over == "image"
    values = kernels.lovasz.extension(np.ascontiguousarray(errors), given.truth, share, by_image=by_image)
    return values, np.sum(true, axis=-1 if by_image else (0, 2)).reshape(values.shape)


def _plain_softmax(given: Maps) -> tuple[Array, Array]:
    return _plain(given, _miss)


def extension(xp: Namespace, errors: Array, hit: Array, share: Array) -> Array:
    """The Lovász extension of the weighted Jaccard loss along the last axis.

    What a place adds to the loss of the set of wrong places is written out, not taken as a difference of two nearly equal
    losses: ``w / union`` where the place is true, ``left w / (union before, union now)`` where it is not. A place without
    weight adds nothing wherever it stands, so none has to be removed.
    """
    order = xp.argsort(stop_gradient(errors), axis=-1, descending=True, stable=True)
    inside = xp.take_along_axis(hit * share, order, axis=-1)
    outside = xp.take_along_axis((1 - hit) * share, order, axis=-1)
    total = xp.sum(inside, axis=-1, keepdims=True)
    left = total - xp.cumulative_sum(inside, axis=-1)
    union = total + xp.cumulative_sum(outside, axis=-1)
    before = union - outside
    one = xp.ones_like(union)
    absent = before <= 0
    grown = inside + left * outside / xp.where(absent, one, before)
    first = xp.astype(outside > 0, union.dtype)  # an absent class is wholly wrong from its first wrong place on
    steps = xp.where(absent, first, grown / xp.where(union <= 0, one, union))
    return xp.sum(xp.take_along_axis(errors, order, axis=-1) * stop_gradient(steps), axis=-1)
