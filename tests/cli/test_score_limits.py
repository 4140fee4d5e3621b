"""`assay score --fail-under`: limits hold in the direction of each metric."""

import json

import polars as pl
import pytest
from cli_support import BINARY, call

LIMITS = [
    ("accuracy=0.5", 0, ""),
    ("accuracy=0.999", 1, "assay: accuracy is 0."),
    ("log_loss=10", 0, ""),
    ("log_loss=0.01", 1, "above the limit 0.01"),
    ("f_beta:beta=2=0.999", 1, "assay: f_beta:beta=2 is"),
    ("jaccard=0.1", 0, ""),
]


@pytest.mark.parametrize(("limit", "code", "says"), LIMITS)
@pytest.mark.parametrize("metrics", [(), ("-m", "accuracy", "-m", "log_loss")])
def test_limits(files, capsys, limit, code, says, metrics):
    found = call(capsys, "score", files / "binary.parquet", *BINARY, *metrics, "--fail-under", limit, "-f", "json")
    assert found.code == code, found.err
    assert says in found.err
    assert found.err.count("\n") == code
    json.loads(found.out)


def test_every_missed_limit_is_said(files, capsys):
    found = call(
        capsys,
        "score",
        files / "binary.parquet",
        *BINARY,
        "--fail-under",
        "accuracy=0.9999",
        "--fail-under",
        "f1=0.9999",
        "--fail-under",
        "recall=0.01",
    )
    assert found.code == 1
    assert found.err.count("\n") == 2


def test_an_undefined_value_misses_its_limit(tmp_path, capsys):
    pl.DataFrame({"y": [1, 1], "p": [0.5, 0.7]}).write_csv(tmp_path / "one.csv")
    found = call(capsys, "score", tmp_path / "one.csv", *BINARY, "--fail-under", "roc_auc=0")
    assert found.code == 1
    assert "roc_auc is undefined on these data" in found.err
