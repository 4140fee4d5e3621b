"""Labels in csv files that are written differently are different, and columns that are compared are of one kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay import InputError
from assay.cli import run
from assay.data.label_spelling import alike
from assay.io import Columns, read_columns
from messages import refusal


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, **columns: list[str]) -> str:
    rows = zip(*columns.values(), strict=True)
    Path(name).write_text("".join(",".join(row) + "\n" for row in [tuple(columns), *rows]))
    return name


def scored(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert run([*arguments, "--json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def accuracy(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[float, list[Any]]:
    found = scored(capsys, "score", *arguments, "--truth", "y", "--pred", "p", "--metric", "accuracy", "--no-intervals")
    return found["scores"]["accuracy"]["value"], found["classes"]


CASES: list[tuple[list[str], list[str], float, list[Any]]] = [
    (["01", "1", "2", "2"], ["1", "1", "2", "1"], 0.5, ["01", "1", "2"]),  # the truth alone must stay text
    (["1", "1", "2", "2"], ["01", "1", "2", "1"], 0.5, ["01", "1", "2"]),  # the prediction alone
    (["1.0", "1", "2", "3"], ["1", "1", "2", "3"], 0.75, ["1", "1.0", "2", "3"]),
    (["1e0", "1.0", "2", "3"], ["1e0", "1e0", "2", "3"], 0.75, ["1.0", "1e0", "2", "3"]),
    (["True", "true", "FALSE", "FALSE"], ["true", "true", "FALSE", "True"], 0.5, ["FALSE", "True", "true"]),
    (["True", "False", "True", "False"], ["True", "True", "True", "False"], 0.75, [0, 1]),
    (["1.0", "2.0", "3.0", "1.0"], ["1.0", "2.0", "3.0", "3.0"], 0.75, [1, 2, 3]),
    (["1", "2", "3", "1"], ["1", "2", " 3", "3"], 0.75, [1, 2, 3]),
    (["9" * 25, "1", "2", "2"], ["9" * 25, "2", "2", "2"], 0.75, ["1", "2", "9" * 25]),
]


@pytest.mark.parametrize(("truth", "predicted", "value", "classes"), CASES)
def test_labels_of_a_file(
    capsys: pytest.CaptureFixture[str], truth: list[str], predicted: list[str], value: float, classes: list[Any]
) -> None:
    file = write("a.csv", y=truth, p=predicted)
    assert accuracy(capsys, file, "--task", "multiclass") == (value, classes)


def test_the_task_of_labels_that_must_be_text_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    value, classes = accuracy(capsys, write("a.csv", y=["01", "1", "2", "2"], p=["1", "1", "2", "1"]))
    assert (value, classes) == (0.5, ["01", "1", "2"])
    assert run(["score", write("b.csv", y=["1.0", "1", "3"], p=["2", "1", "3"]), "--truth", "y", "--pred", "p"]) == 2
    assert "do not tell the task" in capsys.readouterr().err  # amounts or labels


TWO_WAYS: list[tuple[list[str], list[str], str]] = [
    (["01", "02"], ["1", "2"], "'1' and '01'"),
    (["1.0", "0.0"], ["1", "0"], "'0' and '0.0'"),
    (["1e0", "0e0"], ["1.0", "0.0"], "'0.0' and '0e0'"),
    (["True", "False"], ["true", "false"], "'false' and 'False'"),
    (["True", "False"], ["1", "0"], "'0' and 'False'"),
    (["Cat", "Dog"], ["cat", "dog"], "'cat' and 'Cat'"),
]


@pytest.mark.parametrize(("truth", "predicted", "both"), TWO_WAYS)
def test_labels_written_in_two_ways_are_refused(
    capsys: pytest.CaptureFixture[str], truth: list[str], predicted: list[str], both: str
) -> None:
    file = write("a.csv", y=truth * 4, p=predicted * 4)
    arguments = ["score", file, "--truth", "y", "--pred", "p", "--task", "multiclass"]
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert said == (
        "assay: a.csv: column 'p' shares no label with column 'y', because they are written differently: "
        f"{both}. Write them alike.\n"
    )
    value, _ = accuracy(capsys, file, "--task", "multiclass", "--classes", ",".join([*truth, *predicted]))
    assert value == 0.0  # told that these are different classes


def values_of(found: Any) -> list[float]:
    return [score["value"] for score in found["metrics"]["accuracy"]["scores"].values()]


def test_labels_of_several_files_are_of_one_kind(capsys: pytest.CaptureFixture[str]) -> None:
    """One model's file has a label that must stay text, so the truth and the other model are text too."""
    truth = ["1", "1", "2", "2", "1", "2"]
    write("a.csv", id=list("abcdef"), y=truth, p=truth)
    write("b.csv", id=list("fedcba"), y=truth[::-1], p=["2", "1", "2", "2", "1", "01"])
    found = scored(
        capsys, "compare", "a.csv", "b.csv", "--truth", "y", "--pred", "p", "--id", "id", "--task", "multiclass",
        "--metric", "accuracy",
    )  # fmt: skip
    assert values_of(found) == pytest.approx([1, 5 / 6])


def test_the_truth_of_another_file_keeps_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Rows are put into another order and the truth stands in one file only: how it was written goes with it."""
    write("a.csv", id=list("abcd"), y=["1.0", "1", "2", "2"], p=["1.0", "1.0", "2", "2"])
    write("b.csv", id=list("dcba"), p=["2", "2", "1", "1"])
    found = scored(
        capsys, "compare", "a.csv", "b.csv", "--truth", "y", "--pred", "p", "--id", "id", "--task", "multiclass",
        "--metric", "accuracy",
    )  # fmt: skip
    assert values_of(found) == [0.75, 0.75]


def test_files_that_have_types_keep_them() -> None:
    table = Columns(pl.DataFrame({"y": [1.0, 2.0], "p": [1, 2], "b": [True, False], "t": ["1", "2"]}), "a.parquet")
    [kept] = alike([table], [["y", "p", "b"]])
    assert kept.frame.schema == table.frame.schema
    [text] = alike([table], [["p", "t"]])
    assert text.labels("p").tolist() == text.labels("t").tolist() == ["1", "2"]
    with refusal(InputError):
        alike([table], [["y", "t"]])


def test_slices_groups_and_ids_written_in_two_ways_stay_apart() -> None:
    table = read_columns(write("a.csv", id=["1.0", "1", "2.0"], site=["True", "true", "FALSE"], x=["1.0", "2.5", "1"]))
    assert table.groups("id").tolist() == ["1.0", "1", "2.0"]
    assert table.slices("site").tolist() == ["True", "true", "FALSE"]
    assert table.slices("id").tolist() == ["1.0", "1", "2.0"]
    assert table.numbers("id").tolist() == [1.0, 1.0, 2.0]
    assert table.frame.schema["x"] == pl.Float64


def test_the_target_of_a_learner_written_in_two_ways_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("two_ways_models.py").write_text("def mean(X, y):\n    return lambda X: [0] * len(X)\n")
    write("a.csv", x=["1", "2", "3", "4"], y=["1.0", "1", "2", "2.0"])
    assert run(["estimate", "two_ways_models.py:mean", "a.csv", "--truth", "y", "--resampling", "cv:2"]) == 2
    assert "column 'y' writes a number in two ways" in capsys.readouterr().err


def test_a_text_column_against_itself(capsys: pytest.CaptureFixture[str]) -> None:
    file = write("a.csv", y=["a", "b", "c"])
    found = scored(capsys, "score", file, "--truth", "y", "--pred", "y", "-m", "accuracy", "--no-intervals")
    assert found["scores"]["accuracy"]["value"] == 1.0
