"""The Lovász extension of the Jaccard loss of every class: one radix sort of the errors that matter, one thread per class.

Pixels outside a class add nothing after the last pixel of the class, so errors below the smallest error of the class are not
sorted at all. Errors are non-negative float32, whose bits are in the order of their values. A pixel may be any element of the data.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import exact

_BITS = 10
_BUCKETS = 1 << _BITS
_PASSES = 3
_TOP = (1 << (_BITS * _PASSES)) - 1  # the bits of a float just below 2: no error is larger
_POSITIONS = (1 << 31) - 1  # the largest position that fits beside the error and the class


@exact
def _gather(errors: Any, labels: Any, weight: Any, which: int, first: int, stop: int, flat: Any) -> tuple[float, float]:
    """Copy the errors of a class, image by image, into one row; returns the weight of its pixels and their smallest error."""
    total, least, at = 0.0, np.inf, 0
    for n in range(first, stop):
        for i in range(labels.shape[1]):
            flat[at] = errors[n, which, i]
            if labels[n, i] == which and (len(weight) == 0 or not weight[n, i] <= 0):
                total += weight[n, i] if len(weight) else 1.0
                least = flat[at] if flat[at] < least else least
            at += 1
    return total, least


@exact
def _keys(
    labels: Any, weight: Any, which: int, first: int, stop: int, least: float, flat: Any, bits: Any, keys: Any
) -> int:
    """The keys to sort, largest error first: the error, whether the pixel is of the class, and its position; returns their number."""
    count, at = 0, 0
    for n in range(first, stop):
        for i in range(labels.shape[1]):
            if not flat[at] < least and (
                len(weight) == 0 or not weight[n, i] <= 0
            ):  # NaN is sorted too, and shows in the result
                size = min(np.int64(bits[at]), _TOP)
                keys[count] = ((_TOP - size) << 32) | (np.int64(labels[n, i] == which) << 31) | at
                count += 1
            else:
                flat[at] = 0.0
            at += 1
    return count


@exact
def _sorted(keys: Any, spare: Any, count: int, places: Any) -> Any:
    """Stable radix sort by the upper half; returns whichever buffer holds the result."""
    for p in range(_PASSES):
        shift = 32 + p * _BITS
        for d in range(_BUCKETS):
            places[d] = 0
        for i in range(count):
            places[(keys[i] >> shift) & (_BUCKETS - 1)] += 1
        running = 0
        for d in range(_BUCKETS):
            here = places[d]
            places[d] = running
            running += here
        for i in range(count):
            d = (keys[i] >> shift) & (_BUCKETS - 1)
            spare[places[d]] = keys[i]
            places[d] += 1
        keys, spare = spare, keys
    return keys


@exact
def _steps(keys: Any, count: int, weight: Any, width: int, first: int, total: float, flat: Any) -> float:
    """The extension; every error is replaced by what its pixel adds to the Jaccard loss, negative for pixels of the class."""
    value, left, union = 0.0, total, total
    for k in range(count):
        at = keys[k] & _POSITIONS
        w = weight[first + at // width, at % width] if len(weight) else 1.0
        size = flat[at]
        if (keys[k] >> 31) & 1:
            step = w / union
            left -= w
            flat[at] = -step
        else:
            step = left * w / (union * (union + w))
            union += w
            flat[at] = step
        value += step * size
    return value


@exact
def _absent(weight: Any, width: int, first: int, flat: Any) -> float:
    """The extension of a class that does not occur: its largest error alone."""
    best, value = -1, 0.0
    for at in range(len(flat)):
        if len(weight) and weight[first + at // width, at % width] <= 0:
            continue
        if best < 0 or flat[at] > value or np.isnan(flat[at]):
            best, value = at, flat[at]
    for at in range(len(flat)):
        flat[at] = 0.0
    if best >= 0:
        flat[best] = 1.0
    return value


@exact("f4[:, :, ::1], i8[:, ::1], f8[:, ::1], i8, i8, i8, f4[::1], u4[::1], i8[::1], i8[::1]")
def _one(
    errors: Any,
    labels: Any,
    weight: Any,
    which: int,
    first: int,
    stop: int,
    flat: Any,
    bits: Any,
    keys: Any,
    spare: Any,
) -> float:
    """The extension of one class of some images; its errors are replaced by the gradient."""
    width = labels.shape[1]
    total, least = _gather(errors, labels, weight, which, first, stop, flat)
    if not total <= 0:
        count = _keys(labels, weight, which, first, stop, least, flat, bits, keys)
        order = _sorted(keys, spare, count, np.empty(_BUCKETS, dtype=np.int64))
        value = _steps(order, count, weight, width, first, total, flat)
    else:
        value = _absent(weight, width, first, flat)
    for n in range(first, stop):
        for i in range(width):
            errors[n, which, i] = flat[(n - first) * width + i]
    return value


def extension(errors: Any, labels: Any, weight: Any, *, by_image: bool) -> Any:
    """The extension of each class, of each image or of all of them, (images or 1, classes).

    ``errors`` (images, classes, pixels) in float32 are replaced by the gradient of the extension with respect to the probabilities;
    ``labels`` (images, pixels) hold the true class; ``weight`` is the weight of each pixel, or None.
    """
    images, classes, width = errors.shape
    labels = kernels.ready(labels, np.int64)
    weight = np.empty((0, 0)) if weight is None else kernels.ready(weight, np.float64)
    span = 1 if by_image else images
    values = np.empty(((images if by_image else 1), classes))

    def work(a: int, b: int) -> None:
        flat = np.empty(span * width, dtype=np.float32)
        keys, spare = np.empty((2, span * width), dtype=np.int64)
        for row in range(a, b):
            n, which = divmod(row, classes)
            part = flat, flat.view(np.uint32), keys, spare
            values[n, which] = _one(errors, labels, weight, which, n * span, (n + 1) * span, *part)

    kernels.over_chunks(values.size, work, least=1)
    return values
