"""`assay score`: every task, format and option, and the numbers are those of the library."""

import csv
import io
import json
import re

import polars as pl
import pytest
from cli_support import BINARY, binary, call, multiclass, multilabel, regression

import assay
from assay.core.signatures import from_signature, from_spec


def scores(found):
    assert found.code == 0, found.err
    return {name: s["value"] for name, s in json.loads(found.out)["scores"].items()}


def run_json(capsys, *arguments):
    return scores(call(capsys, "score", *arguments, "-f", "json"))


@pytest.mark.parametrize("format", ["csv", "tsv", "parquet", "jsonl", "arrow"])
def test_every_input_format_gives_the_same(tmp_path, capsys, format):
    frame, path = binary().drop("flag"), tmp_path / f"preds.{format}"
    write = {
        "csv": frame.write_csv,
        "tsv": lambda f: frame.write_csv(f, separator="\t"),
        "parquet": frame.write_parquet,
        "jsonl": frame.write_ndjson,
        "arrow": frame.write_ipc,
    }
    write[format](path)
    arguments = (*BINARY, "-m", "roc_auc", "-m", "log_loss")
    found = run_json(capsys, path, *arguments)
    assert found["roc_auc"] == pytest.approx(assay.roc_auc(frame["y"].to_numpy(), frame["p"].to_numpy()))
    assert found["log_loss"] == pytest.approx(assay.log_loss(frame["y"].to_numpy(), y_prob=frame["p"].to_numpy()))
    piped = call(capsys, "score", "-", *arguments, "-f", "json", stdin=path.read_bytes())
    assert scores(piped) == pytest.approx(found)


def test_regression(files, capsys):
    frame = regression()
    found = run_json(capsys, files / "regression.parquet", "--task", "regression", "--truth", "y", "--pred", "x")
    assert found["mae"] == pytest.approx(assay.mae(frame["y"].to_numpy(), frame["x"].to_numpy()))


def test_regression_of_several_outputs_finds_its_columns(files, capsys):
    frame = regression()
    found = run_json(
        capsys, files / "regression.parquet", "--task", "regression", "--truth", "y_*", "--pred", "x_*", "-m", "mae"
    )
    expected = assay.mae(frame.select("y_a", "y_b").to_numpy(), frame.select("x_a", "x_b").to_numpy())
    assert found["mae"] == pytest.approx(expected)


def test_binary_of_words(files, capsys):
    frame, path = binary(), files / "binary.parquet"
    found = run_json(
        capsys, path, "--task", "binary", "--truth", "word", "--pred", "guess", "--positive", "ill", "-m", "recall"
    )
    assert found["recall"] == pytest.approx(assay.recall(frame["y"].to_numpy(), frame["pred"].to_numpy()))


def test_binary_of_two_columns_takes_the_positive_one(files, capsys):
    path = files / "binary.parquet"
    one = run_json(capsys, path, *BINARY, "-m", "roc_auc")
    assert run_json(capsys, path, "--task", "binary", "--truth", "y", "--prob", "p0,p1", "-m", "roc_auc") == one
    assert run_json(capsys, path, "--task", "binary", "--truth", "y", "--prob", "p1,p0", "-m", "roc_auc") == one


def test_logits_scores_threshold_and_true_false(files, capsys):
    frame, path = binary(), files / "binary.parquet"
    y = frame["y"].to_numpy()
    found = run_json(
        capsys,
        path,
        "--task",
        "binary",
        "--truth",
        "flag",
        "--logits",
        "z",
        "-m",
        "log_loss",
        "-m",
        "recall",
        "--threshold",
        "0.3",
    )
    assert found["log_loss"] == pytest.approx(assay.log_loss(y, logits=frame["z"].to_numpy()))
    assert found["recall"] == pytest.approx(assay.recall(y, y_prob=frame["p"].to_numpy(), threshold=0.3))
    ranks = run_json(capsys, path, "--task", "binary", "--truth", "y", "--score", "z")
    assert set(ranks) == {"roc_auc", "average_precision"}


def test_multiclass_columns_name_their_classes(files, capsys):
    frame, path = multiclass(), files / "multiclass.parquet"
    p = frame.select("prob_cat", "prob_cow", "prob_dog").to_numpy()
    expected = assay.log_loss(frame["y"].to_numpy(), y_prob=p, classes=("cat", "cow", "dog"))
    for columns in ("prob_*", "prob_cat,prob_cow,prob_dog", "prob_dog,prob_cat,prob_cow"):
        found = run_json(capsys, path, "--task", "multiclass", "--truth", "y", "--prob", columns, "-m", "log_loss")
        assert found["log_loss"] == pytest.approx(expected), columns
    for columns, more in (("c0,c1,c2", ("--classes", "cat,cow,dog")), ("list", ("--classes", "cat,cow,dog"))):
        found = run_json(
            capsys, path, "--task", "multiclass", "--truth", "y", "--prob", columns, "-m", "log_loss", *more
        )
        assert found["log_loss"] == pytest.approx(expected), columns
    for columns in ("c0,c1,c2", "list"):
        found = run_json(capsys, path, "--task", "multiclass", "--truth", "number", "--prob", columns, "-m", "log_loss")
        assert found["log_loss"] == pytest.approx(expected), columns


def test_multilabel_columns_are_matched_by_name(files, capsys):
    frame, path = multilabel(), files / "multilabel.parquet"
    names = ("red", "green", "blue")
    truth, p = frame.select(f"y_{n}" for n in names).to_numpy(), frame.select(f"p_{n}" for n in names).to_numpy()
    found = run_json(capsys, path, "--task", "multilabel", "--truth", "y_*", "--prob", "p_*", "-m", "brier")
    assert found["brier"] == pytest.approx(assay.brier(truth, y_prob=p))
    labels = run_json(capsys, path, "--task", "multilabel", "--truth", "y_*", "--pred", "hat_*", "-m", "hamming")
    assert labels["hamming"] == pytest.approx(assay.hamming(truth, y_prob=p))
    said = run_json(
        capsys, path, "--task", "multilabel", "--truth", "y_*", "--prob", "q*", "-m", "brier", "--classes", "r,g,b"
    )
    assert said["brier"] == pytest.approx(found["brier"])


def test_specs_with_parameters(files, capsys):
    frame, path = multiclass(), files / "multiclass.parquet"
    found = run_json(
        capsys, path, "--task", "multiclass", "--truth", "y", "--pred", "pred", "-m", "f_beta:beta=2,average=macro"
    )
    expected = assay.f_beta(frame["y"].to_numpy(), frame["pred"].to_numpy(), beta=2.0, average="macro")
    assert next(iter(found.values())) == pytest.approx(expected)


def test_weights_groups_and_slices(files, capsys):
    frame, path = binary(), files / "binary.parquet"
    found = call(
        capsys,
        "score",
        path,
        "--task",
        "binary",
        "--truth",
        "y",
        "--pred",
        "pred",
        "-m",
        "accuracy",
        "--weight",
        "w",
        "--groups",
        "patient",
        "--by",
        "site",
        "--by",
        "flag",
        "-f",
        "json",
    )
    data = json.loads(found.out)
    y, pred, w = (frame[c].to_numpy() for c in ("y", "pred", "w"))
    assert data["scores"]["accuracy"]["value"] == pytest.approx(assay.accuracy(y, pred, weight=w))
    assert data["groups"] == frame["patient"].n_unique()
    at_a = frame.filter(pl.col("site") == "a")
    expected = assay.accuracy(at_a["y"].to_numpy(), at_a["pred"].to_numpy(), weight=at_a["w"].to_numpy())
    assert data["slices"]["site"]["a"]["accuracy"]["value"] == pytest.approx(expected)
    assert set(data["slices"]) == {"site", "flag"}


def test_table(files, capsys):
    found = call(capsys, "score", files / "binary.parquet", *BINARY, "--by", "site")
    assert found.code == 0
    assert found.err == ""
    for text in ("roc_auc", "baseline", "by site", "120 rows"):
        assert text in found.out


def test_json_is_valid_whatever_the_value(tmp_path, capsys):
    pl.DataFrame({"y": [1, 1, 1], "p": [0.0, 0.5, 1.0]}).write_csv(tmp_path / "one.csv")
    found = call(capsys, "score", tmp_path / "one.csv", *BINARY, "-f", "json")
    data = json.loads(found.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert data["scores"]["roc_auc"]["value"] is None
    assert data["scores"]["log_loss"]["value"] == "inf"
    table = call(capsys, "score", tmp_path / "one.csv", *BINARY)
    assert table.code == 0
    assert "inf" in table.out


def test_csv(files, capsys):
    found = call(capsys, "score", files / "binary.parquet", *BINARY, "--by", "site", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(found.out)))
    assert {row["slice"] for row in rows} == {"all", "site"}
    assert float(next(r for r in rows if r["metric"] == "roc_auc")["value"]) > 0.5


def test_markdown_is_well_formed(files, capsys):
    found = call(capsys, "score", files / "binary.parquet", *BINARY, "--by", "site", "-f", "markdown")
    blocks = re.split(r"\n\n", found.out)
    tables = [b.splitlines() for b in blocks if b.startswith("|")]
    assert len(tables) == 2
    for table in tables:
        assert len({line.count("|") for line in table}) == 1
        assert set(table[1]) <= set("|-: ")


def test_latex_is_well_formed(files, capsys):
    found = call(capsys, "score", files / "binary.parquet", *BINARY, "--by", "site", "-f", "latex")
    assert found.out.count(r"\begin{tabular}") == found.out.count(r"\end{tabular}") == 2
    for body in re.findall(r"\\midrule\n(.*?)\n\\bottomrule", found.out, re.DOTALL):
        assert len({line.count(" & ") for line in body.splitlines()}) == 1
        assert all(line.endswith(r"\\") for line in body.splitlines())
    assert not re.search(r"(?<!\\)_", found.out)


@pytest.mark.parametrize(
    ("name", "starts"),
    [("r.json", "{"), ("r.csv", "slice,"), ("r.md", "- 120 rows"), ("r.tex", "{\\foot"), ("r.txt", "120 rows")],
)
def test_output_file(files, capsys, name, starts):
    path = files / name
    found = call(capsys, "score", files / "binary.parquet", *BINARY, "-o", path)
    assert (found.code, found.out) == (0, "")
    assert path.read_text(encoding="utf-8").startswith(starts)


TOLD = [
    ("binary", ("--truth", "y", "--prob", "p"), "binary"),
    ("binary", ("--truth", "y", "--pred", "pred"), "binary"),
    ("binary", ("--truth", "word", "--pred", "guess", "--positive", "ill"), "binary"),
    ("multiclass", ("--truth", "y", "--prob", "prob_*"), "multiclass"),
    ("multiclass", ("--truth", "y", "--pred", "pred"), "multiclass"),
    ("multilabel", ("--truth", "y_*", "--prob", "p_*"), "multilabel"),
    ("regression", ("--truth", "y", "--pred", "x"), "regression"),
    ("regression", ("--truth", "count", "--pred", "x"), "regression"),
]


@pytest.mark.parametrize(("name", "arguments", "task"), TOLD)
def test_the_task_is_told_where_it_is_plain(files, capsys, name, arguments, task):
    found = call(capsys, "score", files / f"{name}.parquet", *arguments, "-f", "json")
    assert found.code == 0, found.err
    assert json.loads(found.out)["task"] == task
    assert found.err.startswith(f"assay: taking this as a {task} task: ")
    assert found.err.count("\n") == 1


def test_cost_matrices_read_as_they_are_written():
    for text in (
        "expected_cost:cost=((0;1);(5;0))",
        "expected_cost:cost=((0;1;);(5;0;);)",
        "expected_cost:cost=[[0,1],[5,0]]",
    ):
        metric = from_spec(text)
        assert metric.signature() == "expected_cost|cost:((0;1);(5;0))"
        assert from_signature(metric.signature()) == metric


def test_inputs_beyond_predictions(tmp_path, capsys):
    y = [1.0, 2.0, 3.0, 4.0]
    frame = pl.DataFrame(
        {"y": y, "p": [1.0, 2.5, 3.0, 5.0], "lo": [0.0, 1.0, 3.5, 3.0], "hi": [2.0, 3.0, 4.0, 5.0], "s": [1.0, 2.0, 1.0, 4.0]}
    )  # fmt: skip
    frame.write_csv(tmp_path / "f.csv")
    start = ("score", tmp_path / "f.csv", "--task", "regression", "--truth", "y", "-f", "json")
    arguments = (
        "--input",
        "lower=lo",
        "--input",
        "upper=hi",
        "-m",
        "interval_coverage",
        "-m",
        "interval_score:level=0.9",
    )
    found = json.loads(call(capsys, *start, *arguments).out)
    lower, upper = frame["lo"].to_list(), frame["hi"].to_list()
    wanted = {
        "interval_coverage": assay.interval_coverage(y, lower=lower, upper=upper),
        "interval_score:level=0.9": assay.interval_score(y, lower=lower, upper=upper, level=0.9),
    }
    assert {name: found["scores"][name]["value"] for name in wanted} == wanted
    result = assay.evaluate(
        task="regression", y_true=y, y_pred=frame["p"], extra={"scale": frame["s"]}, metrics=["mase"]
    )
    assert result["mase"] == assay.mase(y, frame["p"], scale=frame["s"])  # a scale a row goes with its row
    for text, says in (
        ("lower", "must be NAME=COLUMN"),
        ("lowr=lo", "Did you mean 'lower'?"),
        ("lower=nope", "column 'nope'"),
    ):
        run = call(capsys, *start, "--input", text, "-m", "interval_coverage")
        assert (run.code, says in run.err) == (2, True), run
