"""Formulas of the seed texts for losses of real targets, classes and text that are wrong: shown wrong, beside ours."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay import losses


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


def test_a_small_delta_of_huber_is_the_robust_one() -> None:
    """The survey recommends a large delta for outliers."""
    small, large = (float(losses.huber([100.0], [0.0], delta=delta)) for delta in (0.1, 10.0))
    assert small == pytest.approx(9.995, rel=1e-12)
    assert large == pytest.approx(950.0, rel=1e-12)


def test_log_cosh_grows_and_lies_below_half_the_square() -> None:
    errors = np.array([0.01, 0.5, 1.0, 10.0, 1000.0])
    found = losses.log_cosh(errors, np.zeros(5), reduction="none")
    assert (found < errors**2 / 2).all()
    assert found[-1] == pytest.approx(1000 - math.log(2), rel=1e-12)


def test_a_convex_loss_may_have_many_minima() -> None:
    """The survey says that convex means a unique minimum: between 0 and 1 the absolute error is flat."""
    found = {float(losses.mae([p, p], [0.0, 1.0])) for p in (0.0, 0.25, 0.75, 1.0)}
    assert found == {0.5}
    assert float(losses.mse([0.5, 0.5], [0.0, 1.0])) < float(losses.mse([0.25, 0.25], [0.0, 1.0]))


def test_the_poly_loss_sums_from_one() -> None:
    """With n = 0 the sum of the survey's equation 27 would add a constant: a sure and right answer would cost it."""
    assert float(losses.poly([[800.0, 0.0]], [0])) == 0.0


def test_cross_entropy_ignores_the_order_of_labels() -> None:
    near, far = (float(losses.cross_entropy([z], [0])) for z in ([0.0, 2.0, 1.0], [0.0, 1.0, 2.0]))
    assert near == far


def test_same_direction_is_not_identity() -> None:
    assert float(losses.cosine([[1.0, 0.0]], [[5.0, 0.0]])) == pytest.approx(0.0, abs=1e-9)


def test_kl_is_without_bound_where_q_is_zero() -> None:
    """The survey says that it breaks at p = 0."""
    assert float(losses.kl_divergence(probabilities=[[0.5, 0.5]], target=[[0.0, 1.0]])) == pytest.approx(math.log(2))
    assert float(losses.kl_divergence(probabilities=[[0.0, 1.0]], target=[[0.5, 0.5]])) > 300
