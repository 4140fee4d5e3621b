"""BLEU, chrF and TER on sentences small enough to count by hand; the pitfalls of translation metrics."""

from __future__ import annotations

import math

import pytest
from golden_cases import Case, check, params

import assay
from messages import refusal

# the, cat, sat, on, mat of 6 words; 3 of 5 pairs; 2 of 4 triples; 1 of 3 quadruples: a product of 1/12.
CAT = {"y_true": ["the cat sat on the mat"], "y_pred": ["the cat sat on a mat"]}
# 3 of 4 words, 1 of 3 pairs, none of 2 triples and of 1 quadruple.
SHORT = {"y_true": ["a b c d"], "y_pred": ["a b x c"]}
LONG = {"y_true": ["a b c d e f g h"], "y_pred": ["a b c d"]}  # all match, half the length
THREE = {"y_true": ["a b c"], "y_pred": ["a b c"]}


def power(product: float, order: int = 4) -> float:
    return 100 * product ** (1 / order)


CASES = [
    Case("bleu", CAT, power(1 / 12)),
    Case("bleu", CAT, 100 * 5 / 6, {"max_order": 1}),
    Case("bleu", LONG, 100 * math.exp(1 - 8 / 4)),
    Case("bleu", SHORT, power(3 / 4 * 1 / 3 * 1 / (2 * 2) * 1 / (4 * 1))),
    Case("bleu", SHORT, 0.0, {"smoothing": "none"}),
    Case("bleu", SHORT, power(3 / 4 * 1 / 3 * 0.1 / 2 * 0.1), {"smoothing": "floor"}),
    Case("bleu", SHORT, power(3 / 4 * 1 / 3 * 0.5 / 2 * 0.5), {"smoothing": "floor", "smoothing_value": 0.5}),
    Case("bleu", SHORT, power(3 / 4 * 2 / 4 * 1 / 3 * 1 / 2), {"smoothing": "add-k"}),
    Case("bleu", SHORT, power(3 / 4 * 3 / 5 * 2 / 4 * 2 / 3), {"smoothing": "add-k", "smoothing_value": 2.0}),
    # Nothing matches at all: 0 before any smoothing. No words: 0.
    Case("bleu", {"y_true": ["a b"], "y_pred": ["c d"]}, 0.0, {"smoothing": "add-k"}),
    Case("bleu", {"y_true": ["a b", ""], "y_pred": ["", ""]}, 0.0),
    # A text of three words has no n-gram of order 4.
    Case("bleu", THREE, 100.0),
    Case("bleu", THREE, 100.0, {"effective_order": True}),
    Case("bleu", THREE, 0.0, {"effective_order": False}),
    Case("bleu", {"y_true": ["a b c d e"], "y_pred": ["a b c"]}, 0.0),  # its reference has such n-grams
    Case("bleu", {"y_true": ["a b c d e"], "y_pred": ["a b c"]}, 100 * math.exp(1 - 5 / 3), {"effective_order": True}),
    # «a a a»: two matches with the second reference; lengths 2 and 4 are equally near, and the shorter counts.
    Case("bleu", {"y_true": [["a b b b", "a a"]], "y_pred": ["a a a"]}, 100 * 2 / 3, {"max_order": 1}),
    Case("bleu", {"y_true": [["a b", None, "c"]], "y_pred": ["c"]}, 100.0, {"max_order": 1}),
    Case("bleu", {"y_true": ["A b c d"], "y_pred": ["a B c d"]}, 100.0, {"lowercase": True}),
    # 13a parts the full stop and the symbol; «none» does not.
    Case("bleu", {"y_true": ["1.5 &lt; 2."], "y_pred": ["1.5 < 2 ."]}, 100.0),
    Case("bleu", {"y_true": ["ab c"], "y_pred": ["abc"]}, 100.0, {"tokenizer": "char", "max_order": 3}),
    # «thecat» and «thehat»: 5 of 6 letters, but 3 of 5 pairs (th, he, at); P = R = F.
    Case("chrf", {"y_true": ["the cat"], "y_pred": ["the hat"]}, 100 * (5 / 6 + 3 / 5) / 2, {"char_order": 2}),
    # With spaces 6 of 7 letters and th, he, e_, at of 6 pairs.
    Case("chrf", {"y_true": ["the cat"], "y_pred": ["the hat"]}, 100 * (6 / 7 + 4 / 6) / 2, {"char_order": 2, "whitespace": True}),
    # One letter of one against one of two: P = 1, R = 1/2, and F of beta 2 is 5/9, of beta 1 2/3; no pair on one side.
    Case("chrf", {"y_true": ["ab"], "y_pred": ["a"]}, 100 * 5 * 0.5 / 4.5),
    Case("chrf", {"y_true": ["ab"], "y_pred": ["a"]}, 100 * 2 / 3, {"beta": 1.0}),
    Case("chrf", {"y_true": ["ab"], "y_pred": ["a"]}, 100 * 5 * 0.5 / 4.5 / 2, {"char_order": 2, "eps_smoothing": True}),
    # «(hi)» is «(hi» and «)»: one of two words beside «hi)», and 3 of 4 and 3 of 3 letters.
    Case("chrf", {"y_true": ["(hi)"], "y_pred": ["hi)"]}, 100 * 5 * 0.75 * 0.625 / (4 * 0.75 + 0.625), {"char_order": 1, "word_order": 1}),
    Case("chrf", {"y_true": [["xyz", "ab"]], "y_pred": ["ab"]}, 100.0),
    Case("chrf", {"y_true": ["AB"], "y_pred": ["ab"]}, 100.0, {"lowercase": True}),
    Case("chrf", {"y_true": ["", "a"], "y_pred": ["", ""]}, 0.0),
    Case("chrf", {"y_true": ["ab", "cd"], "y_pred": ["ab", "xy"]}, 50.0, {"unit": "sentence"}),
    # One shift of a phrase; one word of five replaced; one of four missing.
    Case("ter", {"y_true": ["a b c d e f"], "y_pred": ["d e f a b c"]}, 100 / 6),
    Case("ter", {"y_true": ["a b c d e"], "y_pred": ["a b x d e"]}, 20.0),
    Case("ter", {"y_true": ["a b c d", "e f"], "y_pred": ["a b d", "e f"]}, 100 / 6),
    Case("ter", {"y_true": ["a b c d", "e f"], "y_pred": ["a b d", "e f"]}, 12.5, {"unit": "sentence"}),
    # The nearest of two references, whose mean length is 3.
    Case("ter", {"y_true": [["a b", "a b c d"]], "y_pred": ["a b c"]}, 100 / 3),
    Case("ter", {"y_true": ["A b"], "y_pred": ["a B"]}, 0.0),
    Case("ter", {"y_true": ["A b"], "y_pred": ["a B"]}, 100.0, {"case_sensitive": True}),
    Case("ter", {"y_true": ["a, b."], "y_pred": ["a b"]}, 0.0, {"no_punct": True}),
    Case("ter", {"y_true": ["a , b ."], "y_pred": ["a, b."]}, 0.0, {"normalized": True}),
    Case("ter", {"y_true": ["猫犬"], "y_pred": ["猫鳥"]}, 100.0, {"normalized": True}),
    Case("ter", {"y_true": ["猫犬"], "y_pred": ["猫鳥"]}, 50.0, {"normalized": True, "asian_support": True}),
    # No words on one side or on both.
    Case("ter", {"y_true": ["a b"], "y_pred": [""]}, 100.0),
    Case("ter", {"y_true": [""], "y_pred": ["a b"]}, 100.0),
    Case("ter", {"y_true": [""], "y_pred": [""]}, 0.0),
    # sacrebleu tokenizes references twice: «t . . 1.» once, «t . . 1 .» the second time, two of five words.
    Case("ter", {"y_true": ["t..1."], "y_pred": ["t..1."]}, 0.0, {"normalized": True}),
    Case("ter", {"y_true": ["t..1."], "y_pred": ["t..1."]}, 40.0, {"normalized": True, "compat": "sacrebleu"}),
    # The mean of 100 and 0 where sums over the corpus give 4 of 8 words.
    Case("bleu", {"y_true": ["a b c d", "e f g h"], "y_pred": ["a b c d", "i j k l"]}, 50.0, {"unit": "sentence"}),
    Case("bleu", {"y_true": ["a b c d", "e"], "y_pred": ["a b c d", "f"], "weight": [3, 1]}, 75.0, {"unit": "sentence"}),
]  # fmt: skip


@pytest.mark.parametrize("case", params(CASES))
def test_value(case: Case) -> None:
    check(case)


def test_any_function_is_a_tokenizer() -> None:
    def dashes(text: str) -> list[str]:
        return text.split("-")

    metric = assay.metrics.BLEU(tokenizer=dashes, max_order=1)
    assert metric(["a-b"], ["a-c"]) == 50.0
    assert metric.signature() == "bleu|tokenizer:dashes|max_order:1"
    state = metric.state(["a-b"], ["a-c"])
    assert (state + metric.state(["a-b"], ["a-b"])).value() == 75.0
    with refusal(assay.StateError):
        state.to_bytes()


def test_identical_text_in_any_script_scores_100() -> None:
    for text in ["吾輩は猫である。", "นี่คือแมว", "هذه قطة", "ok", "𠀀𠀁𠀂𠀃"]:
        for tokenizer in ("13a", "intl", "zh", "zh-corrected", "char", "none"):
            assert assay.bleu([text], [text], tokenizer=tokenizer) == 100.0
            assert assay.bleu([text], [text], tokenizer=tokenizer, unit="sentence") == 100.0
        assert assay.chrf([text], [text]) == assay.chrf([text], [text], word_order=2) == 100.0
        assert assay.ter([text], [text], normalized=True, asian_support=True) == 0.0


def test_extension_b_is_split_by_the_corrected_tokenizer_only() -> None:
    """sacrebleu writes '\\u20000', which is two characters: a typing slip of its ranges."""
    reference, text = ["𠀀𠀁“a"], ["𠀀𠀂“a"]
    assert assay.bleu(reference, text, tokenizer="zh", max_order=1) == pytest.approx(100 * 2 / 3)  # “ and a
    assert assay.bleu(reference, text, tokenizer="zh-corrected", max_order=1) == pytest.approx(100 * 2 / 3)  # 𠀀 and “a


def test_refused() -> None:
    for options in (
        {"tokenizer": "flores200"}, {"tokenizer": "ja-mecab"}, {"tokenizer": "13b"}, {"tokenizer": 13}, {"max_order": 0},
        {"smoothing_value": 0.5}, {"smoothing": "floor", "smoothing_value": 0.0}, {"unit": "document"},
    ):  # fmt: skip
        with refusal(assay.ParameterError):
            assay.bleu(["a"], ["a"], **options)
    with refusal(assay.InputError):
        assay.bleu(["a"], ["a"], tokenizer=lambda text: text)
    with refusal(assay.InputError):
        assay.bleu(["a"], ["a", "b"])


def test_16_the_tokenizer_makes_the_score() -> None:
    """Trap 16: three scores of one sentence, between 38 and 94 by the choice of words alone."""
    reference, text = ["It costs $1,200.50 - today."], ["It costs $1,200.50, today."]
    found = [assay.bleu(reference, text, tokenizer=name, max_order=2) for name in ("13a", "none", "char")]
    # 13a: It costs $ 1,200.50 - today . against ... , today .; 6 of 7 words and 4 of 6 pairs.
    assert found[0] == pytest.approx(power(6 / 7 * 4 / 6, 2))
    # none: It costs $1,200.50 - today. against $1,200.50, : 3 of 4 words and 1 of 3 pairs, 4 words for 5.
    assert found[1] == pytest.approx(math.exp(1 - 5 / 4) * power(3 / 4 * 1 / 3, 2))
    assert found[2] == pytest.approx(power(22 / 23 * 20 / 22, 2))  # one of 23 characters
