"""Metrics of text against other implementations."""

from __future__ import annotations

import numpy as np
import pytest

import assay


def test_exact_match_is_accuracy_of_texts() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(5)
    truth, found = (rng.choice(["a b", "a  b", "A b", ""], 200).tolist() for _ in range(2))
    assert assay.exact_match(truth, found) == pytest.approx(metrics.accuracy_score(truth, found), abs=1e-15)


def test_error_rates_are_those_of_jiwer() -> None:
    jiwer = pytest.importorskip("jiwer")
    rng = np.random.default_rng(6)
    truth, found = ([" ".join(rng.choice(list("abcdef"), rng.integers(1, 20))) for _ in range(300)] for _ in range(2))
    theirs = jiwer.process_words(truth, found)
    pairs = {
        "word_error_rate": "wer",
        "match_error_rate": "mer",
        "word_information_lost": "wil",
        "word_information_preserved": "wip",
    }
    for ours, name in pairs.items():
        assert getattr(assay, ours)(truth, found) == pytest.approx(getattr(theirs, name), abs=1e-14), ours
    assert assay.character_error_rate(truth, found) == pytest.approx(jiwer.cer(truth, found), abs=1e-14)
