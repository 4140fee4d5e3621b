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
