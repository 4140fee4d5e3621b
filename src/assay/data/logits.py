"""Label maps from the logits of a network: the class with the largest score at each place, image by image."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from assay.core.arrays import Array, ArrayLike, array_api_compat, describe, is_numpy, namespace
from assay.core.errors import InputError, arg
from assay.losses.inputs import floating

_FEW = 256  # classes whose numbers fit in a byte


def label_maps(who: str, logits: ArrayLike, axes: int) -> ArrayLike:
    """Maps (images, ...) from logits (images, classes, ...), or one map from (classes, ...), in the library of the logits.

    ``axes`` are those of the truth. One class alone is a binary problem: 1 from a logit of 0 on. No temporary is larger than one image.
    """
    if isinstance(logits, list | tuple) and any(hasattr(one, "shape") for one in cast(Any, logits)):
        return [_labels(who, one) for one in cast("list[Any]", logits)]  # images of different sizes
    array: Any = logits if array_api_compat.is_array_api_obj(logits) else np.asarray(cast(Any, logits))
    if array.ndim != axes + 1:
        places = ", ".join(("depth", "height", "width")[-max(2, axes - 1) :])
        wanted = f"(classes, {places})" if axes == 2 else f"(images, classes, {places})"
        raise InputError(
            who,
            "logits",
            f"must be {wanted} for such a truth, got {describe(array)}",
            f"Label maps are {arg('y_pred')}.",
        )
    if axes == 2:
        return _labels(who, array)
    xp = namespace(array)
    if not array.shape[0]:
        return xp.zeros((0, *array.shape[2:]), dtype=xp.uint8)
    return xp.stack([_labels(who, array[at, ...]) for at in range(array.shape[0])])


def _labels(who: str, image: Array) -> Array:
    """The labels of one image (classes, ...); of equal scores the first."""
    xp, image = namespace(image), floating(namespace(image), image)
    if not image.shape[0]:
        raise InputError(who, "logits", "has no classes on its axis of classes")
    if bool(xp.any(xp.isnan(image))):
        raise InputError(who, "logits", "holds NaN, which has no largest class", "Look for where the model diverged.")
    if image.shape[0] == 1:
        return xp.astype(image[0, ...] >= 0, xp.uint8)
    found = _largest(image) if is_numpy(image) else xp.argmax(image, axis=0)
    return xp.astype(found, xp.uint8 if image.shape[0] <= _FEW else xp.int64)


def _largest(image: Any) -> Any:
    """`argmax` over the first axis, class by class: NumPy's own walks across the classes at every place."""
    best, labels = image[0].copy(), np.zeros(image.shape[1:], dtype=np.int64 if len(image) > _FEW else np.uint8)
    for label in range(1, len(image)):
        ahead = image[label] > best
        np.copyto(labels, label, where=ahead, casting="unsafe")
        np.copyto(best, image[label], where=ahead)
    return labels
