"""`evaluate`: the right metrics, one pass, what was said is kept, and everything beside the numbers."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as sk

import assay
from assay.metrics.classification import tables
from assay.metrics.regression import pairs
from messages import refusal

RNG = np.random.default_rng(5)
P = RNG.random(400)
Y = (RNG.random(400) < P).astype(int)
TARGET = RNG.normal(10, 2, 400)
GUESS = TARGET + RNG.normal(0, 1, 400)


def binary(**more: Any) -> assay.Result:
    return assay.evaluate(task="binary", y_true=Y, y_prob=P, **more)


def test_presets_hold_what_a_practitioner_expects() -> None:
    assert {"mae", "rmse", "r2", "mape", "spearman"} <= set(
        assay.evaluate(task="regression", y_true=TARGET, y_pred=GUESS)
    )
    assert {"accuracy", "f1", "roc_auc", "average_precision", "log_loss", "brier", "calibration_error"} <= set(binary())
    labels_only = assay.evaluate(task="binary", y_true=Y, y_pred=Y)
    assert "f1" in labels_only
    assert "roc_auc" not in labels_only
    scores_only = assay.evaluate(task="binary", y_true=Y, y_score=P * 9)
    assert list(scores_only) == ["roc_auc", "average_precision"]


def test_values_are_those_of_the_functions() -> None:
    result = binary()
    assert result["roc_auc"] == pytest.approx(sk.roc_auc_score(Y, P), rel=1e-12)
    assert result["f1"] == pytest.approx(sk.f1_score(Y, P >= 0.5), rel=1e-12)
    assert result["log_loss"] == pytest.approx(sk.log_loss(Y, P), rel=1e-12)
    assert result["accuracy"].n == 400


def test_one_pass_serves_all_pair_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    scan = pairs._scan_agnostic
    monkeypatch.setattr(pairs, "_scan_agnostic", lambda *a: calls.append(1) or scan(*a))
    names = ["mse", "mae", "rmse", "r2", "mape", "pearson"]
    result = assay.evaluate(task="regression", y_true=TARGET, y_pred=GUESS, metrics=names)
    assert len(calls) == 1
    for name in names:
        assert result[name] == pytest.approx(getattr(assay, name)(TARGET, GUESS), rel=1e-12)


def test_one_table_serves_all_label_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    count = tables.bincount
    monkeypatch.setattr(tables, "bincount", lambda *a: calls.append(1) or count(*a))
    assay.evaluate(task="multiclass", y_true=[0, 1, 2, 1], y_pred=[0, 1, 1, 1])
    assert len(calls) == 1


def test_what_was_said_is_kept() -> None:
    f1 = assay.metrics.F1
    result = binary(metrics=[f1(threshold=0.3), f1(threshold=0.7), "f1:threshold=0.5", "f1"], threshold=0.2)
    assert len(result) == 4
    assert result["f1:threshold=0.3"] == pytest.approx(sk.f1_score(Y, P >= 0.3))
    assert result["f1:threshold=0.7"] == pytest.approx(sk.f1_score(Y, P >= 0.7))
    assert result["f1:threshold=0.5"] == pytest.approx(sk.f1_score(Y, P >= 0.5))
    assert result["f1"] == pytest.approx(sk.f1_score(Y, P >= 0.2))


def test_probabilities_belong_to_one_class() -> None:
    with refusal(assay.ParameterError):
        binary(metrics=["f1:positive=0"])
    decided = assay.evaluate(task="binary", y_true=Y, y_pred=(P >= 0.5).astype(int), metrics=["f1:positive=0"])
    assert decided["f1:positive=0"] == pytest.approx(sk.f1_score(Y, P >= 0.5, pos_label=0))


def test_a_metric_object_keeps_its_average() -> None:
    with refusal(assay.InputError):
        assay.evaluate(task="multiclass", y_true=[0, 1, 2], y_pred=[0, 1, 1], metrics=[assay.metrics.F1()])
    result = assay.evaluate(task="multiclass", y_true=[0, 1, 2], y_pred=[0, 1, 1], metrics=["f1"])
    assert result["f1"] == pytest.approx(assay.f1([0, 1, 2], [0, 1, 1], average="macro"))


def test_baselines() -> None:
    share = Y.mean()
    base = binary().baseline
    assert base["accuracy"] == pytest.approx(max(share, 1 - share))
    assert base["roc_auc"] == 0.5
    assert base["brier"] == pytest.approx(share * (1 - share))
    assert base["average_precision"] == pytest.approx(share)
    regression = assay.evaluate(task="regression", y_true=TARGET, y_pred=GUESS).baseline
    assert regression["rmse"] == pytest.approx(TARGET.std())
    assert regression["r2"] == pytest.approx(0, abs=1e-12)
    weight = RNG.integers(1, 4, 400).astype(float)
    weighted = binary(weight=weight).baseline
    assert weighted["brier"] == pytest.approx(np.average(Y, weights=weight) * (1 - np.average(Y, weights=weight)))


def test_the_baseline_of_a_cost_is_the_cheapest_constant() -> None:
    y = np.repeat([0, 1], [72, 28])
    result = assay.evaluate(task="binary", y_true=y, y_pred=y, metrics=["expected_cost:cost=[[0,1],[10,0]]"])
    assert result.baseline[next(iter(result))] == pytest.approx(0.72)  # always positive: 72 false alarms


def test_slices() -> None:
    site = np.where(np.arange(400) % 3 == 0, "a", "b")
    result = binary(slices={"site": site})
    assert list(result.slices["site"]) == ["a", "b"]
    here = site == "a"
    assert result.slices["site"]["a"]["roc_auc"] == pytest.approx(sk.roc_auc_score(Y[here], P[here]))
    assert result.slices["site"]["a"]["roc_auc"].n == here.sum()


def test_a_slice_may_lack_a_class() -> None:
    y = np.array(["no", "yes", "no", "no"])
    result = assay.evaluate(
        task="binary", y_true=y, y_prob=[0.1, 0.9, 0.4, 0.2], positive="yes", slices={"g": ["a", "a", "b", "b"]}
    )
    assert np.isnan(result.slices["g"]["b"]["roc_auc"])
    assert result.slices["g"]["b"]["accuracy"] == 1.0


def test_other_inputs() -> None:
    bounds = {"lower": TARGET - 1, "upper": TARGET + 3}
    result = assay.evaluate(
        task="regression", y_true=TARGET, extra=bounds, metrics=["interval_coverage", "interval_width"]
    )
    assert result["interval_coverage"] == 1.0
    assert result["interval_width"] == pytest.approx(4)
    series = {"y_train": [1.0, 2.0, 4.0]}
    result = assay.evaluate(task="regression", y_true=TARGET, y_pred=GUESS, extra=series, metrics=["mase"])
    assert result["mase"] == pytest.approx(assay.mae(TARGET, GUESS) / 1.5)
    assert result.baseline["mase"] == pytest.approx(np.abs(TARGET - TARGET.mean()).mean() / 1.5)
    scaled = assay.evaluate(task="regression", y_true=TARGET, y_pred=GUESS, extra={"scale": 1.5}, metrics=["mase"])
    assert scaled["mase"] == result["mase"]
    members = {"members": TARGET[:, None] + RNG.normal(size=(400, 9))}
    ensemble = assay.evaluate(task="regression", y_true=TARGET, extra=members, metrics=["crps"])
    assert ensemble["crps"] == pytest.approx(assay.crps(TARGET, **members))
    assert ensemble.baseline == {}


def test_weights_that_add_up_to_one_are_named_where_rows_count() -> None:
    share = np.full(400, 1 / 400)
    result = binary(weight=share)
    assert np.isnan(result["calibration_error:norm=l2,debiased=true"])
    assert any("weights count rows here" in w for w in result.warnings)
    assert result["roc_auc"] == pytest.approx(sk.roc_auc_score(Y, P))


def test_many_text_labels_need_no_table_for_accuracy() -> None:
    ids = np.array([f"id{i}" for i in range(60_000)])
    assert assay.evaluate(task="multiclass", y_true=ids, y_pred=ids, metrics=["accuracy"])["accuracy"] == 1.0


def test_results_travel() -> None:
    result = binary(slices={"half": np.arange(400) < 200})
    again = pickle.loads(pickle.dumps(result))
    assert again["roc_auc"] == result["roc_auc"]
    assert again["roc_auc"].signature == result["roc_auc"].signature
    assert str(again) == str(result)


def test_signatures_reproduce() -> None:
    from assay.core.signatures import from_signature

    for name, score in binary().scores.items():
        metric = from_signature(score.signature)
        key = "y_score" if name in ("roc_auc", "average_precision") else "y_prob"
        assert metric(Y, **{key: P}) == pytest.approx(float(score), nan_ok=True), name


def test_parameters_for_all_metrics_that_leave_them_open() -> None:
    given: dict[str, Any] = {
        "task": "binary",
        "y_true": [0, 1, 1, 0, 1],
        "y_prob": [0.1, 0.2, 0.8, 0.6, 0.9],
        "level": None,
    }
    found = assay.evaluate(**given, metrics=["f_beta", "f_beta:beta=3", "accuracy"], parameters={"beta": 2})
    assert float(found["f_beta"]) == assay.f_beta(given["y_true"], [0, 0, 1, 1, 1], beta=2)
    assert float(found["f_beta:beta=3"]) == assay.f_beta(given["y_true"], [0, 0, 1, 1, 1], beta=3)
    with refusal(assay.ParameterError):
        assay.evaluate(**given, metrics=["f_beta"], parameters={"bta": 2})
    with refusal(assay.ParameterError):
        assay.evaluate(**given, metrics=[assay.metrics.FBeta(beta=2)], parameters={"beta": 2})


def test_label_maps_take_parameters_and_refuse_what_is_of_rows() -> None:
    maps = np.random.default_rng(0).integers(0, 3, (4, 8, 8))
    other = np.where(maps == 1, 2, maps)
    maps[:, 0] = 255
    found = assay.evaluate(task="segmentation", y_true=maps, y_pred=other, level=None, parameters={"ignore_index": 255})
    assert float(found["dice"]) == assay.dice(maps, other, ignore_index=255)
    told = assay.evaluate(
        task="segmentation", y_true=maps, y_pred=other, level=None, metrics=["dice:ignore_index=255"], classes=(0, 1, 2)
    )
    assert told["dice:ignore_index=255"].parts is not None
    for idle in ({"positive": 1}, {"threshold": 0.3}, {"extra": {"a": [1]}}):
        with refusal(assay.ParameterError):
            assay.evaluate(task="segmentation", y_true=maps, y_pred=other, **idle)  # pyright: ignore
