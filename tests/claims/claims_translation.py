"""Claims of translation metrics."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay
from assay.testing.text_cases import sentences
from claims import claim, same

SACREBLEU = "sacrebleu.metrics"


def corpus(rng: Any) -> tuple[Any, Any]:
    truth, texts, _ = sentences(rng, 60, references=1)
    return truth.tolist(), texts.tolist()


@claim("metric.bleu", "sacrebleu BLEU (effective_order=False, or any text of four words)", peer=SACREBLEU)
def _(peer: Any, rng: Any) -> None:
    truth, texts = corpus(rng)
    for options in ({}, {"effective_order": False}):
        same(assay.bleu(truth, texts, **options), peer.BLEU().corpus_score(texts, [truth]).score)


@claim("metric.bleu", "sacrebleu sentence_bleu, the mean of it (unit='sentence')", peer=SACREBLEU)
def _(peer: Any, rng: Any) -> None:
    truth, texts = corpus(rng)
    one = peer.BLEU(effective_order=True)
    scores = [one.sentence_score(text, [reference]).score for reference, text in zip(truth, texts, strict=True)]
    same(assay.bleu(truth, texts, unit="sentence"), np.mean(scores))


@claim("metric.chrf", "sacrebleu CHRF", peer=SACREBLEU)
def _(peer: Any, rng: Any) -> None:
    truth, texts = corpus(rng)
    same(assay.chrf(truth, texts), peer.CHRF().corpus_score(texts, [truth]).score)


@claim("metric.chrf", "sacrebleu CHRF(word_order=2), which is chrF++ (word_order=2)", peer=SACREBLEU)
def _(peer: Any, rng: Any) -> None:
    truth, texts = corpus(rng)
    same(assay.chrf(truth, texts, word_order=2), peer.CHRF(word_order=2).corpus_score(texts, [truth]).score)


@claim("metric.ter", "sacrebleu TER (compat='sacrebleu', or normalized=False)", peer=SACREBLEU)
def _(peer: Any, rng: Any) -> None:
    truth, texts = corpus(rng)
    same(assay.ter(truth, texts), peer.TER().corpus_score(texts, [truth]).score)
    found = assay.ter(truth, texts, normalized=True, compat="sacrebleu")
    same(found, peer.TER(normalized=True).corpus_score(texts, [truth]).score)
