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

# Lin (2004), section 3.2 and 4: the sentences of his examples. Words 3 of 4; bigrams 1 of 3; pairs in order 3 of 6.
GUNMAN = {"y_true": ["police killed the gunman"], "y_pred": ["police kill the gunman"]}
TWO = {"y_true": [["police killed the gunman", "the gunman was shot down by police"]], "y_pred": GUNMAN["y_pred"]}
UNION = {"y_true": ["w1 w2 w3 w4 w5"], "y_pred": ["w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5"]}  # union w1 w2 w3 w5
TWICE_FOUND = {"y_true": ["w1 w2\nw1 w3"], "y_pred": ["w1 w4"]}  # w1 in both sentences, once in the text
W_RECALL = (float(1 + 2**1.2) / 4**1.2) ** (1 / 1.2)  # police; the gunman
RECALL = {"component": "recall"}
GOOGLE = {"tokenizer": "rouge-score", "definition": "rouge-score"}
PERL = {"definition": "1.5.5", **RECALL}
CASES += [
    Case("rouge", GUNMAN, F(3, 4)),
    Case("rouge", GUNMAN, F(1, 3), {"variant": "2"}),
    Case("rouge", GUNMAN, F(1), {"variant": "L", "stemming": True}),
    Case("rouge", GUNMAN, F(3, 4), {"variant": "L"}),
    Case("rouge", {"y_true": GUNMAN["y_true"], "y_pred": ["the gunman kill police"]}, F(1, 2), {"variant": "L"}),
    Case("rouge", UNION, F(4, 5), {"variant": "Lsum", **RECALL}),
    Case("rouge", UNION, F(4, 10), {"variant": "Lsum", "component": "precision"}),
    Case("rouge", UNION, F(8, 15), {"variant": "Lsum"}),
    Case("rouge", TWICE_FOUND, F(2, 4), {"variant": "Lsum", **RECALL}),
    Case("rouge", TWICE_FOUND, F(1, 4), {"variant": "Lsum", "definition": "rouge-score", **RECALL}),
    Case("rouge", {"y_true": ["A b. C d."], "y_pred": ["c d. a b."]}, F(1), {"variant": "Lsum", "sentences": "split"}),
    Case("rouge", {"y_true": ["A b. C d."], "y_pred": ["c d. a b."]}, F(1, 2), {"variant": "Lsum"}),
    Case("rouge", GUNMAN, W_RECALL, {"variant": "W", **RECALL}),
    Case("rouge", GUNMAN, 0.51208, {"variant": "W", **PERL}),
    Case("rouge", GUNMAN, F(3, 6), {"variant": "S"}),
    Case("rouge", GUNMAN, F(1, 3), {"variant": "S", "gap": 0}),  # bigrams
    Case("rouge", GUNMAN, F(2, 5), {"variant": "S", "gap": 1}),  # the gunman, police the
    Case("rouge", GUNMAN, F(6, 10), {"variant": "SU"}),
    Case("rouge", GUNMAN, 0.55556, {"variant": "SU", **PERL}),
    Case("rouge", TWO, 0.54545, {"references": "pool", **PERL}),
    Case("rouge", TWO, 0.75, PERL),
    Case("rouge", TWO, (F(3, 4) + F(3, 7)) / 2, {"references": "mean", **RECALL}),
    Case("rouge", {"y_true": ["a b c d"], "y_pred": ["a b"]}, F(5, 9), {"beta": 2.0}),  # 5 P R / (R + 4 P)
    Case("rouge", {"y_true": ["日本語", "สวัสดี", "e\u0301t", "!"], "y_pred": ["日本", "สวัสดี", "et", "!"]}, F(14, 5) / 4),
    Case(
        "rouge",
        {"y_true": ["日本語", "x"], "y_pred": ["日本語", "X"]},
        F(1, 2),
        {"tokenizer": "rouge-score", "definition": "rouge-score"},
    ),
    Case("rouge", {"y_true": ["hi", "hi"], "y_pred": ["hi", "ho"]}, F(1, 2), {"variant": "2"}),
    Case("rouge", {"y_true": ["hi"], "y_pred": ["hi"]}, F(0), {"variant": "2", "definition": "rouge-score"}),
]


@pytest.mark.parametrize("case", params(CASES))
def test_value(case: Case) -> None:
    check(case)
