"""A threshold chosen by any metric of binary labels, under conditions on others, and the warning that belongs to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

import assay
from assay.core.registry import find
from assay.metrics import F1, Accuracy, ExpectedCost, FBeta
from messages import refusal

RNG = np.random.default_rng(3)
Y = RNG.integers(0, 2, 300)
SCORE = np.round(RNG.normal(size=300) + 1.2 * Y, 2)  # with ties
ORACLES: dict[str, Any] = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "mcc": sk.matthews_corrcoef,
    "f1": sk.f1_score,
    "recall": sk.recall_score,
    "cohen_kappa": sk.cohen_kappa_score,
    "misclassification": sk.zero_one_loss,
}


def sweep(y: Any = Y, score: Any = SCORE, **options: Any) -> Any:
    return assay.threshold_sweep(y, score, **options)


@pytest.mark.parametrize("name", ORACLES)
def test_any_metric_at_every_threshold(name: str) -> None:
    """The values are those of the metric itself on the decisions, and the best one is the best of all of them."""
    found = sweep()
    expected = [ORACLES[name](Y, (t <= SCORE).astype(int)) for t in found.threshold[1:]]
    # Where everyone is called positive the correlation is undefined, and scikit-learn writes 0.
    np.testing.assert_allclose(np.nan_to_num(found.values(name)[1:]), expected, rtol=1e-12, atol=1e-15)
    threshold, value = found.best(name)
    best = min(expected) if find(name)().record.better == "lower" else max(expected)
    assert value == pytest.approx(best, rel=1e-12)
    assert ORACLES[name](Y, (threshold <= SCORE).astype(int)) == pytest.approx(best, rel=1e-12)


def test_recall_at_a_precision() -> None:
    """Of all thresholds with a precision of 0.9, the one that finds most."""
    chosen = sweep().best("recall", at_least={"precision": 0.9})
    pairs = [
        (sk.recall_score(Y, t <= SCORE), float(t)) for t in np.unique(SCORE) if sk.precision_score(Y, t <= SCORE) >= 0.9
    ]
    assert (chosen.value, chosen.threshold) == pytest.approx(max(pairs))


def test_conditions_of_both_kinds_hold_together() -> None:
    limits: dict[Any, float] = {"specificity": 0.7, Accuracy(): 0.6}
    chosen = sweep().best(FBeta(beta=2.0), at_least=limits, at_most={"false_negative_rate": 0.5})
    called = (chosen.threshold <= SCORE).astype(int)
    assert assay.specificity(Y, called) >= 0.7
    assert assay.accuracy(Y, called) >= 0.6
    assert assay.recall(Y, called) >= 0.5
    assert chosen.value == assay.f_beta(Y, called, beta=2.0) <= sweep().best(FBeta(beta=2.0)).value


def test_averages_and_costs() -> None:
    chosen = sweep().best(F1(average="macro"))
    assert chosen.value == pytest.approx(sk.f1_score(Y, chosen.threshold <= SCORE, average="macro"))
    cost = ((0.0, 1.0), (5.0, 0.0))
    assert sweep().best(ExpectedCost(cost=cost)) == pytest.approx(sweep().cheapest(cost))


def test_weights_count() -> None:
    weight = RNG.integers(0, 3, 300)
    weighted = sweep(weight=weight).best("accuracy", at_least={"recall": 0.5})
    copied = sweep(np.repeat(Y, weight), np.repeat(SCORE, weight)).best("accuracy", at_least={"recall": 0.5})
    assert weighted == pytest.approx(copied)


@pytest.mark.filterwarnings("default")
def test_a_choice_warns_that_it_must_be_tested_on_other_data() -> None:
    found = sweep()
    for choose in (lambda: found.best("f1"), lambda: found.cheapest([[0, 1], [2, 0]])):
        with pytest.warns(assay.SelectionWarning, match="Test it on other data") as said:
            choose()
        assert said[0].filename == __file__


def test_conditions_that_nothing_keeps() -> None:
    with refusal(assay.UndefinedError):
        sweep().best("recall", at_least={"precision": 1.5}, at_most={"recall": 0.2})
    with refusal(assay.UndefinedError):
        sweep([0, 0, 0], [0.1, 0.2, 0.3]).best("recall")


@pytest.mark.parametrize("metric", ["log_loss", "confusion_matrix", F1(average=None), F1(positive=0), "mean_squared"])
def test_what_is_no_metric_of_binary_labels(metric: Any) -> None:
    with refusal(assay.AssayError):
        sweep().best(metric)


@pytest.mark.parametrize("limit", [np.nan, "high", True])
def test_limits_are_numbers(limit: Any) -> None:
    with refusal(assay.ParameterError):
        sweep().best("recall", at_least={"precision": limit})
