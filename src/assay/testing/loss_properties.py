"""What each property of a loss promises, as numbers: chords, one-sided slopes, far outliers, expected losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.testing.examples import Example

Claim = Callable[[Callable[..., float], Any, Example], bool]
TRIALS = 40


def _start(example: Example) -> Any:
    return np.asarray(example.inputs[example.vary[0]], dtype=np.float64)


def _lines(example: Example) -> Any:
    """Random places and directions, of the shape of the prediction."""
    rng = np.random.default_rng(11)
    start = _start(example)
    for _ in range(TRIALS):
        yield start + example.wide * rng.normal(size=start.shape), example.wide * rng.normal(size=start.shape)


def _convex(f: Any, loss: Any, example: Example) -> bool:
    for a, step in _lines(example):
        ends = f(a), f(a + step)
        if f(a + step / 2) > (ends[0] + ends[1]) / 2 + 1e-9 * (1 + abs(ends[0]) + abs(ends[1])):
            return False
    return True


def _slopes(f: Any, x: Any, step: Any, h: float) -> tuple[float, float]:
    """The slopes before and behind a place along a line."""
    here = f(x)
    return (here - f(x - h * step)) / h, (f(x + h * step) - here) / h


def _no_kink(f: Any, x: Any, step: Any) -> bool:
    """The gap between the slopes before and behind shrinks with the step; at a kink it stays."""
    (a, b), (c, d) = _slopes(f, x, step, 1e-3), _slopes(f, x, step, 1e-5)
    return abs(c - d) < 0.1 * abs(a - b) + 1e-5 * (1 + abs(a) + abs(b))


def _differentiable(f: Any, loss: Any, example: Example) -> bool:
    """No kink at random places, at zero, nor at the target, where kinks like to sit."""
    places = [(x, step) for x, step in _lines(example)]
    start = _start(example)
    places += [(np.zeros_like(start), step) for _, step in places[:4]]
    target = np.asarray(example.inputs.get("target", 0.0))
    if target.shape == start.shape:
        places += [(target.astype(np.float64), step) for _, step in places[:4]]
    return all(_no_kink(f, x, step) for x, step in places)


def _smooth(f: Any, loss: Any, example: Example) -> bool:
    """Along a line the slope has no jump: halving the step halves its largest change."""
    for x, step in list(_lines(example))[:4]:
        jumps: list[float] = []
        for count in (200, 800):
            values = np.array([f(x + t * step) for t in np.linspace(-1, 1, count + 1)])
            jumps.append(float(np.abs(np.diff(values, 2)).max() * count / 2))
        if jumps[1] > 0.5 * jumps[0] + 1e-7:
            return False
    return True


def _robust(f: Any, loss: Any, example: Example) -> bool:
    """The loss of one outlier grows no faster than its distance."""
    start = _start(example)
    place = (0,) * start.ndim

    def slope(far: float) -> float:
        x = start.copy()
        x[place] = far
        one = f(x)
        x[place] = 1.01 * far
        return abs(f(x) - one) / (0.01 * abs(far))

    return all(slope(side * 1e6) <= 1.1 * slope(side * 1e3) + 1e-9 for side in (-1.0, 1.0))


def _symmetric(f: Any, loss: Any, example: Example) -> bool:
    target = np.asarray(example.inputs["target"])
    return bool(np.isclose(f(target, target=_start(example)), f(_start(example)), rtol=1e-12))


def _bounded(f: Any, loss: Any, example: Example) -> bool:
    low, high = loss.record.range
    values = [f(1e3 * x) for x, _ in _lines(example)]
    return bool(np.isfinite(low) and np.isfinite(high)) and all(low - 1e-9 <= v <= high + 1e-9 for v in values)


def _toward_truth(example: Example) -> Any:
    """The direction in which the evidence for the truth grows: +1 on the true side or class, -1 on the others."""
    start, target = _start(example), np.asarray(example.inputs["target"])
    if target.shape == start.shape:
        return np.where(target > 0.5 if target.min() >= 0 else target > 0, 1.0, -1.0)
    if target.dtype.kind != "i":
        return None
    truth = np.moveaxis(np.eye(start.shape[1])[np.where(target < 0, 0, target)], -1, 1)
    return 2 * truth - 1


def _monotone(f: Any, loss: Any, example: Example) -> bool:
    toward = _toward_truth(example)
    if toward is None:
        return True
    return all(f(x + 0.3 * np.abs(step) * toward) <= f(x) + 1e-12 for x, step in _lines(example))


def _sparse(f: Any, loss: Any, example: Example) -> bool:
    """Far on the right side nothing is left to learn: the loss is exactly flat."""
    toward = _toward_truth(example)
    if toward is None:
        return True
    return f(1e3 * toward) == f(2e3 * toward)


def _proper(f: Any, loss: Any, example: Example) -> bool:
    """Of all forecasts, the true probabilities have the least expected loss."""
    rng = np.random.default_rng(5)
    start = _start(example)
    columns = np.asarray(example.inputs["target"]).shape != start.shape or np.asarray(example.inputs["target"]).ndim > 1
    if not columns:
        z, chance = np.linspace(-4, 4, 1601), 0.3
        both = [np.asarray(loss(z, np.full(z.shape, side), reduction="none")) for side in (1.0, 0.0)]
        best = z[np.argmin(chance * both[0] + (1 - chance) * both[1])]
        return abs(1 / (1 + np.exp(-best)) - chance) < 2e-3
    truth = rng.dirichlet(np.ones(4))

    def expected(p: Any) -> float:
        single = np.asarray(loss(np.tile(np.log(p), (4, 1)), np.arange(4), reduction="none"))
        return float(truth @ single)

    return all(expected(truth) <= expected(p) + 1e-12 for p in rng.dirichlet(np.ones(4), 200))


CLAIMS: dict[str, Claim] = {
    "convex": _convex,
    "differentiable": _differentiable,
    "smooth": _smooth,
    "robust": _robust,
    "symmetric": _symmetric,
    "bounded": _bounded,
    "monotone": _monotone,
    "sparse": _sparse,
    "proper": _proper,
}
