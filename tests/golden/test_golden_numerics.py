"""Numbers at the edge of what floats hold: degenerate data under weights, extreme weights, edges of bins, large integers."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from golden_cases import libraries

import assay
from assay import kernels, metrics
from assay.core.errors import InputError, ParameterError, UndefinedError, UndefinedWarning
from messages import refusal

FRACTIONS = [0.1, 0.1, 0.1, 0.6]


@pytest.fixture(autouse=True)
def quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        yield


@pytest.fixture(params=["plain", "kernels"])
def route(request: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both routes of NumPy data."""
    if request.param == "kernels":
        monkeypatch.setattr(kernels, "LARGE", 1)
    return request.param


def everywhere() -> list[Any]:
    return [np.asarray, *libraries()]


# ---- what does not exist


@pytest.mark.parametrize("at", range(4))
def test_true_negatives_are_added_up(at: int, route: str) -> None:
    """One true class: class 0 has no negatives, whatever fractions the weights are."""
    asarray = everywhere()[at]
    y, p = asarray(np.array([0, 0, 0, 0])), asarray(np.array([0, 1, 2, 3]))
    for weight in (FRACTIONS, [1.0, 1.0, 1.0, 6.0]):
        w = asarray(np.array(weight))
        each = assay.specificity(y, p, weight=w, average=None)
        np.testing.assert_allclose(each, [math.nan, 8 / 9, 8 / 9, 1 / 3], rtol=1e-6)
        assert assay.specificity(y, p, weight=w, average="macro") == pytest.approx(
            19 / 27, rel=1e-6
        )  # (8/9 + 8/9 + 1/3) / 3
        assert math.isnan(assay.false_positive_rate(y, p, weight=w, average=None)[0])
        assert math.isnan(assay.negative_predictive_value(p, y, weight=w, average=None)[0])
        assert math.isnan(assay.false_omission_rate(p, y, weight=w, average=None)[0])


@pytest.mark.parametrize("at", range(4))
def test_one_decision_has_no_correlation(at: int, route: str) -> None:
    asarray = everywhere()[at]
    y, p, w = (asarray(np.array(v)) for v in ([0, 1, 2, 3], [0, 0, 0, 0], [0.1, 0.1, 0.2, 0.3]))
    assert math.isnan(assay.matthews_correlation(y, p, weight=w))
    with pytest.raises(UndefinedError):
        assay.matthews_correlation(y, p, weight=w, undefined="error")
    assert assay.matthews_correlation(y, p, weight=w, undefined=0) == 0


@pytest.mark.parametrize(
    "metric", [metrics.Spearman(), metrics.Kendall(), metrics.Pearson(), metrics.R2(), metrics.ExplainedVariance()]
)
@pytest.mark.parametrize("at", range(4))
def test_a_constant_column_leaves_nothing(metric: Any, at: int, route: str) -> None:
    asarray = everywhere()[at]
    rng = np.random.default_rng(0)
    for n in (2, 3, 9, 200):
        y, p, w = asarray(np.full(n, 0.1)), asarray(rng.normal(size=n)), asarray(rng.integers(1, 9, n) / 10)
        assert math.isnan(metric(y, p, weight=w))
        assert math.isnan(metric(y, p))
        with pytest.raises(UndefinedError):
            type(metric)(undefined="error")(y, p, weight=w)
        host = [np.asarray(a, dtype=np.float64) for a in (y, p, w)]
        assert np.isnan(metric.replicates(rng.integers(1, 4, (3, n)), *host[:2], weight=host[2])).all()
        cut = n // 2
        state = metric.state(y[:cut], p[:cut], weight=w[:cut]) + metric.state(y[cut:], p[cut:], weight=w[cut:])
        assert math.isnan(state.value())


def test_a_replicate_of_equal_rows_has_no_variance() -> None:
    y, p = np.array([0.1, 0.1, 0.1, 0.7, 0.3]), np.array([1.0, 2.0, 4.0, 3.0, 3.0])
    base = np.array([0.1, 0.3, 0.7, 0.1, 0.9])
    draws = np.array([[1, 2, 2, 0, 0], [3, 1, 1, 0, 0], [1, 1, 1, 1, 1]], dtype=float)
    for metric in (metrics.R2(), metrics.Pearson(), metrics.Spearman(), metrics.Kendall()):
        found = metric.replicates(draws, y, p, weight=base)
        assert np.isnan(found[:2]).all()
        assert found[2] == pytest.approx(metric(y, p, weight=base), rel=1e-9)


def test_rows_without_a_value_are_counted() -> None:
    """All rows of weight have a rate: nothing is missing, however the weights round."""
    y = np.array([[1, 0], [1, 1], [0, 1]])
    for n in (3, 30):
        w = np.resize([0.1, 0.2, 0.7], n)
        assert (
            assay.recall(np.resize(y, (n, 2)), np.resize(y, (n, 2)), average="samples", undefined="error", weight=w)
            == 1
        )
    y[2] = 0
    with pytest.raises(UndefinedError):
        assay.recall(y, y, average="samples", undefined="error", weight=[0.1, 0.2, 1e-20])
    zeros = assay.mape([0.0, 0.0, 0.0], [1.0, 2.0, 3.0], zeros="skip", weight=[0.1, 0.2, 0.3])
    assert math.isnan(zeros)


# ---- averages without weight


@pytest.mark.parametrize("key", ["precision", "recall", "f1", "f_beta", "jaccard"])
def test_the_policy_holds_for_weighted_averages(key: str) -> None:
    none, some = [[0, 0], [0, 0]], [[1, 1], [0, 1]]
    function = getattr(assay, key)
    assert math.isnan(function(none, some, average="weighted"))
    assert function(none, some, average="weighted", undefined=0) == 0
    assert function(none, some, average="weighted", undefined=1) in (0, 1)
    with refusal(UndefinedError):
        function(none, some, average="weighted", undefined="error")
    with pytest.warns(UndefinedWarning):
        function(none, some, average="weighted")
    metric = function.metric(average="weighted", undefined=0)
    np.testing.assert_array_equal(metric.replicates(np.ones((2, 2)), np.array(none), np.array(some)), [0, 0])
    np.testing.assert_array_equal(metric.influence(np.array(none), np.array(some)), [0, 0])


@pytest.mark.parametrize("key", ["roc_auc", "average_precision"])
def test_the_policy_holds_for_weighted_areas(key: str) -> None:
    function, scores = getattr(assay, key), [[0.1, 0.2], [0.3, 0.4]]
    assert function([[0, 0], [0, 0]], scores, average="weighted", undefined=0) == 0
    with pytest.raises(UndefinedError):
        function([[0, 0], [0, 0]], scores, average="weighted", undefined="error")


def test_the_policy_holds_for_averages_by_frequency() -> None:
    true, predicted = np.full((1, 2, 2), 255), np.zeros((1, 2, 2), dtype=int)
    options = {"average": "frequency", "classes": 2, "ignore_index": 255}
    assert math.isnan(assay.mean_iou(true, predicted, **options))
    assert assay.mean_iou(true, predicted, **options, undefined=0) == 0
    with pytest.raises(UndefinedError):
        assay.mean_iou(true, predicted, **options, undefined="error")


def test_pairs_of_one_class_have_no_average() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        assert math.isnan(assay.roc_auc([0, 0, 0], [[0.2, 0.3, 0.5]] * 3, average="weighted", multiclass="ovo"))
    with pytest.raises(UndefinedError):
        assay.roc_auc([0, 0, 0], [[0.2, 0.3, 0.5]] * 3, average="weighted", multiclass="ovo", undefined="error")


# ---- extreme weights


def test_a_light_class_keeps_its_place(route: str) -> None:
    rng = np.random.default_rng(1)
    y, s, w = rng.integers(0, 2, 300), np.round(rng.normal(size=300), 1), rng.random(300)
    wanted = {key: getattr(assay, key)(y, s + y, weight=w) for key in ("roc_auc", "equal_error_rate")}
    for ratio in (1e-12, 1e-16, 1e-30, 1e30):
        uneven = np.where(y == 1, ratio, 1.0) * w
        for key, value in wanted.items():
            assert getattr(assay, key)(y, s + y, weight=uneven) == pytest.approx(value, rel=1e-9), (key, ratio)


def exact_moments(y: Any, p: Any, w: Any) -> tuple[Fraction, ...]:
    """Weighted second moments of target, prediction and both, and the sum of squared errors, without rounding."""
    y, p, w = ([Fraction(float(v)) for v in values] for values in (y, p, w))
    total = sum(w)
    my, mp = (sum(a * b for a, b in zip(w, values, strict=True)) / total for values in (y, p))
    rows = list(zip(w, y, p, strict=True))
    yy, pp = sum(a * (b - my) ** 2 for a, b, _ in rows), sum(a * (c - mp) ** 2 for a, _, c in rows)
    return yy, pp, sum(a * (b - my) * (c - mp) for a, b, c in rows), sum(a * (b - c) ** 2 for a, b, c in rows)


@pytest.mark.parametrize("decades", [30, 100])
def test_weights_over_many_decades(decades: int) -> None:
    """The heaviest row outweighs all others by many orders: what is left of the others still counts."""
    rng = np.random.default_rng(decades)
    n = 12
    y, p = rng.normal(size=n) + 3, rng.normal(size=n)
    w = 10.0 ** np.linspace(-decades / 2, decades / 2, n)
    if decades == 30:
        w[-2] = w[0]  # the heaviest row is 27 orders above the next
        w[1:-2] = w[0] * rng.random(n - 3)
    yy, pp, yp, sse = exact_moments(y, p, w)
    assert assay.pearson(y, p, weight=w) == pytest.approx(float(yp) / math.sqrt(yy) / math.sqrt(pp), rel=1e-6)
    assert assay.r2(y, p, weight=w) == pytest.approx(float(1 - sse / yy), rel=1e-6)
    true, called = (y > 3).astype(int), (p > 0).astype(int)
    cells = {
        (a, b): sum((Fraction(float(x)) for x in w[(true == a) & (called == b)]), Fraction(0))
        for a in (0, 1)
        for b in (0, 1)
    }
    tn, fp, fn, tp = (cells[k] for k in ((0, 0), (0, 1), (1, 0), (1, 1)))
    scale = math.prod(math.sqrt(v / sum(w)) for v in map(float, (tp + fp, tp + fn, tn + fp, tn + fn)))
    wanted = float((tp * tn - fp * fn) / Fraction(float(sum(w))) ** 2) / scale
    assert assay.matthews_correlation(true, called, weight=w) == pytest.approx(wanted, rel=1e-9)


def test_the_scale_of_weights_is_taken_out() -> None:
    """At 1e306 and 1e-300 products of weights do not fit; a power of two is taken out, so no digit changes."""
    rng = np.random.default_rng(0)
    y, p, w = rng.normal(size=40), rng.normal(size=40), rng.random(40)
    maps = rng.integers(0, 3, (40, 5, 5)), rng.integers(0, 3, (40, 5, 5))
    calls = {
        "mse": lambda w: assay.mse(y, y + 1e-5 * p, weight=w), "pearson": lambda w: assay.pearson(y, p, weight=w),
        "spearman": lambda w: assay.spearman(y, p, weight=w), "kendall": lambda w: assay.kendall(y, p, weight=w),
        "mean_class_accuracy": lambda w: assay.mean_class_accuracy(*maps, weight=w),
        "evaluate": lambda w: float(assay.evaluate(task="regression", y_true=y, y_pred=p, weight=w, metrics=["r2"])["r2"]),
    }  # fmt: skip
    for name, call in calls.items():
        for power in (-1000, 1010):
            assert call(np.ldexp(w, power)) == call(w), name
    with refusal(InputError):
        metrics.MSE().state(y, p, weight=1e-300 * w)
    with refusal(UndefinedError):
        assay.kid(real=rng.normal(size=(20, 3)), fake=rng.normal(size=(20, 3)), weight=np.full(40, 1e306))


# ---- bins


@pytest.mark.parametrize("of_what", ["positive", "top_label", "classwise"])
def test_bins_are_the_same_in_every_library_and_precision(of_what: str, route: str) -> None:
    p, y = [0.1, 0.3, 0.7, 0.9, 0.6, 0.2, 0.4], np.array([0, 1, 1, 1, 0, 0, 1])
    wanted = assay.calibration_error(y, y_prob=p, bins=10, of_what=of_what)
    for asarray in everywhere():
        for dtype in (np.float64, np.float32):
            got = assay.calibration_error(asarray(y), y_prob=asarray(np.array(p, dtype)), bins=10, of_what=of_what)
            assert got == pytest.approx(wanted, rel=1e-6), (asarray, dtype)
    metric = metrics.CalibrationError(bins=10, of_what=of_what)
    single = metric.replicates(np.ones((1, 7)), y, y_prob=np.array(p, np.float32))
    assert single[0] == pytest.approx(wanted, rel=1e-6)
    half = assay.calibration_error(y, y_prob=np.array(p, np.float16), bins=10, of_what=of_what)
    assert half == pytest.approx(wanted, rel=2e-3)


def test_one_default_of_two_classes() -> None:
    rng = np.random.default_rng(3)
    p = rng.random(400)
    y = (rng.random(400) < p**2).astype(int)
    wanted = assay.calibration_error(y, y_prob=p, of_what="positive")
    assert assay.calibration_error(y, y_prob=p) == wanted
    assert assay.calibration_error(y, y_prob=np.stack([1 - p, p], axis=1)) == pytest.approx(wanted, rel=1e-12)
    assert float(assay.evaluate(task="binary", y_true=y, y_prob=p)["calibration_error"]) == wanted
    three = np.stack([p / 2, p / 2, 1 - p], axis=1)
    code = rng.integers(0, 3, 400)
    assert assay.calibration_error(code, y_prob=three) == assay.calibration_error(
        code, y_prob=three, of_what="top_label"
    )


# ---- single lines


def test_hamming_adds_up_errors() -> None:
    assert assay.hamming([[0, 1, 1], [1, 1, 0]], [[0, 1, 1], [1, 1, 1]]) == 1 / 6
    assert assay.misclassification([0, 1, 1], [0, 1, 1], weight=[0.1, 0.2, 0.3]) == 0
    result = assay.evaluate(
        task="multiclass", y_true=[0, 1, 2] * 5, y_pred=[0, 1, 2] * 5, weight=[0.1, 0.2, 0.3] * 5,
        metrics=["misclassification", "f1"], level=None,
    )  # fmt: skip
    assert float(result["misclassification"]) == 0


def test_skill_of_losses_of_probabilities_and_scores() -> None:
    rng = np.random.default_rng(0)
    p, base = rng.random(200), np.full(200, 0.3)
    y = (rng.random(200) < p).astype(int)
    for loss in (metrics.Brier(), metrics.LogLoss(), metrics.CalibrationError()):
        wanted = 1 - loss(y, y_prob=p) / loss(y, y_prob=base)
        assert assay.skill_score(y, p, base, loss=loss) == pytest.approx(wanted, rel=1e-12)
        assert assay.skill_score(y, y_prob=p, y_baseline=base, loss=loss) == pytest.approx(wanted, rel=1e-12)
    weak = p + rng.normal(size=200)
    loss = metrics.EqualErrorRate()
    wanted = 1 - loss(y, p) / loss(y, weak)
    assert assay.skill_score(y, p, weak, loss=loss) == pytest.approx(wanted, rel=1e-12)
    assert assay.skill_score(y, y, 1 - y, loss=metrics.Misclassification()) == 1
    scaled = assay.skill_score([5.0, 6.0], [5.0, 8.0], [4.0, 4.0], y_train=[1.0, 2.0, 4.0], loss=metrics.MASE())
    assert scaled == pytest.approx(1 - 2 / 3, rel=1e-12)


@pytest.mark.parametrize("loss", [metrics.FID(), metrics.IntervalScore(), metrics.CRPS(), metrics.Hausdorff()])
def test_skill_of_other_inputs_is_refused(loss: Any) -> None:
    with refusal(ParameterError):
        metrics.SkillScore(loss=loss)


def test_columns_of_the_baseline_are_read_by_their_own_names() -> None:
    pl = pytest.importorskip("polars")
    y = ["a", "b", "a"]
    p = pl.DataFrame({"a": [0.9, 0.2, 0.6], "b": [0.1, 0.8, 0.4]})
    base = pl.DataFrame({"b": [0.4, 0.6, 0.3], "a": [0.6, 0.4, 0.7]})
    got = assay.skill_score(y, p, base, loss=metrics.Brier())
    assert got == pytest.approx(1 - assay.brier(y, y_prob=p) / assay.brier(y, y_prob=base), rel=1e-12)


@pytest.mark.parametrize("key", ["interval_score", "interval_coverage", "interval_width"])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("at", range(3))
def test_intervals_refuse_what_is_not_finite(key: str, bad: float, at: int) -> None:
    columns = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [2.0, 2.0, 2.0]])
    columns[at, 1] = bad
    if (at, bad) not in ((1, math.inf), (2, -math.inf)):  # those are bounds in the wrong order
        for asarray in everywhere():
            with pytest.raises(InputError, match="must be finite"):
                getattr(assay, key)(*(asarray(c) for c in columns))
        with pytest.raises(InputError, match="must be finite"):
            getattr(assay, key).metric().replicates(np.ones((1, 3)), *columns)


def test_whole_numbers_that_would_tie_are_refused() -> None:
    wide = np.array([2**53, 2**53 + 1, 2**53 + 2])
    for call in (
        lambda: assay.roc_auc([0, 1, 1], wide), lambda: assay.spearman(wide, [1, 2, 3]), lambda: assay.kendall([1, 2, 3], wide),
        lambda: assay.average_precision([0, 1, 1], wide.astype(np.uint64)),
        lambda: assay.top_k_accuracy([0, 1, 1], np.stack([wide, wide + 1], axis=1), k=1),
    ):  # fmt: skip
        with refusal(InputError):
            call()
    assert assay.roc_auc([0, 1], [2**53, 2**53 + 2]) == 1  # both are floats
    jnp = pytest.importorskip("jax").numpy
    with refusal(InputError):
        assay.roc_auc(jnp.asarray([0, 1]), jnp.asarray([2**24, 2**24 + 1]))


BIG = 2**53


@pytest.mark.parametrize(
    "scores",
    [
        [2**70, 2**70 + 1], np.array([BIG, BIG + 1], dtype=object), [BIG, BIG + 1, 0.5], np.array([2**63, 2**63 + 1], dtype=np.uint64),
    ],
    ids=["beyond 64 bits", "objects", "beside a float", "unsigned"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["roc_auc", "spearman", "mae", "r2", "median_absolute_error"])
def test_integers_are_never_rounded(name: str, scores: Any) -> None:
    with refusal(InputError):
        getattr(assay, name)([0, 1, 1][: len(scores)], scores)


def test_extended_precision_ties_are_refused() -> None:
    step = np.finfo(np.longdouble).eps
    if step == np.finfo(np.float64).eps:
        pytest.skip("long double is double here")
    with refusal(InputError):
        assay.roc_auc([0, 1], np.array([1, 1 + step], dtype=np.longdouble))
    assert assay.roc_auc([0, 1], np.array([0.1, 0.2], dtype=np.longdouble)) == 1


def test_texts_keep_their_last_character() -> None:
    assert assay.accuracy(["a\0", "b"], ["a", "b"]) == 0.5
    assert assay.f1(["a\0", "a"], ["a", "a"], average=None).tolist() == pytest.approx([2 / 3, 0])


def test_what_is_neither_number_nor_label_is_refused() -> None:
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    rows = [{"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 3.0}]
    for column in (pl.Series(rows), pa.array(rows)):
        with refusal(InputError):
            assay.mse(column, column)
    for unit in ("s", "ns"):
        for values in (np.array([1, 2], f"m8[{unit}]"), np.array([1, 2], f"M8[{unit}]")):
            for call in (
                lambda v: metrics.MeanLoss("mse")(v, v),
                lambda v: assay.mse(v, v),
                lambda v: assay.accuracy(v, v),
            ):
                with refusal(InputError):
                    call(values)
    record = np.array([(1, 2.0), (2, 3.0)], dtype=[("a", int), ("b", float)])
    for call in (lambda v: metrics.MeanLoss("mse")(v, v), lambda v: metrics.MeanLoss("mse")([1.0, 2.0], v)):
        with refusal(InputError):
            call(record)
    with refusal(InputError):
        assay.top_k_accuracy([0, 1, 2], y_prob=[[np.inf, 0, 0], [0, 1, 0], [0, 0, 1]], k=1)
    with refusal(InputError):
        assay.top_k_accuracy([0, 1, 2], y_prob=[[2.0, 0, 0], [0, 1, 0], [0, 0, 1]], k=1)
