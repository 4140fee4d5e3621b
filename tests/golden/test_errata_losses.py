"""Formulas of the seed texts for losses of real targets, classes and text that are wrong: shown wrong, beside ours."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay import losses
from assay.core.loss import find_loss
from assay.core.loss import losses as all_losses

HERE = {"quantile", "smooth_l1", "balanced_l1", "focal", "ranknet"}


def test_quantile_of_one_half_is_half_the_absolute_error() -> None:
    """The survey says that q = 0.5 gives the mean absolute error."""
    p, y = [2.0, 2.0], [1.0, 5.0]
    assert float(losses.mae(p, y)) == 2.0
    assert float(losses.quantile(p, y, q=0.5)) == 1.0


def test_smooth_l1_has_one_over_beta() -> None:
    """Equation 47 has half the square below beta, which jumps at beta = 2 from 2 to 1."""
    beta = 2.0
    seed = 0.5 * beta**2, beta - 0.5 * beta
    assert seed == (2.0, 1.0)
    below, above = losses.smooth_l1([beta - 1e-9, beta], [0.0, 0.0], beta=beta, reduction="none")
    assert below == pytest.approx(above, abs=1e-8)
    assert above == 1.0


def test_balanced_l1_is_continuous_and_zero_at_zero() -> None:
    """Equation 48 costs beta/2 for no error at all, and jumps at beta from beta to beta log 2."""

    def seed(x: float, beta: float = 1.0) -> float:
        return beta * math.log(abs(x) / beta + 1) if abs(x) >= beta else (x * x + beta * beta) / (2 * beta)

    assert seed(0.0) == 0.5
    assert seed(1 - 1e-12) - seed(1.0) == pytest.approx(1 - math.log(2), abs=1e-9)
    assert float(losses.balanced_l1([0.0], [0.0])) == 0.0
    below, above = losses.balanced_l1([1 - 1e-12, 1.0], [0.0, 0.0], reduction="none")
    assert below == pytest.approx(above, abs=1e-9)


def test_focal_weighs_positives_and_negatives() -> None:
    """The tutorial multiplies both classes by alpha: then alpha is no balance but a factor of the whole."""
    each = losses.focal([0.0, 0.0], [1.0, 0.0], alpha=0.25, reduction="none")
    seed = 0.25 * 0.25 * math.log(2)
    np.testing.assert_allclose(each, [seed, 3 * seed], rtol=1e-12)


def test_ranknet_is_logistic() -> None:
    """The survey's equation 115, a margin loss, is flat beyond the margin; RankNet never is."""
    assert float(losses.margin_ranking([3.0], [0.0], margin=1.0)) == 0.0
    assert float(losses.ranknet([3.0], [0.0])) == pytest.approx(math.log1p(math.exp(-3)), rel=1e-12)


@pytest.mark.parametrize("key", sorted(HERE))
def test_the_record_says_so(key: str) -> None:
    assert len(find_loss(key).record.erratum) > 20


def test_no_erratum_is_without_a_test() -> None:
    for entry in all_losses():
        if entry.task in ("regression", "classification", "text") and entry.record.erratum:
            assert entry.key in HERE
