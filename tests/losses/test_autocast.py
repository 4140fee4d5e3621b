"""Under torch.autocast losses compute in single precision, as PyTorch's do; outside, half precision in is half precision out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from assay.core.loss import losses as registered
from assay.testing.examples import examples_of
from assay.testing.loss_laws import total

torch: Any = pytest.importorskip("torch")
F = torch.nn.functional
HALVES = (torch.bfloat16, torch.float16)
RNG = torch.Generator().manual_seed(0)
P, Y = 2 * torch.randn(64, 5, generator=RNG), torch.randn(64, 5, generator=RNG)
T = torch.randint(0, 5, (64,), generator=RNG)
# Ours, theirs, and the inputs of both.
PEERS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "mse": (losses.mse, F.mse_loss, (P, Y)),
    "mae": (losses.mae, F.l1_loss, (P, Y)),
    "huber": (losses.huber, F.huber_loss, (P, Y)),
    "smooth_l1": (losses.smooth_l1, F.smooth_l1_loss, (P, Y)),
    "cross_entropy": (losses.cross_entropy, F.cross_entropy, (P, T)),
    "binary_cross_entropy": (losses.binary_cross_entropy, F.binary_cross_entropy_with_logits, (P, Y.sigmoid())),
    "poisson_nll": (losses.poisson_nll, F.poisson_nll_loss, (P, Y.abs())),
    "triplet": (
        lambda a, p, n: losses.triplet(a, p, n, margin=1.0, squared=False),
        lambda a, p, n: F.triplet_margin_loss(a, p, n, eps=0),
        (P, Y, P.flip(0)),
    ),
    "cosine": (losses.cosine, F.cosine_embedding_loss, (P, Y, torch.ones(64))),
}


def run(function: Any, inputs: tuple[Any, ...], kind: Any, autocast: bool) -> tuple[Any, Any]:
    """The value and the gradient of the first input, given in half precision."""
    first, *others = (x.to(kind) if x.is_floating_point() else x for x in inputs)
    first = first.clone().requires_grad_()
    with torch.autocast("cpu", dtype=kind, enabled=autocast):
        value = function(first, *others)
    value.backward()
    return value.detach(), first.grad


@pytest.mark.parametrize("kind", HALVES, ids=str)
@pytest.mark.parametrize("name", PEERS)
def test_dtype_and_value_are_those_of_pytorch_under_autocast(name: str, kind: Any) -> None:
    ours, theirs, inputs = PEERS[name]
    value, slope = run(ours, inputs, kind, True)
    other, other_slope = run(theirs, inputs, kind, True)
    assert value.dtype == other.dtype == torch.float32
    assert slope.dtype == other_slope.dtype == kind
    torch.testing.assert_close(value, other, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(slope.float(), other_slope.float(), rtol=0.01, atol=1e-3)


@pytest.mark.parametrize("name", ["mse", "mae", "huber", "smooth_l1", "cross_entropy", "binary_cross_entropy"])
def test_dtype_is_that_of_pytorch_outside_autocast(name: str) -> None:
    ours, theirs, inputs = PEERS[name]
    value, slope = run(ours, inputs, torch.bfloat16, False)
    other, other_slope = run(theirs, inputs, torch.bfloat16, False)
    assert (value.dtype, slope.dtype) == (other.dtype, other_slope.dtype) == (torch.bfloat16, torch.bfloat16)
    torch.testing.assert_close(value, other, rtol=0.02, atol=0.0)


@pytest.mark.parametrize("loss", registered(), ids=lambda entry: entry.key)
def test_every_loss_is_exact_under_autocast(loss: Any) -> None:
    """The value of half precision under autocast is that of the same numbers in single precision, products included."""
    for example in examples_of(loss):
        arrays = {name: torch.tensor(np.asarray(value)) for name, value in example.inputs.items()}
        half = {name: x.to(torch.bfloat16) if x.is_floating_point() else x for name, x in arrays.items()}
        single = {name: x.float() if x.is_floating_point() else x for name, x in half.items()}
        with torch.autocast("cpu", dtype=torch.bfloat16):
            value = total(loss(**half, **example.options))
        assert value.dtype == torch.float32
        torch.testing.assert_close(value, total(loss(**single, **example.options)), rtol=1e-5, atol=1e-6)


def test_the_model_of_the_caller_stays_under_autocast() -> None:
    """A density is not ours to widen."""
    kinds: list[Any] = []

    def log_density(x: Any) -> Any:
        kinds.append((x @ torch.ones(3, 1)).dtype)
        return -(x * x).sum(-1)

    with torch.autocast("cpu", dtype=torch.bfloat16):
        losses.flow_nll(torch.zeros(4, 3, dtype=torch.bfloat16), torch.zeros(4), log_density=log_density)
    assert set(kinds) == {torch.bfloat16}


def test_inputs_by_name_within_a_sum_are_widened_too() -> None:
    term = losses.Term("mse", inputs=("depth", "wanted"))
    given = {"depth": torch.full((4,), 256.0), "wanted": torch.full((4,), 1.0)}
    half = {name: x.to(torch.bfloat16) for name, x in given.items()}
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = losses.combined(half["depth"], terms=[term], inputs=half)
    assert (value.dtype, float(value)) == (torch.float32, 255.0**2)


def test_modules_compile_under_autocast() -> None:
    module = torch.compile(assay.torch.Loss("info_nce"), fullgraph=True, backend="eager")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = module(P.bfloat16(), Y.bfloat16())
    torch.testing.assert_close(value, losses.info_nce(P.bfloat16().float(), Y.bfloat16().float()))


def test_centres_move_under_autocast() -> None:
    criterion = assay.torch.Loss("center", classes=5, dimension=5)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        criterion(P.bfloat16(), T)
    torch.testing.assert_close(
        criterion.centers, losses.update_centers(torch.zeros(5, 5), P.bfloat16().float(), T), rtol=1e-5, atol=1e-6
    )
