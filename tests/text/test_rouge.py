"""ROUGE: both routes against rouge-score, the stemmer against nltk, and kernels against plain code."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from rouge_score import rouge_scorer

import assay
from assay import kernels
from assay.data.texts import joined
from assay.metrics.text import answers, common_parts, words
from assay.metrics.text.stemming import stem
from assay.metrics.text.summary_tokenizers import SUMMARY_TOKENIZERS

FEW = settings(max_examples=100, deadline=None, derandomize=True)
PIECES = [
    "the", "cats", "running", "Ran", "日本", "ไทย", "é", "e\u0301", "\u200d", "\u0301",
    ".", "\n", " ", " ", "\t", "İ", "3.5", "_", "か\u3099",
]  # fmt: skip
TEXT = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
ROWS = st.lists(st.tuples(st.lists(TEXT, min_size=1, max_size=3), TEXT), min_size=1, max_size=4)
NAMES = {"rouge1": "1", "rouge2": "2", "rouge3": "3", "rougeL": "L", "rougeLsum": "Lsum"}


def rows_of(metric: assay.Metric, truth: list, found: list, compiled: bool) -> np.ndarray:
    with pytest.MonkeyPatch.context() as patch:
        for module in (answers, common_parts, words):
            patch.setattr(module, "compiled_pays", lambda _: compiled)
        return metric.statistic().unit_rows(metric.inputs(truth, found))[:, 1]


@pytest.mark.parametrize("stemming", [False, True])
@FEW
@given(ROWS)
@example([(["the cats\nran. the", ""], "cats the\nthe ran ran"), (["日本"], "日本"), ([""], "")])
def test_rows_are_those_of_rouge_score(stemming: bool, rows: list[tuple[list[str], str]]) -> None:
    truth, found = (list(side) for side in zip(*rows, strict=True))
    scorer = rouge_scorer.RougeScorer(list(NAMES), use_stemmer=stemming)
    theirs = [scorer.score_multi(own, text) for own, text in rows]
    for (name, variant), component in itertools.product(NAMES.items(), ("precision", "recall", "f")):
        metric = assay.metrics.Rouge(
            variant=variant, component=component, stemming=stemming, tokenizer="rouge-score", definition="rouge-score"
        )
        wanted = [getattr(row[name], component if component != "f" else "fmeasure") for row in theirs]
        for compiled in (False, True):
            np.testing.assert_allclose(rows_of(metric, truth, found, compiled), wanted, rtol=0, atol=1e-12)


@FEW
@given(ROWS)
def test_both_routes_agree(rows: list[tuple[list[str], str]]) -> None:
    truth, found = (list(side) for side in zip(*rows, strict=True))
    for variant, definition in itertools.product(("1", "3", "L", "Lsum", "W", "S", "SU"), ("lin2004", "1.5.5")):
        for gap, tokenizer in ((None, "unicode"), (1, "char")):
            metric = assay.metrics.Rouge(variant=variant, definition=definition, gap=gap, tokenizer=tokenizer)
            plain, compiled = (rows_of(metric, truth, found, way) for way in (False, True))
            np.testing.assert_array_equal(plain, compiled)
            assert ((plain >= 0) & (plain <= 1)).all()


@FEW
@given(st.lists(TEXT, min_size=1, max_size=4))
def test_identical_texts_score_1(texts: list[str]) -> None:
    for variant in ("1", "2", "L", "Lsum", "W", "S", "SU"):
        assert assay.rouge(texts, texts, variant=variant) == pytest.approx(1, abs=1e-12), variant


@pytest.mark.parametrize("name", ["unicode", "rouge-score", "char"])
@FEW
@given(st.lists(TEXT, max_size=5))
def test_both_tokenizers_agree(name: str, texts: list[str]) -> None:
    tokenizer = SUMMARY_TOKENIZERS[name]
    lowered = [text.lower() for text in texts]
    codes, begins, ends, starts = tokenizer.compiled(*joined(lowered))
    found = [codes[a:b].tobytes().decode("utf-32-le") for a, b in zip(begins, ends, strict=True)]
    assert [found[a:b] for a, b in itertools.pairwise(starts)] == [tokenizer.split(text) for text in lowered]


def test_words_of_every_script() -> None:
    split = SUMMARY_TOKENIZERS["unicode"].split
    assert split("über-all 3,5 مرحبا हिन्दी") == ["über", "all", "3", "5", "مرحبا", "हिन्दी"]
    assert split("日本か\u3099 ไทย") == ["日", "本", "か\u3099", "ไ", "ท", "ย"]
    assert split("\u0301 😀!") == []


ENDINGS = st.sampled_from(
    ["s", "ed", "ing", "ies", "ied", "eed", "y", "ational", "alli", "fulli", "logi", "ness", "ion", "e", "lle"]
)


@settings(max_examples=1500, deadline=None, derandomize=True)
@given(st.tuples(st.text("abceilotsyzhdn", max_size=7), ENDINGS | st.just(""), ENDINGS).map("".join))
@example("skies")
@example("yyyy")
@example("abalalli")
def test_stems_are_those_of_nltk(word: str) -> None:
    assert stem(word) == PorterStemmer().stem(word)


def test_long_sequences() -> None:
    rng = np.random.default_rng(1)
    for n, m in ((63, 70), (64, 64), (65, 1), (130, 200), (0, 5), (700, 650)):
        a, b = (rng.integers(0, 6, size).tolist() for size in (n, m))
        ids, starts = np.array([*a, *b], dtype=np.int32), np.array([0, n, n + m], dtype=np.int64)
        pair = np.array([0], dtype=np.int64), np.array([1], dtype=np.int64)
        found = kernels.common_parts.subsequences(ids, starts, *pair, 6)
        assert found[0] == common_parts.subsequence_table(a, b)[-1][-1]


def test_precision_and_recall_are_of_the_best_reference() -> None:
    """F of the first reference is 2/3, of the second 0.5: recall is that of the first, though the second has more."""
    truth, found = [["a b c d", "a"]], ["a b c x"]
    assert assay.rouge(truth, found, component="recall") == 0.75
    assert assay.rouge(truth, found, component="recall", references="mean") == 0.875
