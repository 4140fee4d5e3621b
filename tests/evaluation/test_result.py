"""The result in every form: frames, JSON, Markdown, LaTeX, HTML, text."""

from __future__ import annotations

import json

import numpy as np
import pytest

import assay
from messages import refusal

RNG = np.random.default_rng(3)
CODES = RNG.integers(0, 3, 200)
GUESS = np.where(RNG.random(200) < 0.7, CODES, RNG.integers(0, 3, 200))
NAMES = np.array(["a|b", "c_d", "<e>"])


@pytest.fixture(scope="module")
def result() -> assay.Result:
    site = np.where(np.arange(200) % 2, "x", "y")
    return assay.evaluate(task="multiclass", y_true=NAMES[CODES], y_pred=NAMES[GUESS], slices={"site": site})


def test_frames(result: assay.Result) -> None:
    frame = result.to_frame()
    assert frame.columns[:9] == ["slice", "of", "metric", "value", "low", "high", "n", "baseline", "better"]
    assert {"level", "method", "reliable", "reason", "gap", "gap_low", "gap_high", "differs"} <= set(frame.columns[9:])
    assert frame["low"].null_count() == 0
    assert len(frame) == 3 * len(result.scores)
    assert list(result.to_frame("pandas")["metric"]) == frame["metric"].to_list()
    assert result.to_frame("pyarrow").num_rows == len(frame)
    with refusal(assay.ParameterError):
        result.to_frame("spreadsheet")


def test_plain_data(result: assay.Result) -> None:
    data = json.loads(json.dumps(result.to_dict()))
    assert data["task"] == "multiclass"
    assert data["scores"]["f1"]["value"] == float(result["f1"])
    assert data["scores"]["accuracy"]["baseline"] == result.baseline["accuracy"]
    assert set(data["slices"]["site"]) == {"x", "y"}
    assert data["scores"]["f1"]["signature"].startswith("f1|average:macro|n:200|ci:auto|assay:")


def test_markdown_tables_are_rectangular(result: assay.Result) -> None:
    for block in result.to_markdown().split("\n\n"):
        rows = [line.replace("\\|", "") for line in block.splitlines() if line.startswith("|")]
        assert len({row.count("|") for row in rows}) <= 1
    assert "a\\|b" in result.to_markdown()


def test_latex_escapes(result: assay.Result) -> None:
    text = result.to_latex()
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 3
    assert r"c\_d" in text
    assert r"balanced\_accuracy" in text


def test_html_escapes(result: assay.Result) -> None:
    page = result._repr_html_()
    assert "&lt;e&gt;" in page
    assert "<e>" not in page


def test_text_and_lookup(result: assay.Result) -> None:
    assert "balanced_accuracy" in str(result)
    assert repr(result).startswith("<Result multiclass n=200")
    assert "f1" in result
    with refusal(assay.UnknownNameError):
        result["f11"]


def test_classes_table(result: assay.Result) -> None:
    table = result.per_class()
    assert set(table) == set(NAMES)
    assert sum(row["support"] for row in table.values()) == 200
    assert table["c_d"]["recall"] == pytest.approx(((CODES == 1) & (GUESS == 1)).sum() / (CODES == 1).sum())


def test_curves_stand_beside_the_numbers() -> None:
    p = RNG.random(100)
    y = (p > 0.4).astype(int)
    both = assay.evaluate(task="binary", y_true=y, y_prob=p, metrics=["f1", "roc_curve", "confusion_matrix"])
    assert both["roc_curve"].tpr[-1] == 1.0
    assert both["confusion_matrix"].sum() == 100
    assert list(both.scores) == ["f1"]
    assert set(json.loads(json.dumps(both.to_dict()))["other"]) == {"roc_curve", "confusion_matrix"} or np.isinf(
        both["roc_curve"].threshold[0]
    )
