"""Summaries and answers: ROUGE-1, 2 and L of 997 texts of 66 words, and SQuAD's scores of 9,900 answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from rouge_score.rouge_scorer import RougeScorer

from assay.metrics import ExactMatch, Rouge, TokenF1
from benchmarks.harness import Workload

TEXTS, WORDS = 997, 66


def workloads() -> Iterator[Workload]:
    rng = np.random.default_rng(0)
    letters = list("abcdefghijklmnopqrstuvwxyz")
    known = ["the", "a", "of", *("".join(rng.choice(letters, rng.integers(2, 9))) for _ in range(3000))]

    def text(size: int) -> str:
        return " ".join(known[at % len(known)] for at in rng.zipf(1.3, size).tolist())

    truth, found = ([text(WORDS) for _ in range(TEXTS)] for _ in range(2))
    options: dict[str, Any] = {"tokenizer": "rouge-score", "definition": "rouge-score"}
    for stemming in (False, True):
        scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=stemming)
        metrics = [Rouge(variant=variant, stemming=stemming, **options) for variant in ("1", "2", "L")]
        yield Workload(
            f"ROUGE-1, 2, L{' with stems' if stemming else ''}, {TEXTS} x {WORDS} words",
            lambda metrics=metrics: measured(metrics, truth, found),
            {
                "rouge-score": (
                    lambda scorer=scorer: [scorer.score(*pair) for pair in zip(truth, found, strict=True)],
                    100.0,
                )
            },
            rounds=3,
        )
    answers, given = ([text(int(rng.integers(1, 6))) for _ in range(9900)] for _ in range(2))
    both = [ExactMatch(normalization="squad"), TokenF1()]
    yield Workload("exact match and token F1, 9900 answers", lambda: measured(both, answers, given), {})


def measured(metrics: list[Any], truth: list[str], found: list[str]) -> list[Any]:
    """All metrics on inputs that are read once."""
    inputs = metrics[0].inputs(truth, found)
    return [metric.statistic().of(inputs) for metric in metrics]
