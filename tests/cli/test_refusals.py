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
    (("--truth", "yy", "--prob", "p"), "preds.csv: there is no column 'yy'."),
    (("--truth", "y", "--prob", "q_*"), "no column fits 'q_*'"),
    (("--truth", "y"), "name the predictions with --pred, --prob, --score or --logits"),
    (("--prob", "p"), "--truth"),
    (("--truth", "y", "--prob", "p", "--task", "binery"), "there is no task 'binery'. Did you mean 'binary'?"),
    (("--truth", "y", "--prob", "p", "-m", "f2"), "unknown metric 'f2'."),
    (("--truth", "y", "--prob", "p", "-m", "f_beta:bta=2"), "no parameter 'bta'. Did you mean 'beta'?"),
    (("--truth", "y", "--prob", "p", "-m", "f_beta:beta=-1"), "beta must be"),
    (("--truth", "y", "--prob", "p", "-f", "jsn"), "no output format 'jsn'. Did you mean 'json'?"),
    (("--truth", "y", "--prob", "p", "--fail-under", "f11=0.5"), "unknown metric 'f11'. Did you mean 'f1'?"),
    (("--truth", "y", "--prob", "p", "--fail-under", "f1"), "write METRIC=VALUE, such as f1=0.8"),
    (("--truth", "y", "--prob", "p", "--fail-under", "f1=high"), "'high' is not a number"),
    (("--truth", "y", "--prob", "p", "--fail-under", "roc_curve=1"), "has no direction"),
    (("--truth", "y", "--prob", "site"), "'site' must hold numbers, got the text"),
    (("--truth", "y", "--prob", "z", "--task", "binary"), "--prob must be probabilities in [0, 1]"),
    (
        ("--truth", "word", "--prob", "p"),
        "which class is positive? The labels are 'ill', 'well'. Say --positive 'well'",
    ),
    (("--truth", "word", "--prob", "p", "--positive", "sick"), "'sick' is not among the labels"),
    (("--truth", "y", "--prob", "p", "--threshold", "2"), "threshold must be a number at least 0 and at most 1"),
    (("--truth", "y", "--prob", "p", "--threshold", "half"), "threshold"),
    (("--truth", "y", "--prob", "p", "--by", "p"), "too many to slice by"),
    (("--truth", "y", "--prob", "p", "--task", "regression"), "--prob does not go with --task regression"),
    (("--truth", "y", "--prob", "p", "--task", "multiclass"), "needs one --prob column a class"),
    (
        ("--truth", "y", "--pred", "pred", "--task", "multiclass", "--positive", "1"),
        "--positive goes with --task binary",
    ),
    (("--truth", "y", "--prob", "p", "--weight", "z", "--task", "binary"), "weight must be finite and not negative"),
    (("--truth", "p,z", "--pred", "pred"), "Say --task"),
    (("--truth", "y", "--prob", "p", "--input-format", "cvs"), "no input format 'cvs'"),
    (("--truth", "y", "--prob", "p", "-o", "/nowhere/at/all.json"), "/nowhere/at/all.json: cannot be written"),
    (("--truth", "y", "--prob", "p", "--nonsense"), "--nonsense"),
    (("--truth", "y", "--pred", "pred", "-m", "roc_auc"), "takes --truth"),
    (("--truth", "y", "--prob", "p", "-m", "calibration_error:bins=1000000000"), "of at least 1 and at most 100000"),
]


@pytest.mark.parametrize(("arguments", "says"), REFUSED, ids=[" ".join(r[0]) for r in REFUSED])
def test_refused(path, capsys, arguments, says):
    refused(call(capsys, "score", path, *arguments), says)


def test_gaps_and_broken_files(tmp_path, capsys):
    arguments = ("--task", "binary", "--truth", "y", "--prob", "p")
    for content, says in [
        (b"", "the file is empty"), (b"y,p\n1,0.5\n0,\n", "'p' has 1 empty value, the first in row 1"),
        (b"y,p\n1,0.5\n0,0.1,7\n", "line 3 has 3 values"), (b"y,y\n1,1\n", "more than one column is called 'y'"),
        (b"y,p\n1,\xff\n", "line 2 is not UTF-8"), (b"y,p\n1,high\n", "got the text 'high' in row 0"),
    ]:  # fmt: skip
        (tmp_path / "a.csv").write_bytes(content)
        refused(call(capsys, "score", tmp_path / "a.csv", *arguments), str(tmp_path / "a.csv"), says)
    refused(call(capsys, "score", tmp_path / "b.csv", *arguments), "there is no such file")
    (tmp_path / "c.parquet").write_bytes(b"PAR1 and then nothing")
    refused(call(capsys, "score", tmp_path / "c.parquet", *arguments), "damaged or cut off")
    refused(call(capsys, "score", "-", *arguments, stdin=b""), "standard input: is empty")


def test_gzip_that_is_cut_off(tmp_path, capsys):
    arguments = ("--task", "binary", "--truth", "y", "--prob", "p")
    whole = gzip.compress(binary(400).write_csv().encode())
    for data in (whole[:20], whole[: len(whole) // 2], whole[:30] + b"????" + whole[34:]):
        refused(
            call(capsys, "score", "-", *arguments, stdin=data), "standard input: the gzip data are damaged or cut off"
        )
        (tmp_path / "a.csv.gz").write_bytes(data)
        refused(call(capsys, "score", tmp_path / "a.csv.gz", *arguments), "the gzip data are damaged or cut off")
    assert call(capsys, "score", "-", *arguments, stdin=whole).code == 0


def test_whole_numbers_of_more_than_64_bits(tmp_path, capsys):
    big = 12345678901234567890123
    (tmp_path / "a.csv").write_text(f"y,p,id\n1,2.5,{big}\n{big},3.5,{big + 1}\n")
    arguments = ("score", tmp_path / "a.csv", "--task", "regression", "--pred", "p")
    refused(call(capsys, *arguments, "--truth", "y"), f"holds the whole number {big} in row 1", "more than 64 bits")
    assert call(capsys, *arguments, "--truth", "p", "--id", "id").code == 0  # names may be as long as they like
    pl.DataFrame({"y": [1, 2], "p": [1.5, 2.5]}, schema_overrides={"y": pl.Int128}).write_ipc(tmp_path / "a.arrow")
    assert call(capsys, "score", tmp_path / "a.arrow", "--task", "regression", "--truth", "y", "--pred", "p").code == 0


def test_a_gap_in_a_list_is_named_by_its_row(tmp_path, capsys):
    (tmp_path / "a.jsonl").write_text('{"y": 0, "p": [0.5, 0.5]}\n{"y": 1, "p": [0.5, null]}\n')
    refused(
        call(capsys, "score", tmp_path / "a.jsonl", "--task", "multiclass", "--truth", "y", "--prob", "p"),
        "the lists in column 'p' have empty values, the first in row 1",
    )


def test_whole_numbers_may_be_either(tmp_path, capsys):
    regression().write_csv(tmp_path / "r.csv")
    refused(
        call(capsys, "score", tmp_path / "r.csv", "--truth", "count", "--pred", "count_hat"), "Say --task regression"
    )


def test_columns_that_cannot_be_matched(tmp_path, capsys):
    multilabel().write_csv(tmp_path / "m.csv")
    refused(call(capsys, "score", tmp_path / "m.csv", "--truth", "y_*", "--prob", "q*"), "which column is which?")
    refused(
        call(capsys, "score", tmp_path / "m.csv", "--truth", "y_*", "--prob", "q0,q1"), "has 2 columns, there must be 3"
    )
    refused(
        call(capsys, "score", tmp_path / "m.csv", "--task", "multilabel", "--truth", "y_*", "--prob", "q0"),
        "column a label",
    )


def test_classes_that_the_columns_do_not_name(tmp_path, capsys):
    multiclass().drop("list").write_csv(tmp_path / "m.csv")
    arguments = ("score", tmp_path / "m.csv", "--task", "multiclass", "--truth", "y", "--prob")
    refused(call(capsys, *arguments, "c0,c1,c2"), "--classes")
    refused(call(capsys, *arguments, "prob_*", "--classes", "cat,cow"), "3 columns")
    refused(call(capsys, *arguments, "prob_*", "--classes", "cat,cow,hen"), "'dog'")


def test_limits_that_could_be_several(tmp_path, capsys):
    multilabel().write_csv(tmp_path / "m.csv")
    found = call(capsys, "score", tmp_path / "m.csv", "--truth", "y_*", "--prob", "p_*", "-m", "f1:average=micro",
                 "-m", "f1:average=samples", "--fail-under", "f1:average=micro=0.01")  # fmt: skip
    assert found.code == 0


def test_limits_need_one_number(path, capsys):
    arguments = ("--task", "binary", "--truth", "y", "--prob", "p", "--fail-under", "f1:average=none=0.5")
    refused(call(capsys, "score", path, *arguments), "a limit needs one number")


def test_what_is_not_a_number_is_mentioned(path, capsys):
    arguments = ("score", path, "--task", "binary", "--truth", "y", "--prob", "p", "-m", "f1", "-m", "confusion_matrix")
    found = call(capsys, *arguments)
    assert found.code == 0
    said = (
        "assay: confusion_matrix is a table or curve, not one number, and is left out here; --json shows everything.\n"
    )
    assert found.err == said
    for format in ("table", "csv", "markdown", "latex"):
        alone = call(capsys, *arguments[:-4], "-m", "confusion_matrix", "--by", "site", "-f", format)
        assert (alone.code, alone.err) == (0, said)
    several = call(
        capsys, *arguments[:-4], "-m", "f1:average=none", "-m", "reliability_curve", "-o", path.parent / "r.txt"
    )
    assert (several.code, "are tables or curves" in several.err) == (0, True)
    assert call(capsys, *arguments, "-f", "json").err == ""


def test_commands_and_options(capsys):
    refused(call(capsys, "scor"), "No such command 'scor'")
    refused(call(capsys, "explain"), "Missing argument")
    refused(call(capsys, "explain", "f_bet"), "unknown metric, loss or topic 'f_bet'. Did you mean 'f_beta'?")
    refused(call(capsys, "explain", "f1", "-f", "html"), "no output format 'html'")
    refused(call(capsys, "list", "--task", "regresion"), "no task 'regresion'. Did you mean 'regression'?")
    refused(call(capsys, "list", "--kind", "chart"), "no kind 'chart'")
    refused(call(capsys, "demo", "-f", "csv"), "no output format 'csv'")


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
