"""Hand-worked and published rates of identification and cumulative_match_curve."""

from __future__ import annotations

import json

import numpy as np
import pytest

import assay
import fixtures

# Mates rank 1, 2 and 3; in the last row an impostor is as similar as the mate.
PROBES = ["a", "b", "c", "a"]
GALLERY = ["a", "b", "c"]
SIMILAR = [[0.9, 0.1, 0.2], [0.8, 0.7, 0.1], [0.5, 0.4, 0.3], [0.6, 0.6, 0.1]]


def test_rates_at_ranks() -> None:
    assert [assay.identification(PROBES, SIMILAR, gallery=GALLERY, k=k) for k in (1, 2, 3)] == [0.25, 0.75, 1.0]
    np.testing.assert_array_equal(
        assay.cumulative_match_curve(PROBES, SIMILAR, gallery=GALLERY, max_rank=3), [0.25, 0.75, 1.0]
    )
    assert assay.identification(PROBES, SIMILAR, gallery=GALLERY, ties="average") == (1 + 0.5) / 4


def test_a_probe_without_a_mate() -> None:
    with pytest.raises(assay.UndefinedError, match="has no relevant document"):
        assay.identification(["z"], [[0.1, 0.2, 0.3]], gallery=GALLERY)


def test_published_rates_of_bob() -> None:
    """Fixture 13: recognition rate and the first five values of the CMC."""
    folder = fixtures.path("13_losses_metric_learning", "bob_measure")
    scores = json.loads((folder / "cmc_scores.json").read_text())
    wanted = json.loads((folder / "expected.json").read_text())["cmc"]
    sides = [value for _, value in sorted(scores.items())]  # impostors, then mates
    rows = [(*negative, *positive) for negative, positive in zip(*sides, strict=True)]
    grades = [[0] * len(negative) + [1] * len(positive) for negative, positive in zip(*sides, strict=True)]
    rates = [assay.hit_rate(grades, [list(row) for row in rows], k=k, ties="pessimistic") for k in range(1, 6)]
    assert rates == pytest.approx(wanted["cmc_first5"])
    assert rates[0] == pytest.approx(wanted["recognition_rate"])
