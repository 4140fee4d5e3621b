"""Gates on limits of intervals and on regressions: their rule, exit code and place in the JSON."""

import json

import numpy as np
import polars as pl
import pytest
from cli_support import BINARY, call, refused

from assay.cli import gates
from assay.core.comparison import Comparison
from assay.core.score import Score


def scored(value, low=None, high=None):
    return Score(value, metric="m", n=10, low=low, high=high, level=0.95, signature="m")


# ---- limits

LIMITS = [  # text, value, low, high, outcome
    ("roc_auc=0.9", 0.91, 0.85, 0.95, "pass"),
    ("roc_auc.low=0.9", 0.91, 0.85, 0.95, "fail"),
    ("roc_auc.low=0.85", 0.91, 0.85, 0.95, "pass"),
    ("roc_auc.high=0.96", 0.91, 0.85, 0.95, "fail"),
    ("log_loss.high=0.5", 0.3, 0.2, 0.6, "fail"),
    ("log_loss.high=0.6", 0.3, 0.2, 0.6, "pass"),
    ("f_beta:beta=2.low=0.8", 0.9, 0.7, 0.95, "fail"),
    ("roc_auc.low=0.1", 0.9, None, None, "fail"),
    ("roc_auc.low=0.1", float("nan"), None, None, "fail"),
]


@pytest.mark.parametrize(("text", "value", "low", "high", "outcome"), LIMITS)
def test_limits(text, value, low, high, outcome):
    found = gates.parse(text).outcome(scored(value, low, high))
    assert found.outcome == outcome, found
    assert found.gate == f"--fail-under {text}"


def test_the_json_says_how_gates_ended(files, capsys):
    arguments = ("score", files / "binary.parquet", *BINARY, "-m", "roc_auc", "--json")
    whole = json.loads(call(capsys, *arguments).out)
    assert (whole["schema"], whole["gates"]) == (1, [])
    low = whole["scores"]["roc_auc"]["low"]
    found = call(capsys, *arguments, "--fail-under", f"roc_auc.low={low + 0.001}", "--fail-under", "jaccard.low=0.01")
    assert found.code == 1
    assert "roc_auc.low is" in found.err
    first, second = json.loads(found.out)["gates"]
    assert (first["metric"], first["outcome"], first["value"]) == ("roc_auc.low", "fail", pytest.approx(low))
    assert (second["metric"], second["outcome"]) == ("jaccard.low", "pass")
    assert second["low"] == second["value"]  # measured with its interval, though it was not among the metrics


@pytest.mark.parametrize(
    "more",
    [("--fail-under", "f1.low=0.5", "--no-intervals"), ("--fail-under", "f1.lwo=0.5"), ("--fail-under", "f1.low")],
)
def test_limits_that_cannot_be_read(files, capsys, more):
    refused(call(capsys, "score", files / "binary.parquet", *BINARY, *more))


# ---- regressions

LOSSES = [  # the metric, first - later with its limits, the margin, the outcome
    ("accuracy", (0.05, 0.02, 0.08), 0.01, "fail"),
    ("accuracy", (0.05, 0.00, 0.10), 0.01, "undecided"),
    ("accuracy", (0.00, -0.01, 0.01), 0.01, "pass"),
    ("accuracy", (-0.05, -0.08, -0.02), 0.0, "pass"),
    ("log_loss", (-0.05, -0.08, -0.02), 0.01, "fail"),  # the later model has the higher loss
    ("log_loss", (0.05, 0.02, 0.08), 0.01, "pass"),
    ("accuracy", (float("nan"), None, None), 0.01, "fail"),
    ("accuracy", (0.05, None, None), 0.01, "undecided"),
]


@pytest.mark.parametrize(("metric", "difference", "margin", "outcome"), LOSSES)
def test_worse_by_more_than_the_margin(metric, difference, margin, outcome):
    effect, low, high = difference
    c = Comparison(effect, a=scored(0.5), b=scored(0.5), n=10, low=low, high=high, level=0.95)
    found = gates.worse(gates.regression_of(f"{metric}={margin}"), "old", "new", c)
    assert found.outcome == outcome, found
    assert found.model == "new"


@pytest.fixture
def models(tmp_path):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 600)
    good = np.clip(0.2 + 0.6 * y + 0.15 * rng.normal(size=600), 0.01, 0.99)
    bad = np.where(rng.random(600) < 0.3, rng.random(600), good)
    pl.DataFrame({"y": y, "good": good, "bad": bad, "same": good}).write_csv(tmp_path / "m.csv")
    return tmp_path / "m.csv"


def compared(capsys, path, first, second, *more):
    columns = ("--task", "binary", "--truth", "y", "--prob", first, "--prob", second, "-m", "roc_auc", "--json")
    return call(capsys, "compare", path, *columns, *more)


@pytest.mark.parametrize(
    ("first", "second", "gate", "code", "outcome"),
    [
        ("good", "bad", "accuracy=0.01", 1, "fail"),
        ("bad", "good", "accuracy=0.01", 0, "pass"),
        ("good", "same", "brier=0.01", 0, "pass"),
        ("good", "bad", "log_loss=0", 1, "fail"),
        ("good", "bad", "accuracy=0.9", 0, "pass"),
    ],
)
def test_regressions(models, capsys, first, second, gate, code, outcome):
    found = compared(capsys, models, first, second, "--fail-if-worse", gate)
    assert found.code == code, found.err
    [said] = json.loads(found.out)["gates"]
    assert (said["outcome"], said["model"]) == (outcome, second)


def test_an_undecided_gate_is_said_and_fails_on_request(models, capsys):
    loss = json.loads(compared(capsys, models, "good", "bad", "-m", "accuracy").out)["metrics"]["accuracy"]["pairs"][0]
    gate = ("--fail-if-worse", f"accuracy={loss['effect']:.4f}")
    found = compared(capsys, models, "good", "bad", *gate)
    assert found.code == 0
    assert "these rows do not decide" in found.err
    assert compared(capsys, models, "good", "bad", *gate, "--fail-if-unsure").code == 1


@pytest.mark.parametrize(
    "more",
    [("--fail-if-worse", "accuracy=-1"), ("--fail-if-worse", "accuracy"), ("--fail-if-unsure",),
     ("--fail-if-worse", "confusion_matrix=1"), ("--fail-if-worse", "acuracy=0.1")],
)  # fmt: skip
def test_regressions_that_cannot_be_read(models, capsys, more):
    refused(compared(capsys, models, "good", "bad", *more))
