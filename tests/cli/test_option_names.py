"""The command line speaks of options: no complaint of any of its tests names an argument or a function as Python writes it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cli_support import call, refused

import assay
from assay.cli.wording import OPTIONS, in_options
from assay.core.errors import AssayError

MESSAGES = Path(__file__).parents[1] / "messages.txt"
COMPLAINTS = sorted(
    {line.strip() for line in MESSAGES.read_text(encoding="utf-8").splitlines() if line.startswith("    assay: ")}
)
ARGUMENTS = sorted({name for table in OPTIONS.values() for name in table if len(name) > 1})  # y may be a box's
FUNCTIONS = ("evaluate was", "objects_from_frames", "read_yolo", "read_voc", r"rows_for\(")
PYTHON = re.compile(
    rf"(?<![-\w:,.'\"])({'|'.join(ARGUMENTS)})=|\b(y_true|y_pred|y_prob|y_score)\b|\b({'|'.join(FUNCTIONS)})"
)
REFUSED = {  # what a call is refused for, and words of the answer
    "compare rows.csv --truth y --pred yh --pred yh2 --task multiclass --method delong": "Choose --method auto or",
    "score rows.csv --truth y --prob p --task binary": "use --task multiclass.",
    "score rows.csv --truth y --pred p --task multiclass": "take the labels first (by a threshold) or pass them as --prob",
    "score rows.csv --truth b --pred b -m roc_auc": "but got --pred.",
    "score rows.csv --truth b --prob p --id twice": "--id must be unique; 197 rows repeat an earlier id, such as 0 in row 3",
    "score rows.csv --truth y --pred yh --task multiclass -m f1:average=binary": "average=weighted, average=micro or average=none",
    "score rows.csv --truth b --prob p --iou-type bbox": "--iou-type does not apply to a table",
    "compare rows.csv --truth b --prob p --prob q --iou-type bbox": "--iou-type does not apply to a table",
    "score boxes.csv boxes.csv --task detection": "Give --box-format xyxy (two corners), --box-format xywh",
    "plan --metric coco --width .1": "`assay compare` with --effect reports the number of rows",
}  # fmt: skip
WIDE = [[0.2, 0.8], [0.7, 0.3], [0.6, 0.4]]
OF_PYTHON: list[tuple[dict[str, Any], str]] = [  # the command line refuses these itself, as it reads the file
    ({"task": "multiclass", "y_true": [0, 1, 2], "y_prob": [0.1, 0.2, 0.3]}, "per class for --task multiclass"),
    ({"task": "multiclass", "y_true": [[0, 1], [1, 0]], "y_pred": [0, 1]}, "per row for --task multiclass"),
    (
        {"task": "binary", "y_true": ["a", "b", "a"], "y_prob": WIDE, "positive": "b"},
        "in the order of the columns as --classes",
    ),
    ({"y_true": [0, 1, 2], "y_pred": ["a", "b", "c"]}, "and --pred holds text"),
    ({"task": "multiclass", "y_true": [0, 1, 0], "y_pred": [[0, 1], [1, 0], [1, 0]]}, "--truth must be a 0/1 matrix"),
    ({"task": "binary", "y_true": [0, 1]}, "at least one of --pred, --prob, --logits, --score"),
]


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three classes in ``y``, two in ``b`` and ``word``, ids that come twice, and boxes that may be anything."""
    n, rng = 200, np.random.default_rng(0)
    y, at = np.arange(n) % 3, np.arange(n)
    p = rng.uniform(0.1, 0.9, n)
    pl.DataFrame(
        {
            "y": y, "yh": np.where(at % 4 == 0, 0, y), "yh2": np.where(at % 5 == 0, 1, y), "b": np.minimum(y, 1), "p": p,
            "q": 1 - p, "word": np.where(y == 0, "no", "yes"), "twice": y, "amount": p + y,
        }
    ).write_csv(tmp_path / "rows.csv")  # fmt: skip
    pl.DataFrame(
        {"image": ["a"], "label": ["cat"], "score": [0.5], "x": [10], "y": [20], "w": [30], "h": [40]}
    ).write_csv(tmp_path / "boxes.csv")
    monkeypatch.chdir(tmp_path)


def test_there_are_complaints_of_every_command() -> None:
    """The snapshot holds them all, so that none is looked over."""
    assert len(COMPLAINTS) > 100
    for option in ("--truth", "--resampling", "--width", "--names"):
        assert any(option in text for text in COMPLAINTS), option


@pytest.mark.parametrize(
    "argument",
    [
        "y_prob=",
        " method='wilson'",
        " task='binary'",
        "classes=(0, 1)",
        " level=0.9",
        "y_true must",
        "; evaluate was given",
    ],
)
def test_the_pattern_finds_what_it_should(argument: str) -> None:
    """Else the next test could not fail."""
    assert PYTHON.search(f"assay: pass {argument}")


def test_no_complaint_names_an_argument() -> None:
    """``--prob``, not ``y_prob=``."""
    assert [text for text in COMPLAINTS if PYTHON.search(text)] == []


@pytest.mark.parametrize("line", REFUSED)
@pytest.mark.usefixtures("rows")
def test_a_complaint_in_options(capsys: Any, line: str) -> None:
    """Each once named an argument, a function, or a value that nobody can type."""
    found = call(capsys, *line.split())
    refused(found)
    assert REFUSED[line] in found.err
    assert not PYTHON.search(found.err)


@pytest.mark.parametrize(("arguments", "words"), OF_PYTHON)
def test_an_error_of_the_library_in_options(arguments: dict[str, Any], words: str) -> None:
    """What files cannot raise today is worded too."""
    with pytest.raises(AssayError) as caught:
        (assay.evaluate if "task" in arguments else assay.accuracy)(**arguments)
    text = in_options(caught.value, OPTIONS["score"])
    assert words in text
    assert not PYTHON.search(text)


@pytest.mark.usefixtures("rows")
def test_notes_below_a_table(capsys: Any) -> None:
    """The reason why a metric of a preset has no interval, and why a task was taken, are in words of both worlds."""
    found = call(capsys, "score", "rows.csv", "--truth", "b", "--prob", "p", "--method", "delong", "--json")
    assert found.code == 0
    assert "method 'delong' is for the area under the ROC curve" in found.out
    assert not PYTHON.search(found.out.replace('"', ""))
    found = call(capsys, "score", "rows.csv", "--truth", "amount", "--pred", "p", "--no-intervals")
    assert "'amount' holds non-integer numbers" in found.err
