"""Claims of metrics of text."""

from __future__ import annotations

from typing import Any

import pytest

import assay
import squad_oracle
from claims import claim


def transcripts(rng: Any) -> tuple[list[str], list[str]]:
    """Sentences of a few words, some beside an unrelated one; no tabs, which jiwer does not split at."""
    made = [" ".join(rng.choice(["the", "cat", "sat", "mat", "Über", "3.5"], rng.integers(1, 15))) for _ in range(80)]
    found = [" ".join(word for word in text.split() if rng.random() < 0.8) for text in made]
    return made, found


def _shown(key: str, name: str) -> Any:
    def show(jiwer: Any, rng: Any) -> None:
        truth, found = transcripts(rng)
        assert getattr(assay, key)(truth, found, tokenizer="jiwer") == pytest.approx(
            getattr(jiwer, name)(truth, found), abs=1e-13
        )

    return show


for KEY, NAME in {
    "word_error_rate": "wer", "match_error_rate": "mer", "word_information_lost": "wil", "word_information_preserved": "wip"
}.items():  # fmt: skip
    claim(f"metric.{KEY}", f"jiwer {NAME}, with tokenizer='jiwer'", peer="jiwer")(_shown(KEY, NAME))


@claim("metric.character_error_rate", "jiwer cer", peer="jiwer")
def _cer(jiwer: Any, rng: Any) -> None:
    truth, found = transcripts(rng)
    assert assay.character_error_rate(truth, found) == pytest.approx(jiwer.cer(truth, found), abs=1e-13)


@claim("metric.word_error_rate", "torchmetrics word_error_rate", peer="torchmetrics.functional.text")
def _wer(text: Any, rng: Any) -> None:
    truth, found = transcripts(rng)
    assert assay.word_error_rate(truth, found) == pytest.approx(float(text.word_error_rate(found, truth)), abs=1e-6)


def answers(rng: Any) -> tuple[list[list[str]], list[str]]:
    """Short answers of which some are empty, with up to three references each."""

    def made() -> str:
        return " ".join(rng.choice(["the", "A", "cat", "cats,", "Über", "3.5", "—"], rng.integers(0, 5)))

    return [[made() for _ in range(rng.integers(1, 4))] for _ in range(120)], [made() for _ in range(120)]


def _scored(key: str, at: int, version: str) -> Any:
    def show(rng: Any) -> None:
        truth, found = answers(rng)
        scores = squad_oracle.scores(truth, found, version)[at]
        ours = getattr(assay, key)(truth, found, normalization="squad", version=version)
        assert 100 * ours == pytest.approx(100 * sum(scores) / len(scores), abs=1e-11)

    return show


for KEY, TEXT, AT, VERSION in (
    ("exact_match", "SQuAD evaluate-v2.0.py exact, divided by 100, with normalization='squad'", 0, "2.0"),
    ("exact_match", "SQuAD evaluate-v1.1.py exact_match, divided by 100, with normalization='squad', version='1.1'", 0, "1.1"),
    ("token_f1", "SQuAD evaluate-v2.0.py f1, divided by 100", 1, "2.0"),
    ("token_f1", "SQuAD evaluate-v1.1.py f1, divided by 100, with version='1.1'", 1, "1.1"),
):  # fmt: skip
    claim(f"metric.{KEY}", TEXT, formula=f"evaluate-v{VERSION}.py of SQuAD")(_scored(KEY, AT, VERSION))


def _squad(key: str, name: str) -> Any:
    def show(text: Any, rng: Any) -> None:
        truth, found = answers(rng)
        if key == "token_f1":  # two empty texts score 1 there, as in version 2.0, and empty references count, as in 1.1
            truth, found = [[f"one {text}" for text in own] for own in truth], [f"one {text}" for text in found]
        targets = [
            {"answers": {"text": own, "answer_start": [0] * len(own)}, "id": str(at)} for at, own in enumerate(truth)
        ]
        theirs = text.squad([{"prediction_text": own, "id": str(at)} for at, own in enumerate(found)], targets)
        ours = getattr(assay, key)(truth, found, normalization="squad", version="1.1")
        assert 100 * ours == pytest.approx(float(theirs[name]), abs=1e-4)

    return show


for KEY, NAME, TEXT in (
    ("exact_match", "exact_match", "torchmetrics squad exact_match, divided by 100, with normalization='squad', version='1.1'"),
    ("token_f1", "f1", "torchmetrics squad f1, divided by 100, with version='1.1', if no text is empty"),
):  # fmt: skip
    claim(f"metric.{KEY}", TEXT, peer="torchmetrics.functional.text")(_squad(KEY, NAME))


def _rouge(variants: dict[str, str], stemming: bool) -> Any:
    def show(scorer: Any, rng: Any) -> None:
        truth, found = transcripts(rng)
        truth, found = ([text.replace("mat", "runnings.\n") for text in side] for side in (truth, found))
        theirs = scorer.RougeScorer(list(variants), use_stemmer=stemming)
        scores = [theirs.score(*pair) for pair in zip(truth, found, strict=True)]
        for name, variant in variants.items():
            ours = assay.rouge(
                truth, found, variant=variant, stemming=stemming, tokenizer="rouge-score", definition="rouge-score"
            )
            assert ours == pytest.approx(sum(row[name].fmeasure for row in scores) / len(scores), abs=1e-12)

    return show


SAME = "tokenizer='rouge-score', definition='rouge-score'"
for TEXT, VARIANTS, STEMMING in (
    (
        f"rouge-score rougeN and rougeL fmeasure, with {SAME}",
        {"rouge1": "1", "rouge2": "2", "rouge4": "4", "rougeL": "L"},
        False,
    ),
    (f"rouge-score rougeLsum fmeasure, with {SAME}, variant='Lsum'", {"rougeLsum": "Lsum"}, False),
    (f"rouge-score use_stemmer=True, with {SAME}, stemming=True", {"rouge1": "1", "rougeL": "L"}, True),
):
    claim("metric.rouge", TEXT, peer="rouge_score.rouge_scorer")(_rouge(VARIANTS, STEMMING))
