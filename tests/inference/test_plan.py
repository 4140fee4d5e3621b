"""Planning: rows and widths against statsmodels and our own intervals, power by simulation, refusals by their words."""

from __future__ import annotations

import doctest
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.inference import plan as planning
from assay.inference.formulas import mcnemar, wilson
from assay.inference.plan import detectable, plan, power_at, rows_for_comparison, rows_for_interval, width_at
from messages import refusal

DOCS = Path(__file__).parents[2] / "docs"

INTERVALS: list[tuple[str, float, dict[str, float]]] = [
    ("accuracy", 0.05, {"value": 0.9}),
    ("proportion", 0.05, {"value": 0.9, "share": 0.3}),
    ("recall", 0.1, {"value": 0.8, "prevalence": 0.2}),
    ("specificity", 0.1, {"value": 0.8, "prevalence": 0.2}),
    ("precision", 0.1, {"value": 0.8, "share": 0.15}),
    ("f1", 0.1, {"value": 0.8, "share": 0.3}),
    ("jaccard", 0.1, {"value": 0.7, "prevalence": 0.1}),
    ("mae", 0.1, {"sd": 1.2}),
    ("mean", 0.1, {"sd": 1.2, "value": 3.0}),
    ("hamming", 0.05, {"value": 0.1, "sd": 0.2}),
    ("top_k_accuracy", 0.05, {"value": 0.9}),
    ("rmse", 0.2, {"value": 2.0}),
    ("rmse", 0.2, {"value": 2.0, "sd": 9.0}),
    ("roc_auc", 0.05, {"value": 0.85, "prevalence": 0.1}),
    ("pearson", 0.1, {"value": 0.6}),
    ("spearman", 0.1, {"value": 0.6}),
    ("kendall", 0.1, {"value": 0.6}),
]
TESTS: list[tuple[str, float, dict[str, float]]] = [
    ("accuracy", 0.03, {"discordance": 0.1}),
    ("accuracy", 0.03, {"value": 0.9}),
    ("recall", 0.05, {"discordance": 0.1, "prevalence": 0.2}),
    ("mae", 0.1, {"sd": 1.0}),
    ("top_k_accuracy", 0.02, {"sd": 0.4, "correlation": 0.7}),
    ("roc_auc", 0.02, {"value": 0.85, "prevalence": 0.2, "correlation": 0.5}),
]


# ---- intervals


@pytest.mark.parametrize(("metric", "width", "assumed"), INTERVALS)
def test_rows_are_the_fewest(metric: str, width: float, assumed: dict[str, float]) -> None:
    found = rows_for_interval(metric, width, **assumed)
    assert found.width is not None
    assert found.width <= width < width_at(metric, found.n - 1, **assumed).width
    assert rows_for_interval(metric, width, level=0.99, **assumed).n > found.n
    assert rows_for_interval(metric, width / 2, **assumed).n == pytest.approx(4 * found.n, rel=0.1)


@pytest.mark.parametrize(("value", "width"), [(0.9, 0.02), (0.8, 0.05), (0.5, 0.1), (0.7, 0.2)])
def test_proportions_near_statsmodels(value: float, width: float) -> None:
    """statsmodels has the Wald formula: Wilson's needs up to z² rows less, or a few more near 0 and 1."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    wald = proportion.samplesize_confint_proportion(value, width / 2)
    assert -4 <= rows_for_interval("accuracy", width, value=value).n - wald <= 4


def test_planned_width_is_the_measured_one() -> None:
    """What is planned at a value is what the metric's formula gives there."""
    low, high = wilson(900, 1000, 0.95)
    assert width_at("accuracy", 1000, value=0.9).width == high - low
    index_low, index_high = wilson(200, 300, 0.95)  # F1 = 0.8 is J = 2/3
    f1 = width_at("f1", 1000, value=0.8, share=0.3)
    assert (f1.low, f1.high) == pytest.approx([2 * j / (1 + j) for j in (index_low, index_high)])
    assert width_at("recall", 1000, value=0.8, prevalence=0.3).width == width_at("accuracy", 300, value=0.8).width
    assert width_at("specificity", 1000, value=0.8, prevalence=0.3).width == width_at("accuracy", 700, value=0.8).width


def test_planned_spread_is_the_simulated_one() -> None:
    """The sd of estimates over data sets fits the planned width, for formulas that rest on a model."""
    rng = np.random.default_rng(1)
    n, runs, z = 400, 400, 1.96
    y = np.arange(n) < 80
    areas = [assay.roc_auc(y, rng.normal(size=n) + 1.2 * y) for _ in range(runs)]
    errors = rng.normal(size=(runs, n))
    roots = np.sqrt((errors**2).mean(axis=1))
    x = rng.normal(size=(runs, n))
    pairs = [np.corrcoef(a, 0.75 * a + b)[0, 1] for a, b in zip(x, errors, strict=True)]
    for planned, simulated in (
        (width_at("roc_auc", n, value=float(np.mean(areas)), prevalence=0.2), areas),
        (width_at("rmse", n, value=1.0), roots),
        (width_at("pearson", n, value=0.6), pairs),
    ):
        assert planned.width == pytest.approx(2 * z * np.std(simulated), rel=0.12), planned.metric


# ---- comparisons


@pytest.mark.parametrize(("metric", "effect", "assumed"), TESTS)
def test_rows_effect_and_power_agree(metric: str, effect: float, assumed: dict[str, float]) -> None:
    found = rows_for_comparison(metric, effect, power=0.9, **assumed)
    assert power_at(metric, found.n, effect, **assumed).power >= 0.9
    assert power_at(metric, found.n - 1, effect, **assumed).power < 0.9
    assert detectable(metric, found.n, power=0.9, **assumed).effect == pytest.approx(effect, rel=0.01)
    assert rows_for_comparison(metric, -effect, power=0.9, **assumed) == found


@pytest.mark.parametrize(("discordance", "effect"), [(0.1, 0.03), (0.3, 0.1), (0.5, 0.3), (0.2, 0.15)])
def test_mcnemar_has_the_promised_power(discordance: float, effect: float) -> None:
    n = rows_for_comparison("accuracy", effect, discordance=discordance).n
    shares = [(discordance + effect) / 2, (discordance - effect) / 2, 1 - discordance]
    draws = np.random.default_rng(2).multinomial(n, shares, 1500)
    found = np.mean([mcnemar(only_a, only_b) < 0.05 for only_a, only_b, _ in draws])
    assert 0.8 - 0.025 < found < 0.8 + 0.05


def test_connor_by_hand() -> None:
    """(1.960 sqrt(0.1) + 0.842 sqrt(0.1 - 0.0009))² / 0.0009 = 869.6 (Connor 1987)."""
    by_hand = (1.959964 * math.sqrt(0.1) + 0.841621 * math.sqrt(0.1 - 0.03**2)) ** 2 / 0.03**2
    assert rows_for_comparison("accuracy", 0.03, discordance=0.1).n == math.ceil(by_hand) == 870


@pytest.mark.parametrize("effect", [0.1, 0.3, 0.5, 1.0])
def test_paired_means_are_statsmodels(effect: float) -> None:
    power = pytest.importorskip("statsmodels.stats.power")
    exact = power.TTestPower().solve_power(effect, alpha=0.05, power=0.8)
    assert abs(rows_for_comparison("mse", effect, sd=1.0).n - math.ceil(exact)) <= 1
    twice = rows_for_comparison("mse", effect, sd=1.0, correlation=0.5)  # sd sqrt(2 (1 - 0.5)) = 1
    assert twice.n == rows_for_comparison("mse", effect, sd=1.0).n


def test_areas_without_correlation_are_two_samples() -> None:
    power = pytest.importorskip("statsmodels.stats.power")
    assumed = {"value": 0.8, "prevalence": 0.5, "correlation": 0.0}
    n = rows_for_comparison("roc_auc", 0.02, **assumed).n
    sd = width_at("roc_auc", 10**8, value=0.81, prevalence=0.5).width / (2 * 1.959964) * 10**4
    assert n == pytest.approx(power.NormalIndPower().solve_power(0.02 / sd, alpha=0.05, power=0.8), rel=0.01)
    assert rows_for_comparison("roc_auc", 0.02, **{**assumed, "correlation": 0.6}).n < 0.45 * n


# ---- one door


def test_plan_hears_the_question() -> None:
    assert plan("accuracy", value=0.9, width=0.02) == rows_for_interval("accuracy", 0.02, value=0.9)
    assert plan("accuracy", value=0.9, n=500) == width_at("accuracy", 500, value=0.9)
    assert plan("accuracy", effect=0.02, discordance=0.1).question == "rows"
    assert plan("accuracy", n=500, discordance=0.1) == detectable("accuracy", 500, discordance=0.1)
    assert plan("accuracy", n=500, effect=0.05, discordance=0.1).question == "power"
    assert plan(assay.metrics.F1(), value=0.8, share=0.3, width=0.1).metric == "f1"


def test_plan_says_it_in_a_sentence_and_as_data() -> None:
    found = plan("accuracy", value=0.9, width=0.02)
    assert str(found) == (
        "accuracy: 3,461 rows give a 95 % interval of width 0.02, about [0.8896, 0.9096] (by Wilson; assumed: value 0.9)."
    )
    assert json.loads(json.dumps(found.to_dict()))["n"] == 3461
    assert "find a true difference of 0.02 with a chance of 80 %" in str(plan("accuracy", effect=0.02, discordance=0.1))


@pytest.mark.parametrize(
    ("metric", "asked", "text"),
    [
        ("accuracy", {}, "there is no question. Give width (rows for an interval), effect"),
        ("accuracy", {"width": 0.1, "n": 9}, "width and n are two questions"),
        ("accuracy", {"width": 0.1, "effect": 0.1}, "width and effect are two questions"),
        ("accuracy", {"width": 0.1}, "value is needed: what you expect it to be"),
        ("accuracy", {"width": 1.2, "value": 0.5}, "width must be a number above 0 and below 1, got 1.2"),
        ("accuracy", {"width": 0.1, "value": 90}, "value must be a number at least 0 and at most 1, got 90"),
        ("accuracy", {"width": 0.1, "value": 0.9, "sd": 1.0}, "sd is not used here. An interval is planned from share, value"),
        ("accuracy", {"effect": 0.02}, "discordance is needed: the fraction of rows on which only one of the models is right"),
        ("accuracy", {"effect": 0.2, "discordance": 0.1}, "effect of 0.2 is not possible, at most 0.1"),
        ("accuracy", {"effect": 0.0, "discordance": 0.1}, "effect must be a difference other than 0"),
        ("accuracy", {"n": 5, "discordance": 0.1}, "5 rows do not find even the largest possible difference (0.1)"),
        ("accuracy", {"n": 0, "value": 0.9}, "n must be an integer of at least 1"),
        ("accuracy", {"width": 1e-9, "value": 0.5}, "takes more than 1e+12 rows"),
        ("accuracy", {"width": 0.1, "value": 0.9, "level": 95}, "level must be a number above 0 and below 1, got 95"),
        ("accuracy", {"width": 0.1, "valu": 0.9}, "plan: has no parameter 'valu'. Did you mean 'value'?"),
        ("recall", {"width": 0.1, "value": 0.8}, "prevalence is needed: the fraction of all rows that is positive"),
        ("precision", {"width": 0.1, "value": 0.8}, "share is needed: the fraction of all rows that is predicted positive"),
        ("false_omission_rate", {"width": 0.1, "value": 0.8}, "the fraction of all rows that is predicted negative"),
        ("f1", {"width": 0.1, "value": 0.8}, "share is needed: the fraction of all rows that is positive by truth or by prediction"),
        ("f1", {"effect": 0.1, "value": 0.8}, "compare(...).rows_for(effect) returns the number of rows"),
        ("f1:average=macro", {"width": 0.1, "value": 0.8}, "plan each class with average='binary'"),
        ("f_beta:beta=2", {"width": 0.1, "value": 0.8, "share": 0.2}, "with beta other than 1 is not a function of the Jaccard"),
        ("average_precision", {"width": 0.1, "value": 0.8}, "depends on the whole order of the scores, so its rows cannot"),
        ("mae", {"width": 0.1}, "sd is needed: the standard deviation of the losses of single rows"),
        ("rmse", {"effect": 0.1, "value": 2.0}, "is compared by its squares (plan mse)"),
        ("hamming", {"width": 0.1, "value": 0.1, "sd": 0.9}, "sd cannot be above 0.3 around 0.1, got 0.9"),
        ("roc_auc", {"effect": 0.1, "value": 0.8, "prevalence": 0.2}, "correlation is needed: that of the two areas"),
    ],
)  # fmt: skip
def test_refusals(metric: str, asked: dict[str, Any], text: str) -> None:
    with pytest.raises(assay.ParameterError) as caught:
        plan(metric, **asked)
    assert text in str(caught.value)


def test_unknown_metric_is_named() -> None:
    with refusal(assay.UnknownNameError):
        plan("acuracy", value=0.9, width=0.1)


def test_examples_run() -> None:
    assert doctest.testmod(planning, optionflags=doctest.ELLIPSIS).failed == 0


@pytest.mark.parametrize("page", ["planning.md", "ppi.md"])
def test_pages_give_what_they_show(page: str) -> None:
    outcome = doctest.testfile(str(DOCS / page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert outcome.attempted > 5
    assert outcome.failed == 0
