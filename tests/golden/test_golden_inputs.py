"""One meaning for every form of the same data: columns, names, dtypes and devices change how inputs are read, never the value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from golden_cases import libraries

import assay
from assay.core.registry import find
from messages import refusal, warned

TWO = [[0.6, 0.4], [0.6, 0.4], [0.3, 0.7]]  # at 0.3 every row is called positive: tp 2, fp 1, fn 0, f1 = 4/5


@pytest.mark.parametrize("form", [{"y_prob": TWO}, {"y_prob": [0.4, 0.4, 0.7]}, {"logits": np.log(TWO)}])
def test_a_threshold_decides_between_two_columns_as_it_does_on_one(form: dict[str, Any]) -> None:
    assert assay.f1([0, 1, 1], **form, threshold=0.3) == 0.8
    assert assay.confusion_matrix([0, 1, 1], **form, threshold=0.3).tolist() == [[0, 1], [0, 2]]
    assert assay.confusion_matrix([0, 1, 1], **form).tolist() == [[1, 0], [1, 1]]


def test_the_threshold_is_for_the_positive_column() -> None:
    """With class "a" positive its column (0.6, 0.6, 0.3) is compared: from 0.5 on two rows, from 0.7 on none."""
    data = {"y_true": ["a", "b", "b"], "y_prob": TWO, "classes": ("a", "b")}
    assert assay.precision(**data, positive="a") == 0.5
    assert assay.accuracy(**data, positive="a", threshold=0.7) == pytest.approx(2 / 3, rel=1e-15)
    assert assay.accuracy(**data, positive="b", threshold=0.7) == pytest.approx(2 / 3, rel=1e-15)
    tie = [[0.5, 0.5], [0.5, 0.5]]
    assert assay.recall([0, 1], y_prob=tie) == assay.recall([0, 1], y_prob=[0.5, 0.5]) == 1.0


P3 = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]])
LOSS = -np.log([0.7, 0.8, 0.5]).mean()  # rows 0, 1, 2 are of classes 0, 1, 2


@pytest.mark.parametrize("names", [(0, 1, 2), ("0", "1", "2")])
@pytest.mark.parametrize("truth", [[0, 1, 2], ["0", "1", "2"], np.array([0, 1, 2], dtype=object)])
def test_columns_named_by_numbers(names: tuple[Any, ...], truth: Any) -> None:
    """``DataFrame(model.predict_proba(X))`` names its columns 0, 1, 2; files name them "0", "1", "2"."""
    frame = pd.DataFrame(P3, columns=list(names))
    assert assay.log_loss(truth, y_prob=frame) == pytest.approx(LOSS, rel=1e-15)
    turned = frame[list(names[::-1])]
    assert assay.log_loss(truth, y_prob=turned) == pytest.approx(LOSS, rel=1e-15)
    assert assay.accuracy(truth, y_prob=turned) == 1.0


COLUMNS: dict[str, Any] = {
    "Int64": pd.Series([1, 0, 1, 1], dtype="Int64").values,
    "boolean": pd.Series([True, False, True, True], dtype="boolean").values,
    "Index": pd.Index([1, 0, 1, 1]),
    "Categorical": pd.Categorical([1, 0, 1, 1]),
    "Series of categories": pd.Series(pd.Categorical([1, 0, 1, 1])),
}


@pytest.mark.parametrize("form", COLUMNS)
def test_what_holds_the_values_of_a_pandas_column(form: str) -> None:
    assert assay.f1(COLUMNS[form], [1, 0, 0, 1]) == 0.8  # tp 2, fn 1
    assert assay.f1([1, 0, 0, 1], COLUMNS[form]) == 0.8


@pytest.mark.parametrize("dtype", ["string", "category", object])
def test_text_in_pandas_arrays(dtype: Any) -> None:
    values = pd.Series(["b", "a", "b", "b"], dtype=dtype).values
    assert assay.f1(values, ["b", "a", "a", "b"], positive="b") == 0.8


@pytest.mark.parametrize("at", range(3), ids=["torch", "jax", "array-api-strict"])
@pytest.mark.parametrize("kind", [np.asarray, lambda v: np.array(v, dtype=object)], ids=["text", "objects"])
def test_text_beside_tensors(at: int, kind: Any) -> None:
    """Rows b of a, b, a, b score 0.9 and 0.25 against 0.125 and 0.5: three of four pairs; called from 0.5 on: tp 1, fp 1, fn 1."""
    asarray = libraries()[at]
    truth, p = kind(["a", "b", "a", "b"]), asarray([0.125, 0.875, 0.5, 0.25])
    assert assay.f1(truth, y_prob=p, positive="b") == 0.5
    assert assay.roc_auc(truth, y_prob=p, positive="b") == 0.75
    wanted = -np.log([0.875, 0.875, 0.5, 0.25]).mean()
    assert assay.log_loss(truth, y_prob=p, positive="b") == pytest.approx(wanted, rel=1e-6)
    two = asarray([[0.875, 0.125], [0.125, 0.875], [0.5, 0.5], [0.75, 0.25]])
    assert assay.log_loss(truth, y_prob=two, classes=("a", "b")) == pytest.approx(wanted, rel=1e-6)
    assert assay.top_k_accuracy(truth, two, k=1, classes=("a", "b")) == 0.625
    options = {"positive": "b", "bins": 1}
    assert assay.calibration_error(truth, y_prob=p, **options) == pytest.approx(1 / 16, rel=1e-6)  # 1/2 - 7/16
    top = assay.calibration_error(truth, y_prob=p, of_what="top_label", **options)
    assert top == pytest.approx(0.25, rel=1e-6)  # 3/4 - 2/4
    assert assay.accuracy(truth, truth, weight=p) == 1.0
    found = assay.evaluate(task="binary", y_true=truth, y_prob=p, positive="b", metrics=["f1", "log_loss"])
    assert found.values["f1"] == 0.5


@pytest.mark.parametrize("n", [10, 10_000])
def test_small_integers_that_span_more_than_their_type_holds_apart(n: int) -> None:
    """-100 and 100 are labels of int8, their difference is not."""
    truth = np.where(np.arange(n) % 2, 100, -100).astype(np.int8)
    predicted = np.where(np.arange(n) % 5, truth, -truth)  # every fifth is wrong
    assert predicted.dtype == np.int8
    assert assay.accuracy(truth, predicted) == 0.8
    assert assay.confusion_matrix(truth, predicted).tolist() == [[4 * n // 10, n // 10], [n // 10, 4 * n // 10]]
    assert assay.f1(truth, predicted, average="macro") == pytest.approx(0.8, rel=1e-15)
    assert assay.f1(truth, predicted, positive=100) == pytest.approx(0.8, rel=1e-15)
    assert assay.roc_auc(truth, predicted.astype(float), positive=100) == pytest.approx(0.8, rel=1e-15)
    assert assay.accuracy(truth, y_prob=(predicted > 0) * 1.0, positive=100) == 0.8


HOT = np.array([[1, 0], [0, 1]])


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.float32, np.float64])
def test_a_matrix_of_labels_is_one_whatever_its_dtype(dtype: Any) -> None:
    """Per cell as labels: (1/4)² or (1/8)². As distributions: sums over the columns, so twice as much."""
    p = np.array([[0.75, 0.25], [0.125, 0.875]])
    squares, logs = (2 / 16 + 2 / 64) / 4, -np.log([0.75, 0.75, 0.875, 0.875]).sum() / 4
    assert assay.brier(HOT.astype(dtype), y_prob=p) == pytest.approx(squares, rel=1e-15)
    assert assay.log_loss(HOT.astype(dtype), y_prob=p) == pytest.approx(logs, rel=1e-15)
    assert assay.brier(HOT.astype(dtype), y_prob=p, soft=True) == pytest.approx(2 * squares, rel=1e-15)
    assert assay.log_loss(HOT.astype(dtype), y_prob=p, soft=True) == pytest.approx(logs, rel=1e-15)
    found = assay.evaluate(task="multilabel", y_true=HOT.astype(dtype), y_prob=p, metrics=["log_loss", "hamming"])
    assert found.values["log_loss"] == pytest.approx(logs, rel=1e-15)


@pytest.mark.parametrize("names", [("a", "b"), (3, 7)])
@pytest.mark.parametrize(
    "key", ["roc_auc", "log_loss", "brier", "calibration_error", "f1", "specificity", "average_precision"]
)
def test_a_batch_of_positives_only_merges_to_the_whole(key: str, names: tuple[Any, Any]) -> None:
    """Nobody has named the negative class and no row shows it: the batch that does tells."""
    negative, positive = names
    metric = find(key)(positive=positive)
    truth, p = [positive, positive, negative, positive], [0.875, 0.25, 0.5, 0.75]
    parts = [metric.state(truth[i:j], y_prob=p[i:j]) for i, j in ((0, 1), (1, 2), (2, 4))]
    parts = [assay.State.from_bytes(part.to_bytes()) for part in parts]
    whole = metric(truth, y_prob=p)
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        merged = parts[order[0]] + parts[order[1]] + parts[order[2]]
        assert merged.value() == pytest.approx(whole, rel=1e-15)


def test_positives_only() -> None:
    assert assay.f1(["b", "b"], y_prob=[0.875, 0.25], positive="b") == pytest.approx(2 / 3, rel=1e-15)
    assert assay.f1(["b", "b"], ["b", "b"], positive="b") == 1.0
    assert assay.brier(["b", "b"], y_prob=[0.5, 1.0], positive="b") == 0.125


EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}


@pytest.mark.parametrize("dtype", EPSILON)
@pytest.mark.parametrize("library", ["numpy", "torch", "jax.numpy"])
def test_clip_is_the_step_of_the_dtype_that_came_in(library: str, dtype: str) -> None:
    """One row gave what happened probability 0, the other 1/2."""
    xp: Any = pytest.importorskip(library)
    if not hasattr(xp, dtype) or (library == "jax.numpy" and dtype == "float64"):
        pytest.skip("the library has no such type")
    wanted = -(np.log(EPSILON[dtype]) + np.log(0.5)) / 2
    with warned(assay.UndefinedWarning):
        got = assay.log_loss([1, 1], y_prob=xp.asarray([0.0, 0.5], dtype=getattr(xp, dtype)), clip="eps")
    assert got == pytest.approx(wanted, rel=1e-6)
    two = xp.asarray([[1.0, 0.0], [0.5, 0.5]], dtype=getattr(xp, dtype))
    with warned(assay.UndefinedWarning):
        assert assay.log_loss([1, 1], y_prob=two, clip="eps") == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("k", [3, 100, 1000])
def test_a_softmax_in_a_narrow_type_sums_to_one(dtype: str, k: int) -> None:
    torch: Any = pytest.importorskip("torch")
    z = torch.tensor(np.random.default_rng(0).normal(0, 2, (2000, k)))
    p = torch.softmax(z, dim=1).to(getattr(torch, dtype))
    truth = np.arange(2000) % k
    exact = assay.brier(truth, logits=z)
    assert assay.brier(truth, y_prob=p) == pytest.approx(exact, rel=1e-2)
    if dtype != "bfloat16":
        assert assay.brier(truth, y_prob=p.numpy()) == pytest.approx(exact, rel=1e-2)
    with refusal(assay.InputError):
        assay.brier(truth, y_prob=p / 4)
