"""What cannot be, half precision, autocast and floors: values and gradients that stay right at the edge."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import assay
from assay import losses

torch = pytest.importorskip("torch")
INF = math.inf


@pytest.mark.parametrize("rows", [3, 150_000])
@pytest.mark.parametrize("f", [losses.cross_entropy, lambda z, t: losses.focal(z, t, form="softmax")])
def test_what_cannot_be_and_has_no_share_adds_nothing(f: Any, rows: int) -> None:
    """0 log 0 is 0: the loss is that of the other classes alone, and its gradient is finite."""
    z = torch.randn(rows, 3, dtype=torch.float64)
    soft = torch.softmax(torch.randn(rows, 2, dtype=torch.float64), 1)
    full = torch.cat([torch.full((rows, 1), -INF, dtype=torch.float64), z[:, 1:]], 1).requires_grad_()
    target = torch.cat([torch.zeros(rows, 1, dtype=torch.float64), soft], 1)
    value, want = f(full, target), f(z[:, 1:], soft)
    torch.testing.assert_close(value, want)
    assert bool(torch.isfinite(torch.autograd.grad(value, full)[0]).all())
    np.testing.assert_allclose(f(full.detach().numpy(), target.numpy()), float(want), rtol=1e-10)


@pytest.mark.parametrize("rows", [3, 150_000])
def test_an_impossible_first_class_leaves_labels_alone(rows: int) -> None:
    z, t = torch.randn(rows, 3, dtype=torch.float64), torch.randint(1, 3, (rows,))
    z[:, 0] = -INF
    weight = torch.rand(rows, dtype=torch.float64)
    value = losses.cross_entropy(z.requires_grad_(), t, weight=weight[:, None])
    torch.testing.assert_close(value, losses.cross_entropy(z[:, 1:], t - 1, weight=weight))
    assert bool(torch.isfinite(torch.autograd.grad(value, z)[0]).all())


def test_samples_that_cannot_be_have_no_risk() -> None:
    logs = torch.tensor([[-INF, -INF], [0.0, 0.0]], dtype=torch.float64, requires_grad=True)
    value = losses.minimum_risk(logs, torch.tensor([[1.0, 2.0], [1.0, 0.0]], dtype=torch.float64))
    assert float(value.detach()) == 0.25
    assert torch.autograd.grad(value, logs)[0].tolist() == [[0.0, 0.0], [0.125, -0.125]]


def test_many_positives_in_half_precision() -> None:
    """200000 is beyond the largest number of float16."""
    z, y = np.zeros(200_000, dtype=np.float16), np.ones(200_000, dtype=np.float16)
    value = losses.focal(z, y, alpha=None, normalize="positives")
    assert value.dtype == np.float16
    assert float(value) == pytest.approx(0.25 * math.log(2), rel=1e-3)


@pytest.mark.parametrize("rows", [4, 300_000])
def test_positives_of_nothing_are_undefined(rows: int) -> None:
    z, y, none = torch.zeros(rows), torch.ones(rows), torch.zeros(rows)
    given: Any = {"mask": none, "normalize": "positives"}
    assert float(losses.focal(z, y, **given)) == 0
    assert math.isnan(float(losses.focal(z, y, undefined="nan", **given)))
    with pytest.raises(assay.UndefinedError):
        losses.focal(z, y, undefined="error", **given)
    alone = float(losses.focal(z, 0 * y, normalize="positives", undefined="nan"))
    assert alone == pytest.approx(rows * 0.75 * 0.25 * math.log(2), rel=1e-5)  # no positive, so divided by 1


# ---- autocast and mixed kinds


@pytest.mark.parametrize("tokens", [6, 300])
def test_autocast_leaves_the_tokens_in_single_precision(tokens: int) -> None:
    """The forward pass inside, the backward pass outside."""
    h, w = torch.randn(tokens, 64, requires_grad=True), torch.randn(5000 if tokens > 6 else 9, 64, requires_grad=True)
    t = torch.randint(0, w.shape[0], (tokens,))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = losses.token_cross_entropy(hidden=h, output=w, target=t)
    want = losses.token_cross_entropy(hidden=h, output=w, target=t)
    assert value.dtype == torch.float32
    loose = (
        {"rtol": 1e-2, "atol": 2e-2} if tokens == 6 else {}
    )  # a product of few tokens is PyTorch's own, as autocast has it
    torch.testing.assert_close(value, want, **loose)
    ours, theirs = (torch.autograd.grad(x, (h, w)) for x in (value, want))
    torch.testing.assert_close(ours, theirs, **loose)


@pytest.mark.parametrize("f", [losses.dice, losses.jaccard, losses.lovasz_softmax, losses.cross_entropy, losses.focal])
@pytest.mark.parametrize("places", [50, 30_000])
def test_autocast_changes_no_map(f: Any, places: int) -> None:
    z, t = torch.randn(4, 5, places, requires_grad=True), torch.randint(0, 5, (4, places))
    weight = torch.rand(4, places)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = f(z, t, weight=weight)
    want = f(z, t, weight=weight)
    torch.testing.assert_close(value, want)
    torch.testing.assert_close(torch.autograd.grad(value, z), torch.autograd.grad(want, z))


@pytest.mark.parametrize("tokens", [6, 300])
def test_tokens_of_mixed_kinds_take_the_widest(tokens: int) -> None:
    h, w = torch.randn(tokens, 64), torch.randn(5000, 64)
    t = torch.randint(0, 5000, (tokens,))
    for a, b, c in (("float32", "float64", "float64"), ("bfloat16", "float32", "float32")):
        kinds = [getattr(torch, kind) for kind in (a, b, c)]
        value = losses.token_cross_entropy(hidden=h.to(kinds[0]), output=w.to(kinds[1]), target=t)
        both = [x.to(kind).to(kinds[2]) for x, kind in zip((h, w), kinds, strict=False)]
        torch.testing.assert_close(value, losses.token_cross_entropy(hidden=both[0], output=both[1], target=t))
        assert value.dtype == kinds[2]


# ---- floors of variances


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("rows", [4, 300_000])
def test_the_floor_of_a_variance_holds(kind: str, rows: int) -> None:
    """A variance of -100 is the floor itself: added to a difference it would cancel to 0 in single precision."""
    dtype = getattr(torch, kind)
    p, y = torch.zeros(rows, dtype=dtype), torch.full((rows,), 1e-3, dtype=dtype)
    v = torch.full((rows,), -100.0, dtype=dtype, requires_grad=True)
    value = losses.gaussian_nll(p, y, variance=v, least=1e-6)
    assert float(value.detach()) == pytest.approx(0.5 * (math.log(1e-6) + 1.0), rel=1e-5)
    small = torch.full((rows,), 1e-9, dtype=dtype, requires_grad=True)
    want = torch.nn.functional.gaussian_nll_loss(p, y, small, eps=1e-6)
    ours = losses.gaussian_nll(p, y, variance=small, least=1e-6)
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(torch.autograd.grad(ours, small), torch.autograd.grad(want, small))


def test_the_floor_holds_for_logarithms_too() -> None:
    z = torch.tensor([-80.0, 0.0], dtype=torch.float64, requires_grad=True)
    p, y = torch.zeros(2, dtype=torch.float64), torch.tensor([1e-3, 1.0], dtype=torch.float64)
    value = losses.gaussian_nll(p, y, log_variance=z, least=1e-6, reduction="sum")
    assert float(value.detach()) == pytest.approx(0.5 * (math.log(1e-6) + 1.0) + 0.5, rel=1e-10)
    assert torch.autograd.grad(value, z)[0].tolist() == pytest.approx([0.0, 0.0], abs=1e-9)
    free = float(losses.gaussian_nll([0.0], [0.0], log_variance=[-80.0], least=0.0))
    assert free == -40.0


# ---- masked tokens of sampled sequences


def test_a_sequence_without_tokens_does_not_count() -> None:
    logs, reward = np.array([[-1.0, -2.0], [-3.0, -4.0]]), np.array([1.0, 5.0])
    mask = np.array([[1, 1], [0, 0]])
    assert float(losses.reinforce(logs, reward, mask=mask)) == 3.0
    assert float(losses.reinforce(logs, reward, mask=mask, baseline="batch")) == 0.0  # the mean of the first alone
    assert float(losses.reinforce(logs, reward, mask=0 * mask)) == 0.0
    assert math.isnan(float(losses.reinforce(logs, reward, mask=0 * mask, undefined="nan")))
