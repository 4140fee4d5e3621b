"""Bad labels: unknown, mixed, missing, of the wrong shape, without a positive class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from error_cases import Bad, check, inf, nan, params

import assay

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

CASES: list[Bad] = [
    (
        "nan label",
        lambda: assay.f1([0, nan, 1], [0, 1, 1]),
        assay.InputError,
        (
            "F1: y_true must hold labels, got float64 of shape (3,) and row 1 has no label (nan). For "
            "scores, take the labels first (y_prob=... with a threshold) or pass them by their name: "
            "y_prob=, y_score= or logits=."
        ),
    ),
    (
        "inf label",
        lambda: assay.f1([0, inf, 1], [0, 1, 1]),
        assay.InputError,
        (
            "F1: y_true must hold labels, got float64 of shape (3,) and row 1 has no label (inf). For "
            "scores, take the labels first (y_prob=... with a threshold) or pass them by their name: "
            "y_prob=, y_score= or logits=."
        ),
    ),
    (
        "lab col",
        lambda: assay.f1(np.array([[1], [0]]), np.array([1, 0])),
        assay.InputError,
        (
            "F1: y_true must hold one label a row or several columns of 0 and 1, got int64 of shape (2, 1). It has one column: "
            "pass y_true[:, 0]."
        ),
    ),
    (
        "lab col2",
        lambda: assay.f1(np.array([1, 0]), np.array([[1], [0]])),
        assay.InputError,
        (
            "F1: y_pred must hold one label a row or several columns of 0 and 1, got int64 of shape (2, 1). It has one column: "
            "pass y_pred[:, 0]."
        ),
    ),
    (
        "lab col both",
        lambda: assay.f1([[1], [0], [1]], [[1], [1], [1]], average="macro"),
        assay.InputError,
        (
            "F1: y_true must hold one label a row or several columns of 0 and 1, got int64 of shape (3, 1). It has one column: "
            "pass y_true[:, 0]."
        ),
    ),
    (
        "unknown label",
        lambda: assay.f1([0, 1, 2], [0, 1, 3], classes=(0, 1, 2), average="macro"),
        assay.InputError,
        "F1: y_pred must hold labels of 0..2, got 3 in row 2. Add it to classes= or repair the row.",
    ),
    (
        "unknown label text",
        lambda: assay.f1(["a", "b", "z"], ["a", "b", "a"], classes=("a", "b"), positive="a"),
        assay.InputError,
        ("F1: y_true must hold labels of 'a', 'b', got 'z' in row 2. Add it to classes= or repair the row."),
    ),
    (
        "label beyond cols",
        lambda: assay.log_loss([0, 3], [[0.5, 0.5], [0.5, 0.5]]),
        assay.InputError,
        ("LogLoss: y_true must hold labels of 0, 1, got 3 in row 1. Add it to classes= or repair the row."),
    ),
    (
        "neg label cols",
        lambda: assay.log_loss([0, -1], [[0.5, 0.5], [0.5, 0.5]]),
        assay.InputError,
        ("LogLoss: y_true must hold labels of 0, 1, got -1 in row 1. Add it to classes= or repair the row."),
    ),
    (
        "matrix as pred",
        lambda: assay.f1([0, 1], [[0.2, 0.8], [0.3, 0.7]]),
        assay.InputError,
        (
            "F1: y_pred must hold labels, got float64 of shape (2, 2) and row 0 looks like a score ([0.2 "
            "0.8]). For scores, take the labels first (y_pred=y_pred.argmax(1)) or pass them by their "
            "name: y_prob=, y_score= or logits=."
        ),
    ),
    (
        "object dicts",
        lambda: assay.f1(np.array([{}, {}], dtype=object), [1, 0]),
        assay.InputError,
        "F1: y_true must hold labels of one kind, text or whole numbers, got dict.",
    ),
    (
        "ragged lab",
        lambda: assay.f1([[1], [1, 0]], [1, 0]),
        assay.InputError,
        "F1: y_true is ragged: its rows differ in length. Give one number or label a row.",
    ),
    (
        "single class",
        lambda: assay.roc_auc([1, 1], [0.1, 0.2], undefined="error"),
        assay.UndefinedError,
        "RocAuc: the value does not exist here: only one class occurs.",
    ),
    (
        "mixed kinds",
        lambda: assay.f1(["a", "b"], [0, 1]),
        assay.InputError,
        "F1: y_true holds text and y_pred whole numbers; both must use the same labels.",
    ),
    (
        "mixed list",
        lambda: assay.f1(["a", 1], ["a", 1]),
        assay.InputError,
        (
            "F1: y_true must hold text or numbers, not both, got 1 (int) in row 1 beside text. Make all "
            "of them text or all of them numbers."
        ),
    ),
    (
        "missing pos",
        lambda: assay.f1(["a", "b"], ["a", "b"]),
        assay.InputError,
        "F1: which class is positive? The labels are 'a', 'b'. Say positive='b' (or another of them).",
    ),
    (
        "wrong pos",
        lambda: assay.f1(["a", "b"], ["a", "b"], positive="c"),
        assay.InputError,
        "F1: positive='c' is not among the labels 'a', 'b'.",
    ),
    (
        "wrong pos int",
        lambda: assay.f1([1, 2], [1, 2], positive=3),
        assay.InputError,
        "F1: positive=3 is not among the labels 1, 2.",
    ),
    (
        "pos not in classes",
        lambda: assay.f1(["a", "b"], ["a", "b"], positive="c", classes=("a", "b")),
        assay.ParameterError,
        "F1: positive='c' is not among classes=('a', 'b').",
    ),
    (
        "three in binary",
        lambda: assay.f1([0, 1, 2], [0, 1, 2]),
        assay.InputError,
        (
            "F1: a binary problem has two classes, found 3: 0..2. Choose average='macro', 'weighted', "
            "'micro' or None for F1."
        ),
    ),
    (
        "three in logloss",
        lambda: assay.log_loss([0, 1, 2], [0.1, 0.2, 0.3]),
        assay.InputError,
        (
            "LogLoss: a binary problem has two classes, found 3: 0..2. Several classes need one column of"
            " y_prob a class."
        ),
    ),
    (
        "ml shape",
        lambda: assay.f1(np.zeros((3, 2), int), np.zeros((3, 3), int), average="macro"),
        assay.InputError,
        (
            "F1: y_true is a matrix, so this is a multilabel problem, and the prediction must have its "
            "shape (3, 2), got (3, 3)."
        ),
    ),
    (
        "ml not 01",
        lambda: assay.f1(np.array([[0, 2], [1, 1]]), np.array([[0, 1], [1, 1]]), average="macro"),
        assay.InputError,
        "F1: y_true must hold 0 and 1 only in a multilabel problem, got 0..2.",
    ),
    (
        "ml binary avg",
        lambda: assay.f1(np.array([[0, 1], [1, 1]]), np.array([[0, 1], [1, 1]])),
        assay.InputError,
        (
            "F1: y_true is a matrix, so this is a multilabel problem. Choose average='macro', 'weighted',"
            " 'micro' or None for F1, or 'samples'."
        ),
    ),
    (
        "ml mcc",
        lambda: assay.matthews_correlation(np.array([[0, 1], [1, 1]]), np.array([[0, 1], [1, 1]])),
        assay.InputError,
        (
            "MatthewsCorrelation: is not defined for a multilabel problem (y_true is a matrix). Take one "
            "label at a time: y_true[:, j], y_pred[:, j]."
        ),
    ),
    (
        "ml vs 1d",
        lambda: assay.f1(np.array([[0, 1], [1, 1]]), [0, 1], average="macro"),
        assay.InputError,
        "F1: y_pred must be a 0/1 matrix (rows, labels) here, got int64 of shape (2,).",
    ),
    (
        "ml brier shape",
        lambda: assay.brier(np.array([[0, 1], [1, 1]]), np.zeros((2, 3))),
        assay.InputError,
        "Brier: y_true is a matrix, so y_prob must have its shape (2, 2), got (2, 3).",
    ),
    (
        "samples on mc",
        lambda: assay.f1([0, 1, 2], [0, 1, 2], average="samples"),
        assay.InputError,
        (
            "F1: average='samples' is the mean over the rows of a multilabel problem, and y_true holds "
            "one label a row. Choose 'macro', 'weighted' or 'micro', or pass a 0/1 matrix (rows, labels)."
        ),
    ),
    (
        "none label",
        lambda: assay.f1(["a", None], ["a", "b"]),
        assay.InputError,
        "F1: y_true must hold labels of one kind, text or whole numbers, got NoneType, str.",
    ),
    (
        "pandas NA int",
        lambda: assay.f1(pd.Series([1, None], dtype="Int64"), [1, 0]),
        assay.InputError,
        "F1: y_true has 1 missing values. Drop or fill those rows in every input first.",
    ),
    (
        "pandas text na",
        lambda: assay.f1(pd.Series(["a", None]), ["a", "b"], positive="a"),
        assay.InputError,
        "F1: y_true has 1 missing values. Drop or fill those rows in every input first.",
    ),
    (
        "polars df null",
        lambda: assay.log_loss(["a", "b"], pl.DataFrame({"a": [0.5, None], "b": [0.5, 0.5]})),
        assay.InputError,
        "LogLoss: y_prob['a'] has 1 missing values. Drop or fill those rows in every input first.",
    ),
    (
        "bytes",
        lambda: assay.f1(np.array([b"a", b"b"]), np.array([b"a", b"b"]), positive="a"),
        assay.InputError,
        "F1: y_true holds bytes. Decode them to text first: y_true.astype(str).",
    ),
    (
        "classes 3 in binary",
        lambda: assay.f1([1, 0], [1, 0], classes=(0, 1, 2)),
        assay.InputError,
        (
            "F1: a binary problem has two classes, classes= names 3. Choose average='macro', 'weighted', "
            "'micro' or None for F1."
        ),
    ),
    (
        "classes cols",
        lambda: assay.log_loss([0, 1], [[0.5, 0.5], [0.5, 0.5]], classes=(0, 1, 2)),
        assay.InputError,
        "LogLoss: y_prob has 2 columns, classes= names 3: 0..2.",
    ),
    (
        "classes cols kinds",
        lambda: assay.log_loss([0, 1], [[0.5, 0.5], [0.5, 0.5]], classes=("a", "b")),
        assay.InputError,
        (
            "LogLoss: y_true holds whole numbers, the classes are 'a', 'b'. Labels and classes must be of"
            " one kind: translate one of them, or give classes= in the order of the columns."
        ),
    ),
    (
        "positive list",
        lambda: assay.f1([1, 0], [1, 0], positive=[1]),
        assay.ParameterError,
        "F1: positive must be a label (text or an integer) or None, got (1,).",
    ),
    (
        "bigint",
        lambda: assay.f1([2**70, 1], [2**70, 1], positive=1),
        assay.InputError,
        "F1: y_true holds whole numbers beyond 64 bits with sign. Pass such identifiers as text.",
    ),
    (
        "uint64",
        lambda: assay.f1(
            np.array([2**63 + 5, 1], dtype=np.uint64), np.array([2**63 + 5, 1], dtype=np.uint64), average="macro"
        ),
        assay.InputError,
        "F1: y_true holds whole numbers beyond 64 bits with sign. Pass such identifiers as text.",
    ),
    (
        "float labels big",
        lambda: assay.f1([1e300, 0], [1e300, 0]),
        assay.InputError,
        (
            "F1: y_true must hold labels, got float64 of shape (2,) and row 0 looks like a score "
            "(1e+300). For scores, take the labels first (y_prob=... with a threshold) or pass them by "
            "their name: y_prob=, y_score= or logits=."
        ),
    ),
    (
        "swapped args",
        lambda: assay.log_loss([0.2, 0.8], [0, 1]),
        assay.InputError,
        (
            "LogLoss: y_true must hold labels, got float64 of shape (2,) and row 0 looks like a score "
            "(0.2). For scores, take the labels first (y_prob=... with a threshold) or pass them by their"
            " name: y_prob=, y_score= or logits=."
        ),
    ),
    (
        "str label numeric",
        lambda: assay.f1(["0", "1"], [0, 1]),
        assay.InputError,
        "F1: y_true holds text and y_pred whole numbers; both must use the same labels.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), params(CASES))
def test_text(call: Callable[[], Any], kind: type[assay.AssayError], text: str) -> None:
    check(call, kind, text)


@pytest.mark.parametrize("kind", ["numbers", "text", "declared"])
def test_identifiers_are_not_classes(kind: str) -> None:
    """A table of all pairs of 200 000 labels does not fit anywhere; what needs no table still works."""
    names: Any = np.arange(200_000)
    names = names.astype(str) if kind == "text" else names
    options: dict[str, Any] = {"classes": tuple(range(200_000))} if kind == "declared" else {}
    guess = names.copy()
    guess[:50_000] = names[50_000:100_000]
    with pytest.raises(assay.InputError) as caught:
        assay.f1(names, guess, average="macro", **options)
    assert str(caught.value) == (
        "F1: there are 200000 classes: a table of all pairs would need 298 GiB. Identifiers are not classes; for them use "
        "accuracy or top_k_accuracy, or restrict classes=."
    )
    assert assay.accuracy(names, guess, **options) == 0.75
