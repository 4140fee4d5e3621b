"""Tables from patterns and addresses."""

import json
import sys

import polars as pl
import pytest
from cli_support import BINARY, binary, call, refused

import assay
from assay.io import read_columns
from messages import refusal


@pytest.fixture
def parts(tmp_path):
    whole = binary()
    whole[:50].write_csv(tmp_path / "part-1.csv")
    whole[50:].write_csv(tmp_path / "part-2.csv")
    whole.write_csv(tmp_path / "whole.csv")
    return tmp_path


def scores(capsys, path):
    found = call(capsys, "score", path, *BINARY, "-m", "accuracy,log_loss", "--json")
    assert found.code == 0, found.err
    return json.loads(found.out)["scores"]


def test_a_pattern_is_one_table(parts, capsys):
    assert scores(capsys, parts / "part-*.csv") == scores(capsys, parts / "whole.csv")


def test_labels_keep_their_spelling(tmp_path):
    (tmp_path / "a1.csv").write_text("y,p\n1,0.5\n2,0.5\n")
    (tmp_path / "a2.csv").write_text("y,p\n1.0,1\n2.0,0\n")
    table = read_columns(tmp_path / "a*.csv")
    assert table.written("y").to_list() == ["1", "2", "1.0", "2.0"]
    assert table.frame["p"].to_list() == [0.5, 0.5, 1.0, 0.0]


def test_a_name_with_brackets_is_a_file(tmp_path, capsys):
    binary().write_csv(tmp_path / "run[1].csv")
    assert scores(capsys, tmp_path / "run[1].csv")


@pytest.mark.parametrize("text", ["y,q\n1,0.5\n", "y,p,q\n1,0.5,1\n", "y,p\nyes,0.5\n"])
def test_files_that_do_not_belong_together(tmp_path, text):
    (tmp_path / "a1.csv").write_text("y,p\n1,0.5\n")
    (tmp_path / "a2.csv").write_text(text)
    with refusal(assay.InputError):
        read_columns(tmp_path / "a*.csv")


def test_what_matches_nothing_and_what_would_be_overwritten(parts, capsys):
    refused(call(capsys, "score", parts / "nothing-*.csv", *BINARY))
    refused(call(capsys, "score", parts / "part-*.csv", *BINARY, "-o", parts / "part-2.csv"))
    refused(call(capsys, "score", parts / "part-1.csv", parts / "part-2.csv", *BINARY))


@pytest.fixture
def bucket():
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    whole = binary()
    system.pipe("/preds/a-1.csv", whole[:50].write_csv().encode())
    system.pipe("/preds/a-2.csv", whole[50:].write_csv().encode())
    yield "memory://preds"
    system.rm("/preds", recursive=True)


def test_an_address_and_its_patterns(bucket, parts, capsys):
    assert scores(capsys, f"{bucket}/a-*.csv") == scores(capsys, parts / "whole.csv")
    assert read_columns(f"{bucket}/a-1.csv").frame.height == 50
    for address in (f"{bucket}/b.csv", f"{bucket}/b-*.csv", f"{bucket}/a-1", "nobody://x/a.csv"):
        refused(call(capsys, "score", address, *BINARY))


def test_without_fsspec(monkeypatch):
    for name in ("fsspec", "fsspec.core"):
        monkeypatch.setitem(sys.modules, name, None)
    with refusal(assay.DependencyError):
        read_columns("s3://bucket/preds.parquet")


def test_polars_frames_are_not_changed(parts):
    assert isinstance(read_columns(parts / "part-*.csv").frame, pl.DataFrame)
