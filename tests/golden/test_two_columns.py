"""Two columns of scores of a binary problem are taken where log loss takes them, and mean what the column of the positive class means."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

import assay
from messages import refusal

RNG = np.random.default_rng(7)
Y = RNG.integers(0, 2, 60)
P = np.clip(0.3 * Y + 0.7 * RNG.random(60), 0.01, 0.99)
TWO = np.stack([1 - P, P], axis=1)
Z = RNG.normal(size=(60, 2))  # logits: only their difference means anything
OF_SCORES = ["roc_auc", "average_precision", "equal_error_rate", "tpr_at_fpr"]
OF_PROBABILITIES = ["log_loss", "calibration_error", "accuracy", "f1", "matthews_correlation"]


@pytest.mark.parametrize("name", [*OF_SCORES, *OF_PROBABILITIES])
def test_two_columns_are_the_positive_one(name: str) -> None:
    metric: Any = getattr(assay, name)
    assert metric(Y, y_prob=TWO) == pytest.approx(metric(Y, y_prob=P), rel=1e-12)
    assert metric(Y, logits=Z) == pytest.approx(metric(Y, logits=Z[:, 1] - Z[:, 0]), rel=1e-12)


@pytest.mark.parametrize("name", OF_SCORES)
def test_scores_of_the_positive_class(name: str) -> None:
    metric: Any = getattr(assay, name)
    assert metric(Y, TWO) == metric(Y, P)
    assert metric(Y, TWO, positive=0) == metric(1 - Y, 1 - P)


def test_oracles() -> None:
    assert assay.roc_auc(Y, TWO) == pytest.approx(sk.roc_auc_score(Y, P))
    assert assay.average_precision(Y, TWO) == pytest.approx(sk.average_precision_score(Y, P))
    softmax = np.exp(Z) / np.exp(Z).sum(1, keepdims=True)
    assert assay.roc_auc(Y, logits=Z) == pytest.approx(sk.roc_auc_score(Y, softmax[:, 1]))
    assert assay.brier(Y, y_prob=TWO, halve=True) == pytest.approx(sk.brier_score_loss(Y, P))


@pytest.mark.parametrize("name", ["roc_curve", "pr_curve", "threshold_sweep", "reliability_curve"])
def test_one_curve(name: str) -> None:
    curve: Any = getattr(assay, name)
    assert curve(Y, y_prob=TWO).to_dict() == curve(Y, y_prob=P).to_dict()


def test_intervals_and_averages() -> None:
    auc = assay.metrics.RocAuc()
    assert str(auc.interval(Y, TWO)) == str(auc.interval(Y, P))
    each = assay.roc_auc(Y, TWO, average=None)
    np.testing.assert_allclose(each, [sk.roc_auc_score(Y, P)] * 2)


def test_text_labels_need_a_positive_class() -> None:
    text = np.array(["ham", "spam"])[Y]
    assert assay.roc_auc(text, TWO, classes=("ham", "spam"), positive="spam") == assay.roc_auc(Y, P)
    with refusal(assay.InputError):
        assay.roc_auc(text, TWO, classes=("ham", "spam"))
    with refusal(assay.InputError):
        assay.roc_curve(text, TWO, classes=("ham", "spam"))
    with refusal(assay.InputError):
        assay.roc_auc(Y, np.stack([P, P, P], axis=1))


def test_evaluate_takes_the_difference_of_two_logits() -> None:
    two = assay.evaluate(task="binary", y_true=Y, logits=Z, metrics=["log_loss", "roc_auc", "accuracy"])
    one = assay.evaluate(task="binary", y_true=Y, logits=Z[:, 1] - Z[:, 0], metrics=["log_loss", "roc_auc", "accuracy"])
    for name in ("log_loss", "roc_auc", "accuracy"):
        assert float(two.scores[name]) == pytest.approx(float(one.scores[name]), rel=1e-12)
    assert float(two.scores["log_loss"]) == pytest.approx(assay.log_loss(Y, logits=Z), rel=1e-12)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_top_k_of_few_classes_says_what_k_can_be(classes: int) -> None:
    with refusal(assay.InputError):
        assay.top_k_accuracy(np.arange(10) % classes, RNG.random((10, classes)))
