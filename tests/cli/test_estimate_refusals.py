"""`assay estimate` and bad input: one line that says what to do, before anything is trained where that can be known."""

import doctest

import numpy as np
import polars as pl
import pytest
from cli_support import call, refused

from assay.cli import option_values
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
    "address",
    [
        "plain_models",
        "plain_models.py",
        "plain_models:",
        "plain_models:meen",
        "plain_modles:mean",
        "nowhere.py:mean",
        "folder/plain_models:mean",
        "plain_models:Needs",
        "plain_models:explodes",
        "plain_models:number",
        "half_written.py:mean",
        "leaves:mean",
        "wants.py:mean",
        "json.py:mean",
        "my-models.py:mean",
    ],
)
def test_addresses(capsys, here, address):
    refused(call(capsys, "estimate", address, "data.csv", "--truth", "y", "-x", "x"))


@pytest.mark.parametrize(
    "options",
    [
        ("--features", "x,y"),
        ("--features", "q"),
        (),
        ("-x", "x", "--frame", "panda"),
        ("-x", "x", "--groups", "who"),
        ("-x", "x", "-r", "cvv:10"),
        ("-x", "x", "-r", "cv:50"),
        ("-x", "x", "-r", "objects"),
        ("-x", "x", "-r", "cv:5", "--method", "t"),
        ("-x", "x", "-r", "time", "--method", "bayle"),
        ("-x", "x", "-r", "cv:5", "--budget", "9"),
        ("-x", "x", "-r", "cv:5,seed=3", "--seed", "4"),
        ("-x", "x", "--select", "mse"),
        ("-x", "x", "--grid", "depth"),
        ("-x", "x", "--grid", "a=1", "--grid", "a=2"),
        ("-x", "x", "-m", "mze"),
        ("-x", "x", "-m", "mse,mae", "--best", "1"),
        ("-x", "x", "--best", "mse=low"),
        ("-x", "x", "--level", "95"),
        ("-x", "x", "--jobs", "0"),
        ("-x", "x", "--keep-train"),
        ("-x", "x", "--figure", "chart.png"),
        ("-x", "x", "--predictions", "p.xlsx"),
        ("-x", "x", "--splits", "nowhere/s.csv"),
        ("-x", "x", "--task", "clustering"),
        ("-x", "x", "--positive", "1"),
        ("-x", "x", "--guideline", "-f", "csv"),
        ("-x", "x", "--fail-under", "mse"),
    ],
)
def test_options(capsys, here, options):
    refused(call(capsys, "estimate", "plain_models.py:mean", "data.csv", "--truth", "y", *options))


def test_nothing_is_guessed_about_classes(capsys, here):
    told = ("plain_models.py:mean", "data.csv", "-x", "x")
    refused(call(capsys, "estimate", *told, "--truth", "two"))
    refused(call(capsys, "estimate", *told, "--truth", "word"))


def test_missing_things_are_named(capsys, here):
    refused(call(capsys, "estimate", "plain_models.py:mean", "dota.csv", "--truth", "y"))
    refused(call(capsys, "estimate", "plain_models.py:mean", "data.csv"))
    refused(call(capsys, "estimate"))


def test_empty_cells_are_the_learners_business(capsys, here):
    """A mean takes no notice of features; an empty target is refused by its row."""
    (here / "gaps.csv").write_text("x,y\n1,2\n,3\n3,\n4,5\n")
    refused(call(capsys, "estimate", "plain_models.py:mean", "gaps.csv", "--truth", "y"))
    run = call(capsys, "estimate", "plain_models.py:mean", "gaps.csv", "--truth", "x", "-x", "y")
    refused(run)
    (here / "holes.csv").write_text("x,y\n1,2\n,3\n3,4\n4,5\n")
    assert (
        call(capsys, "estimate", "plain_models.py:mean", "holes.csv", "--truth", "y", "-r", "cv:2", "-m", "mse").code
        == 0
    )


def test_examples_of_short_texts_run():
    done = doctest.testmod(option_values)
    assert done.attempted >= 3
    assert done.failed == 0


@pytest.mark.parametrize("text", ["cv:5x2,stratify,seed=3", "holdout:0.25", "groups", "groups:4", "time:3", "cv:10x1"])
def test_schemes_survive_being_written(text):
    assert option_values.text_of(scheme_of(text)) == text
