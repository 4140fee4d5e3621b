"""Code as users write it, checked by `make lint` with pyright and mypy; nothing here runs as a test.

Every `assert_type` names the exact type that a checker must find: a public signature that falls back to `Any` fails here.
"""

from __future__ import annotations

from typing import assert_type

import numpy as np
import polars as pl
import torch
from jax import Array as JaxArray
from numpy.typing import NDArray

import assay
from assay import losses
from assay.core.errors import InputError
from assay.core.score import Score
from assay.evaluation.comparisons import Comparisons
from assay.evaluation.result import Measured, Result
from assay.losses import Parts
from assay.resampling import CrossValidation, Estimate
from assay.resampling.estimate.learners import LearnerLike

y_true = [0, 1, 1, 0, 1]
y_score = np.array([0.2, 0.7, 0.6, 0.4, 0.9])


def metrics() -> None:
    """Plain calls give numbers, and arrays where one value per class is asked for."""
    assert_type(assay.accuracy(y_true, [0, 1, 0, 0, 1]), float)
    assert_type(assay.f1(y_true, [0, 1, 0, 0, 1], average="macro"), float)
    assert_type(assay.f1(y_true, [0, 1, 0, 0, 1], average=None), NDArray[np.float64])
    assert_type(assay.roc_auc(y_true, y_score), float)
    assert_type(assay.mse(torch.zeros(3), torch.ones(3)), float)


def intervals() -> None:
    """A metric is a value; its intervals are scores."""
    auc = assay.metrics.RocAuc()
    score = auc.interval(y_true, y_score)
    assert_type(score, Score)
    assert_type(score.low, float | None)
    assert_type(assay.roc_auc(y_true, y_score, interval=True), Score)
    assert_type(assay.roc_auc(y_true, y_score, interval=False), float)
    assert_type(assay.f1(y_true, [0, 1, 0, 0, 1], average="macro", interval=True, level=0.9), Score)


def tables() -> None:
    """Columns of a table by name."""
    frame = pl.DataFrame({"y": y_true, "p": y_score, "q": 1 - y_score})
    assert_type(assay.evaluate(frame, truth="y", prob="p", by="y", metrics="brier, f1"), Result)
    assert_type(assay.evaluate(y_true, [0, 1, 0, 0, 1]), Result)
    assert_type(assay.compare(frame, truth="y", prob=["p", "q"]), Comparisons)
    assert_type(assay.compare(frame, truth="y", prob={"a": "p", "b": "q"}), Comparisons)


def whole_tasks() -> None:
    """Everything that a task calls for at once."""
    result = assay.evaluate(task="binary", y_true=y_true, y_score=y_score)
    assert_type(result, Result)
    assert_type(result.scores["accuracy"], Score)
    found = result["accuracy"]
    assert_type(found, Measured)
    if isinstance(found, Score):
        assert_type(found.low, float | None)
    models = {"old": y_score, "new": 1 - y_score}
    assert_type(assay.compare(task="binary", y_true=y_true, models=models), Comparisons)


def resampling(learner: LearnerLike, X: NDArray[np.float64]) -> None:
    """A learner, estimated by cross-validation."""
    scheme = CrossValidation(folds=5, seed=7)
    assert_type(assay.resampling.CrossValidation(folds=5), CrossValidation)
    assert_type(assay.estimate(learner, X, y_true, scheme, ["accuracy"]), Estimate)


def losses_of_numpy() -> None:
    """Arrays, lists and numbers in; a number out, or an array without a reduction."""
    p, y = np.zeros(3), [0.0, 1.0, 2.0]
    assert_type(losses.mse(p, y), np.floating)
    assert_type(losses.mse(p, y, reduction="none"), NDArray[np.floating])
    assert_type(losses.cross_entropy([[0.0, 1.0]], [1], reduction="sum"), np.floating)
    assert_type(losses.focal(target=[1], probabilities=[0.3]), np.floating)
    assert_type(losses.box_iou([[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 1.0, 1.0]]), NDArray[np.floating])


def losses_of_torch() -> None:
    """Tensors in, tensors out; lists and arrays join them."""
    z, t = torch.zeros(2, 3, requires_grad=True), torch.tensor([0, 2])
    assert_type(losses.cross_entropy(z, t, class_weight=[1.0, 2.0, 1.0]), torch.Tensor)
    assert_type(losses.mse(z, torch.ones(2, 3), reduction="none"), torch.Tensor)
    assert_type(losses.dice(z, [0, 2]), torch.Tensor)
    assert_type(losses.adversarial(z[:, 0], z[:, 1], role="discriminator", parts=True), Parts[torch.Tensor])
    assert_type(losses.huber(z, torch.ones(2, 3), delta=2.0).detach(), torch.Tensor)


def losses_of_jax(z: JaxArray, labels: JaxArray) -> None:
    """Arrays of JAX in, arrays of JAX out."""
    assert_type(losses.mse(z, [[0.0, 1.0, 2.0]]), JaxArray)
    assert_type(losses.info_nce(z, labels), JaxArray)
    assert_type(losses.vae(z, z, mean=z, log_variance=z, parts=True), Parts[JaxArray])


def errors() -> None:
    """Errors carry their parts."""
    try:
        assay.accuracy(y_true, [0, 1])
    except InputError as error:
        assert_type(error.argument, str)
        assert_type(error.fix, str)
