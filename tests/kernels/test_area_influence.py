"""Influence on areas under curves: the kernels against the array code, with ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import both

from assay.core.monoids import Rows
from assay.metrics.classification.influence import ap_influence, auc_influence

FEW = settings(max_examples=40, deadline=None, derandomize=True)


@FEW
@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=40))
@pytest.mark.parametrize(("curve", "plain"), [("roc", auc_influence), ("precision", ap_influence)])
def test_influence_is_that_of_arrays(curve, plain, pairs):
    score, positive = np.array([s for s, _ in pairs], dtype=float), np.array([t for _, t in pairs])
    if positive.all() or not positive.any():
        return
    wanted = plain(Rows({"score": score, "positive": positive}, len(score)))
    for influence in both("area_influence", "influence"):
        np.testing.assert_allclose(influence(score, positive, curve), wanted, rtol=1e-9, atol=1e-15)
