"""Tables at every width: names give way, intervals are stacked, nothing is torn."""

import re

import numpy as np
import pytest

import assay
from assay.evaluation.table_layout import Grid, Page, limits_text, value_text, with_interval
from messages import refusal

RNG = np.random.default_rng(11)
Y = RNG.integers(0, 2, 500)
P = np.clip(0.3 + 0.4 * Y + 0.25 * RNG.normal(size=500), 0.01, 0.99)
CELL = "0.912 [0.870, 0.941]"
GRID = Grid(
    "title", ["metric", "one", "average_precision"], [["calibration_error:norm=l2,debiased=true", CELL, CELL + " *"]]
)


def text(width):
    return Page(lambda _: [GRID], lambda _: ["! careful", "* why"]).text(width)


def test_wide_tables_stay_as_they_are():
    assert "calibration_error:norm=l2,debiased=true" in text(120)
    assert "0.912 [0.870, 0.941]" in text(120)
    assert text(120).splitlines()[-2:] == ["! careful", "* why"]


def test_names_give_way_first():
    lines = text(84).splitlines()
    assert any("calibration_error:" in line and CELL in line for line in lines)
    assert any(line.strip() == "norm=l2,debiased=true" for line in lines)


def test_then_intervals_stand_below():
    lines = text(66).splitlines()
    assert not any(CELL in line for line in lines)
    assert any("[0.870, 0.941]" in line for line in lines)


def test_brackets_stand_below_each_other():
    rows = [["a", "0.912 [0.870, 0.941]"], ["b", "0.912 [0.870, 0.941] *"]]
    lines = Page(lambda _: [Grid("t", ["m", "v"], rows)], lambda _: []).text(80).splitlines()
    assert len({line.index("]") for line in lines if "]" in line}) == 1


def test_cells():
    score = assay.evaluate(task="binary", y_true=Y, y_prob=P, metrics=["accuracy"])["accuracy"]
    assert with_interval(score) == score.short().replace(" 95 %", "")
    assert value_text(float("nan")) == value_text(None) == with_interval(None) == "–"
    assert limits_text(None, None) == ""
    assert limits_text(None, None, sure=False) == "*"
    assert limits_text(0.1, 0.2, sure=False) == "[0.100, 0.200] *"


@pytest.mark.parametrize("level", [None, 0.9])
def test_a_result_with_and_without_intervals(level):
    result = assay.evaluate(
        task="binary", y_true=Y, y_prob=P, level=level, metrics=["f1", "brier"], slices={"s": np.arange(500) % 3}
    )
    for form in (str(result), result.to_markdown(), result._repr_html_(), result.to_latex()):
        assert ("90" in form and "interval" in form) is (level is not None)
        assert ("[0." in form) is (level is not None)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_slices_show_every_metric_at_any_width(width):
    site = np.array([f"site {i % 12}" for i in range(500)])
    result = assay.evaluate(task="binary", y_true=Y, y_prob=P, slices={"site": site})
    below = result.__rich__().text(width).partition("by site")[2].partition("in parentheses")[0]
    words = re.sub(r"[^a-z0-9_=,:]", "", below)  # headings may be broken over lines
    for name in result.scores:
        assert name in words or all(part in below for part in re.split("[_:,]", name)), name
    for value in range(12):
        blocks = below.count(f"site {value} ")
        assert blocks == below.count("site 0 ") >= 1
    assert "do not fit" not in below
    assert all(len(line) <= width for line in below.splitlines())


def test_reasons_are_said_once_with_their_places():
    result = assay.evaluate(
        task="binary", y_true=Y[:40], y_prob=P[:40], metrics=["accuracy", "f1"], slices={"s": np.arange(40) % 8}
    )
    notes = [line for line in result.to_markdown().splitlines() if line.startswith(r"- \*")]
    assert any("f1 (s 1, s 3, s 5, s 6, s 7): rests on 3 rows only" in line for line in notes)
    assert len(notes) == len(set(notes))


def test_every_star_that_is_seen_has_its_footnote_and_no_other():
    site = np.array([f"site {i % 12}" for i in range(400)])
    p = np.where(Y[:400] == 1, P[:400], 0.01)
    result = assay.evaluate(task="binary", y_true=Y[:400], y_prob=p, slices={"site": site})
    for width in (60, 100, 400):
        shown = result.__rich__().text(width)
        tables, _, notes = shown.partition("in parentheses")
        starred = [line for line in " ".join(notes.split()).split("* ")[1:] if "(site" in line]
        assert bool(starred) == ("] *" in tables.partition("by site")[2])
    assert "...." not in str(result)


def test_a_method_that_fails_for_some_metrics_says_so_and_keeps_the_others():
    result = assay.evaluate(task="binary", y_true=Y, y_prob=P, method="delong")
    assert result["roc_auc"].method == "DeLong"
    assert not result["f1"].reliable
    assert "is for the area under the ROC curve" in str(result)
    with refusal(assay.ParameterError):
        assay.evaluate(task="binary", y_true=Y, y_prob=P, method="delong", metrics=["f1"])
    with refusal(assay.ParameterError):
        assay.evaluate(task="binary", y_true=Y, y_prob=P, method="delongg")


def test_notes_that_are_values_are_no_warnings():
    result = assay.evaluate(task="binary", y_true=Y, y_prob=P)
    assert not any("debiased calibration error" in warning for warning in result.warnings)
