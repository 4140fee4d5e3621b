"""Bad labels: unknown, mixed, missing, of the wrong shape, without a positive class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from error_cases import Bad, inf, nan, params

import assay
from messages import refuses

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

CASES: list[Bad] = [
    (
        "nan label",
        lambda: assay.f1([0, nan, 1], [0, 1, 1]),
    ),
    (
        "inf label",
        lambda: assay.f1([0, inf, 1], [0, 1, 1]),
    ),
    (
        "lab col",
        lambda: assay.f1(np.array([[1], [0]]), np.array([1, 0])),
    ),
    (
        "lab col2",
        lambda: assay.f1(np.array([1, 0]), np.array([[1], [0]])),
    ),
    (
        "lab col both",
        lambda: assay.f1([[1], [0], [1]], [[1], [1], [1]], average="macro"),
    ),
    (
        "unknown label",
        lambda: assay.f1([0, 1, 2], [0, 1, 3], classes=(0, 1, 2), average="macro"),
    ),
    (
        "unknown label text",
        lambda: assay.f1(["a", "b", "z"], ["a", "b", "a"], classes=("a", "b"), positive="a"),
    ),
    (
        "label beyond cols",
        lambda: assay.log_loss([0, 3], [[0.5, 0.5], [0.5, 0.5]]),
    ),
    (
        "neg label cols",
        lambda: assay.log_loss([0, -1], [[0.5, 0.5], [0.5, 0.5]]),
    ),
    (
        "matrix as pred",
        lambda: assay.f1([0, 1], [[0.2, 0.8], [0.3, 0.7]]),
    ),
    (
        "object dicts",
        lambda: assay.f1(np.array([{}, {}], dtype=object), [1, 0]),
    ),
    (
        "ragged lab",
        lambda: assay.f1([[1], [1, 0]], [1, 0]),
    ),
    (
        "single class",
        lambda: assay.roc_auc([1, 1], [0.1, 0.2], undefined="error"),
    ),
    (
        "mixed kinds",
        lambda: assay.f1(["a", "b"], [0, 1]),
    ),
    (
        "mixed list",
        lambda: assay.f1(["a", 1], ["a", 1]),
    ),
    (
        "missing pos",
        lambda: assay.f1(["a", "b"], ["a", "b"]),
    ),
    (
        "wrong pos",
        lambda: assay.f1(["a", "b"], ["a", "b"], positive="c"),
    ),
    (
        "wrong pos int",
        lambda: assay.f1([1, 2], [1, 2], positive=3),
    ),
    (
        "pos not in classes",
        lambda: assay.f1(["a", "b"], ["a", "b"], positive="c", classes=("a", "b")),
    ),
    (
        "three in binary",
        lambda: assay.f1([0, 1, 2], [0, 1, 2]),
    ),
    (
        "three in logloss",
        lambda: assay.log_loss([0, 1, 2], [0.1, 0.2, 0.3]),
    ),
    (
        "ml shape",
        lambda: assay.f1(np.zeros((3, 2), int), np.zeros((3, 3), int), average="macro"),
    ),
    (
        "ml not 01",
        lambda: assay.f1(np.array([[0, 2], [1, 1]]), np.array([[0, 1], [1, 1]]), average="macro"),
    ),
    (
        "ml binary avg",
        lambda: assay.f1(np.array([[0, 1], [1, 1]]), np.array([[0, 1], [1, 1]])),
    ),
    (
        "ml mcc",
        lambda: assay.matthews_correlation(np.array([[0, 1], [1, 1]]), np.array([[0, 1], [1, 1]])),
    ),
    (
        "ml vs 1d",
        lambda: assay.f1(np.array([[0, 1], [1, 1]]), [0, 1], average="macro"),
    ),
    (
        "ml brier shape",
        lambda: assay.brier(np.array([[0, 1], [1, 1]]), np.zeros((2, 3))),
    ),
    (
        "samples on mc",
        lambda: assay.f1([0, 1, 2], [0, 1, 2], average="samples"),
    ),
    (
        "none label",
        lambda: assay.f1(["a", None], ["a", "b"]),
    ),
    (
        "pandas NA int",
        lambda: assay.f1(pd.Series([1, None], dtype="Int64"), [1, 0]),
    ),
    (
        "pandas text na",
        lambda: assay.f1(pd.Series(["a", None]), ["a", "b"], positive="a"),
    ),
    (
        "polars df null",
        lambda: assay.log_loss(["a", "b"], pl.DataFrame({"a": [0.5, None], "b": [0.5, 0.5]})),
    ),
    (
        "bytes",
        lambda: assay.f1(np.array([b"a", b"b"]), np.array([b"a", b"b"]), positive="a"),
    ),
    (
        "classes 3 in binary",
        lambda: assay.f1([1, 0], [1, 0], classes=(0, 1, 2)),
    ),
    (
        "classes cols",
        lambda: assay.log_loss([0, 1], [[0.5, 0.5], [0.5, 0.5]], classes=(0, 1, 2)),
    ),
    (
        "classes cols kinds",
        lambda: assay.log_loss([0, 1], [[0.5, 0.5], [0.5, 0.5]], classes=("a", "b")),
    ),
    (
        "positive list",
        lambda: assay.f1([1, 0], [1, 0], positive=[1]),
    ),
    (
        "bigint",
        lambda: assay.f1([2**70, 1], [2**70, 1], positive=1),
    ),
    (
        "uint64",
        lambda: assay.f1(
            np.array([2**63 + 5, 1], dtype=np.uint64), np.array([2**63 + 5, 1], dtype=np.uint64), average="macro"
        ),
    ),
    (
        "float labels big",
        lambda: assay.f1([1e300, 0], [1e300, 0]),
    ),
    (
        "swapped args",
        lambda: assay.log_loss([0.2, 0.8], [0, 1]),
    ),
    (
        "str label numeric",
        lambda: assay.f1(["0", "1"], [0, 1]),
    ),
]


@pytest.mark.parametrize("call", params(CASES))
def test_text(call: Callable[[], Any]) -> None:
    refuses(call)


@pytest.mark.parametrize("kind", ["numbers", "text", "declared"])
def test_identifiers_are_not_classes(kind: str) -> None:
    """A table of all pairs of 200 000 labels does not fit anywhere; what needs no table still works."""
    names: Any = np.arange(200_000)
    names = names.astype(str) if kind == "text" else names
    options: dict[str, Any] = {"classes": tuple(range(200_000))} if kind == "declared" else {}
    guess = names.copy()
    guess[:50_000] = names[50_000:100_000]
    refuses(lambda: assay.f1(names, guess, average="macro", **options))
    assert assay.accuracy(names, guess, **options) == 0.75
