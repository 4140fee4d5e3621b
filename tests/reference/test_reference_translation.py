"""BLEU, chrF and TER against sacrebleu: the counts of every sentence, not only the scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import assay
from assay.metrics.text import chrf, words
from fixtures import load_json, path

sacrebleu = pytest.importorskip("sacrebleu.metrics")
TOKENIZERS = ("13a", "intl", "zh", "char", "none")
MANY = settings(max_examples=150, deadline=None, derandomize=True)
# Letters that tokenizers treat apart: entities, hyphenation, digits beside dots, combining marks, joiners, spaces of all kinds, CJK.
PIECES = st.sampled_from(
    ["a", "b", "the", "1", "23", ".", ",", "-", "'s ", " ", "  ", "\n", "-\n", "\n-", "\t", "\xa0", "\u2003", "\u3000", "\u200d", "\u0301",
     "&quot;", "&amp;", "&amp;lt;", "&lt;", "&gt;", "<skipped>", "$", "(", ")", "/", "~", "`", "{", "_", "½", "Ⅷ", "²", "٣", "é",
     "ß", "İ", "Σ", "猫", "日本", "。", "、", "ｆ", "！", "か", "カ", "ー", "㈱", "𠀀", "“", "”", "…", "—", "€",
     "😀", "👩\u200d🔬", "\x85", "\x1c", "!", "?", ";", '"']
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=14).map("".join)


@st.composite
def corpora(draw: Any) -> tuple[list[list[str | None]], list[str]]:
    """(references of each row, texts): ragged references by None, never all of a row."""
    sets = draw(st.integers(1, 3))
    rows = [[draw(TEXTS), *(draw(st.none() | TEXTS) for _ in range(sets - 1))] for _ in range(draw(st.integers(1, 4)))]
    texts = [draw(st.one_of(TEXTS, st.just(row[0]))) for row in rows]
    return rows, texts


@pytest.fixture(params=["plain", "compiled"], autouse=True, scope="module")
def route(request: Any) -> Any:
    """Both routes: plain code, which small inputs take, and compiled code."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (words, chrf):
            patch.setattr(module, "compiled_pays", lambda _: request.param == "compiled")
        yield request.param


def rows_of(metric: Any, references: Any, texts: Any) -> np.ndarray:
    return metric.statistic().unit_rows(metric.inputs(references, texts))[:, 1:]


def peer_rows(peer: Any, references: Any, texts: Any) -> np.ndarray:
    return np.array(peer._extract_corpus_statistics(texts, list(zip(*references, strict=True))), dtype=np.float64)


def bleu_columns(rows: np.ndarray, order: int) -> np.ndarray:
    """Ours in the order of sacrebleu: lengths, matches, n-grams."""
    matches, own, reference = np.split(rows, 3, axis=1)
    return np.concatenate([own[:, :1], reference[:, :1], matches, own], axis=1)


@MANY
@given(corpora(), st.sampled_from(TOKENIZERS), st.booleans(), st.sampled_from([1, 4, 6]))
@example(([["a-\n"]], ["a-"]), "13a", False, 4)
@example(([["in 2017."]], ["in 2017. "]), "intl", False, 4)
def test_bleu_counts_of_every_sentence(corpus: Any, tokenizer: str, lowercase: bool, order: int) -> None:
    references, texts = corpus
    metric = assay.metrics.BLEU(tokenizer=tokenizer, lowercase=lowercase, max_order=order)
    peer = sacrebleu.BLEU(tokenize=tokenizer, lowercase=lowercase, max_ngram_order=order)
    found = bleu_columns(rows_of(metric, references, texts), order)
    np.testing.assert_array_equal(found, peer_rows(peer, references, texts))


SMOOTHINGS = [("exp", None), ("floor", None), ("floor", 0.3), ("add-k", None), ("add-k", 2.0), ("none", None)]


@MANY
@given(corpora(), st.sampled_from(SMOOTHINGS), st.booleans())
def test_bleu_scores(corpus: Any, smoothing: Any, effective: bool) -> None:
    references, texts = corpus
    method, value = smoothing
    found = assay.bleu(references, texts, smoothing=method, smoothing_value=value, effective_order=effective)
    peer = sacrebleu.BLEU(smooth_method=method, smooth_value=value, effective_order=effective)
    expected = peer.corpus_score(texts, list(zip(*references, strict=True))).score
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@MANY
@given(corpora())
def test_bleu_of_sentences(corpus: Any) -> None:
    references, texts = corpus
    peer = sacrebleu.BLEU(effective_order=True)
    scores = [
        peer.sentence_score(text, [r for r in row if r is not None]).score
        for row, text in zip(references, texts, strict=True)
    ]
    assert assay.bleu(references, texts, unit="sentence") == pytest.approx(np.mean(scores), rel=1e-12, abs=1e-12)


@MANY
@given(corpora(), st.sampled_from([(6, 0), (6, 2), (1, 1), (8, 3)]), st.booleans(), st.booleans(), st.booleans())
def test_chrf_counts_of_every_sentence(
    corpus: Any, orders: Any, lowercase: bool, whitespace: bool, epsilon: bool
) -> None:
    references, texts = corpus
    options = {"char_order": orders[0], "word_order": orders[1], "lowercase": lowercase, "whitespace": whitespace}
    metric, peer = (
        assay.metrics.ChrF(**options, eps_smoothing=epsilon),
        sacrebleu.CHRF(**options, eps_smoothing=epsilon),
    )
    np.testing.assert_array_equal(rows_of(metric, references, texts), peer_rows(peer, references, texts))
    expected = peer.corpus_score(texts, list(zip(*references, strict=True))).score
    assert metric(references, texts) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("word_order", [0, 2])
def test_chrf_of_more_than_1023_distinct_characters(word_order: int) -> None:
    rng = np.random.default_rng(3)
    base = "".join(map(chr, range(0x4E00, 0x4E00 + 3000)))
    for size in (1022, 1023, 1024, 3000):
        reference, text = base[:size] * 2, "".join(rng.permutation(list(base[: size + 5]))) + base[:size]
        metric, peer = assay.metrics.ChrF(word_order=word_order), sacrebleu.CHRF(word_order=word_order)
        found = rows_of(metric, [[reference, text[:50]]], [text])
        np.testing.assert_array_equal(found, peer_rows(peer, [[reference, text[:50]]], [text]))


WORDS = st.lists(st.sampled_from("abcdefg"), max_size=40).map(" ".join)


@MANY
@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=3))
@example([("a " * 3 + "b " * 80, "b " * 80, "b " * 2)])
def test_ter_edits_of_every_sentence(rows: Any) -> None:
    references, texts = [row[:2] for row in rows], [row[2] for row in rows]
    found = rows_of(assay.metrics.TER(), references, texts)
    np.testing.assert_array_equal(found, peer_rows(sacrebleu.TER(), references, texts))


@MANY
@given(corpora(), *[st.booleans()] * 4)
def test_ter_with_all_options(corpus: Any, normalized: bool, no_punct: bool, asian: bool, case_sensitive: bool) -> None:
    references, texts = corpus
    options = {"normalized": normalized, "no_punct": no_punct, "asian_support": asian, "case_sensitive": case_sensitive}
    metric, peer = assay.metrics.TER(**options, compat="sacrebleu"), sacrebleu.TER(**options)
    np.testing.assert_array_equal(rows_of(metric, references, texts), peer_rows(peer, references, texts))
    expected = peer.corpus_score(texts, list(zip(*references, strict=True))).score
    assert metric(references, texts) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_ter_of_long_texts() -> None:
    """Beyond the beam, the farthest shift and the number of shifts that are tried."""
    rng = np.random.default_rng(8)
    for n, m, size in ((120, 150, 30), (40, 200, 9), (90, 2, 3), (2, 120, 2), (70, 70, 4), (150, 150, 150)):
        reference, text = (" ".join(map(str, rng.integers(0, size, k))) for k in (m, n))
        np.testing.assert_array_equal(
            rows_of(assay.metrics.TER(), [[reference]], [text]), peer_rows(sacrebleu.TER(), [[reference]], [text])
        )


def lines(name: str) -> list[str]:
    return path("04_mt", "wmt17_en_de_shared", name).read_text(encoding="utf-8").split("\n")[:-1]


@pytest.mark.parametrize("system", ["online-A.0.en-de", "LIUM-NMT.4900.en-de", "FBK.4870.en-de"])
def test_published_scores_of_wmt17(system: str, route: str) -> None:
    """By mteval-v13a.pl and v14, chrF++.py and tercom, not by sacrebleu."""
    expected = load_json("04_mt", "wmt17_en_de_shared", "expected.json")["systems"][system]
    references, texts = lines("ref.txt"), lines(f"{system}.txt")
    assert assay.bleu(references, texts) == pytest.approx(expected["BLEU_mteval-v13a.pl"], abs=0.01)
    for name, options in (
        ("chrF2_chrF++.py_nw0 (eps smoothing)", {}),
        ("chrF2++_chrF++.py (eps smoothing)", {"word_order": 2}),
    ):
        if name in expected:
            assert assay.chrf(references, texts, eps_smoothing=True, **options) == pytest.approx(
                expected[name], abs=1e-4
            )
    if route == "compiled":
        assert assay.ter(references, texts) == pytest.approx(100 * expected["TER_tercom.7.25.jar"], abs=0.1)
    if "BLEU_mteval-v14.pl_intl" in expected:
        found = assay.bleu(references, texts, tokenizer="intl")
        assert found == pytest.approx(expected["BLEU_mteval-v14.pl_intl"], abs=0.01)


def test_long_lines_and_many_words() -> None:
    """One line of a megabyte, and words that are all different."""
    text = " ".join(f"w{i}," for i in range(140_000))
    other = text.replace("w7", "v7")
    metric, peer = assay.metrics.BLEU(), sacrebleu.BLEU()
    np.testing.assert_array_equal(bleu_columns(rows_of(metric, [text], [other]), 4), peer_rows(peer, [[text]], [other]))
