"""CVaR against its definition, the closed form of a normal, and the quantile loss beside it."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from assay.core.errors import AssayError

RNG = np.random.default_rng(5)


def by_definition(v: Any, level: float, weight: Any = None) -> float:
    """The least of the form of Rockafellar and Uryasev, which is reached at one of the values."""
    return min(t + float(np.average(np.maximum(v - t, 0), weights=weight)) / (1 - level) for t in v)


@pytest.mark.parametrize("level", [0.0, 0.3, 0.5, 0.9, 0.95])
@pytest.mark.parametrize("n", [1, 2, 10, 41])
def test_is_the_least_over_all_thresholds(n: int, level: float) -> None:
    v, w = RNG.normal(size=n), RNG.random(n)
    assert float(losses.cvar(v, level=level)) == pytest.approx(by_definition(v, level))
    assert float(losses.cvar(v, level=level, weight=w)) == pytest.approx(by_definition(v, level, w))


def test_golden_by_hand() -> None:
    """The worst 40 % of five values are 9 and 7; of the worst half, 4 counts by half a row."""
    v = [4.0, 9.0, 1.0, 7.0, 2.0]
    assert float(losses.cvar(v, level=0.6)) == pytest.approx(8.0)
    assert float(losses.cvar(v, level=0.5)) == pytest.approx((9 + 7 + 4 / 2) / 2.5)
    assert float(losses.cvar(v, level=0.0)) == pytest.approx(4.6)
    assert float(losses.cvar(v, 3.0, level=0.5)) == pytest.approx(3 + (1 + 6 + 4) / 5 / 0.5)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_closed_form_of_a_normal(level: float) -> None:
    """φ(z) / (1 - α), on the quantiles of a normal instead of a sample, so that nothing is random."""
    normal = NormalDist(2.0, 3.0)
    grid = np.array([normal.inv_cdf((i + 0.5) / 40_000) for i in range(40_000)])
    want = 2.0 + 3.0 * NormalDist().pdf(NormalDist().inv_cdf(level)) / (1 - level)
    assert float(losses.cvar(grid, level=level)) == pytest.approx(want, rel=1e-3)


@pytest.mark.parametrize("level", [0.25, 0.8, 0.95])
def test_the_quantile_loss_at_its_least_tells_it(level: float) -> None:
    """Pinball at the quantile is (1 - q)(CVaR - mean): the two stand beside each other in the paper."""
    y = RNG.normal(size=200)
    least = min(float(losses.quantile(np.full(200, t), y, q=level)) for t in y)
    assert least == pytest.approx((1 - level) * (float(losses.cvar(y, level=level)) - y.mean()))


def test_masks_leave_values_out() -> None:
    v = np.array([5.0, np.inf, 1.0, 3.0, np.nan])
    keep = np.array([True, False, True, True, False])
    for level in (0.0, 0.5, 0.9):
        assert float(losses.cvar(v, level=level, mask=keep)) == pytest.approx(by_definition(v[keep], level))
    assert float(losses.cvar(v, mask=np.zeros(5, bool))) == 0.0


def test_the_row_on_the_border_has_its_part_of_the_gradient() -> None:
    torch: Any = pytest.importorskip("torch")
    x = torch.tensor([1.0, 2.0, 3.0, 10.0], requires_grad=True)
    losses.cvar(x, level=0.7).backward()
    torch.testing.assert_close(x.grad, torch.tensor([0.0, 0.0, 0.2 / 1.2, 1 / 1.2]))


def test_a_threshold_learns_the_quantile() -> None:
    torch: Any = pytest.importorskip("torch")
    v = torch.tensor(RNG.exponential(size=4000))
    criterion = assay.torch.Loss("cvar", threshold=torch.nn.Parameter(torch.tensor(0.0)), level=0.9)
    step = torch.optim.SGD(criterion.parameters(), lr=0.05)
    for _ in range(600):
        step.zero_grad()
        criterion(v).backward()
        step.step()
    assert float(criterion.threshold) == pytest.approx(float(v.quantile(0.9)), abs=0.05)
    assert float(criterion(v)) == pytest.approx(float(losses.cvar(v, level=0.9)), rel=1e-3)


def test_bad_calls() -> None:
    with pytest.raises(AssayError, match="level"):
        losses.cvar([1.0], level=1.0)
    with pytest.raises(AssayError, match="must be one number"):
        losses.cvar([1.0], [0.0, 1.0])
