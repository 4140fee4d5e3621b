"""`assay compare`: files and columns, joins, formats, and what is refused."""

import json

import numpy as np
import polars as pl
import pytest
from cli_support import binary, call, multiclass, multilabel, refused

import assay

ARGUMENTS = ("--task", "binary", "--truth", "y", "--prob", "p")


@pytest.fixture
def models(tmp_path):
    frame = binary().with_row_index("case")
    rng = np.random.default_rng(5)
    frame.write_csv(tmp_path / "old.csv")
    new = frame.with_columns(
        p=pl.Series(np.clip(frame["p"].to_numpy() + 0.01 * rng.normal(size=len(frame)), 0.01, 0.99))
    )
    new.sample(fraction=1, shuffle=True, seed=1).write_parquet(tmp_path / "new.parquet")
    frame.with_columns(p=pl.Series(rng.random(len(frame)))).write_ndjson(tmp_path / "noise.jsonl")
    return tmp_path


def data(found):
    assert found.code == 0, found.err
    return json.loads(found.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def test_two_files_by_id(models, capsys):
    found = data(
        call(
            capsys,
            "compare",
            models / "old.csv",
            models / "new.parquet",
            *ARGUMENTS,
            "--id",
            "case",
            "-m",
            "roc_auc",
            "--json",
        )
    )
    assert found["models"] == ["old", "new"]
    assert found["notes"] == ["rows matched by 'case'"]
    old, new = pl.read_csv(models / "old.csv"), pl.read_parquet(models / "new.parquet").sort("case")
    own = assay.metrics.RocAuc().compare(old["y"].to_numpy(), old["p"].to_numpy(), new["p"].to_numpy())
    (pair,) = found["metrics"]["roc_auc"]["pairs"]
    assert (pair["first"], pair["second"]) == ("old", "new")
    assert pair["effect"] == pytest.approx(float(own))
    assert (pair["low"], pair["high"], pair["p"]) == pytest.approx((own.low, own.high, own.p))
    assert found["metrics"]["roc_auc"]["scores"]["old"]["low"] is not None


def test_three_files_and_the_table(models, capsys):
    files = (models / "old.csv", models / "new.parquet", models / "noise.jsonl")
    found = call(capsys, "compare", *files, *ARGUMENTS, "--id", "case", "-m", "roc_auc", "-m", "brier")
    assert found.code == 0
    for text in ("3 models", "old and new cannot be told apart by", "p (Holm)", "rows matched by 'case'", "120 rows"):
        assert text in found.out


def test_by_order_is_said(models, capsys):
    found = call(capsys, "compare", models / "old.csv", models / "noise.jsonl", *ARGUMENTS, "-m", "accuracy")
    assert "rows matched by their order" in found.out


def test_columns_of_one_file(models, capsys):
    path = models / "old.csv"
    found = data(
        call(capsys, "compare", path, "--task", "binary", "--truth", "y", "--prob", "p", "--prob", "p1", "--json")
    )
    assert found["models"] == ["p", "p1"]
    assert found["notes"] == ["all models in one file"]
    assert found["metrics"]["roc_auc"]["pairs"][0]["effect"] == 0


def test_other_column_names_in_every_file(models, capsys):
    frame = pl.read_csv(models / "old.csv").rename({"p": "q"})
    frame.write_csv(models / "renamed.csv")
    found = call(
        capsys, "compare", models / "old.csv", models / "renamed.csv", "--truth", "y", "--prob", "p", "--prob", "q",
        "--names", "one, two", "-m", "accuracy", "--json",
    )  # fmt: skip
    assert data(found)["models"] == ["one", "two"]
    assert "taking this as a binary task" in found.err


def test_names_of_files_are_made_unique(models, capsys):
    (models / "sub").mkdir()
    (models / "sub" / "old.csv").write_bytes((models / "old.csv").read_bytes())
    paths = [str(models / "old.csv"), str(models / "sub" / "old.csv")]
    assert data(call(capsys, "compare", *paths, *ARGUMENTS, "-m", "accuracy", "--json"))["models"] == paths


def test_columns_of_classes_in_another_order(tmp_path, capsys):
    frame = multiclass().drop("list")
    frame.write_csv(tmp_path / "a.csv")
    order = ["y", "prob_dog", "prob_cat", "prob_cow"]
    frame.select(order).write_csv(tmp_path / "b.csv")
    arguments = ("--task", "multiclass", "--truth", "y", "--prob", "prob_*", "-m", "log_loss", "--json")
    found = data(call(capsys, "compare", tmp_path / "a.csv", tmp_path / "b.csv", *arguments))
    assert found["metrics"]["log_loss"]["pairs"][0]["effect"] == 0
    frame.select(pl.col(order[0]), pl.col("prob_dog").alias("prob_hen"), *order[2:]).write_csv(tmp_path / "b.csv")
    refused(call(capsys, "compare", tmp_path / "a.csv", tmp_path / "b.csv", *arguments))


@pytest.mark.parametrize(
    ("format", "starts"), [("csv", "metric,a,b"), ("markdown", "- 120 rows"), ("latex", "{\\footnotesize")]
)
def test_formats(models, capsys, format, starts):
    files = (models / "old.csv", models / "noise.jsonl")
    assert call(capsys, "compare", *files, *ARGUMENTS, "-m", "f1", "-f", format).out.startswith(starts)
    target = models / "out.json"
    assert call(capsys, "compare", *files, *ARGUMENTS, "-m", "f1", "-o", target).code == 0
    assert json.loads(target.read_text())["models"] == ["old", "noise"]


def test_options_of_inference(models, capsys):
    files = (models / "old.csv", models / "noise.jsonl")
    more = ("--level", "0.9", "--groups", "patient", "--margin", "0.05", "--method", "bootstrap", "--replicates", "200")
    found = data(call(capsys, "compare", *files, *ARGUMENTS, "-m", "accuracy", "--seed", "3", *more, "--json"))
    (pair,) = found["metrics"]["accuracy"]["pairs"]
    assert (found["level"], found["margin"], found["groups"]) == (
        0.9,
        0.05,
        pl.read_csv(files[0])["patient"].n_unique(),
    )
    assert "200 replicates" in pair["method"]
    assert pair["p_noninferior"] is not None
    assert pair["p_equivalent"] is not None


def test_rows_that_are_missing(models, capsys):
    pl.read_csv(models / "old.csv").head(100).write_csv(models / "short.csv")
    files = (models / "old.csv", models / "short.csv")
    refused(
        call(capsys, "compare", *files, *ARGUMENTS, "--id", "case"))  # fmt: skip
    refused(call(capsys, "compare", *files, *ARGUMENTS))
    found = data(call(capsys, "compare", *files, *ARGUMENTS, "--id", "case", "--missing", "drop", "--json"))
    assert found["n"] == 100
    assert "dropped: 20 of" in found["notes"][0]


def test_truth_weights_and_groups_must_agree(models, capsys):
    frame = pl.read_csv(models / "old.csv")
    for column, value in (("y", 1 - frame["y"][3]), ("patient", -1), ("w", 9.0)):
        other = frame.with_columns(pl.when(pl.col("case") == 3).then(value).otherwise(pl.col(column)).alias(column))
        other.write_csv(models / "other.csv")
        found = call(
            capsys, "compare", models / "old.csv", models / "other.csv", *ARGUMENTS, "--id", "case",
            "--groups", "patient", "--weight", "w",
        )  # fmt: skip
        refused(found)


def test_ids_that_come_twice(models, capsys):
    frame = pl.read_csv(models / "old.csv")
    pl.concat([frame, frame.head(2)]).write_csv(models / "twice.csv")
    found = call(capsys, "compare", models / "old.csv", models / "twice.csv", *ARGUMENTS, "--id", "case")
    refused(found)


REFUSED = [
    ("--names", "a"),
    ("--names", "a,a"),
    ("--missing", "ignore"),
    ("--level", "95"),
    ("--method", "bayes"),
    ("--method", "delong", "-m", "f1"),
    ("--metric", "f11"),
    ("--margin", "-0.1"),
    ("--replicates", "3"),
    ("--seed", "-1"),
    ("--groups", "patients"),
    ("--strata", "sites"),
    ("--id", "cas"),
    ("--prob", "p0", "--prob", "p1"),
    ("--pred", "nonsense"),
    ("--format", "xml"),
    ("-m", "confusion_matrix"),
]


@pytest.mark.parametrize("more", REFUSED, ids=" ".join)
def test_refused(models, capsys, more):
    refused(call(capsys, "compare", models / "old.csv", models / "noise.jsonl", *ARGUMENTS, *more))


def test_what_is_not_a_comparison(models, capsys):
    refused(call(capsys, "compare", models / "old.csv", *ARGUMENTS))
    refused(call(capsys, "compare", models / "old.csv", models / "no.csv", *ARGUMENTS))
    refused(call(capsys, "compare", "-", "-", *ARGUMENTS))
    refused(call(capsys, "compare", models / "old.csv", models / "noise.jsonl", "--truth", "y"))
    refused(call(capsys, "compare"))


def test_truth_in_one_file_is_enough_with_ids(models, capsys):
    pl.read_ndjson(models / "noise.jsonl").select("case", "p").write_csv(models / "bare.csv")
    files = (models / "bare.csv", models / "old.csv")
    found = data(call(capsys, "compare", *files, *ARGUMENTS, "--id", "case", "-m", "roc_auc", "--json"))
    assert found["n"] == 120
    assert "'y' of" in found["notes"][0]
    refused(call(capsys, "compare", *files, *ARGUMENTS))
    nowhere = ("--truth", "truth", "--prob", "p", "--id", "case")
    refused(call(capsys, "compare", *files, *nowhere))


def test_a_model_beside_itself(models, capsys):
    refused(call(capsys, "compare", models / "old.csv", models / "old.csv", *ARGUMENTS))
    refused(call(capsys, "compare", models / "old.csv", *ARGUMENTS, "--prob", "p"))


def test_rows_for_an_effect(models, capsys):
    files = (models / "old.csv", models / "noise.jsonl", *ARGUMENTS, "-m", "accuracy", "--effect", "0.02")
    (pair,) = data(call(capsys, "compare", *files, "--json"))["metrics"]["accuracy"]["pairs"]
    old, noise = pl.read_csv(models / "old.csv"), pl.read_ndjson(models / "noise.jsonl")
    given = {"old": old["p"].to_numpy(), "noise": noise["p"].to_numpy()}
    own = assay.compare(task="binary", y_true=old["y"].to_numpy(), models=given, kind="y_prob", metrics=["accuracy"])
    assert pair["rows_for_effect"] == own.rows_for("accuracy", 0.02) == own.pair("accuracy").rows_for(0.02)
    table = call(capsys, "compare", *files).out
    assert "rows for 0.02" in table
    assert f"{pair['rows_for_effect']:,}" in table
    assert f",{pair['rows_for_effect']}\n" in call(capsys, "compare", *files, "-f", "csv").out


def test_rows_left_out_by_each_model_are_said(tmp_path, capsys):
    frame = multilabel().drop("q0", "q1", "q2")
    nothing = [0] * len(frame)
    frame.with_columns(y_red=pl.Series(nothing), y_green=pl.Series(nothing)).write_csv(tmp_path / "m.csv")
    given = ("--task", "multilabel", "--truth", "y_*", "--prob", "p_*", "--prob", "hat_*")
    found = call(capsys, "compare", tmp_path / "m.csv", *given)
    assert found.code == 0, found.err
    assert "rows undefined (excluded)" in found.out


def test_standard_input_is_one_of_them(models, capsys):
    found = call(
        capsys, "compare", "-", models / "noise.jsonl", *ARGUMENTS, "-m", "f1", "--json",
        stdin=(models / "old.csv").read_bytes(),
    )  # fmt: skip
    assert data(found)["models"] == ["stdin", "noise"]


def test_interruption(models, capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.cli.compare.compare", interrupted)
    found = call(capsys, "compare", models / "old.csv", models / "noise.jsonl", *ARGUMENTS)
    assert found.code == 130
    assert found.err == "assay: interrupted; no result was written.\n"
