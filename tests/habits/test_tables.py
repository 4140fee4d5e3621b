"""`evaluate` and `compare` on tables by the names of columns: the same numbers as arrays and files give."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.cli import main
from messages import refuses

RNG = np.random.default_rng(5)
N = 240
Y = RNG.integers(0, 2, N)
P, Q = (np.clip(part * Y + (1 - part) * RNG.random(N), 0.01, 0.99) for part in (0.4, 0.2))
CHANCES = RNG.dirichlet([1, 1, 1], N)
KIND = np.array(["cat", "cow", "dog"])[RNG.integers(0, 3, N)]
COLUMNS: dict[str, Any] = {
    "y": Y, "p": P, "q": Q, "said": (P > 0.5).astype(int), "w": RNG.random(N) + 0.5, "site": RNG.choice(["Lyon", "Oslo"], N).tolist(),
    "patient": RNG.integers(0, 50, N), "kind": KIND.tolist(), "amount": RNG.normal(size=N), "forecast": RNG.normal(size=N),
    "row": np.arange(N), **{f"p_{name}": CHANCES[:, i] for i, name in enumerate(("cat", "cow", "dog"))},
    **{f"q_{name}": CHANCES[:, ::-1][:, i] for i, name in enumerate(("dog", "cow", "cat"))},
    "a": (CHANCES[:, 0] > 0.3).astype(int), "b": (CHANCES[:, 1] > 0.3).astype(int),
}  # fmt: skip


def _table(library: str) -> Any:
    if library == "pyarrow":
        return pytest.importorskip("pyarrow").table({name: list(values) for name, values in COLUMNS.items()})
    return pytest.importorskip(library).DataFrame(COLUMNS)


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def table(request: pytest.FixtureRequest) -> Any:
    return _table(request.param)


def test_a_table_gives_what_its_arrays_give(table: Any) -> None:
    found = assay.evaluate(
        table, truth="y", prob="p", weight="w", groups="patient", ids="row", by=["site"], metrics="roc_auc, brier"
    )
    site = np.array(COLUMNS["site"])
    arrays = assay.evaluate(
        task="binary", y_true=Y, y_prob=P,
        weight=COLUMNS["w"], groups=COLUMNS["patient"], slices={"site": site}, metrics=["roc_auc", "brier"]
    )  # fmt: skip
    assert found.to_dict() == arrays.to_dict() | {"notes": list(found.notes)}
    assert found.notes == ("taken as a binary task: two labels in 'y' and scores of one class",)
    assert found.notes[0] in str(found).replace("\n", " ")
    assert arrays.notes == ()


def test_the_command_line_says_the_same(table: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rows.csv"
    _table("polars").write_csv(file)
    with pytest.raises(SystemExit):
        main(["score", str(file), "--truth", "kind", "--prob", "p_*", "--by", "site", "--json"])
    told = json.loads(capsys.readouterr().out)
    found = json.loads(json.dumps(assay.evaluate(table, truth="kind", prob="p_*", by="site").to_dict()))
    assert found["task"] == told["task"] == "multiclass"
    for name, score in told["scores"].items():
        assert found["scores"][name]["value"] == pytest.approx(score["value"], rel=1e-12)
    assert found["slices"].keys() == told["slices"].keys()


def test_several_columns_are_a_list_a_text_or_a_pattern(table: Any) -> None:
    forms: list[Any] = [["p_cat", "p_cow", "p_dog"], "p_cat,p_cow,p_dog", "p_*", ("p_dog", "p_cat", "p_cow")]
    values = {
        float(assay.evaluate(table, truth="kind", prob=form, metrics="log_loss", level=None)["log_loss"])
        for form in forms
    }  # type: ignore[arg-type]
    assert max(values) - min(values) < 1e-12
    many = assay.evaluate(table, truth=["a", "b"], pred="a,b", metrics="accuracy")
    assert (many.task, many.scores["accuracy"]) == ("multilabel", 1.0)


def test_beside_columns_arrays_are_taken_too(table: Any) -> None:
    mixed = assay.evaluate(table, truth="y", prob="p", weight=COLUMNS["w"], slices={"odd": Y * 0}, metrics="brier")
    named = assay.evaluate(table, truth="y", prob="p", weight="w", metrics="brier")
    assert mixed["brier"] == named["brier"]
    assert list(mixed.slices) == ["odd"]


def test_further_inputs_are_columns(table: Any) -> None:
    found = assay.evaluate(
        table, truth="amount", metrics="interval_score:level=0.9", task="regression", extra={"lower": "w", "upper": COLUMNS["w"] + 1}
    )  # fmt: skip
    assert float(found.scores["interval_score:level=0.9"]) > 0


def test_models_are_columns(table: Any) -> None:
    listed = assay.compare(
        table, truth="y", prob=["p", "q"], metrics="brier, roc_auc", weight="w", groups="patient", ids="row"
    )
    named = assay.compare(
        table, truth="y", prob={"p": "p", "q": "q"}, metrics=["brier", "roc_auc"], weight="w", groups="patient"
    )
    arrays = assay.compare(
        Y, {"p": P, "q": Q}, kind="y_prob", metrics="brier,roc_auc", weight=COLUMNS["w"], groups=COLUMNS["patient"]
    )
    assert listed.to_dict() == named.to_dict()
    assert listed.to_dict() | {"notes": []} == arrays.to_dict() | {"notes": []}
    assert listed.notes == ("taken as a binary task: two labels in 'y' and scores of one class",)


def test_models_of_several_classes(table: Any) -> None:
    """The columns of the second are in another order, and their names tell which is which."""
    found = assay.compare(table, truth="kind", prob={"a": "p_*", "b": ["q_dog", "q_cow", "q_cat"]}, metrics="log_loss")
    scores = found["log_loss"].scores
    assert scores["a"] == pytest.approx(float(scores["b"]), rel=1e-12)
    assert assay.compare(table, truth="kind", prob=["p_*", "q_*"], metrics="log_loss").models == ["p", "q"]


def test_models_of_different_kinds(table: Any) -> None:
    found = assay.compare(table, truth="y", prob={"p": "p"}, score={"q": "q"}, metrics="roc_auc")
    assert found.models == ["p", "q"]


@pytest.mark.parametrize(
    ("columns", "task"),
    [({"truth": "amount", "pred": "forecast"}, "regression"), ({"truth": "kind", "pred": "kind"}, "multiclass"),
     ({"truth": "y", "pred": "said"}, "binary"), ({"truth": ["a", "b"], "pred": ["a", "b"]}, "multilabel")],
)  # fmt: skip
def test_the_task_follows_from_the_columns(columns: dict[str, Any], task: str) -> None:
    found = assay.evaluate(_table("polars"), **columns)
    assert found.task == task
    assert found.notes[0].startswith(f"taken as a {task} task: ")


def test_the_task_follows_from_arrays() -> None:
    assert assay.evaluate(y_true=Y, y_prob=P).task == "binary"
    assert assay.evaluate(y_true=KIND, y_prob=CHANCES, classes=["cat", "cow", "dog"]).task == "multiclass"
    assert assay.evaluate(COLUMNS["amount"], COLUMNS["forecast"]).task == "regression"
    assert assay.evaluate(KIND, KIND).task == "multiclass"
    assert assay.evaluate(np.eye(2, dtype=int)[Y], np.eye(2, dtype=int)[Y]).task == "multilabel"
    assert assay.evaluate([1.5, 2.0], [1.0, 2.0], metrics="MSE")["mse"] == 0.125
    assert assay.compare(Y, {"a": P > 0.5, "b": Q > 0.5}, metrics="accuracy").task == "binary"


def test_metrics_in_one_text() -> None:
    found = assay.evaluate(
        Y, COLUMNS["said"], metrics="F1, Matthews-Correlation,f_beta:beta=2,average=macro, MCC:threshold=0.3"
    )
    assert list(found) == [
        "f1",
        "matthews_correlation",
        "f_beta:beta=2,average=macro",
        "matthews_correlation:threshold=0.3",
    ]
    assert list(assay.evaluate(Y, COLUMNS["said"], metrics=assay.metrics.Accuracy())) == ["accuracy"]


def test_pandas_gaps_are_gaps() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y": ["a", None, "b"], "p": [0.1, np.nan, 0.3], "site": ["x", None, "y"], "n": [1, 2, 3]})
    refuses(lambda: assay.evaluate(frame, truth="n", pred="p", task="regression"))
    refuses(lambda: assay.evaluate(frame, truth="y", pred="y"))
    whole = pandas.DataFrame({"y": [0, 1, 1, 0], "p": [0.1, 0.8, 0.7, 0.4], "site": ["x", None, "y", "x"]})
    assert list(assay.evaluate(whole, truth="y", prob="p", by="site", metrics="brier").slices["site"]) == [
        "(missing)",
        "x",
        "y",
    ]


def test_pandas_types_of_its_own() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({
        "y": pandas.Categorical(["cat", "cow", "cat", "cow"]), "said": pandas.array(["cat", "cow", "cow", "cow"], dtype="string"),
        "n": pandas.array([1, 2, 3, 4], dtype="Int64"), "t": pandas.array([True, False, True, True], dtype="boolean"),
        7: [1.5, 2.0, 3.0, 4.0],
    })  # fmt: skip
    assert (
        float(assay.evaluate(frame, truth="y", pred="said", positive="cow", metrics="accuracy").scores["accuracy"])
        == 0.75
    )
    assert float(assay.evaluate(frame, truth="7", pred="n", metrics="mae").scores["mae"]) == 0.125
    assert assay.evaluate(frame, truth="t", pred="t", metrics="accuracy").task == "binary"


TABLE = _table("polars")
REFUSED: dict[str, Callable[[], object]] = {
    "floats by place": lambda: assay.evaluate(Y, P),
    "floats of models": lambda: assay.compare(Y, {"a": P, "b": Q}),
    "no columns": lambda: assay.evaluate(TABLE),
    "no columns of models": lambda: assay.compare(TABLE),
    "no predictions": lambda: assay.evaluate(TABLE, truth="y"),
    "no models": lambda: assay.compare(TABLE, truth="y"),
    "no truth": lambda: assay.evaluate(TABLE, prob="p"),
    "no table": lambda: assay.evaluate(truth="y", prob="p"),
    "nothing": lambda: assay.evaluate(),
    "no truth of models": lambda: assay.compare(models={"a": P, "b": Q}),
    "unknown column": lambda: assay.evaluate(TABLE, truth="y", prob="prop"),
    "names of arrays": lambda: assay.evaluate(TABLE, y_true="y", y_prob="p"),
    "columns and arrays": lambda: assay.evaluate(TABLE, truth="y", y_prob=P),
    "an array for a column": lambda: assay.evaluate(TABLE, truth="y", prob=P),  # type: ignore[arg-type]
    "one model": lambda: assay.compare(TABLE, truth="y", prob="p"),
    "models of two counts": lambda: assay.compare(TABLE, truth="y", prob=["p", "q"], pred=["said", "a", "b"]),
    "a lazy table": lambda: assay.evaluate(TABLE.lazy(), truth="y", prob="p"),
    "no rows": lambda: assay.evaluate(TABLE.head(0), truth="y", prob="p"),
    "either task": lambda: assay.evaluate(y_true=[1, 2, 3], y_pred=[1, 2, 2]),
    "one column of three classes": lambda: assay.evaluate(TABLE, truth="kind", prob="p", task="multiclass"),
    "twice": lambda: assay.evaluate(Y, COLUMNS["said"], y_pred=COLUMNS["said"]),
    "by without a table": lambda: assay.evaluate(y_true=Y, y_prob=P, by="site"),
    "empty": lambda: assay.evaluate([], []),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    refuses(REFUSED[case])
