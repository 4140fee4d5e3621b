"""Numbers in one column of labels and words in the other: every row would count as wrong."""

import polars as pl
import pytest
from cli_support import call, refused


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("task", [(), ("--task", "multiclass")])
def test_numbers_beside_words_are_refused(tmp_path, capsys, suffix, task):
    frame = pl.DataFrame({"y": [0, 1, 1, 0], "word": ["no", "yes", "yes", "no"]})
    path = tmp_path / f"mixed.{suffix}"
    if suffix == "csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)
    refused(call(capsys, "score", path, "--truth", "y", "--pred", "word", "-m", "accuracy", *task))


def test_classes_that_were_listed_are_meant(tmp_path, capsys):
    pl.DataFrame({"y": [0, 1, 1, 0], "word": ["no", "yes", "yes", "no"]}).write_csv(tmp_path / "m.csv")
    found = call(
        capsys, "score", tmp_path / "m.csv", "--task", "multiclass", "--truth", "y", "--pred", "word", "--classes", "0,1,no,yes",
        "-m", "accuracy",
    )  # fmt: skip
    assert found.code == 0
