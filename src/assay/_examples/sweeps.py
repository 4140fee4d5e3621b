"""One number along which a loss is drawn: an error, a logit, a shift of a box, an angle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay._examples import Example, examples_of

POINTS = 241


@dataclass(frozen=True)
class Sweep:
    """The values of a loss along an axis that has a name."""

    axis: str
    x: Any
    y: Any


Line = tuple[str, tuple[float, float], Callable[[float], dict[str, Any]]]


def sweep_of(loss: Any) -> Sweep | None:
    """The loss along the line of its family, or through its first example; None if it has neither."""
    found = examples_of(loss)
    if not found:
        return None
    maker = LINES.get(loss.key) or FAMILY.get(loss.task, _through)
    axis, ends, inputs = maker(found[0])
    x = np.linspace(*ends, POINTS)
    y = [float(np.asarray(_number(loss(**inputs(float(t)), **_options(loss, found[0]))))) for t in x]
    return Sweep(axis, x, np.array(y))


def _number(value: Any) -> Any:
    return value.total if hasattr(value, "total") else value


def _options(loss: Any, example: Example) -> dict[str, Any]:
    """The parameters of the example where the line goes through it."""
    drawn = LINES.get(loss.key) or FAMILY.get(loss.task, _through)
    return dict(example.options) if drawn is _through else {}


def _error(example: Example) -> Line:
    return "prediction - target", (-4.0, 4.0), lambda t: {"prediction": np.array([t]), "target": np.zeros(1)}


def _rate(example: Example) -> Line:
    return "log-rate, for a count of 2", (-2.0, 2.5), lambda t: {"prediction": np.array([t]), "target": np.full(1, 2.0)}


def _spread(example: Example) -> Line:
    def at(t: float) -> dict[str, Any]:
        return {"prediction": np.array([t]), "target": np.zeros(1), "variance": np.ones(1)}

    return "prediction - target, for a variance of 1", (-4.0, 4.0), at


def _logit(example: Example) -> Line:
    """The logit of a positive, or of the true class beside two others of 0."""
    if np.asarray(example.inputs["target"]).shape == np.asarray(example.inputs[example.vary[0]]).shape:
        return "logit of a positive", (-6.0, 6.0), lambda t: {"logits": np.array([t]), "target": np.ones(1)}

    def at(t: float) -> dict[str, Any]:
        return {"logits": np.array([[t, 0.0, 0.0]]), "target": np.zeros(1, dtype=np.int64)}

    return "logit of the true class beside two of 0", (-6.0, 6.0), at


def _label_logits(example: Example) -> Line:
    """Two pixels, one of each of two classes, whose true logits rise together."""

    def at(t: float) -> dict[str, Any]:
        return {"logits": np.array([[[t, 0.0], [0.0, t]]]), "target": np.array([[0, 1]])}

    return "logit of the true class of every pixel", (-6.0, 6.0), at


def _hinge_map(example: Example) -> Line:
    return (
        "logit of a positive pixel beside a wrong one of 0.5",
        (-3.0, 3.0),
        lambda t: {
            "logits": np.array([[t, 0.5]]),
            "target": np.array([[1.0, 0.0]]),
        },
    )


def _shifted(example: Example) -> Line:
    box = np.array([[0.0, 0.0, 1.0, 1.0]])

    def at(t: float) -> dict[str, Any]:
        return {"prediction": box + np.array([t, 0.0, t, 0.0]), "target": box}

    return "sideways shift of the box, in widths", (-2.0, 2.0), at


def _turn(degrees: float, dimension: int = 3) -> Any:
    angle = np.radians(degrees)
    return np.array([np.cos(angle), np.sin(angle), *[0.0] * (dimension - 2)])


def _margin_angle(example: Example) -> Line:
    """One embedding that turns away from its class vector; the other class stands at a right angle to both."""
    name = "centers" if "centers" in example.inputs else "prototypes"
    classes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])

    def at(t: float) -> dict[str, Any]:
        return {"embeddings": _turn(t)[None, :], "target": np.zeros(1, dtype=np.int64), name: classes}

    return "angle to its class, in degrees", (0.0, 180.0), at


def _class_angle(example: Example) -> Line:
    """Two pairs of embeddings, each ten degrees apart, with an angle between the pairs."""
    labels = np.array([0, 0, 1, 1])

    def at(t: float) -> dict[str, Any]:
        return {"embeddings": np.stack([_turn(d) for d in (-5.0, 5.0, t - 5.0, t + 5.0)]), "target": labels}

    return "angle between two classes, in degrees", (0.0, 180.0), at


def _pair_angle(example: Example) -> Line:
    return (
        "angle between the two, in degrees",
        (0.0, 180.0),
        lambda t: {
            "first": _turn(0.0)[None, :],
            "second": _turn(t)[None, :],
        },
    )


def _difference(example: Example) -> Line:
    return "first score - second score", (-4.0, 4.0), lambda t: {"first": np.array([t]), "second": np.zeros(1)}


def _fake_logit(example: Example) -> Line:
    return "the other side's logit of a fake", (-6.0, 6.0), lambda t: {"fake": np.array([t])}


def _through(example: Example) -> Line:
    """From what the example predicts along a fixed random direction."""
    name = example.vary[0]
    start = np.asarray(example.inputs[name], dtype=np.float64)
    step = np.random.default_rng(0).normal(size=start.shape)
    step *= np.linalg.norm(start) / max(float(np.linalg.norm(step)), 1e-12)

    def at(t: float) -> dict[str, Any]:
        return {**example.inputs, name: start + t * step}

    return f"{name} moved along a random line", (-1.0, 1.0), at


FAMILY: dict[str, Callable[[Example], Line]] = {
    "regression": _error,
    "classification": _logit,
    "detection": _shifted,
    "segmentation": _label_logits,
}
LINES: dict[str, Callable[[Example], Line]] = {
    "poisson_nll": _rate,
    "gaussian_nll": _spread,
    "lovasz_hinge": _hinge_map,
    "adversarial": _fake_logit,
    "wasserstein": _fake_logit,
    "reconstruction": _error,
    "denoising": _error,
    "token_cross_entropy": _logit,
    "cosine": _pair_angle,
    **dict.fromkeys(("margin_ranking", "ranknet"), _difference),
    **dict.fromkeys(("arcface", "cosface", "sphereface", "softmax", "center"), _margin_angle),
    **dict.fromkeys(("triplet", "contrastive", "circle", "info_nce"), _class_angle),
    **dict.fromkeys(("yolo", "combined", "nll"), _through),
}
