"""Metrics of text on texts small enough to count by hand."""

from __future__ import annotations

from fractions import Fraction as F  # noqa: N817

import pytest
from golden_cases import Case, check, params

ANSWERS = {"y_true": ["Paris", ["42", "forty-two"], "no", ""], "y_pred": ["paris", "42", "no", " "]}
# Words: 2 hits, 1 substitution, 1 insertion; then 1 deletion; 4 words wanted, 4 given.
SPOKEN = {"y_true": ["the cat sat", "hello"], "y_pred": ["the hat sat down", ""]}
TWICE = {**SPOKEN, "weight": [2, 1]}  # 4 hits, 2 substitutions, 2 insertions, 1 deletion
SHIFTED = {"y_true": ["a b"], "y_pred": ["b a"]}  # two substitutions, or one hit between a deletion and an insertion

CASES = [
    Case("word_error_rate", SPOKEN, F(3, 4)),
    Case("word_error_rate", TWICE, F(5, 7)),
    Case("character_error_rate", {"y_true": [" cat ", "日本語"], "y_pred": ["cart", "日本"]}, F(2, 6)),
    Case("match_error_rate", SPOKEN, F(3, 5)),
    Case("match_error_rate", TWICE, F(5, 9)),
    Case("word_information_preserved", SPOKEN, F(2, 4) * F(2, 4)),
    Case("word_information_preserved", TWICE, F(4, 7) * F(4, 8)),
    Case("word_information_lost", SPOKEN, F(3, 4)),
    Case("word_information_lost", SHIFTED, F(3, 4), {"alignment": "most_hits"}),
    Case("word_information_lost", SHIFTED, F(1), {"alignment": "fewest_hits"}),
    Case("word_error_rate", {"y_true": ["a\tb"], "y_pred": ["a b"]}, F(0)),
    Case("word_error_rate", {"y_true": ["a\tb"], "y_pred": ["a b"]}, F(2), {"tokenizer": "jiwer"}),
    Case("exact_match", ANSWERS, F(1, 2)),
    Case("exact_match", {**ANSWERS, "weight": [1, 2, 1, 0]}, F(3, 4)),
]

# Shared words, without articles and punctuation: 2 of 2 and of 3; 1 of 1 and of 3; none; no words on either side; an empty one of two.
QUESTIONS = {
    "y_true": ["the Eiffel Tower", ["no", "Forty-two"], "the—cat", "A.", ["", "x"]],
    "y_pred": ["Eiffel tower, Paris", "forty two forty-two", "cat", "", "the"],
}
CASES += [
    Case("exact_match", QUESTIONS, F(1, 5), {"normalization": "squad"}),
    Case("exact_match", QUESTIONS, F(2, 5), {"normalization": "squad", "version": "1.1"}),
    Case("token_f1", QUESTIONS, (F(4, 5) + F(2, 4) + 0 + 1 + 0) / 5),
    Case("token_f1", QUESTIONS, (F(4, 5) + F(2, 4)) / 5, {"version": "1.1"}),
    Case("token_f1", {**QUESTIONS, "weight": [1, 0, 0, 1, 0]}, F(9, 10)),
    Case("token_f1", QUESTIONS, F(1, 3) / 5, {"normalization": "raw"}),  # Eiffel
]


@pytest.mark.parametrize("case", params(CASES))
def test_value(case: Case) -> None:
    check(case)
