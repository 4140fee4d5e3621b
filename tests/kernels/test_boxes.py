"""Boxes: the compiled losses and derivatives are those of the plain body, the matrix of IoUs that of single pairs."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import pytest
from twins import both, plain_modules

from assay import kernels, losses

RNG = np.random.default_rng(4)


def boxes(n: int, kind: str = "float64") -> Any:
    """Some boxes are points, flat, or the wrong way round; many touch or are equal, since their corners are whole numbers."""
    return RNG.integers(0, 6, (n, 4)).astype(kind)


@pytest.mark.parametrize("name", ["iou", "giou", "diou", "ciou"])
@pytest.mark.parametrize("form", ["xyxy", "xywh", "cxcywh"])
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_losses_and_derivatives(name: str, form: str, kind: str) -> None:
    torch = pytest.importorskip("torch")
    p, t = boxes(300, kind), boxes(300, kind)
    x = torch.tensor(p, requires_grad=True)
    wanted = getattr(losses, name)(x, torch.tensor(t), form=form, reduction="none")
    (slope,) = torch.autograd.grad(wanted.sum(), x)
    near: Any = {"rtol": 1e-10, "atol": 1e-13} if kind == "float64" else {"rtol": 1e-4, "atol": 1e-5}
    for compiled in both("boxes", "losses_and_gradients"):
        values, g = compiled(name, p, t, form)
        assert values.dtype == g.dtype == kind
        np.testing.assert_allclose(values, wanted.detach(), **near)
        np.testing.assert_allclose(g, slope, **near)


def test_leading_axes_are_kept() -> None:
    p, t = boxes(24).reshape(2, 3, 4, 4), boxes(24).reshape(2, 3, 4, 4)
    for compiled in both("boxes", "losses_and_gradients"):
        values, g = compiled("giou", p, t, "xyxy")
        assert (values.shape, g.shape) == ((2, 3, 4), (2, 3, 4, 4))
        assert values[1, 2, 3] == compiled("giou", p[1, 2, 3][None], t[1, 2, 3][None], "xyxy")[0][0]


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_the_matrix(kind: str) -> None:
    a, b = boxes(40, kind), boxes(30, kind)
    single = 1 - np.array([[losses.iou(x, y) for y in b] for x in a])
    for matrix in both("boxes", "matrix"):
        found = matrix(a, b, "xyxy")
        assert found.dtype == kind
        np.testing.assert_allclose(found, single, atol=1e-15 if kind == "float64" else 1e-6)


def test_the_arctangent() -> None:
    x = np.concatenate([np.linspace(0, 1, 2001), [1e-300, 1e-10, 0.41421356, 0.41421357]])
    part = kernels.boxes._arctan
    compiled = numba.njit(lambda value: part(value))  # Python cannot call a part of kernels
    for arctan in (compiled, plain_modules()["boxes"]._arctan):
        found = np.array([arctan(value) for value in x])
        np.testing.assert_allclose(found, [math.atan(value) for value in x], rtol=4e-16)
