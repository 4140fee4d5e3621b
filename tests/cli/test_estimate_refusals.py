"""`assay estimate` and bad input: one line that says what to do, before anything is trained where that can be known."""

import doctest

import numpy as np
import polars as pl
import pytest
from cli_support import call, refused

from assay.cli import choices
from assay.resampling import scheme_of

MODELS = """
class Mean:
    def fit(self, X, y):
        self.mean = y.mean()
        return self

    def predict(self, X):
        return [self.mean] * len(X)


class Needs(Mean):
    def __init__(self, size):
        self.size = size


mean = Mean()
number = 3


def explodes():
    raise RuntimeError("no forest today")
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain_models.py").write_text(MODELS)
    (tmp_path / "half_written.py").write_text("x = [\n")
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit(3)\n")
    (tmp_path / "wants.py").write_text("import a_module_nobody_has\n")
    (tmp_path / "json.py").write_text(MODELS)
    (tmp_path / "my-models.py").write_text(MODELS)
    x = np.arange(40.0)
    pl.DataFrame(
        {"x": x, "z": x % 7, "y": 2 * x + 1, "two": (x % 2).astype(int), "word": ["no", "yes"] * 20}
    ).write_csv("data.csv")
    yield tmp_path
    import sys

    for name in ("plain_models", "half_written", "leaves", "wants"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("plain_models", ("module:object", "mean")),
        ("plain_models.py", ("file.py:object", "There are: ", "explodes")),
        ("plain_models:", ("which object?", "mean")),
        ("plain_models:meen", ("no 'meen'", "Did you mean 'mean'")),
        ("plain_modles:mean", ("no module 'plain_modles'", "Did you mean 'plain_models'")),
        ("nowhere.py:mean", ("nowhere.py", "no such file")),
        ("folder/plain_models:mean", ("folder/plain_models.py:object",)),
        ("plain_models:Needs", ("missing 1 required", "Name an instance, or a function that makes one")),
        ("plain_models:explodes", ("RuntimeError: no forest today", "plain_models.py, line 21")),
        ("plain_models:number", ("got int", "(fit, predict)")),
        ("half_written.py:mean", ("SyntaxError", "line 1")),
        ("leaves:mean", ("cannot be imported", "SystemExit")),
        ("wants.py:mean", ("needs the module 'a_module_nobody_has'",)),
        ("json.py:mean", ("another module called 'json'", "Rename")),
        ("my-models.py:mean", ("Rename it, without '-'",)),
    ],
)
def test_addresses(capsys, here, address, says):
    refused(call(capsys, "estimate", address, "data.csv", "--truth", "y", "-x", "x"), *says)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--features", "x,y"), ("'y'", "is the truth")),
        (("--features", "q"), ("no column 'q'",)),
        ((), ("'word'", "--features", "--frame pandas")),
        (("-x", "x", "--frame", "panda"), ("'panda'", "pandas")),
        (("-x", "x", "--groups", "who"), ("no column 'who'",)),
        (("-x", "x", "-r", "cvv:10"), ("--resampling", "Did you mean 'cv'", "cv:10x5")),
        (("-x", "x", "-r", "cv:50"), ("50 folds", "Take fewer folds")),
        (("-x", "x", "-r", "objects"), ("give --groups",)),
        (
            ("-x", "x", "-r", "cv:5", "--method", "t"),
            ("--method t", "too narrow", "--method corrected_t or nested_cv or bayle"),
        ),
        (("-x", "x", "-r", "time", "--method", "bayle"), ("does not hold", "leave --method out")),
        (("-x", "x", "-r", "cv:5", "--budget", "9"), ("--budget", "--resampling has chosen")),
        (("-x", "x", "-r", "cv:5,seed=3", "--seed", "4"), ("two seeds",)),
        (("-x", "x", "--select", "mse"), ("--select", "--grid")),
        (("-x", "x", "--grid", "depth"), ("NAME=VALUE",)),
        (("-x", "x", "--grid", "a=1", "--grid", "a=2"), ("twice",)),
        (("-x", "x", "-m", "mze"), ("no metric 'mze'",)),
        (("-x", "x", "-m", "mse,mae", "--best", "1"), ("--best accuracy=0.95",)),
        (("-x", "x", "--best", "mse=low"), ("'low' is not a number",)),
        (("-x", "x", "--level", "95"), ("--level 0.95",)),
        (("-x", "x", "--jobs", "0"), ("--jobs", "-1")),
        (("-x", "x", "--keep-train"), ("--store",)),
        (("-x", "x", "--figure", "chart.png"), ("--figure", ".svg")),
        (("-x", "x", "--predictions", "p.xlsx"), (".csv or .parquet",)),
        (("-x", "x", "--splits", "nowhere/s.csv"), ("no folder nowhere",)),
        (("-x", "x", "--task", "clustering"), ("no task 'clustering'",)),
        (("-x", "x", "--positive", "1"), ("--positive goes with --task binary",)),
        (("-x", "x", "--guideline", "-f", "csv"), ("no output format 'csv'",)),
        (("-x", "x", "--fail-under", "mse"), ("METRIC=VALUE",)),
    ],
)
def test_options(capsys, here, options, says):
    refused(call(capsys, "estimate", "plain_models.py:mean", "data.csv", "--truth", "y", *options), *says)


def test_nothing_is_guessed_about_classes(capsys, here):
    told = ("plain_models.py:mean", "data.csv", "-x", "x")
    refused(call(capsys, "estimate", *told, "--truth", "two"), "two values", "--task binary or regression")
    refused(call(capsys, "estimate", *told, "--truth", "word"), "which class of 'word' is positive", "--positive yes")


def test_missing_things_are_named(capsys, here):
    refused(
        call(capsys, "estimate", "plain_models.py:mean", "dota.csv", "--truth", "y"),
        "dota.csv",
        "Did you mean 'data.csv'",
    )
    refused(call(capsys, "estimate", "plain_models.py:mean", "data.csv"), "--truth")
    refused(call(capsys, "estimate"), "MODULE:OBJECT")


def test_empty_cells_are_the_learners_business(capsys, here):
    """A mean takes no notice of features; an empty target is refused by its row."""
    (here / "gaps.csv").write_text("x,y\n1,2\n,3\n3,\n4,5\n")
    refused(call(capsys, "estimate", "plain_models.py:mean", "gaps.csv", "--truth", "y"), "'y'", "row 2")
    run = call(capsys, "estimate", "plain_models.py:mean", "gaps.csv", "--truth", "x", "-x", "y")
    refused(run, "'x'", "row 1")
    (here / "holes.csv").write_text("x,y\n1,2\n,3\n3,4\n4,5\n")
    assert (
        call(capsys, "estimate", "plain_models.py:mean", "holes.csv", "--truth", "y", "-r", "cv:2", "-m", "mse").code
        == 0
    )


def test_examples_of_short_texts_run():
    done = doctest.testmod(choices)
    assert done.attempted >= 3
    assert done.failed == 0


@pytest.mark.parametrize("text", ["cv:5x2,stratify,seed=3", "holdout:0.25", "groups", "groups:4", "time:3", "cv:10x1"])
def test_schemes_survive_being_written(text):
    assert choices.text_of(scheme_of(text)) == text
