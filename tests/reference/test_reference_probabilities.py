"""Log loss, Brier score and calibration against scikit-learn, torch, torchmetrics, netcal and plain loops."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as sk
from reference_data import SIZES, WEIGHTS, labels, multilabel, scores, shares, weights
from scipy.special import xlogy
from sklearn.calibration import calibration_curve

import assay
from messages import warned


def close(value: Any, expected: Any, rtol: float = 1e-10, atol: float = 1e-13) -> None:
    np.testing.assert_allclose(value, expected, rtol=rtol, atol=atol)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", WEIGHTS)
def test_binary(n: int, kind: str) -> None:
    y, p = scores(n)
    w = weights(kind, n)
    close(assay.log_loss(y, p, weight=w), sk.log_loss(y, p, sample_weight=w))
    close(assay.brier(y, p, weight=w), sk.brier_score_loss(y, p, sample_weight=w))
    z = np.log(p) - np.log1p(-p)
    close(assay.log_loss(y, logits=z, weight=w), sk.log_loss(y, p, sample_weight=w))
    close(assay.brier(y, logits=z, weight=w), sk.brier_score_loss(y, p, sample_weight=w))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("k", [3, 11])
def test_multiclass(n: int, kind: str, k: int) -> None:
    y, p = shares(n, k)
    w = weights(kind, n)
    close(assay.log_loss(y, p, weight=w), sk.log_loss(y, p, sample_weight=w))
    close(assay.log_loss(y, logits=np.log(p) + 3.0, weight=w), sk.log_loss(y, p, sample_weight=w))
    close(assay.brier(y, p, weight=w), sk.brier_score_loss(y, p, sample_weight=w, scale_by_half=False))
    close(assay.brier(y, p, weight=w, halve=True), sk.brier_score_loss(y, p, sample_weight=w, scale_by_half=True))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_clipped_log_loss_is_scikit_learns(n: int, dtype: Any) -> None:
    y, p = scores(n)
    p = p.astype(dtype)
    p[:5] = 1 - y[:5]  # five rows that gave what happened probability 0
    with warned(assay.UndefinedWarning):
        close(assay.log_loss(y, p, clip="eps"), sk.log_loss(y, p), 1e-6 if dtype == np.float32 else 1e-10)
    yy, pp = shares(n, 4)
    pp = pp.astype(dtype)
    pp[:3] = np.eye(4, dtype=dtype)[(yy[:3] + 1) % 4]
    with warned(assay.UndefinedWarning):
        close(assay.log_loss(yy, pp, clip="eps"), sk.log_loss(yy, pp), 1e-5 if dtype == np.float32 else 1e-10)


def test_soft_targets_of_torch() -> None:
    torch = pytest.importorskip("torch")
    _, target = shares(300, 5, 1)
    _, p = shares(300, 5, 2)
    z = np.log(p) * 2 + 1
    loss = torch.nn.functional.cross_entropy(torch.tensor(z), torch.tensor(target))
    close(assay.log_loss(target, logits=z, soft=True), float(loss))
    close(assay.log_loss(target, p, soft=True), -xlogy(target, p).sum(axis=1).mean())
    close(assay.brier(target, p, soft=True), ((target - p) ** 2).sum(axis=1).mean())


def test_multilabel_of_torch() -> None:
    torch = pytest.importorskip("torch")
    y, _ = multilabel(300, 4)
    z = np.random.default_rng(1).normal(y * 2 - 1, 2)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(torch.tensor(z), torch.tensor(y, dtype=torch.float64))
    close(assay.log_loss(y, logits=z), float(loss))
    p = 1 / (1 + np.exp(-z))
    close(assay.brier(y, p), ((y - p) ** 2).mean())


def gaps(confidence: Any, correct: Any, w: Any, edges: Any) -> list[tuple[float, float, float]]:
    """(share, gap, noise) of each bin (a, b], row by row."""
    found = []
    w = np.ones(len(confidence)) if w is None else w
    for i, (a, b) in enumerate(itertools.pairwise(edges)):
        at = [j for j, c in enumerate(confidence) if a < c <= b or (i == 0 and c == a)]
        weight = sum(w[j] for j in at)
        if weight > 0:
            gap = sum(w[j] * (correct[j] - confidence[j]) for j in at) / weight
            spread = sum(w[j] * (correct[j] - confidence[j] - gap) ** 2 for j in at)
            found.append((weight / w.sum(), gap, spread / (weight * (weight - 1)) if weight > 1 else gap**2))
    return found


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("of_what", ["top_label", "positive"])
@pytest.mark.parametrize("tied", [False, True])
def test_calibration_error_bin_by_bin(kind: str, of_what: str, tied: bool) -> None:
    y, p = scores(400, 3, tied=tied)
    w = weights(kind, 400)
    confidence, correct = (p, y) if of_what == "positive" else (np.maximum(p, 1 - p), (p >= 0.5) == y)
    bins = gaps(confidence, correct, w, np.linspace(0, 1, 11))
    options = {"bins": 10, "of_what": of_what, "weight": w}
    close(assay.calibration_error(y, p, **options), sum(s * abs(g) for s, g, _ in bins))
    close(assay.calibration_error(y, p, norm="l2", **options), np.sqrt(sum(s * g * g for s, g, _ in bins)))
    close(assay.calibration_error(y, p, norm="max", **options), max(abs(g) for _, g, _ in bins))
    debiased = np.sqrt(max(sum(s * (g * g - v) for s, g, v in bins), 0))
    close(assay.calibration_error(y, p, norm="l2", debiased=True, **options), debiased, 1e-9)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
def test_calibration_error_of_torchmetrics(n: int, norm: str) -> None:
    torch = pytest.importorskip("torch")
    functional = pytest.importorskip("torchmetrics.functional.classification")
    y, p = scores(n, 4)
    yt, pt = torch.tensor(y), torch.tensor(p)
    theirs = functional.binary_calibration_error(pt, yt, n_bins=15, norm=norm)
    close(
        assay.calibration_error(y, p, of_what="positive", norm=norm), float(theirs), 1e-5, 1e-6
    )  # theirs adds up in float32
    yy, pp = shares(n, 5, 5)
    theirs = functional.multiclass_calibration_error(
        torch.tensor(pp), torch.tensor(yy), num_classes=5, n_bins=15, norm=norm
    )
    close(assay.calibration_error(yy, pp, norm=norm), float(theirs), 1e-5, 1e-6)  # theirs adds up in float32


def test_calibration_error_of_netcal() -> None:
    metrics = pytest.importorskip("netcal.metrics")
    y, p = shares(2000, 4, 6)
    close(assay.calibration_error(y, p, bins=10), metrics.ECE(10).measure(p, y), 1e-7)
    close(assay.calibration_error(y, p, bins=10, norm="max"), metrics.MCE(10).measure(p, y), 1e-7)


def test_classwise_calibration_error() -> None:
    y, p = shares(300, 3, 7)
    each = [sum(s * abs(g) for s, g, _ in gaps(p[:, c], y == c, None, np.linspace(0, 1, 16))) for c in range(3)]
    close(assay.calibration_error(y, p, of_what="classwise"), np.mean(each))


@pytest.mark.parametrize("n", SIZES)
def test_equal_mass(n: int) -> None:
    """Bins of equal counts, cut at the sorted confidences."""
    y, p = scores(n, 8)
    order = np.argsort(p)
    cuts = [int(np.ceil(n * i / 10)) for i in range(11)]  # where the running count reaches each tenth
    parts = [order[a:b] for a, b in itertools.pairwise(cuts)]
    expected = sum(len(part) / n * abs(y[part].mean() - p[part].mean()) for part in parts)
    close(assay.calibration_error(y, p, of_what="positive", binning="mass", bins=10), expected)


@pytest.mark.parametrize("n", SIZES)
def test_reliability_curve(n: int) -> None:
    y, p = scores(n, 9)
    ours = assay.reliability_curve(y, p, of_what="positive", bins=10)
    frequency, confidence = calibration_curve(y, p, n_bins=10)
    filled = ours.weight > 0
    close(ours.frequency[filled], frequency)
    close(ours.confidence[filled], confidence)
    assert ours.weight.sum() == n
    tables = assay.reliability_curve(*shares(n, 3, 9), of_what="classwise", bins=10)
    assert [t.weight.sum() for t in tables] == [n] * 3


def test_class_order_is_the_callers() -> None:
    """Columns in another order than the sorted labels, and columns named by a data frame."""
    y, p = shares(200, 3, 10)
    names = np.array(["low", "mid", "high"])
    expected = sk.log_loss(y, p)
    close(assay.log_loss(names[y], p, classes=tuple(names)), expected)
    pl = pytest.importorskip("polars")
    pd = pytest.importorskip("pandas")
    close(assay.log_loss(names[y], pl.DataFrame(p, schema=names.tolist())), expected)
    close(assay.log_loss(names[y], pd.DataFrame(p[:, [2, 0, 1]], columns=names[[2, 0, 1]])), expected)
    close(assay.brier(pl.Series(names[y].tolist()), pl.DataFrame(p, schema=names.tolist())), assay.brier(y, p))


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_other_array_libraries(library: str) -> None:
    """The same numbers from tensors as from NumPy."""
    module = pytest.importorskip("torch" if library == "torch" else "jax.numpy")
    convert = module.tensor if library == "torch" else module.asarray
    y, p = scores(300, 11)
    yy, pred = labels(300, 4)
    pairs = [("log_loss", y, p, {}), ("brier", y, p, {}), ("roc_auc", y, p, {}), ("calibration_error", y, p, {})]
    for key, a, b, options in [*pairs, ("f1", yy, pred, {"average": "macro"}), ("mse", y.astype(float), p, {})]:
        function = getattr(assay, key)
        close(function(convert(a), convert(b), **options), function(a, b, **options), 1e-5)
