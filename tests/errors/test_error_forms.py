"""Forms of data that cannot be read in one way: refused with what to do, never a foreign error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from error_cases import Bad, check, params

import assay

CASES: list[Bad] = [
    (
        "threshold of three",
        lambda: assay.accuracy([0, 1, 2], y_prob=[[0.6, 0.2, 0.2]] * 3, threshold=0.3),
        assay.ParameterError,
        (
            "Accuracy: threshold=0.3 decides between two classes, and y_prob has 3 columns, of which the largest wins. Leave "
            "threshold out, or decide yourself and pass y_pred=."
        ),
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), params(CASES))
def test_text(call: Callable[[], Any], kind: type[assay.AssayError], text: str) -> None:
    check(call, kind, text)
