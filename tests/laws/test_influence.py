"""Influence values of the whole registry: derivatives by the weights, near the jackknife, and the bootstrap's SE."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from accepted import laws_that_apply
from assay import kernels, testing
from assay.core.errors import InputError, UndefinedWarning
from assay.core.metric import Metric
from assay.core.monoids import Counts
from assay.metrics import F1, BalancedAccuracy, CohenKappa, ExpectedCost, MatthewsCorrelation, Recall, Specificity
from assay.testing import metric_cases
from assay.testing.metric_cases import problems
from registered import all_defaults, all_variants

ROUGH = {
    "average_precision|interpolated:true", "calibration_error|binning:mass", "equal_error_rate", "median_absolute_error",
    "nrmse|divisor:iqr", "nrmse|divisor:range", "roc_auc|max_fpr:0.3", "tpr_at_fpr", "fid_infinity",
    "precision_recall_generative", "coco", "lvis", "mask_ap", "average_recall", "average_precision_voc",
    "detection_error_cost",
}  # fmt: skip


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        yield


@functools.cache
def problems_of(n: int) -> list[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metric_cases, "ROWS", n)
        return problems(1)


def cases_of(metric: Any, n: int) -> list[Any]:
    """Example data of n rows on which the metric is one number, one of each problem."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metric_cases, "problems", lambda seed=0: problems_of(n))
        found = [case for case in testing.cases_for(metric) if isinstance(metric(**case.inputs), float)]
    return list({case.name.split(":")[0]: case for case in reversed(found)}.values())[::-1]


def is_rough(metric: Any) -> bool:
    """Whether the metric jumps or bends with the weights, so that it has no influence values."""
    return any(metric.signature().startswith(start) for start in ROUGH)


SMOOTH = [metric for metric, _ in laws_that_apply(all_variants(), ["influence"]) if not is_rough(metric)]
# Absolute gaps of bins of a few rows bend too sharply for the loss of a whole row to be near the slope.
ROUND = [metric for metric in SMOOTH if metric.key != "calibration_error"]
DEFAULTS_QUICK = [pytest.param(metric, marks=() if metric in all_defaults() else pytest.mark.slow) for metric in ROUND]


def influence_of(metric: Any, case: Any, weight: Any = None) -> Any:
    got = metric.influence(**case.inputs, weight=weight)
    n = case.size(metric)
    assert got.shape == (n,)
    assert abs(got.sum()) <= 1e-9 * max(1.0, n * np.abs(got).max()), f"{case.name}: the sum is {got.sum():.3g}"
    return got


# ---- derivatives


def directions(weight: Any, rng: Any) -> Any:
    """Relative changes that leave the total weight alone: of two rows against each other, and of all rows."""
    n = len(weight)
    pairs = np.zeros((8, n))
    for row, (i, j) in zip(pairs, rng.permutation(n)[:16].reshape(8, 2), strict=True):
        row[i], row[j] = 1 / weight[i], -1 / weight[j]
    whole = rng.normal(0, 1, (3, n))
    return np.concatenate([pairs, whole - (whole @ weight)[:, None] / weight.sum()])


def check_derivative(metric: Any, case: Any, weight: Any, base: Any, rng: Any) -> None:
    got, step = influence_of(metric, case, weight), 1e-5
    along = directions(base, rng)
    up, down = (metric.replicates(1 + s * step * along, **case.inputs, weight=weight) for s in (1, -1))
    slope, size = (up - down) / (2 * step), np.abs(along) @ np.abs(got)
    # Of a total of many rows that do not vary only rounding is left.
    worst = np.abs(along @ got - slope) / np.maximum(size, 1e-6 * max(1.0, np.abs(up).max()))
    assert worst.max() < 2e-5, f"{case.name}: off by {worst.max():.2g} of its size"


@pytest.mark.parametrize("metric", SMOOTH, ids=lambda metric: metric.signature())
def test_influence_is_the_derivative_by_the_weights(metric: Any) -> None:
    for case in cases_of(metric, 400):
        rng = np.random.default_rng(case.size(metric))
        n = case.size(metric)  # large pictures are fewer
        for weight in (None, 0.5 + rng.random(n)):
            check_derivative(metric, case, weight, np.ones(n) if weight is None else weight, rng)


@pytest.mark.parametrize("metric", DEFAULTS_QUICK, ids=lambda metric: metric.signature())
def test_influence_is_the_jackknife_to_first_order(metric: Any) -> None:
    for case in cases_of(metric, 400):
        n = case.size(metric)
        rows = np.arange(0, n, 16)
        for weight in (None, 0.5 + np.arange(n) % 5 / 4):
            w = np.ones(n) if weight is None else weight
            # The others take over the weight of the row, so that totals are compared at the same size.
            without = (1 - np.eye(n)[rows]) * (w.sum() / (w.sum() - w[rows]))[:, None]
            value, got = metric(**case.inputs, weight=weight), influence_of(metric, case, weight)
            left_out = (n - 1) / n * (value - metric.replicates(without, **case.inputs, weight=weight))
            off, largest = np.abs(left_out - got[rows]).max(), np.abs(got).max()
            assert off < 60 / n * largest + 1e-12, f"{case.name}: off by {off:.3g}, of {largest:.3g}"


# ---- standard errors


@functools.cache
def drawn(n: int) -> Any:
    return np.random.default_rng(7).multinomial(n, np.full(n, 1 / n), size=1000).astype(np.float64)


@pytest.mark.parametrize("metric", DEFAULTS_QUICK, ids=lambda metric: metric.signature())
def test_standard_error_is_that_of_the_bootstrap(metric: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    n = 2000
    from assay.metrics.regression import ranks

    monkeypatch.setattr(ranks, "_FEW", 0)  # all pairs of 2000 rows take too long for a thousand replicates
    for case in cases_of(metric, n)[:2]:
        kept = metric.statistic().linear(metric.inputs(**case.inputs)) is None
        weights = drawn(case.size(metric))[: 400 if kept else 1000]
        wanted = metric.replicates(weights, **case.inputs).std(ddof=1)
        got = np.linalg.norm(influence_of(metric, case))
        allowed = 0.05 + 2 / np.sqrt(2 * len(weights))
        assert abs(got - wanted) <= allowed * wanted + 1e-12, f"{case.name}: {got:.4g} against {wanted:.4g}"


# ---- what has none


@pytest.mark.parametrize("metric", [m for m in all_variants() if is_rough(m)], ids=lambda metric: metric.signature())
def test_what_jumps_refuses_and_says_to_resample(metric: Any) -> None:
    cases = cases_of(metric, 400)[:3]
    if not cases:
        pytest.skip("a curve or several numbers, which have no influence values by definition")
    for case in cases:
        with pytest.raises(InputError, match=f"{metric.name}: .*[Rr]esampl"):
            metric.influence(**case.inputs)


def test_kernels_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.metrics.regression import ranks

    metrics = [ranks.Spearman(), ranks.Spearman(outputs="variance"), ranks.Kendall(), ranks.Kendall(variant="c")]
    pairs = [(metric, case) for metric in metrics for case in cases_of(metric, 400)]
    plain = [metric.influence(**case.inputs) for metric, case in pairs]
    monkeypatch.setattr(ranks, "_FEW", 0)
    monkeypatch.setattr(kernels, "LARGE", 8)
    for (metric, case), wanted in zip(pairs, plain, strict=True):
        np.testing.assert_allclose(metric.influence(**case.inputs), wanted, rtol=0, atol=1e-12)


# ---- tables


def table_of(k: int) -> Any:
    rng = np.random.default_rng(k)
    table = rng.integers(0, 9, (k, k)).astype(np.float64) + 20 * np.eye(k)
    table[1], table[:, 1], table[:, 2] = 0, 0, 0  # a class that nobody has, and one that nobody is taken for
    return Counts(tuple(range(k)), table, int(table.sum()))


COST = tuple(tuple(float(abs(i - j) ** 1.5) for j in range(6)) for i in range(6))
TABLES = [
    *(rate(average=average, undefined=undefined, classes=classes)
      for rate in (F1, Recall, Specificity) for average in ("macro", "weighted", "micro")
      for undefined in ("nan", 0.0, 1.0) for classes in (None, tuple(range(6)))),
    *(CohenKappa(weights=weights) for weights in (None, "linear", "quadratic")),
    BalancedAccuracy(), BalancedAccuracy(adjusted=True), MatthewsCorrelation(), ExpectedCost(cost=COST),
]  # fmt: skip


@pytest.mark.parametrize("metric", TABLES, ids=lambda metric: metric.signature())
def test_slopes_of_tables_equal_the_complex_step(metric: Any) -> None:
    total = table_of(6)
    filled = total.table > 0  # elsewhere a class may come into being, and no row is there to feel it
    wanted = Metric.table_slope(metric, total)
    np.testing.assert_allclose(metric.table_slope(total)[filled], wanted[filled], rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("rate", [F1, Recall, Specificity])
def test_covariance_of_classes_is_that_of_their_influence(rate: Any) -> None:
    total = table_of(6)
    metric, squares = rate(average=None), total.table * np.random.default_rng(0).random((6, 6))
    tp, fp, fn, tn = metric.class_slopes(total)
    i, j, c = np.ix_(range(6), range(6), range(6))
    each = np.where((i == c) & (j == c), tp, np.where(i == c, fn, np.where(j == c, fp, tn)))
    wanted = np.einsum("ijc,ijd,ij->cd", each, each, squares)
    np.testing.assert_allclose(metric.part_covariance(total, squares), wanted, rtol=1e-9, atol=1e-15)
    labelwise = Counts((0, 1), np.ones((2, 2, 2)), 4, "labelwise")
    assert metric.part_covariance(labelwise, labelwise.table) is None


def test_trials_are_the_rows_that_a_rate_rests_on() -> None:
    total = Counts((0, 1), np.array([[5.0, 1.0], [2.0, 4.0]]), 12)
    assert Recall().trials(total) == 6
    np.testing.assert_array_equal(Recall(average="macro").trials(total), [6, 6])
    np.testing.assert_array_equal(F1(average=None).trials(total), [8, 7])  # the union, not what F1 divides by
    assert F1(average="micro").trials(total) == 15


def test_a_thousand_classes_are_no_matter() -> None:
    """Influence of a table of a million cells; one evaluation a cell would take days."""
    k = 1000
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, 20_000)
    p = np.where(rng.random(20_000) < 0.7, y, rng.integers(0, k, 20_000))
    metrics = [F1(average="macro"), BalancedAccuracy(), MatthewsCorrelation(), CohenKappa(weights="quadratic")]
    for metric in metrics:
        got = metric.influence(y, p)
        assert abs(got.sum()) < 1e-9
        assert np.linalg.norm(got) > 0
