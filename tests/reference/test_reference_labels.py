"""Metrics of decisions against scikit-learn, torchmetrics or a count by hand, with weights, many classes and text."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_data import SIZES, WEIGHTS, labels, multilabel, scores, shares, weights

import assay

AVERAGES = ("macro", "micro", "weighted", None)
SKLEARN: dict[str, tuple[dict, Callable, dict]] = {
    "precision": ({}, sk.precision_score, {"zero_division": np.nan}),
    "recall": ({}, sk.recall_score, {"zero_division": np.nan}),
    "f1": ({}, sk.f1_score, {"zero_division": np.nan}),
    "f_beta": ({"beta": 0.5}, sk.fbeta_score, {"beta": 0.5, "zero_division": np.nan}),
    "jaccard": ({}, sk.jaccard_score, {}),
}
CELLS: dict[str, Callable] = {
    "specificity": lambda tp, fp, fn, tn: tn / (tn + fp),
    "false_positive_rate": lambda tp, fp, fn, tn: fp / (tn + fp),
    "false_negative_rate": lambda tp, fp, fn, tn: fn / (tp + fn),
    "negative_predictive_value": lambda tp, fp, fn, tn: tn / (tn + fn),
    "false_discovery_rate": lambda tp, fp, fn, tn: fp / (tp + fp),
    "false_omission_rate": lambda tp, fp, fn, tn: fn / (tn + fn),
    "positive_likelihood_ratio": lambda tp, fp, fn, tn: tp / (tp + fn) / (fp / (fp + tn)),
    "negative_likelihood_ratio": lambda tp, fp, fn, tn: fn / (tp + fn) / (tn / (fp + tn)),
    "youden": lambda tp, fp, fn, tn: tp / (tp + fn) + tn / (tn + fp) - 1,
    "net_benefit": lambda tp, fp, fn, tn: (tp - fp) / (tp + fp + fn + tn),
}
TABLE: dict[str, list[tuple[dict, Callable, dict]]] = {
    "accuracy": [({}, sk.accuracy_score, {})],
    "misclassification": [({}, sk.zero_one_loss, {})],
    "hamming": [({}, sk.hamming_loss, {})],
    "balanced_accuracy": [
        ({}, sk.balanced_accuracy_score, {}),
        ({"adjusted": True}, sk.balanced_accuracy_score, {"adjusted": True}),
    ],
    "matthews_correlation": [({}, sk.matthews_corrcoef, {})],
    "cohen_kappa": [({"weights": v}, sk.cohen_kappa_score, {"weights": v}) for v in (None, "linear", "quadratic")],
    "confusion_matrix": [
        ({"normalize": ours}, sk.confusion_matrix, {"normalize": theirs})
        for ours, theirs in ((None, None), ("true", "true"), ("predicted", "pred"), ("all", "all"))
    ],
}


def close(value: Any, expected: Any, rtol: float = 1e-10) -> None:
    np.testing.assert_allclose(value, expected, rtol=rtol, atol=1e-13)


def averaged(rate: Callable, y: Any, p: Any, w: Any, average: str | None) -> Any:
    """A rate of scikit-learn's cells of each class."""
    cells = sk.multilabel_confusion_matrix(y, p, sample_weight=w).astype(float)
    tn, fp, fn, tp = cells[:, 0, 0], cells[:, 0, 1], cells[:, 1, 0], cells[:, 1, 1]
    if average == "micro":
        return rate(tp.sum(), fp.sum(), fn.sum(), tn.sum())
    values = rate(tp, fp, fn, tn)
    return {None: values, "macro": values.mean(), "weighted": np.average(values, weights=tp + fn)}[average]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("key", [*SKLEARN, *CELLS])
def test_binary(key: str, kind: str, n: int) -> None:
    y, p = labels(n, 2)
    w = weights(kind, n)
    if key in SKLEARN:
        options, oracle, theirs = SKLEARN[key]
        expected = oracle(y, p, sample_weight=w, **theirs)
    else:
        options, expected = {}, averaged(CELLS[key], y, p, w, None)[1]
    close(getattr(assay, key)(y, p, weight=w, **options), expected)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", ["none", "real"])
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("key", [*SKLEARN, *CELLS])
def test_multiclass(key: str, average: str | None, kind: str, n: int) -> None:
    y, p = labels(n, 5)
    w = weights(kind, n)
    if key in SKLEARN:
        options, oracle, theirs = SKLEARN[key]
        expected = oracle(y, p, sample_weight=w, average=average, **theirs)
    else:
        options, expected = {}, averaged(CELLS[key], y, p, w, average)
    close(getattr(assay, key)(y, p, weight=w, average=average, **options), expected)


@pytest.mark.parametrize("kind", ["none", "real"])
@pytest.mark.parametrize("average", [*AVERAGES, "samples"])
@pytest.mark.parametrize("key", SKLEARN)
def test_multilabel(key: str, average: str | None, kind: str) -> None:
    options, oracle, theirs = SKLEARN[key]
    y, p = multilabel(200, 6)
    p[p.sum(axis=1) == 0, 0] = y[y.sum(axis=1) == 0, 3] = 1  # so that the rates of all rows exist
    w = weights(kind, 200)
    close(
        getattr(assay, key)(y, p, weight=w, average=average, **options),
        oracle(y, p, sample_weight=w, average=average, **theirs),
    )


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("k", [2, 7])
@pytest.mark.parametrize("key", TABLE)
def test_table(key: str, k: int, kind: str, n: int) -> None:
    y, p = labels(n, k)
    w = weights(kind, n)
    for options, oracle, theirs in TABLE[key]:
        close(getattr(assay, key)(y, p, weight=w, **options), oracle(y, p, sample_weight=w, **theirs))


@pytest.mark.parametrize("kind", WEIGHTS)
def test_multilabel_tables(kind: str) -> None:
    y, p = multilabel(300, 5)
    w = weights(kind, 300)
    close(assay.confusion_matrix(y, p, weight=w), sk.multilabel_confusion_matrix(y, p, sample_weight=w))
    close(assay.hamming(y, p, weight=w), sk.hamming_loss(y, p, sample_weight=w))
    close(assay.accuracy(y, p, weight=w), sk.accuracy_score(y, p, sample_weight=w))
    close(assay.misclassification(y, p, weight=w), sk.zero_one_loss(y, p, sample_weight=w))


@pytest.mark.parametrize("n", [50, 25_000, 70_001])
def test_text_labels(n: int) -> None:
    """Text takes the dictionary, polars or the kernel route by size; all must count the same."""
    y, p = labels(n, 4)
    names = np.array(["delta", "alpha", "Çelik", "b b"])
    for dtype in (None, object):
        text, guess = (names[a].astype(dtype) if dtype else names[a] for a in (y, p))
        close(assay.f1(text, guess, average="macro"), sk.f1_score(y, p, average="macro"))
        close(
            assay.cohen_kappa(text, guess, classes=tuple(names), weights="linear"),
            sk.cohen_kappa_score(y, p, weights="linear"),
        )
        assert assay.metrics.Recall(average="macro").score(text, guess).parts.keys() == set(names.tolist())


def test_many_and_sparse_classes() -> None:
    y, p = labels(70_001, 900)
    close(assay.f1(y, p, average="macro"), sk.f1_score(y, p, average="macro"))
    spread = np.arange(900) * 1_000_003 - 77
    close(assay.f1(spread[y], spread[p], average="macro"), sk.f1_score(y, p, average="macro"))
    close(assay.matthews_correlation(spread[y], spread[p]), sk.matthews_corrcoef(y, p))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.float32, bool])
@pytest.mark.parametrize("n", SIZES)
def test_label_dtypes(dtype: Any, n: int) -> None:
    y, p = labels(n, 2)
    close(assay.f1(y.astype(dtype), p.astype(dtype)), sk.f1_score(y, p))


@pytest.mark.parametrize("n", SIZES)
def test_decisions_from_probabilities(n: int) -> None:
    y, p = scores(n)
    close(assay.f1(y, y_prob=p), sk.f1_score(y, p >= 0.5))
    close(assay.recall(y, y_prob=p, threshold=0.2), sk.recall_score(y, p >= 0.2))
    close(assay.recall(y, logits=np.log(p / (1 - p)), threshold=0.2), sk.recall_score(y, p >= 0.2))
    yy, pp = shares(n, 4)
    close(assay.f1(yy, y_prob=pp, average="macro"), sk.f1_score(yy, pp.argmax(1), average="macro"))
    close(assay.f1(yy, logits=np.log(pp), average="macro"), sk.f1_score(yy, pp.argmax(1), average="macro"))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", WEIGHTS)
def test_expected_cost(n: int, kind: str) -> None:
    y, p = labels(n, 3)
    cost = np.array([[0.0, 1.0, 2.5], [3.0, -1.0, 4.0], [5.0, 6.0, 0.5]])
    w = weights(kind, n)
    close(assay.expected_cost(y, p, cost=cost, weight=w), np.average(cost[y, p], weights=w))
    yy, pp = shares(n, 3)
    chosen = np.array([[sum(row[t] * cost[t, d] for t in range(3)) for d in range(3)] for row in pp[:500]]).argmin(1)
    assert assay.cost_minimal_decisions(pp[:500], cost).tolist() == chosen.tolist()
    close(assay.expected_cost(yy[:500], y_prob=pp[:500], cost=cost), cost[yy[:500], chosen].mean())
    # No threshold does better on average than the cost-minimal one under the stated probabilities.
    two = [[0.0, 2.0], [7.0, 1.0]]
    at = assay.cost_minimal_threshold(two)
    q = np.linspace(0.001, 0.999, 999)
    stay, go = two[0][0] * (1 - q) + two[1][0] * q, two[0][1] * (1 - q) + two[1][1] * q
    assert ((go <= stay + 1e-12) == (q >= at - 1e-12)).all()


ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40).filter(
    lambda rows: sum(r[2] for r in rows) > 0
)


@given(ROWS)
@settings(max_examples=150, deadline=None)
@pytest.mark.filterwarnings("ignore::assay.core.errors.UndefinedWarning")
def test_exact_fractions(rows: list[tuple[int, int, int]]) -> None:
    """Macro F1, kappa and accuracy by counting in exact arithmetic; rows of weight zero still name their classes."""
    y, p, w = (np.array(column) for column in zip(*rows, strict=True))
    total = sum(r[2] for r in rows)
    classes = sorted({r[0] for r in rows} | {r[1] for r in rows})
    f1: list[Fraction] = []
    chance = Fraction(0)
    for c in classes:
        tp = sum(k for a, b, k in rows if a == b == c)
        true, called = sum(k for a, _, k in rows if a == c), sum(k for _, b, k in rows if b == c)
        chance += Fraction(true * called, total * total)
        if true + called:
            f1.append(Fraction(2 * tp, true + called))
    hits = Fraction(sum(k for a, b, k in rows if a == b), total)
    close(assay.accuracy(y, p, weight=w.astype(float)), float(hits))
    close(assay.f1(y, p, weight=w.astype(float), average="macro"), float(sum(f1) / len(f1)))
    kappa = assay.cohen_kappa(y, p, weight=w.astype(float))
    close(kappa, float((hits - chance) / (1 - chance)) if chance != 1 else np.nan)
