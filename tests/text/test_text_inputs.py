"""What texts may come as, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import assay
from assay.core.ragged import Ragged
from messages import refuses

FORMS: dict[str, Callable[[list[str]], object]] = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "objects": lambda texts: np.array(texts, dtype=object),
    "pandas": lambda texts: pytest.importorskip("pandas").Series(texts),
    "polars": lambda texts: pytest.importorskip("polars").Series(texts),
    "pyarrow": lambda texts: pytest.importorskip("pyarrow").array(texts),
    "generator": lambda texts: (text for text in texts),
}


@pytest.mark.parametrize("form", FORMS)
def test_columns_of_every_library(form: str) -> None:
    make = FORMS[form]
    assert assay.exact_match(make(["a", "b c", ""]), make(["a", "b", ""])) == 2 / 3


def test_missing_references_are_passed_over_and_empty_ones_count() -> None:
    assert assay.exact_match([["a", None], [None, ""]], ["a", ""]) == 1


def test_references_in_a_matrix() -> None:
    assert assay.exact_match(np.array([["a", "b"], ["c", "d"]]), ["b", "x"]) == 0.5


BAD: dict[str, Callable[[], object]] = {
    "single text": lambda: assay.exact_match("abc", ["abc"]),
    "single prediction": lambda: assay.exact_match(["abc"], "abc"),
    "lengths": lambda: assay.exact_match(["a", "b", "c"], ["a", "b"]),
    "sets of references": lambda: assay.exact_match([["a", "b", "c"], ["d", "e", "f"]], ["a", "b", "c"]),
    "numbers": lambda: assay.exact_match([1, 2], ["1", "2"]),
    "missing prediction": lambda: assay.exact_match(["a"], [None]),
    "NaN": lambda: assay.exact_match(["a"], [float("nan")]),
    "bytes": lambda: assay.exact_match(["a"], [b"a"]),
    "no reference": lambda: assay.exact_match([["a"], []], ["a", "b"]),
    "only missing references": lambda: assay.exact_match([["a"], [None]], ["a", "b"]),
    "several predictions": lambda: assay.exact_match(["a"], [["a", "b"]]),
    "number among references": lambda: assay.exact_match([["a", 3]], ["a"]),
    "frame": lambda: assay.exact_match(pytest.importorskip("pandas").DataFrame({"t": ["a"]}), ["a"]),
    "nothing": lambda: assay.exact_match([], []),
    "not a column": lambda: assay.exact_match(3, ["a"]),
    "other objects": lambda: assay.exact_match(Ragged.of({"box": np.zeros(1)}, [1]), ["a"]),
}


@pytest.mark.parametrize("case", BAD)
def test_refused(case: str) -> None:
    refuses(BAD[case])
