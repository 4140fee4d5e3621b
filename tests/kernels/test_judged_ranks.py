"""Where judged documents stand: compiled, plain and naive."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from twins import both

from assay.metrics.ranking.order import _plain_standing


def rows(seed: int, wanted: int) -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 80, 12)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    scores = rng.integers(0, 20, starts[-1]).astype(np.float64)
    counts = rng.integers(0, wanted, 12)
    asked = np.concatenate([[0], np.cumsum(counts)])
    picked = [scores[starts[r] + rng.integers(0, sizes[r])] for r in np.repeat(np.arange(12), counts)]
    return scores, starts, np.array(picked, np.float64), asked


@pytest.mark.parametrize("wanted", [1, 5, 60])
@pytest.mark.parametrize("seed", range(4))
def test_counts_of_higher_and_equal_scores(seed: int, wanted: int) -> None:
    scores, starts, picked, asked = rows(seed, wanted)
    naive = [
        (int((own > value).sum()), int((own == value).sum()))
        for row in range(12)
        for own in [scores[starts[row] : starts[row + 1]]]
        for value in picked[asked[row] : asked[row + 1]]
    ]
    expected = np.array(naive).reshape(-1, 2).T
    for count in (*both("judged_ranks", "standing"), _plain_standing):
        np.testing.assert_array_equal(np.stack(count(scores, starts, picked, asked)), expected)
