"""Quiet, verbose, colours, options from a file, completion, and progress in a file."""

import json
import os
import subprocess
import sys

import pytest
from cli_support import binary, call, refused

from assay.cli import completion, progress, settings

TABLE = ("--truth", "y", "--prob", "p", "-m", "accuracy")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    binary().write_csv("b.csv")
    yield tmp_path
    settings.reset()


def test_quiet_leaves_the_result_alone(here, capsys):
    loud = call(capsys, "score", "b.csv", *TABLE)
    quiet = call(capsys, "score", "b.csv", *TABLE, "--quiet")
    assert "taking this as a binary task" in loud.err
    assert (quiet.out, quiet.err) == (loud.out, "")


def test_quiet_still_says_what_failed(here, capsys):
    found = call(capsys, "score", "b.csv", *TABLE, "-q", "--fail-under", "accuracy=0.9999")
    assert found.code == 1
    assert found.err.startswith("assay: accuracy is 0.")


def test_verbose_says_what_was_read_and_passed(here, capsys):
    (here / "assay.toml").write_text('truth = "y"\n')
    found = call(capsys, "score", "b.csv", "--prob", "p", "-m", "accuracy", "--verbose", "--fail-under", "accuracy=0.1")
    assert "options were read from assay.toml" in found.err
    assert "within the limit 0.1" in found.err
    refused(call(capsys, "score", "b.csv", *TABLE, "-q", "-v"))


@pytest.mark.parametrize(
    ("more", "variable", "colours"), [((), "", True), (("--no-color",), "", False), ((), "1", False)]
)
def test_colours(here, more, variable, colours):
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": "100", "TERM": "xterm-256color", "NO_COLOR": variable}
    models = ("compare", "b.csv", "--truth", "y", "--prob", "p", "--prob", "p0", "-m", "accuracy")
    found = subprocess.run(
        [sys.executable, "-m", "assay", *models, *more], env=environment, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    assert ("\x1b[1;32m" in found.stdout or "32m" in found.stdout) is colours


# ---- a file of options


def scored(capsys, *more):
    found = call(capsys, "score", "b.csv", "--json", *more)
    assert found.code == 0, found.err
    return json.loads(found.out)


def test_options_of_a_file_and_what_wins(here, capsys):
    (here / "assay.toml").write_text(
        'truth = "y"\nlevel = 0.9\n[score]\nprob = "p"\nmetric = ["accuracy", "f1"]\nfail_under = "f1=0.01"\n[compare]\nlevel = 0.8\n'
    )
    found = scored(capsys)
    assert list(found["scores"]) == ["accuracy", "f1"]
    assert found["level"] == 0.9
    assert [gate["outcome"] for gate in found["gates"]] == ["pass"]
    assert scored(capsys, "--level", "0.99", "-m", "recall")["level"] == 0.99
    assert next(iter(scored(capsys, "-m", "recall")["scores"])) == "recall"
    both = call(capsys, "compare", "b.csv", "--prob", "p", "--prob", "p0", "-m", "f1", "--json")
    assert json.loads(both.out)["level"] == 0.8


def test_a_project_file_and_a_named_one(here, capsys):
    (here / "pyproject.toml").write_text('[tool.other]\nx = 1\n[tool.assay]\ntruth = "y"\nprob = "p"\nmetrics = "f1"\n')
    (here / "other.toml").write_text('truth = "y"\nprob = "p"\nmetric = "recall"\n')
    assert list(scored(capsys)["scores"]) == ["f1"]
    assert list(scored(capsys, "--config", "other.toml")["scores"]) == ["recall"]
    assert list(scored(capsys, "--config=other.toml")["scores"]) == ["recall"]


@pytest.mark.parametrize(
    "text",
    ['turth = "y"', '[score]\nmargin = 0.1', '[scores]\ntruth = "y"', "x = [", 'config = "a.toml"', '[score.level]\na = 1',
     '[score]\nlevel = "high"'],
)  # fmt: skip
def test_files_that_cannot_be_used(here, capsys, text):
    (here / "assay.toml").write_text(text)
    refused(call(capsys, "score", "b.csv", *TABLE, "--task", "binary"))


def test_a_file_that_is_not_there(here, capsys):
    refused(call(capsys, "score", "b.csv", *TABLE, "--config", "nowhere.toml"))


# ---- completion


def test_what_is_completed():
    assert completion.metrics("accuracy,roc_a") == ["accuracy,roc_auc"]
    assert completion.tasks("multi") == ["multiclass", "multilabel"]
    assert "loss.mse" in completion.entries("loss.ms")


def test_the_shell_gets_it(here):
    words = "assay score b.csv -m accuracy,roc_a"
    environment = {**os.environ, "_ASSAY_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": "4"}
    found = subprocess.run(
        [sys.executable, "-m", "assay"], env=environment, capture_output=True, text=True, check=False
    )
    assert "roc_auc" in found.stdout


# ---- progress


def test_a_line_a_minute_in_a_file(monkeypatch, capsys):
    clock = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: clock[0])
    with progress.resampling(2000) as told:
        for second in (1, 30, 61, 62, 100, 122):
            clock[0] = float(second)
            if second == 1:
                told.stage("roc_auc", 3)
            told(100)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "assay: roc_auc (1 of 3, 300 replicates), after 1 min",
        "assay: roc_auc (1 of 3, 600 replicates), after 2 min",
    ]
    tell = progress.each_minute("fits")
    clock[0] += 61
    tell(5)
    assert capsys.readouterr().err == "assay: 5 fits done, after 1 min\n"
