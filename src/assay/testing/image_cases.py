"""Example data for the laws of generation metrics: pictures beside their references, features of two samples, class shares."""

from __future__ import annotations

from typing import Any, cast

import numpy as _numpy

np = cast(Any, _numpy)  # arrays of random numbers have no types of their own

FORMS: dict[str, tuple[int, ...]] = {
    "pictures": (12, 13), "colour last": (12, 11, 3), "colour first": (3, 12, 11), "float pictures": (11, 12),
    "large pictures": (161, 162), "large colour last": (161, 161, 2), "large colour first": (2, 161, 161),
}  # fmt: skip


def pictures(form: str, rng: _numpy.random.Generator, rows: int) -> tuple[Any, Any]:
    """Smooth pictures with some noise, and the same with more; large ones are few, since they take their time."""
    count = max(12, rows // 10) if form.startswith("large") else rows
    shape = (count, *FORMS[form])
    axes = np.meshgrid(*(np.arange(size) for size in FORMS[form]), indexing="ij")
    wave = sum(np.sin((axis + 1) / (3 + at)) for at, axis in enumerate(axes))
    base: Any = 110 + 25 * wave + rng.normal(0, 12, shape)
    noisy: Any = base + rng.normal(0, 9, shape)
    true, predicted = _bytes(base), _bytes(noisy)
    if form == "float pictures":
        return true / 256, predicted / 256
    return true, predicted


def _bytes(values: Any) -> Any:
    rounded: Any = np.clip(np.round(values), 0, 255)
    return rounded.astype(np.uint8)


def samples(rng: _numpy.random.Generator, rows: int) -> dict[str, tuple[Any, Any]]:
    """Features of as many real as fake rows, mixed; the perfect ones are alike, row for row."""
    half = rows // 2
    real: Any = np.round(rng.normal(0, 1, (half, 5)) * [1, 1, 0.5, 2, 1] * 64) / 64
    fake: Any = np.round((1.3 * rng.normal(0, 1, (rows - half, 5)) + 0.75) * 64) / 64
    mixed = rng.permutation(rows)
    code = (np.arange(rows) >= half).astype(np.int64)[mixed]
    alike: Any = np.concatenate([real, np.resize(real, (rows - half, 5))])
    return {"features": (np.concatenate([real, fake])[mixed], alike[mixed]), "sample": (code, code)}


def shares(rng: _numpy.random.Generator, rows: int) -> tuple[Any, Any]:
    """Logits of unsure images, and which class each of them shows, all classes alike."""
    kind = np.arange(rows) % 6
    logits: Any = 2.0 * (kind[:, None] == np.arange(6)) + rng.normal(0, 1, (rows, 6))
    return np.round(logits * 16) / 16, kind
