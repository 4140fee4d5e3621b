"""Half precision under transformations of PyTorch: mapped, differentiated forwards and twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay import losses

torch: Any = pytest.importorskip("torch")
P, Y = torch.tensor([[0.5, -1.0, 2.0], [0.0, 1.0, 3.0]]), torch.tensor([[0.0, 1.0, 2.5], [1.0, 1.0, 0.0]])
CASES: list[tuple[Any, dict[str, Any]]] = [
    (losses.mae, {}),
    (losses.denoising, {"form": "absolute"}),
    (losses.denoising, {"form": "absolute", "timestep_weight": [1.0, 2.0]}),
]


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize(("f", "options"), CASES, ids=["mae", "denoising", "denoising-rows"])
def test_absolute_errors_are_mapped_and_differentiated_forwards(f: Any, options: dict[str, Any], kind: Any) -> None:
    p, y = P.to(kind), Y.to(kind)
    mapped = torch.func.vmap(lambda p, y: f(p, y, **options))(torch.stack([p, p + 1]), torch.stack([y, y]))
    want = [float(f(q, y, **options)) for q in (p, p + 1)]
    np.testing.assert_allclose(mapped.float(), want, rtol=1e-2)
    value, slope = torch.func.jvp(lambda p: f(p, y, **options), (p,), (torch.ones_like(p),))
    assert float(value) == pytest.approx(want[0], rel=1e-2)
    assert bool(torch.isfinite(slope))


def test_second_derivatives_of_pixels_stay_finite() -> None:
    """1/p² is beyond half precision for a probability of 0.001."""
    p = torch.tensor([[0.001, 0.5]], dtype=torch.float16, requires_grad=True)
    value = losses.reconstruction(target=torch.tensor([[1.0, 0.0]], dtype=torch.float16), probabilities=p)
    (slope,) = torch.autograd.grad(value, p, create_graph=True)
    (second,) = torch.autograd.grad((1e-3 * slope).sum(), p)
    assert bool(torch.isfinite(slope).all() and torch.isfinite(second).all())
