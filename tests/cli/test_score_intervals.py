"""`assay score`: intervals by default, their options, and everything about them in JSON."""

import csv
import io
import json
import os
import pty
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from cli_support import binary, call, refused

import assay

ARGUMENTS = ("--task", "binary", "--truth", "y", "--pred", "pred")


@pytest.fixture
def path(tmp_path):
    binary(400).write_csv(tmp_path / "b.csv")
    return tmp_path / "b.csv"


def data(capsys, *arguments):
    found = call(capsys, "score", *arguments, "--json")
    assert found.code == 0, found.err
    return json.loads(found.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def test_intervals_by_default(path, capsys):
    frame = pl.read_csv(path)
    found = data(capsys, path, *ARGUMENTS)
    own = assay.metrics.Accuracy().interval(frame["y"].to_numpy(), frame["pred"].to_numpy())
    score = found["scores"]["accuracy"]
    assert (score["low"], score["high"]) == pytest.approx((own.low, own.high))
    assert (score["level"], score["method"], score["reliable"], score["reason"]) == (0.95, "Wilson", True, "")
    assert found["level"] == 0.95
    assert "95 % interval" in call(capsys, "score", path, *ARGUMENTS).out


def test_without_intervals(path, capsys):
    found = data(capsys, path, *ARGUMENTS, "--no-intervals")
    assert found["level"] is None
    assert found["scores"]["accuracy"]["low"] is None
    assert "interval" not in call(capsys, "score", path, *ARGUMENTS, "--no-intervals", "--by", "site").out


def test_level_method_seed_and_replicates(path, capsys):
    more = ("-m", "f1", "--level", "0.9", "--method", "bca", "--replicates", "300")
    first, second, other = (data(capsys, path, *ARGUMENTS, *more, "--seed", s)["scores"]["f1"] for s in (1, 1, 2))
    assert first["level"] == 0.9
    assert first["method"] == "BCa bootstrap, 300 replicates"
    assert first == second
    assert first["low"] != other["low"]
    assert "90 % interval" in call(capsys, "score", path, *ARGUMENTS, *more).out


def test_groups_and_strata(path, capsys):
    grouped = data(capsys, path, *ARGUMENTS, "-m", "accuracy", "--groups", "patient")
    assert "40 groups" in grouped["scores"]["accuracy"]["method"]
    layered = data(capsys, path, *ARGUMENTS, "-m", "accuracy", "--strata", "site")
    assert "2 strata" in layered["scores"]["accuracy"]["method"]


def test_slices_carry_their_gap(path, capsys):
    found = data(capsys, path, *ARGUMENTS, "--by", "site")["slices"]["site"]["a"]["accuracy"]
    assert found["low"] < found["value"] < found["high"]
    assert set(found["gap"]) >= {"gap", "low", "high", "p", "adjusted_p", "differs"}
    table = call(capsys, "score", path, *ARGUMENTS, "--by", "site", "-f", "csv").out
    rows = list(csv.DictReader(io.StringIO(table)))
    assert {"gap", "gap_low", "gap_high", "differs", "method", "reliable", "reason"} <= set(rows[0])


def test_pooling(tmp_path, capsys):
    frame = binary(600).with_columns(ward=pl.Series(np.arange(600) % 5))
    frame.write_csv(tmp_path / "b.csv")
    found = data(capsys, tmp_path / "b.csv", *ARGUMENTS, "-m", "accuracy", "--by", "ward", "--pool")
    assert found["slices"]["ward"]["0"]["accuracy"]["pooled"]["method"] == "partial pooling"
    text = call(capsys, "score", tmp_path / "b.csv", *ARGUMENTS, "-m", "accuracy", "--by", "ward", "--pool").out
    assert "→" in text
    assert "partial pooling" in text
    rows = call(
        capsys, "score", tmp_path / "b.csv", *ARGUMENTS, "-m", "accuracy", "--by", "ward", "--pool", "-f", "csv"
    )
    last = list(csv.DictReader(io.StringIO(rows.out)))[-1]
    assert float(last["pooled_low"]) < float(last["pooled"]) < float(last["pooled_high"])


def test_what_cannot_be_pooled_says_why(path, capsys):
    found = call(capsys, "score", path, *ARGUMENTS, "-m", "accuracy", "--by", "site", "--pool")
    assert found.code == 0
    assert "not pooled by site: accuracy (pooling needs at least three slices" in found.out
    assert (
        "three slices" in data(capsys, path, *ARGUMENTS, "-m", "f1", "--by", "site", "--pool")["unpooled"]["site"]["f1"]
    )


def test_the_table_says_which_method_made_an_interval(path, capsys):
    found = call(capsys, "score", path, *ARGUMENTS, "-m", "accuracy", "-m", "recall", "-m", "f1").out
    assert "intervals: Wilson (accuracy, recall); Wilson on the Jaccard index (f1)" in found


@pytest.mark.parametrize(
    "more",
    [
        ("--pool",),
        ("--no-intervals", "--method", "bca", "--level", "0.9"),
        ("--no-intervals", "--by", "site", "--pool"),
        ("--json", "-f", "csv"),
        ("-o", "out.xyz"),
    ],
)
def test_nothing_is_passed_over_in_silence(path, capsys, more):
    refused(call(capsys, "score", path, *ARGUMENTS, *more))


def test_no_word_is_broken_on_a_narrow_terminal(path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    found = call(capsys, "score", path, *ARGUMENTS).out
    assert max(len(line) for line in found.splitlines()) <= 40
    for word in ("balanced_", "matthews_", "correlation", "specificity"):
        assert word in found
    assert "The baseline does not fit" in found


def test_a_star_is_explained(tmp_path, capsys):
    binary(8).write_csv(tmp_path / "b.csv")
    found = call(capsys, "score", tmp_path / "b.csv", *ARGUMENTS, "-m", "accuracy")
    assert "] *" in found.out
    assert "* accuracy: rests on 8 rows only" in found.out


def test_a_method_for_some_of_the_usual_metrics(path, capsys):
    found = data(capsys, path, *ARGUMENTS, "--method", "exact")["scores"]
    assert found["accuracy"]["method"] == "Clopper-Pearson"
    assert found["f1"]["low"] is None
    assert "is for proportions" in found["f1"]["reason"]


@pytest.mark.parametrize(
    "more",
    [
        ("--level", "0"),
        ("--level", "95"),
        ("--method", "bootstrapp"),
        ("-m", "f1", "--method", "delong"),
        ("--replicates", "10"),
        ("--seed", "-3"),
        ("--groups", "patiens"),
        ("--strata", "sit"),
    ],
)
def test_refused(path, capsys, more):
    refused(call(capsys, "score", path, *ARGUMENTS, *more))


@pytest.mark.parametrize("columns", [70, 80, 100, 160])
@pytest.mark.parametrize("slices", [2, 5, 12])
def test_tables_fit_the_terminal(tmp_path, capsys, monkeypatch, columns, slices):
    frame = binary(900).with_columns(ward=pl.Series([f"ward {i % slices}" for i in range(900)]))
    frame.write_csv(tmp_path / "b.csv")
    monkeypatch.setenv("COLUMNS", str(columns))
    out = call(
        capsys, "score", tmp_path / "b.csv", "--task", "binary", "--truth", "y", "--prob", "p", "--by", "ward"
    ).out
    lines = out.splitlines()
    assert max(len(line) for line in lines) <= columns
    brackets = [line for line in lines if "[" in line or "]" in line]
    assert all(line.count("[") == line.count("]") for line in brackets), "no interval is torn apart"
    assert "ward 0" in out


def test_progress_on_a_terminal_only(tmp_path):
    frame = pl.concat([binary(20000)] * 2)
    frame.write_parquet(tmp_path / "b.parquet")
    hasty = "import assay.cli.progress as p; p.PATIENCE = 0; from assay.cli import main; main()"
    options = ("--task", "binary", "--truth", "y", "--score", "p", "--method", "percentile", "-f", "csv")
    command = [sys.executable, "-c", hasty, "score", str(tmp_path / "b.parquet"), *options]
    leader, follower = pty.openpty()
    shown = subprocess.run(command, stdout=subprocess.PIPE, stderr=follower, check=True)
    os.close(follower)
    said = os.read(leader, 100_000)
    assert b"roc_auc (1 of 2" in said
    assert b"Ctrl-C stops" in said
    os.close(leader)
    quiet = subprocess.run(command, capture_output=True, check=True)
    assert quiet.stderr == b""
    assert quiet.stdout == shown.stdout
