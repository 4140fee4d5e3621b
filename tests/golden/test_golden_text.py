"""Metrics of text on texts small enough to count by hand."""

from __future__ import annotations

from fractions import Fraction as F  # noqa: N817

import pytest
from golden_cases import Case, check, params

ANSWERS = {"y_true": ["Paris", ["42", "forty-two"], "no", ""], "y_pred": ["paris", "42", "no", " "]}

CASES = [
    Case("exact_match", ANSWERS, F(1, 2)),
    Case("exact_match", {**ANSWERS, "weight": [1, 2, 1, 0]}, F(3, 4)),
]


@pytest.mark.parametrize("case", params(CASES))
def test_value(case: Case) -> None:
    check(case)
