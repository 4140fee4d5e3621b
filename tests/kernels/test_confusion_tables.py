"""`tables.count`: pairs of labels into a square table."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import both

FEW = settings(max_examples=60, deadline=None, derandomize=True)
TYPES = (np.int64, np.int32, np.uint8, np.int8, np.bool_)


def naive(true: Any, predicted: Any, weight: Any, k: int) -> Any:
    table = np.zeros((k, k))
    for t, p, w in zip(true.astype(int), predicted.astype(int), weight, strict=True):
        if not (0 <= t < k and 0 <= p < k):
            return None
        table[t, p] += w
    return table


@FEW
@given(
    n=st.integers(1, 70), k=st.sampled_from([1, 2, 3, 9, 70]), seed=st.integers(0, 999), dtype=st.sampled_from(TYPES)
)
def test_count(n: int, k: int, seed: int, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    true, predicted = (rng.integers(0, 2 if dtype is np.bool_ else min(k, 120), n).astype(dtype) for _ in range(2))
    weight = rng.integers(0, 5, n) / 4
    for count in both("confusion_tables", "count"):
        for w in (None, weight):
            got, wanted = count(true, predicted, w, k), naive(true, predicted, np.ones(n) if w is None else w, k)
            assert (got is None) == (wanted is None)
            if wanted is not None:
                np.testing.assert_array_equal(got, wanted)
                assert got.dtype == (np.int64 if w is None else np.float64)


@FEW
@given(
    n=st.integers(1, 70), at=st.integers(0, 69), bad=st.sampled_from([-1, 3, 4, 10**9, -(10**9)]), first=st.booleans()
)
def test_labels_that_do_not_fit_are_noticed(n: int, at: int, bad: int, first: bool) -> None:
    labels = [np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)]
    labels[0 if first else 1][at % n] = bad
    for count in both("confusion_tables", "count"):
        assert count(*labels, None, 3) is None
        assert count(*labels, np.ones(n), 3) is None


def test_no_class_is_no_table() -> None:
    for count in both("confusion_tables", "count"):
        assert count(np.array([0]), np.array([0]), None, 0) is None
