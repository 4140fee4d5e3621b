"""The true risk of models and learners on a simulated truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.arrays import Host
from assay.core.call_checks import guarded
from assay.core.errors import InputError, arg
from assay.core.parameters import choice, whole
from assay.resampling.estimate.learners import Fitted, Learner, LearnerLike, as_learner
from assay.resampling.simulation.truths import Loss, Truth, seeds

LOSSES: tuple[Loss, ...] = ("squared", "zero_one")


@dataclass(frozen=True)
class Risk:
    """A true expected loss; ``error`` is the standard error of its simulation, 0 where it is ``exact``."""

    value: float
    error: float = 0.0
    exact: bool = True


def default_loss(who: str, truth: Truth, loss: Loss | None) -> Loss:
    """The loss, by default that of the task; refuses error rates of real targets."""
    if loss is None:
        return "zero_one" if truth.task == "binary" else "squared"
    choice(who, "loss", loss, LOSSES)
    if loss == "zero_one" and truth.task != "binary":
        why = f"'zero_one' counts wrong classes, and the truth {truth.name!r} has none"
        raise InputError(who, "loss", why, f"Use {arg('loss', 'squared')}.")
    return loss


def predictions(who: str, answers: Mapping[str, Host], truth: Truth, loss: Loss, n: int) -> Host:
    """What the loss uses: labels, probabilities of class 1 (squared loss of a binary target), or values."""
    kind = "y_prob" if truth.task == "binary" and loss == "squared" else "y_pred"
    if kind not in answers:
        why = f"must return {kind} for the {loss} loss of a {truth.task} target, got {_listed(answers)}"
        raise InputError(who, "learner", why)
    values = np.asarray(answers[kind])
    if kind == "y_prob" and values.ndim == 2 and values.shape[1] == 2:
        values = values[:, 1]
    if values.shape != (n,):
        raise InputError(who, "learner", f"must return one {kind} for each of {n} rows, got shape {values.shape}")
    if values.dtype.kind not in "biuf" or not np.isfinite(values).all():
        raise InputError(who, "learner", f"must return finite numbers as {kind}")
    return values


def _listed(answers: Mapping[str, Host]) -> str:
    return ", ".join(sorted(answers)) or "nothing"


@guarded
def true_risk(model: Fitted, truth: Truth, *, loss: Loss | None = None, points: int = 100_000, seed: int = 0) -> Risk:
    """The true expected loss of a fitted model on new rows of this truth.

    In closed form for linear models of a linear truth and linear scores of the Gaussian one. Otherwise the reducible part is
    averaged over ``points`` fresh rows, where the expected loss of each row is known, and the known noise is added: ``error`` is
    the standard error of that average.
    """
    loss = default_loss("true_risk", truth, loss)
    whole("true_risk", "points", points, low=2)
    found = truth.exact(model, loss)
    if found is not None:
        return Risk(found)
    X = truth.points(points, seed)
    given = predictions("true_risk", model(X), truth, loss, points)
    p = truth.mean(X)
    if loss == "zero_one":
        parts = np.where((given == 1) == (p > 0.5), 0.0, np.abs(2 * p - 1))
        known = truth.noise
    else:
        parts: Any = (given - p) ** 2 + (truth.variance(X) if truth.task == "binary" else 0.0)
        known = 0.0 if truth.task == "binary" else truth.noise
    return Risk(known + float(parts.mean()), float(parts.std(ddof=1)) / math.sqrt(points), exact=False)


def trained(learner: Learner, truth: Truth, n: int, data: int, fit: int) -> Fitted:
    """A model from ``n`` fresh rows; ``data`` and ``fit`` are seeds. A learner that splits inside also gets the groups."""
    more = {"groups": truth.groups(n)} if learner.grouped else {}
    return learner.train(*truth.draw(n, data), fit, **more)


@guarded
def learner_risk(
    learner: LearnerLike,
    truth: Truth,
    n: int,
    *,
    loss: Loss | None = None,
    repeats: int = 200,
    points: int = 2000,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Risk:
    """The true risk of a learner at ``n`` rows: the mean over ``repeats`` training sets, each model tested on rows of its own."""
    whole("learner_risk", "repeats", repeats, low=2)
    made = as_learner(learner)
    values: list[float] = []
    for data, fit, fresh in zip(*(seeds(seed, stream, repeats) for stream in (0, 1, 2)), strict=True):
        model = trained(made, truth, n, data, fit)
        values.append(true_risk(model, truth, loss=loss, points=points, seed=fresh).value)
        if progress is not None:
            progress(1)
    return Risk(float(np.mean(values)), float(np.std(values, ddof=1)) / math.sqrt(repeats), exact=False)
