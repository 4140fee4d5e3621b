"""Comparisons that rest on few rows: exact tests, limits that agree with them, and a star where there is no such test."""

from __future__ import annotations

import dataclasses
import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.inference.exact_randomisation import DiscordantUnits

sys.path.append(str(Path(__file__).parents[2]))  # `pytest` alone does not put the root there, `python -m pytest` does

from benchmarks.coverage import boundaries

M: Any = assay.metrics
TRUTH = np.repeat([1, 0], [83, 145])
CAREFUL = np.r_[np.ones(73, int), np.zeros(155, int)]
ALARMED = np.r_[np.ones(73, int), np.zeros(151, int), np.ones(4, int)]


def swapped_by_hand(metric: Any, y: Any, a: Any, b: Any) -> float:
    """The share of all swaps of the rows on which the models differ with a difference at least as large."""
    at = np.flatnonzero(a != b)
    seen, values = abs(metric(y, a) - metric(y, b)), []
    for choice in itertools.product([False, True], repeat=len(at)):
        swap = np.zeros(len(y), bool)
        swap[at] = choice
        values.append(metric(y, np.where(swap, b, a)) - metric(y, np.where(swap, a, b)))
    return float(np.mean(np.abs(values) >= seen - 1e-12))


@pytest.mark.parametrize("name", ["Precision", "F1", "Jaccard", "MatthewsCorrelation", "CohenKappa", "BalancedAccuracy",
                                  "Accuracy", "Specificity", "FalseDiscoveryRate"])  # fmt: skip
def test_four_false_alarms_are_no_winner(name: str) -> None:
    """73 hits without a false alarm against 73 hits with four: of 16 swaps, two put all four on one side."""
    metric = getattr(M, name)()
    found = metric.compare(TRUTH, CAREFUL, ALARMED)
    assert found.p == pytest.approx(2 / 16, abs=1e-12)
    assert found.low < 0 < found.high
    assert found.reliable
    assert "exact" in (found.method or "")
    assert found.p == metric.compare(TRUTH, CAREFUL, ALARMED, method="permutation").p


def test_six_on_one_side_are_a_difference() -> None:
    """2 / 64 = 0.031: an exact test that could never reject would be no test."""
    six = np.r_[np.ones(73, int), np.zeros(149, int), np.ones(6, int)]
    found = M.Precision().compare(TRUTH, CAREFUL, six)
    assert found.p == pytest.approx(2 / 64)
    assert found.low > 0


def test_all_swaps_are_those_of_brute_force() -> None:
    rng = np.random.default_rng(5)
    for count in range(1, 13):
        for values in (rng.normal(size=count), rng.choice([-1.0, 1.0, 2.0], count), np.full(count, 0.3)):
            signs = np.array(list(itertools.product([-1, 1], repeat=count)))
            expected = float(np.mean(np.abs(signs @ values) >= abs(values.sum()) - 1e-9))
            p, exact = DiscordantUnits.of(values).test
            assert exact
            assert p == pytest.approx(expected, abs=1e-12)


def test_many_small_gaps_count_as_noise() -> None:
    """Three large gaps among a thousand small ones, against a quarter of a million random swaps."""
    rng = np.random.default_rng(6)
    values = np.r_[3.0, 2.5, -2.0, 0.05 * rng.normal(size=1000)]
    signs = rng.choice([-1.0, 1.0], (250_000, 3)) @ values[:3]
    noise = np.sqrt(float(values[3:] @ values[3:])) * rng.normal(size=250_000)
    p, exact = DiscordantUnits.of(values).test
    assert not exact
    assert p == pytest.approx(float(np.mean(np.abs(signs + noise) >= abs(values.sum()))), abs=0.005)


@pytest.mark.parametrize("name", ["Precision", "Recall", "F1", "MatthewsCorrelation", "CohenKappa", "BalancedAccuracy",
                                  "MAE", "RMSE", "R2", "Pearson"])  # fmt: skip
def test_default_is_the_randomisation_test_of_the_value_itself(name: str) -> None:
    """DiscordantUnits are of first order; the test of the values themselves, by brute force, says nearly the same."""
    rng, metric = np.random.default_rng(7), getattr(M, name)()
    for _ in range(5):
        draw = boundaries.losses if metric.task == "regression" else boundaries.binary("both", 10)
        data = draw(rng, 8)
        found = metric.compare(**data)
        assert found.p == pytest.approx(swapped_by_hand(metric, data["y_true"], data["a"], data["b"]), abs=0.03)


DRAWS = {
    "negatives": boundaries.binary("negatives"),
    "both": boundaries.binary("both"),
    "weighted": boundaries.weighted,
    "grouped": boundaries.grouped,
    "three classes": boundaries.three_classes,
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS.keys())
def test_limits_hold_zero_where_the_test_does_not_reject(draw: Any) -> None:
    rng = np.random.default_rng(8)
    metrics = [M.Accuracy(), M.F1(average="macro"), M.CohenKappa()]
    for count, level in itertools.product((1, 3, 6, 9, 15, 25), (0.8, 0.95)):
        data = draw(rng, count)
        for metric in metrics:
            found = metric.compare(**data, level=level)
            assert found.low <= float(found) <= found.high
            assert (found.low > 0 or found.high < 0) == found.significant


def test_groups_are_swapped_as_a_whole() -> None:
    """Two wrong rows in each of four groups are four units, not eight; weights do not make more of them."""
    truth, groups = np.arange(240) % 2, np.arange(240) // 4
    b = truth.copy()
    for group in (3, 10, 21, 33):
        b[4 * group : 4 * group + 2] ^= 1
    for metric in (M.Accuracy(), M.Precision(), M.F1(), M.Misclassification()):
        for weight in (None, np.full(240, 2.0)):
            found = metric.compare(truth, truth, b, groups=groups, weight=weight)
            assert found.p == pytest.approx(2 / 16, abs=1e-12)
            assert "4 discordant groups" in (found.method or "")
    weight = np.ones(240)
    weight[12:16] = 9.0  # one group outweighs the others: alone it decides
    assert M.Accuracy().compare(truth, truth, b, groups=groups, weight=weight).p == pytest.approx(2 / 16, abs=1e-12)


def test_scores_that_one_model_puts_on_top() -> None:
    """Four negatives above all positives take as much from each positive, which is no evidence by the positives."""
    a = 10.0 * TRUTH + np.random.default_rng(0).normal(size=len(TRUTH))
    b = 0.1 * a - 3.0  # another scale: only the order counts
    b[-4:] += 9.0
    found = M.RocAuc().compare(TRUTH, a, b)
    assert found.p == pytest.approx(2 / 16, abs=1e-12)
    assert found.low < 0 < found.high
    assert M.RocAuc().compare(TRUTH, a, b, method="delong").p < 0.05
    assert (M.AveragePrecision().compare(TRUTH, a, b).p or 0) > 0.05


@pytest.mark.parametrize("name", ["RocAuc", "AveragePrecision", "Spearman", "Kendall"])
@pytest.mark.parametrize("rows", ["plain", "tied", "few positives"])
def test_few_outputs_that_differ_are_swapped_as_they_are(name: str, rows: str) -> None:
    """Five rows differ, whatever they do to the ranks of others: 32 swaps, no star, and no count of anything else."""
    metric, rng = getattr(M, name)(), np.random.default_rng(11)
    for _ in range(4):
        data = boundaries.losses(rng, 5) if metric.task == "regression" else boundaries.few_scores(rng, 5)
        if rows == "tied":
            data = {key: np.round(value, 1) for key, value in data.items()}
        kept = np.r_[60:220] if rows == "few positives" and metric.task != "regression" else np.arange(len(data["a"]))
        y, a, b = (data[key][kept] for key in ("y_true", "a", "b"))
        found = metric.compare(y, a, b)
        if np.array_equal(a, b):
            continue
        assert (found.method or "").startswith("exact randomisation, ")
        assert int((found.method or "").split()[2]) <= np.count_nonzero(a != b)
        assert found.reliable
        assert found.p == pytest.approx(swapped_by_hand(metric, y, a, b), abs=0.07 if "Precision" in name else 1e-12)
        assert (found.low > 0 or found.high < 0) == found.significant


def test_few_groups_of_scores_are_swapped_as_a_whole() -> None:
    data = boundaries.few_scores(np.random.default_rng(3), 0)
    y, a, b = data["y_true"], data["a"], data["a"].copy()
    b[[0, 1, 2, 100, 101]] -= 1.0  # of groups 0, 0, 1, 50 and 50
    groups = np.arange(len(y)) // 2
    found = M.RocAuc().compare(y, a, b, groups=groups)
    assert found.method == "exact randomisation, 3 discordant groups"
    signs = np.array(list(itertools.product([False, True], repeat=3)))
    values = []
    for sign in signs:
        swap = np.isin(groups, np.array([0, 1, 50])[sign])
        values.append(M.RocAuc()(y, np.where(swap, b, a)) - M.RocAuc()(y, np.where(swap, a, b)))
    assert found.p == pytest.approx(np.mean(np.abs(values) >= abs(float(found)) - 1e-12))


def test_placements_and_ranks_are_called_by_their_name() -> None:
    """Scores on other scales cannot change places; what does is named, since other rows than the four are counted."""
    a = 10.0 * TRUTH + np.random.default_rng(0).normal(size=len(TRUTH))
    b = 0.1 * a - 3.0
    b[-4:] += 9.0
    assert M.RocAuc().compare(TRUTH, a, b).method == "exact randomisation of placements, 4 discordant rows"
    assert "randomisation of ranks" in (M.Spearman().compare(a, a, b).method or "")


EQUAL: list[tuple[Any, dict[str, Any]]] = [
    (M.Recall(), {}), (M.Precision(), {}), (M.Accuracy(), {}), (M.F1(), {}), (M.RocAuc(), {}), (M.MAE(), {}),
    (M.MAE(), {"method": "bootstrap"}), (M.MedianAbsoluteError(), {}), (M.RMSE(), {"method": "randomisation"}),
    (M.F1(average="macro"), {"method": "delta"}),
]  # fmt: skip


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("metric", "options"), EQUAL, ids=lambda x: x.key if isinstance(x, assay.Metric) else "")
def test_equal_models_have_no_width_of_nothing(metric: Any, options: dict[str, Any], weighted: bool) -> None:
    """[0, 0] would say that no other row could tell them apart. Shares have limits as of a pair of each kind; others have none."""
    y = TRUTH.astype(float) if metric.task == "regression" else TRUTH
    weight = 1.0 + np.arange(len(y)) % 3 if weighted else None
    found = metric.compare(y, ALARMED, ALARMED, weight=weight, **options)
    assert (float(found), found.p, found.significant) == (0.0, 1.0, False)
    if metric.key in ("recall", "precision", "accuracy"):
        assert found.reliable
        assert found.low < 0 < found.high
        assert found.low == -found.high
    else:
        assert (found.low, found.high, found.error) == (None, None, None)
        assert "the difference is 0 on these rows" in found.reason
    assert "nan" not in str(found)


def test_medians_of_few_differing_rows_are_swapped() -> None:
    data = boundaries.losses(np.random.default_rng(2), 7)
    found = M.MedianAbsoluteError().compare(**data)
    assert (found.method or "").startswith("exact randomisation")
    assert found.p == pytest.approx(swapped_by_hand(M.MedianAbsoluteError(), data["y_true"], data["a"], data["b"]))


@pytest.mark.parametrize("method", ["delta", "bootstrap"])
def test_other_methods_carry_a_star_there(method: str) -> None:
    found = M.Precision().compare(TRUTH, CAREFUL, ALARMED, method=method)
    assert not found.reliable
    assert "4 rows make the difference" in found.reason
    many = np.where(np.arange(228) % 3 == 0, 1 - CAREFUL, CAREFUL)
    assert "make the difference" not in M.Precision().compare(TRUTH, CAREFUL, many, method=method).reason


def test_detectors_that_differ_on_few_images_carry_a_star() -> None:
    """Average precision is resampled by images, and there is no exact test: three images prove nothing, and it says so."""
    rng = np.random.default_rng(3)
    truth = [{"boxes": np.c_[x := rng.uniform(0, 50, (4, 2)), x + 20], "labels": np.arange(4) % 2} for _ in range(30)]
    good = [{**one, "scores": rng.uniform(0.5, 1, 4)} for one in truth]
    other = [
        {**one, "scores": one["scores"] * 0.9, "boxes": one["boxes"] + 15} if i < 3 else one
        for i, one in enumerate(good)
    ]
    found = M.COCO().compare(truth, good, other, replicates=100)
    assert not found.reliable
    assert "about 3 rows make the difference" in found.reason


def test_models_with_different_inputs_have_the_same_test() -> None:
    prob = {"y_prob": np.where(ALARMED == 1, 0.9, 0.1)}
    assert M.Precision().compare(TRUTH, {"y_pred": CAREFUL}, prob).p == pytest.approx(2 / 16)


QUICK = {  # of the page: settings and metrics that are measured within a second
    "false alarms, all else right": ("precision", "F1", "accuracy"),
    "scores that separate": ("AUC", "average precision"),
    "scores of few rows": ("AUC", "average precision"),
    "rows of labels": ("mean Dice of rows",),
    "equal precision, twice the calls": ("precision",),
}


@pytest.mark.parametrize("count", [4, 8])
def test_level_at_a_boundary(count: int) -> None:
    """The short form of the page: no test rejects much more than 5 %, and none contradicts its interval."""
    for task in boundaries.settings():
        if task.discordant == count and task.family in QUICK:
            metrics = {name: task.metrics[name] for name in QUICK[task.family]}
            for row in dataclasses.replace(task, metrics=metrics).rows(100):
                assert row.level <= 0.065 + 3 * np.sqrt(0.065 * 0.935 / 100), (row.family, row.name)
                assert row.torn == 0, (row.family, row.name)


def test_the_page_would_show_a_test_that_rejects_too_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the exact test, four false alarms on one side are a false winner in one case of eight."""
    monkeypatch.setattr("assay.inference.exact_randomisation.FEW", 0)
    task = next(t for t in boundaries.settings() if t.family.startswith("false alarms") and t.discordant == 4)
    row = dataclasses.replace(task, metrics={"precision": M.Precision()}).rows(2000)[0]
    assert row.level == pytest.approx(2 / 16, abs=0.03)
    assert not row.held
