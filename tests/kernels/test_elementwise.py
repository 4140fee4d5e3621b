"""Losses of elements in one pass: compiled and plain give the sums and slopes of the losses themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from twins import both

from assay import losses

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(8)
LOSSES: list[Any] = [
    ("squared", losses.mse, {}, ()),
    ("absolute", losses.mae, {}, ()),
    ("huber", losses.huber, {"delta": 0.7}, (0.7, 1.0)),
    ("huber", losses.smooth_l1, {"beta": 0.7}, (0.7, 0.7)),
    ("pinball", losses.quantile, {"q": 0.2}, (0.2,)),
    ("hinge", losses.hinge, {"margin": 1.5}, (1.5,)),
]


@pytest.mark.parametrize(("name", "loss", "options", "parameters"), LOSSES)
@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_and_slopes(name: str, loss: Any, options: Any, parameters: Any, kind: str, weighted: bool) -> None:
    p, y = (RNG.integers(-3, 4, 200).astype(kind) for _ in range(2))  # whole numbers meet each other, and the kinks
    p[:100] += RNG.normal(size=100).astype(kind)
    share = RNG.integers(0, 3, 200).astype(kind) if weighted else None
    x = torch.tensor(p, requires_grad=True)
    weight = None if share is None else torch.tensor(share)
    wanted = loss(x, torch.tensor(y), weight=weight, reduction="sum", **options)
    (slope,) = torch.autograd.grad(wanted, x)
    kinks = np.isin(np.abs(p - y), (0.0, 0.7)) | (1.5 - p * y == 0)  # where any slope between both sides is right
    for filled in both("elementwise", "loss_and_gradient"):
        out = np.full(200, np.nan, kind)
        total = filled(name, p, y, share, out, 0.5, *parameters)
        assert total == pytest.approx(float(wanted), rel=1e-5 if kind == "float32" else 1e-12)
        np.testing.assert_allclose(out[~kinks], 0.5 * slope.numpy()[~kinks], rtol=1e-5 if kind == "float32" else 1e-12)
        assert np.isfinite(out).all()


def test_what_has_no_share_may_be_infinite() -> None:
    p, y, share = np.array([np.inf, np.nan, 1.0]), np.zeros(3), np.array([0.0, 0.0, 2.0])
    for filled in both("elementwise", "loss_and_gradient"):
        out = np.empty(3)
        assert filled("squared", p, y, share, out, 1.0) == 2.0
        assert out.tolist() == [0.0, 0.0, 4.0]


@pytest.mark.parametrize("name", ["squared", "absolute", "huber"])
def test_nan_is_not_lost(name: str) -> None:
    for filled in both("elementwise", "loss_and_gradient"):
        out = np.empty(2)
        given = (1.0, 1.0) if name == "huber" else ()
        assert np.isnan(filled(name, np.array([np.nan, 1.0]), np.zeros(2), None, out, 1.0, *given))
        assert np.isnan(out[0])
