"""Bad input on the command line: exit code 2 and one clear line; faults of ours: code 3; never a traceback."""

import gzip

import polars as pl
import pytest
from cli_support import binary, call, multiclass, multilabel, refused, regression


@pytest.fixture
def path(tmp_path):
    binary().write_csv(tmp_path / "preds.csv")
    return tmp_path / "preds.csv"


REFUSED = [
    ("--truth", "yy", "--prob", "p"),
    ("--truth", "y", "--prob", "q_*"),
    ("--truth", "y"),
    ("--prob", "p"),
    ("--truth", "y", "--prob", "p", "--task", "binery"),
    ("--truth", "y", "--prob", "p", "-m", "f2"),
    ("--truth", "y", "--prob", "p", "-m", "f_beta:bta=2"),
    ("--truth", "y", "--prob", "p", "-m", "f_beta:beta=-1"),
    ("--truth", "y", "--prob", "p", "-f", "jsn"),
    ("--truth", "y", "--prob", "p", "--fail-under", "f11=0.5"),
    ("--truth", "y", "--prob", "p", "--fail-under", "f1"),
    ("--truth", "y", "--prob", "p", "--fail-under", "f1=high"),
    ("--truth", "y", "--prob", "p", "--fail-under", "roc_curve=1"),
    ("--truth", "y", "--prob", "site"),
    ("--truth", "y", "--prob", "z", "--task", "binary"),
    ("--truth", "word", "--prob", "p"),
    ("--truth", "word", "--prob", "p", "--positive", "sick"),
    ("--truth", "y", "--prob", "p", "--threshold", "2"),
    ("--truth", "y", "--prob", "p", "--threshold", "half"),
    ("--truth", "y", "--prob", "p", "--by", "p"),
    ("--truth", "y", "--prob", "p", "--task", "regression"),
    ("--truth", "y", "--prob", "p", "--task", "multiclass"),
    ("--truth", "y", "--pred", "pred", "--task", "multiclass", "--positive", "1"),
    ("--truth", "y", "--prob", "p", "--weight", "z", "--task", "binary"),
    ("--truth", "p,z", "--pred", "pred"),
    ("--truth", "y", "--prob", "p", "--input-format", "cvs"),
    ("--truth", "y", "--prob", "p", "-o", "/nowhere/at/all.json"),
    ("--truth", "y", "--prob", "p", "--nonsense"),
    ("--truth", "y", "--pred", "pred", "-m", "roc_auc"),
    ("--truth", "y", "--prob", "p", "-m", "calibration_error:bins=1000000000"),
]


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_refused(path, capsys, arguments):
    refused(call(capsys, "score", path, *arguments))


def test_gaps_and_broken_files(tmp_path, capsys):
    arguments = ("--task", "binary", "--truth", "y", "--prob", "p")
    for content in (
        b"",
        b"y,p\n1,0.5\n0,\n",
        b"y,p\n1,0.5\n0,0.1,7\n",
        b"y,y\n1,1\n",
        b"y,p\n1,\xff\n",
        b"y,p\n1,high\n",
    ):
        (tmp_path / "a.csv").write_bytes(content)
        refused(call(capsys, "score", tmp_path / "a.csv", *arguments))
    refused(call(capsys, "score", tmp_path / "b.csv", *arguments))
    (tmp_path / "c.parquet").write_bytes(b"PAR1 and then nothing")
    refused(call(capsys, "score", tmp_path / "c.parquet", *arguments))
    refused(call(capsys, "score", "-", *arguments, stdin=b""))


def test_gzip_that_is_cut_off(tmp_path, capsys):
    arguments = ("--task", "binary", "--truth", "y", "--prob", "p")
    whole = gzip.compress(binary(400).write_csv().encode())
    for data in (whole[:20], whole[: len(whole) // 2], whole[:30] + b"????" + whole[34:]):
        refused(call(capsys, "score", "-", *arguments, stdin=data))
        (tmp_path / "a.csv.gz").write_bytes(data)
        refused(call(capsys, "score", tmp_path / "a.csv.gz", *arguments))
    assert call(capsys, "score", "-", *arguments, stdin=whole).code == 0


def test_whole_numbers_of_more_than_64_bits(tmp_path, capsys):
    big = 12345678901234567890123
    (tmp_path / "a.csv").write_text(f"y,p,id\n1,2.5,{big}\n{big},3.5,{big + 1}\n")
    arguments = ("score", tmp_path / "a.csv", "--task", "regression", "--pred", "p")
    refused(call(capsys, *arguments, "--truth", "y"))
    assert call(capsys, *arguments, "--truth", "p", "--id", "id").code == 0  # names may be as long as they like
    pl.DataFrame({"y": [1, 2], "p": [1.5, 2.5]}, schema_overrides={"y": pl.Int128}).write_ipc(tmp_path / "a.arrow")
    assert call(capsys, "score", tmp_path / "a.arrow", "--task", "regression", "--truth", "y", "--pred", "p").code == 0


def test_a_gap_in_a_list_is_named_by_its_row(tmp_path, capsys):
    (tmp_path / "a.jsonl").write_text('{"y": 0, "p": [0.5, 0.5]}\n{"y": 1, "p": [0.5, null]}\n')
    refused(call(capsys, "score", tmp_path / "a.jsonl", "--task", "multiclass", "--truth", "y", "--prob", "p"))


def test_whole_numbers_may_be_either(tmp_path, capsys):
    regression().write_csv(tmp_path / "r.csv")
    refused(call(capsys, "score", tmp_path / "r.csv", "--truth", "count", "--pred", "count_hat"))


def test_columns_that_cannot_be_matched(tmp_path, capsys):
    multilabel().write_csv(tmp_path / "m.csv")
    refused(call(capsys, "score", tmp_path / "m.csv", "--truth", "y_*", "--prob", "q*"))
    refused(call(capsys, "score", tmp_path / "m.csv", "--truth", "y_*", "--prob", "q0,q1"))
    refused(call(capsys, "score", tmp_path / "m.csv", "--task", "multilabel", "--truth", "y_*", "--prob", "q0"))


def test_classes_that_the_columns_do_not_name(tmp_path, capsys):
    multiclass().drop("list").write_csv(tmp_path / "m.csv")
    arguments = ("score", tmp_path / "m.csv", "--task", "multiclass", "--truth", "y", "--prob")
    refused(call(capsys, *arguments, "c0,c1,c2"))
    refused(call(capsys, *arguments, "prob_*", "--classes", "cat,cow"))
    refused(call(capsys, *arguments, "prob_*", "--classes", "cat,cow,hen"))


def test_limits_that_could_be_several(tmp_path, capsys):
    multilabel().write_csv(tmp_path / "m.csv")
    found = call(capsys, "score", tmp_path / "m.csv", "--truth", "y_*", "--prob", "p_*", "-m", "f1:average=micro",
                 "-m", "f1:average=samples", "--fail-under", "f1:average=micro=0.01")  # fmt: skip
    assert found.code == 0


def test_limits_need_one_number(path, capsys):
    arguments = ("--task", "binary", "--truth", "y", "--prob", "p", "--fail-under", "f1:average=none=0.5")
    refused(call(capsys, "score", path, *arguments))


def test_what_is_not_a_number_is_mentioned(path, capsys):
    arguments = ("score", path, "--task", "binary", "--truth", "y", "--prob", "p", "-m", "f1", "-m", "roc_curve")
    found = call(capsys, *arguments)
    assert found.code == 0
    said = "assay: roc_curve is a table or curve, not one number, and is left out here; --json shows everything.\n"
    assert found.err == said
    for format in ("table", "csv", "markdown", "latex"):
        alone = call(capsys, *arguments[:-4], "-m", "roc_curve", "--by", "site", "-f", format)
        assert (alone.code, alone.err) == (0, said)
    several = call(
        capsys, *arguments[:-4], "-m", "f1:average=none", "-m", "reliability_curve", "-o", path.parent / "r.txt"
    )
    assert (several.code, "are tables or curves" in several.err) == (0, True)
    assert call(capsys, *arguments, "-f", "json").err == ""


def test_commands_and_options(capsys):
    refused(call(capsys, "scor"))
    refused(call(capsys, "explain"))
    refused(call(capsys, "explain", "f_bet"))
    refused(call(capsys, "explain", "f1", "-f", "html"))
    refused(call(capsys, "list", "--task", "regresion"))
    refused(call(capsys, "list", "--kind", "chart"))
    refused(call(capsys, "demo", "-f", "csv"))


def test_our_own_faults(path, capsys, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("oh\nno")

    monkeypatch.setattr("assay.cli.score.evaluate", broken)
    found = call(capsys, "score", path, "--truth", "y", "--prob", "p")
    assert found.code == 3
    assert found.err.count("\n") == 1
    assert "our fault" in found.err
    assert "ASSAY_DEBUG=1" in found.err
    monkeypatch.setenv("ASSAY_DEBUG", "1")
    with pytest.raises(RuntimeError):
        call(capsys, "score", path, "--truth", "y", "--prob", "p")


def test_interruption(path, capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.cli.score.evaluate", interrupted)
    found = call(capsys, "score", path, "--truth", "y", "--prob", "p")
    assert found.code == 130
    assert "Traceback" not in found.err
