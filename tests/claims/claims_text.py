"""Claims of metrics of text."""

from __future__ import annotations

from typing import Any

import pytest

import assay
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
