"""Metrics of scores and curves against scikit-learn, torchmetrics and exact walks along the curve."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_data import SIZES, WEIGHTS, crossing, multilabel, scores, shares, weights

import assay


def close(value: Any, expected: Any, rtol: float = 1e-10) -> None:
    np.testing.assert_allclose(value, expected, rtol=rtol, atol=1e-12)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_binary(n: int, kind: str, tied: bool, dtype: Any) -> None:
    y, p = scores(n, tied=tied)
    p, w = p.astype(dtype), weights(kind, n)
    close(assay.roc_auc(y, p, weight=w), sk.roc_auc_score(y, p, sample_weight=w))
    close(assay.average_precision(y, p, weight=w), sk.average_precision_score(y, p, sample_weight=w))
    for limit in (0.05, 0.5, 1.0):
        close(assay.roc_auc(y, p, weight=w, max_fpr=limit), sk.roc_auc_score(y, p, sample_weight=w, max_fpr=limit))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", WEIGHTS)
def test_curves(n: int, kind: str) -> None:
    y, p = scores(n, 1, tied=True)
    w = weights(kind, n)
    roc = assay.roc_curve(y, p, weight=w)
    seen = slice(None) if w is None else w > 0  # a threshold that only rows of weight 0 have is no point of the curve
    ww = None if w is None else w[seen]
    fpr, tpr, threshold = sk.roc_curve(y[seen], p[seen], sample_weight=ww, drop_intermediate=False)
    close(roc.fpr, fpr)
    close(roc.tpr, tpr)
    assert roc.threshold.tolist() == threshold.tolist()
    pr = assay.pr_curve(y, p, weight=w)
    precision, recall, threshold = sk.precision_recall_curve(y[seen], p[seen], sample_weight=ww)
    close(pr.precision, precision[-2::-1])
    close(pr.recall, recall[-2::-1])
    close(pr.threshold, threshold[::-1])
    sweep = assay.threshold_sweep(y, p, weight=w)
    tn, fp, fn, tp, at = sk.confusion_matrix_at_thresholds(y[seen], p[seen], sample_weight=ww)
    for ours, theirs in ((sweep.tn, tn), (sweep.fp, fp), (sweep.fn, fn), (sweep.tp, tp), (sweep.threshold, at)):
        np.testing.assert_allclose(ours[1:], theirs, rtol=1e-9, atol=1e-7)  # scikit-learn leaves out infinity


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("kind", ["none", "real"])
@pytest.mark.parametrize("tied", [False, True])
def test_multiclass(n: int, k: int, kind: str, tied: bool) -> None:
    y, p = shares(n, k, tied=tied)
    w = weights(kind, n)
    hot = np.eye(k, dtype=int)[y]
    for average in ("macro", "weighted", "micro", None):
        expected = sk.roc_auc_score(hot, p, average=average, sample_weight=w)
        close(assay.roc_auc(y, p, average=average, weight=w), expected)
        expected = sk.average_precision_score(hot, p, average=average, sample_weight=w)
        close(assay.average_precision(y, y_prob=p, average=average, weight=w), expected)
    if kind == "none" and k > 2:
        for average in ("macro", "weighted"):
            expected = sk.roc_auc_score(y, p, average=average, multi_class="ovo")
            close(assay.roc_auc(y, p, average=average, multiclass="ovo"), expected)


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("average", ["macro", "weighted", "micro", None])
def test_multilabel(kind: str, average: str | None) -> None:
    y, _ = multilabel(300, 4)
    s = np.round(np.random.default_rng(3).normal(y, 1.5), 1)
    w = weights(kind, 300)
    close(assay.roc_auc(y, s, average=average, weight=w), sk.roc_auc_score(y, s, average=average, sample_weight=w))
    expected = sk.average_precision_score(y, s, average=average, sample_weight=w)
    close(assay.average_precision(y, s, average=average, weight=w), expected)


@pytest.mark.parametrize("n", SIZES)
def test_interpolated_average_precision(n: int) -> None:
    """At each recall step the best precision from there on, step by step."""
    y, p = scores(n, 2, tied=True)
    precision, recall, _ = sk.precision_recall_curve(y, p)
    area, best = 0.0, 0.0
    for i in range(len(precision) - 1):  # from full recall down to none
        best = max(best, precision[i])
        area += (recall[i] - recall[i + 1]) * best
    close(assay.average_precision(y, p, interpolated=True), area)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("k", [1, 3])
def test_top_k(n: int, k: int) -> None:
    y, p = shares(n, 6, 4)
    for kind in WEIGHTS:
        w = weights(kind, n)
        expected = sk.top_k_accuracy_score(y, p, k=k, sample_weight=w)
        close(assay.top_k_accuracy(y, p, k=k, weight=w), expected)
        close(assay.top_k_accuracy(y, logits=np.log(p), k=k, weight=w), expected)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("tied", [False, True])
def test_points_of_the_curve(n: int, kind: str, tied: bool) -> None:
    y, p = scores(n, 5, tied=tied)
    w = weights(kind, n)
    fpr, tpr, _ = sk.roc_curve(y, p, sample_weight=w, drop_intermediate=False)
    for limit in (0.0, 0.013, 0.2, 1.0):
        close(
            assay.tpr_at_fpr(y, p, fpr=limit, weight=w),
            max(t for f, t in zip(fpr, tpr, strict=True) if f <= limit + 1e-13),
        )
    close(assay.equal_error_rate(y, p, weight=w), crossing(fpr, 1 - tpr))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", WEIGHTS)
def test_operating_points(n: int, kind: str) -> None:
    """From the curves of scikit-learn, point by point."""
    y, p = scores(n, 5)
    w = weights(kind, n)
    precision, recall, _ = sk.precision_recall_curve(y, p, sample_weight=w)
    fpr, tpr, _ = sk.roc_curve(y, p, sample_weight=w, drop_intermediate=False)
    for limit in (0.05, 0.5, 0.83, 1.0):
        met = [r for q, r in zip(precision[:-1], recall[:-1], strict=True) if q >= limit - 1e-12]
        close(assay.recall_at_precision(y, p, precision=limit, weight=w), max(met, default=0.0))
        met = [q for q, r in zip(precision[:-1], recall[:-1], strict=True) if r >= limit - 1e-12]
        close(assay.precision_at_recall(y, p, recall=limit, weight=w), max(met))
        met = [1 - f for f, t in zip(fpr, tpr, strict=True) if t >= limit - 1e-12]
        close(assay.specificity_at_sensitivity(y, p, sensitivity=limit, weight=w), max(met))


def test_decision_curve_from_cells() -> None:
    """scikit-learn's cells at every threshold, priced by Vickers and Elkin's formula."""
    y, p = scores(300, 8)
    curve = assay.decision_curve(y, 1 / (1 + np.exp(-p)))
    for t, value, everybody in zip(curve.threshold, curve.net_benefit, curve.treat_all, strict=True):
        _, fp, _, tp = sk.confusion_matrix(y, 1 / (1 + np.exp(-p)) >= t).ravel()
        close(value, (tp - fp * t / (1 - t)) / 300)
        close(everybody, y.mean() - (1 - y.mean()) * t / (1 - t))


def test_sensitivity_at_specificity_of_torchmetrics() -> None:
    torch = pytest.importorskip("torch")
    functional = pytest.importorskip("torchmetrics.functional.classification")
    y, p = scores(500, 6)
    for limit in (0.05, 0.3):
        theirs, _ = functional.binary_sensitivity_at_specificity(
            torch.tensor(p), torch.tensor(y), min_specificity=1 - limit
        )
        close(assay.tpr_at_fpr(y, p, fpr=limit), float(theirs), 1e-6)


ROWS = st.lists(st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 2)), min_size=2, max_size=25).filter(
    lambda rows: all(sum(w for y, _, w in rows if y is side) for side in (False, True))
)


@given(ROWS)
@settings(max_examples=150, deadline=None)
def test_exact_fractions(rows: list[tuple[bool, int, int]]) -> None:
    """AUC over all pairs, AP, EER and the hull's EER threshold by threshold, in exact arithmetic."""
    y, s, w = (np.array(column) for column in zip(*rows, strict=True))
    data = {"y_true": y.astype(int), "y_score": s.astype(float), "weight": w.astype(float)}
    positive, negative = ([(b, k) for a, b, k in rows if a is side] for side in (True, False))
    wins = sum(k * m * Fraction((b > c) * 2 + (b == c), 2) for b, k in positive for c, m in negative)
    up, down = sum(k for _, k in positive), sum(k for _, k in negative)
    close(assay.roc_auc(**data), float(wins / (up * down)), 1e-12)
    points, area, before = [(Fraction(0), Fraction(1))], Fraction(0), Fraction(0)
    for t in sorted({b for _, b, k in rows if k}, reverse=True):
        tp, fp = sum(k for b, k in positive if b >= t), sum(k for b, k in negative if b >= t)
        area += (Fraction(tp, up) - before) * Fraction(tp, tp + fp)
        before = Fraction(tp, up)
        points.append((Fraction(fp, down), 1 - before))
    close(assay.average_precision(**data), float(area), 1e-12)
    close(assay.equal_error_rate(**data), float(crossing(*zip(*points, strict=True))), 1e-12)
    # On the hull: the largest over slopes of the smallest weighted error, since lines support a convex set.
    best = max(min(q * f + (1 - q) * m for f, m in points) for q in slopes(points))
    close(assay.equal_error_rate(**data, hull=True), float(best), 1e-12)


def slopes(points: list[tuple[Fraction, Fraction]]) -> list[Fraction]:
    """The weights of false alarms at which some two points of the curve cost the same, and the ends."""
    found = {Fraction(0), Fraction(1)}
    for i, (a, b) in enumerate(points):
        found |= {(b - d) / (b - d + c - a) for c, d in points[i + 1 :] if b - d + c - a}
    return sorted(q for q in found if 0 <= q <= 1)
