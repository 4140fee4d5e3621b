"""One number along which a loss is drawn: an error, a logit, a shift of a box, an angle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.testing.examples import Example, examples_of

POINTS = 241


@dataclass(frozen=True)
class LossSweep:
    """The values of a loss along an axis that has a name."""

    axis: str
    x: Any
    y: Any


Line = tuple[str, tuple[float, float], Callable[[float], dict[str, Any]]]


def sweep_of(loss: Any) -> LossSweep | None:
    """The loss along the line of its family, or through its first example; None if it has neither."""
    found = examples_of(loss)
    if not found:
        return None
    maker = LINES.get(loss.key) or FAMILY.get(loss.task, _through)
    axis, ends, inputs = maker(found[0])
    x = np.linspace(*ends, POINTS)
    y = [float(np.asarray(_number(loss(**inputs(float(t)))))) for t in x]
    return LossSweep(axis, x, np.array(y))


def _number(value: Any) -> Any:
    return value.total if hasattr(value, "total") else value


def _error(example: Example) -> Line:
    return "prediction - target", (-4.0, 4.0), lambda t: {"prediction": np.array([t]), "target": np.zeros(1)}


def _far_error(example: Example) -> Line:
    """Beyond the width of ten from which wing is linear."""
    return "prediction - target", (-15.0, 15.0), lambda t: {"prediction": np.array([t]), "target": np.zeros(1)}


def _two_terms(example: Example) -> Line:
    def at(t: float) -> dict[str, Any]:
        return {"prediction": np.array([t]), "target": np.zeros(1), "terms": {"mse": 1.0, "huber": 0.5}}

    return "prediction - target, for mse + huber / 2", (-4.0, 4.0), at


def _tail(example: Example) -> Line:
    """One of twenty losses, which counts once it is among the worst."""
    others = np.linspace(0.0, 1.0, 19)
    return "one loss of 20, the others from 0 to 1", (0.0, 2.0), lambda t: {"values": np.append(others, t)}


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


def _log_share(example: Example) -> Line:
    """The log-probability of the true class; two others share the rest."""

    def at(t: float) -> dict[str, Any]:
        rest = np.log(-np.expm1(t) / 2)
        return {"log_probabilities": np.array([[t, rest, rest]]), "target": np.zeros(1, dtype=np.int64)}

    return "log-probability of the true class", (-5.0, -0.01), at


def _forecast_logit(example: Example) -> Line:
    def at(t: float) -> dict[str, Any]:
        return {"logits": np.array([[t, 0.0]]), "target": np.array([[0.7, 0.3]])}

    return "logit beside one of 0, for a target of 0.7 and 0.3", (-4.0, 4.0), at


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


def _cell(example: Example) -> Line:
    """A grid of one cell with one box, right but for its place."""
    right = np.array([[[[0.5, 0.5, 0.5, 0.5, 1.0, 1.0, 0.0]]]])

    def at(t: float) -> dict[str, Any]:
        return {"prediction": right + t * (np.arange(7) == 0), "target": right}

    return "sideways shift of the predicted centre, in cells", (-0.5, 0.5), at


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


def _siamese_angle(example: Example) -> Line:
    def at(t: float) -> dict[str, Any]:
        turned, fixed = _turn(t)[None, :], _turn(0.0)[None, :]
        return {"p1": turned, "p2": turned, "z1": fixed, "z2": fixed}

    return "angle between prediction and projection, in degrees", (0.0, 180.0), at


def _correlation(example: Example) -> Line:
    """Two features of eight rows; the second view has a share of the first and else what has nothing to do with it."""
    row = np.arange(8)
    columns = np.stack([1.0 - 2 * ((row >> bit) & 1) for bit in range(3)], axis=1)
    first, new = columns[:, :2], np.stack([columns[:, 2], columns.prod(axis=1)], axis=1)

    def at(t: float) -> dict[str, Any]:
        return {"first": first, "second": t * first + np.sqrt(1 - t * t) * new}

    return "correlation of each feature between the views", (-1.0, 1.0), at


def _difference(example: Example) -> Line:
    return "first score - second score", (-4.0, 4.0), lambda t: {"first": np.array([t]), "second": np.zeros(1)}


def _fake_logit(example: Example) -> Line:
    return "the discriminator's logit of a fake", (-6.0, 6.0), lambda t: {"fake": np.array([t])}


def _fake_score(example: Example) -> Line:
    return "critic's score of a fake", (-4.0, 4.0), lambda t: {"fake": np.array([t])}


def _latent(example: Example) -> Line:
    def at(t: float) -> dict[str, Any]:
        return {"latent": np.array([[t]]), "log_determinant": np.zeros(1)}

    return "latent, of one dimension", (-4.0, 4.0), at


def _code(example: Example) -> Line:
    def at(t: float) -> dict[str, Any]:
        return {"mean": np.array([[t]]), "log_variance": np.zeros((1, 1))}

    return "mean of a code with a variance of 1", (-4.0, 4.0), at


def _pixel(example: Example) -> Line:
    def at(t: float) -> dict[str, Any]:
        one = np.zeros((1, 1))
        return {"prediction": one + t, "target": one, "mean": one + 1, "log_variance": one}

    return "prediction - target of one pixel, for a code of mean 1 and variance 1", (-4.0, 4.0), at


def _moved_sample(example: Example) -> Line:
    """A sample that is moved away from itself; points, where the example has points."""
    flat = np.asarray(example.inputs["target"]).ndim == 1
    sample = np.array([-1.0, 0.0, 1.0]) if flat else np.array([[-1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])

    def at(t: float) -> dict[str, Any]:
        moved = {"prediction": sample + (t if flat else np.array([t, 0.0])), "target": sample}
        return moved if flat else {**moved, "iterations": 10}  # enough for so few points

    return "shift of the sample", (-3.0, 3.0), at


def _energy(example: Example) -> Line:
    def at(t: float) -> dict[str, Any]:
        return {"data_energy": np.array([t]), "sample_energy": np.zeros(1)}

    return "energy of the data, beside samples of 0", (-4.0, 4.0), at


def _density(example: Example) -> Line:
    def at(t: float) -> dict[str, Any]:
        model, noise = np.array([t]), np.zeros(1)
        return {"data_log_model": model, "noise_log_model": model, "data_log_noise": noise, "noise_log_noise": noise}

    return "log-density of the model, where that of the noise is 0", (-4.0, 4.0), at


def _safe_sample(example: Example) -> Line:
    def at(t: float) -> dict[str, Any]:
        return {"log_probabilities": np.array([[t, -3.0]]), "risk": np.array([[0.0, 1.0]])}

    return "log-probability of the sample without risk, beside one of -3", (-6.0, 0.0), at


def _rewarded(example: Example) -> Line:
    def at(t: float) -> dict[str, Any]:
        return {"log_probabilities": np.array([t]), "reward": np.ones(1)}

    return "log-probability of a sequence with a reward of 1", (-6.0, 0.0), at


def _through(example: Example) -> Line:
    """From what the example predicts along a fixed random direction."""
    name = example.vary[0]
    start = np.asarray(example.inputs[name], dtype=np.float64)
    step = np.random.default_rng(0).normal(size=start.shape)
    step *= np.linalg.norm(start) / max(float(np.linalg.norm(step)), 1e-12)

    def at(t: float) -> dict[str, Any]:
        return {**example.inputs, **example.options, name: start + t * step}

    return f"{name} moved along a random line", (-1.0, 1.0), at


FAMILY: dict[str, Callable[[Example], Line]] = {
    "regression": _error,
    "classification": _logit,
    "detection": _shifted,
    "segmentation": _label_logits,
}
LINES: dict[str, Callable[[Example], Line]] = {
    "cvar": _tail,
    "poisson_nll": _rate,
    "gaussian_nll": _spread,
    "lovasz_hinge": _hinge_map,
    "wing": _far_error,
    "combined": _two_terms,
    "nll": _log_share,
    "yolo": _cell,
    "simsiam": _siamese_angle,
    "barlow_twins": _correlation,
    "adversarial": _fake_logit,
    "wasserstein": _fake_score,
    "wasserstein_distance": _moved_sample,
    "sinkhorn": _moved_sample,
    "kl_divergence": _forecast_logit,
    "flow_nll": _latent,
    "gaussian_kl": _code,
    "vae": _pixel,
    "contrastive_divergence": _energy,
    "noise_contrastive": _density,
    "minimum_risk": _safe_sample,
    "reinforce": _rewarded,
    "reconstruction": _error,
    "denoising": _error,
    **dict.fromkeys(("token_cross_entropy", "structured_hinge"), _logit),
    "cosine": _pair_angle,
    **dict.fromkeys(("margin_ranking", "ranknet"), _difference),
    **dict.fromkeys(("arcface", "cosface", "sphereface", "softmax", "center"), _margin_angle),
    **dict.fromkeys(("triplet", "contrastive", "circle", "info_nce"), _class_angle),
}
