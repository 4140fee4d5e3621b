"""Text stays text: what a csv file writes differently is different, words for missing labels are named, and a header is no row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay import InputError
from assay.io import Columns, read_table
from assay.io.table_join import joined
from messages import refusal


def read(tmp_path: Path, text: str, name: str = "a.csv") -> Columns:
    (tmp_path / name).write_text(text)
    return Columns(read_table(tmp_path / name), name)


TYPES: list[tuple[list[str], Any]] = [
    (["0", "1", "12", "-3"], pl.Int64),
    (["01", "1"], pl.String),
    (["001", "002"], pl.String),
    (["0.5", "1", "1e-3", "nan", "-inf"], pl.Float64),
    (["0.50", "01.5"], pl.String),
    (["true", "False"], pl.Boolean),
    (["1", " 2"], pl.Int64),
    (["1", "NA"], pl.String),
    (["nan", "nan"], pl.String),
    (["1", ""], pl.Int64),
    (["9" * 25, "1"], pl.Int128),
    (["a", "1"], pl.String),
]


@pytest.mark.parametrize(("values", "kind"), TYPES)
def test_types_of_columns(tmp_path: Path, values: list[str], kind: Any) -> None:
    table = read(tmp_path, "a,b\n" + "".join(f"{value},x\n" for value in values))
    assert table.frame.schema["a"] == kind
    if kind == pl.String:
        assert table.frame["a"].to_list() == values


def test_numbers_of_text_columns_are_numbers(tmp_path: Path) -> None:
    table = read(tmp_path, "y,p\n01,007\n1,2.5\n")
    assert table.labels("y").tolist() == ["01", "1"]
    assert table.numbers("p").tolist() == [7.0, 2.5]
    assert table.numbers("y").tolist() == [1.0, 1.0]


def test_ids_that_are_written_differently_do_not_join(tmp_path: Path) -> None:
    a, b = read(tmp_path, "id,y\n001,1\n1,0\n", "a.csv"), read(tmp_path, "id,p\n1,0.5\n001,0.75\n", "b.csv")
    assert joined([a, b], "id").tables[1].frame["p"].to_list() == [0.75, 0.5]
    c = read(tmp_path, "id,p\n1,0.5\n2,0.75\n", "c.csv")
    with refusal(InputError):
        joined([a, c], "id")


def test_fractions_are_no_names(tmp_path: Path) -> None:
    table = read(tmp_path, "id,y\n1.10,1\n1.1,0\n")
    for use in (table.groups, lambda name: joined([table, table], name)):
        with refusal(InputError):
            use("id")
    assert read(tmp_path, "id\n1.0\n2.0\n").groups("id").tolist() == [1, 2]
    for text in ("id\n1.5\ninf\n", "id\n1e300\n2.5\n"):
        with refusal(InputError):
            read(tmp_path, text).groups("id")


@pytest.mark.parametrize("word", ["NA", "null", "NaN", "None", "N/A"])
def test_words_for_missing_labels(tmp_path: Path, word: str) -> None:
    table = read(tmp_path, f"y,p\ncat,1\n{word},2\ndog,3\n{word},4\n")
    with refusal(InputError):
        table.labels("y")
    assert table.labels("y", ["cat", "dog", word]).tolist() == ["cat", word, "dog", word]
    assert table.groups("y").tolist()[1] == word
    assert read(tmp_path, "y,p\nnone,1\nall,2\n").labels("y").tolist() == ["none", "all"]


def test_missing_labels_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from assay.cli import run

    (tmp_path / "a.csv").write_text("y,q\n" + "NA,NA\nEU,EU\nEU,NA\nNA,NA\n" * 5)
    arguments = ["score", str(tmp_path / "a.csv"), "--truth", "y", "--pred", "q", "--no-intervals"]
    assert run(arguments) == 2
    assert "says 'NA' in row 0" in capsys.readouterr().err
    assert run([*arguments, "--classes", "EU,NA", "--positive", "NA"]) == 0


@pytest.mark.parametrize(("name", "mark"), [("a.csv", ","), ("a.tsv", "\t")])
def test_a_header_that_comes_again(tmp_path: Path, name: str, mark: str) -> None:
    rows = [("y", "p"), ("1", '"two\nlines"'), ("0", "b"), ("y", "p"), ("1", "c")]
    text = "".join(mark.join(row) + "\n" for row in rows)
    with refusal(InputError):
        read(tmp_path, text, name)
    assert read(tmp_path, "y,p\ny,1\n").frame.height == 1  # only one of the names


def test_lists_name_and_divide_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"l": [1, 2], "y": 1}\n{"l": [3], "y": 0}\n')
    table = Columns(read_table(tmp_path / "a.jsonl"), "a.jsonl")
    for use in (table.groups, table.slices, table.labels):
        with refusal(InputError):
            use("l")
