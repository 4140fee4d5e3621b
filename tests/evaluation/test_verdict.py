"""What a page says first and last: the verdict before the tables, the methods behind everything."""

import re

import numpy as np

import assay
from assay.evaluation.matrix_tables import matrix_grids

RNG = np.random.default_rng(5)
Y = RNG.integers(0, 2, 300)
GOOD = np.clip(0.3 + 0.4 * Y + 0.1 * RNG.normal(size=300), 0.01, 0.99)
NOISE = np.clip(0.5 + 0.1 * RNG.normal(size=300), 0.01, 0.99)


def evaluated(p, **more):
    return assay.evaluate(task="binary", y_true=Y, y_prob=p, **more)


def test_a_good_model_beats_the_baseline():
    result = evaluated(GOOD, metrics=["accuracy", "roc_auc", "recall"])
    assert result.verdict == "Better than always predicting the base rate by all 2 metrics that can tell."
    assert result.to_dict()["verdict"] == result.verdict


def test_noise_does_not():
    assert evaluated(NOISE, metrics=["roc_auc"]).verdict == (
        "Not shown to be better than always predicting the base rate by any metric."
    )


def test_what_is_not_shown_is_named():
    p = np.where(RNG.random(300) < 0.2, 0.001, GOOD)  # ranks well, yet is sometimes sure of the wrong class
    result = evaluated(p, metrics=["roc_auc", "log_loss"])
    assert result.scores["roc_auc"].low > 0.5
    assert result.scores["log_loss"].high > result.baseline["log_loss"]
    assert result.verdict == ("Better than always predicting the base rate by 1 of 2 metrics; not shown for log_loss.")


def test_without_intervals_there_is_no_verdict():
    assert evaluated(GOOD, level=None).verdict == ""


def test_verdict_first_methods_last():
    result = evaluated(GOOD, metrics=["accuracy", "f1"])
    lines = [line for line in str(result).splitlines() if line.strip()]
    assert lines[0].startswith("300 rows")
    assert lines[1] == result.verdict
    assert lines[-1].startswith("intervals: ")
    found = assay.compare(task="binary", y_true=Y, models={"a": GOOD, "b": NOISE}, kind="y_prob", metrics=["roc_auc"])
    lines = [line for line in str(found).splitlines() if line.strip()]
    assert lines[0].startswith("300 rows")
    assert lines[1] == "a is best by roc_auc."
    assert lines[-1].startswith("differences: ")


def test_a_warning_stands_before_the_tables():
    result = evaluated(1 - GOOD, metrics=["accuracy", "roc_auc"])
    assert str(result).index("! Worse than") < str(result).index(" metric  ")
    assert result.to_markdown().index("Worse than") < result.to_markdown().index("| metric")


# ---- confusion matrices


def test_a_confusion_matrix_is_a_table():
    result = assay.evaluate(
        task="multiclass", y_true=list("aabbcc"), y_pred=list("aabcca"), metrics=["confusion_matrix"]
    )
    [grid] = matrix_grids(result, None)
    assert grid.head == ["truth ↓ · predicted →", "a", "b", "c"]
    assert grid.rows == [["a", "2", "0", "0"], ["b", "0", "1", "1"], ["c", "1", "0", "1"]]
    assert "confusion_matrix" in str(result)


def test_each_label_is_a_row():
    result = assay.evaluate(
        task="multilabel", y_true=[[0, 1], [1, 1]], y_pred=[[0, 1], [1, 0]], metrics=["confusion_matrix"]
    )
    [grid] = matrix_grids(result, None)
    assert grid.rows == [["0", "1", "0", "0", "1"], ["1", "1", "0", "1", "0"]]


def test_many_classes_show_those_with_errors_and_say_what_was_left_out():
    names = np.array([f"kind_{i:02d}" for i in range(40)])
    truth = np.repeat(names, 10)
    found = truth.copy()
    found[:7] = "kind_39"
    found[50:52] = "kind_06"
    result = assay.evaluate(task="multiclass", y_true=truth, y_pred=found, metrics=["confusion_matrix"])
    text = result.__rich__().text(80)
    shown = re.search(r"(\d+) of 40 classes are shown", text)
    assert shown
    assert 3 < int(shown[1]) < 12
    assert "Most frequent errors: kind_00 as kind_39 (7), kind_05 as kind_06 (2)." in " ".join(text.split())
    assert all(len(line) <= 80 for line in text.splitlines())
    assert result.to_markdown().count("kind_17") == 2  # documents hold all
