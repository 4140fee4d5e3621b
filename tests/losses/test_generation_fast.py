"""The fast routes of large tensors give what the losses themselves give: with weights and masks, at zeros, in single precision."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from assay import losses

torch = pytest.importorskip("torch")
blocks = pytest.importorskip("assay.torch.blocks")
RNG = np.random.default_rng(12)


def tensor(*shape: int) -> Any:
    return torch.tensor(RNG.normal(size=shape))


def shares(*shape: int) -> Any:
    return torch.softmax(2 * tensor(*shape), 1)


N = 11
X, BITS, SNR = tensor(N, 2, 3), torch.sigmoid(tensor(N, 2, 3)), torch.tensor(np.exp(3 * RNG.normal(size=N)))
P, W = shares(N, 5), tensor(N, 5)
MAPS = shares(N, 4, 3)
CALLS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "reconstruction": (lambda x, **o: losses.reconstruction(x, BITS, **o), (X,)),
    "bits": (lambda x, **o: losses.reconstruction(logits=x, target=BITS, **o), (X,)),
    "kl of logits": (lambda z, **o: losses.kl_divergence(z, P, **o), (W,)),
    "kl of logs": (lambda z, **o: losses.kl_divergence(log_probabilities=z, target=P, **o), (P.log().flip(0),)),
    "kl of logits to logits": (lambda z, **o: losses.kl_divergence(z, target_logits=W.flip(0), **o), (W,)),
    "kl of logits to logs": (lambda z, **o: losses.kl_divergence(z, target_log_probabilities=P.log(), **o), (W,)),
    "kl of probabilities": (lambda q, **o: losses.kl_divergence(probabilities=q, target=P, **o), (P.flip(0),)),
    "kl of maps": (lambda z, **o: losses.kl_divergence(z, MAPS, **o), (tensor(N, 4, 3),)),
    "gaussian_kl": (losses.gaussian_kl, (tensor(N, 4), tensor(N, 4))),
    "vae": (lambda x, m, v, **o: losses.vae(x, BITS, mean=m, log_variance=v, beta=0.3, **o), (X, W, tensor(N, 5))),
    "flow": (losses.flow_nll, (X, tensor(N))),
    "flow in bits": (lambda z, d, **o: losses.flow_nll(z, d, bits_per_dimension=True, levels=256, **o), (X, tensor(N))),
    "denoising": (lambda x, **o: losses.denoising(x, BITS, **o), (X,)),
    "denoising by ratio": (lambda x, **o: losses.denoising(x, BITS, snr=SNR, predicts="v", **o), (X,)),
    "denoising, absolute": (lambda x, **o: losses.denoising(x, BITS, snr=SNR, form="absolute", **o), (X,)),
}
OPTIONS: dict[str, dict[str, Any]] = {
    "mean": {},
    "sum": {"reduction": "sum"},
    "weights": {"weight": torch.tensor(RNG.random(N))},
    "mask": {"mask": torch.tensor(np.arange(N) % 3 > 0), "weight": torch.tensor(RNG.random(N))},
    "nothing": {"mask": torch.zeros(N, dtype=torch.bool)},
}


def outcome(call: Any, start: tuple[Any, ...], options: Any) -> list[Any]:
    leaves = [x.clone().requires_grad_() for x in start]
    value = call(*leaves, **options)
    return [value.detach(), *torch.autograd.grad(3 * value, leaves)]


@pytest.mark.parametrize("options", OPTIONS.values(), ids=list(OPTIONS))
@pytest.mark.parametrize("name", CALLS)
def test_blocks_with_weights_and_masks(name: str, options: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    call, start = CALLS[name]
    plain = outcome(call, start, options)
    monkeypatch.setattr(blocks, "FEWEST", 1)
    monkeypatch.setattr(blocks, "BLOCK", 3)
    for a, b in zip(plain, outcome(call, start, options), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-14)


def test_zeros_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """0 log 0 is 0 on the fast route too, where q is 0 as well, and a class that is wrongly ruled out is infinite."""
    p = torch.tensor([[1.0, 0.0], [0.5, 0.5]], dtype=torch.float64)
    q = torch.tensor([[0.0, -math.inf], [math.log(0.5)] * 2], dtype=torch.float64)
    monkeypatch.setattr(blocks, "FEWEST", 1)
    for given in ({"logits": q}, {"log_probabilities": q}):
        (name, leaf) = next(iter(given.items()))
        leaf = leaf.clone().requires_grad_()
        value = losses.kl_divergence(**{name: leaf}, target=p)
        assert value.item() == pytest.approx(0.0, abs=1e-15)
        assert bool(torch.isfinite(torch.autograd.grad(value, leaf)[0]).all())
        wrong = losses.kl_divergence(**{name: leaf}, target=p.flip(1))
        assert wrong.item() == math.inf


def test_a_masked_row_may_be_infinite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "FEWEST", 1)
    x = torch.tensor([[1.0, 2.0], [math.inf, 0.0]], requires_grad=True)
    for call in (
        lambda **o: losses.reconstruction(x, torch.zeros(2, 2), **o),
        lambda **o: losses.denoising(x, torch.zeros(2, 2), **o),
    ):
        value = call(mask=torch.tensor([True, False]))
        assert bool(torch.isfinite(value))
        (slope,) = torch.autograd.grad(value, x)
        assert slope[1].tolist() == [0.0, 0.0]


def test_large_sums_keep_their_digits_in_single_precision() -> None:
    x, y = torch.randn(2000, 1500), torch.randn(2000, 1500)
    leaf = x.clone().requires_grad_()
    for call in (losses.denoising, losses.reconstruction):
        exact = call(x.double(), y.double())
        assert call(leaf, y).item() == pytest.approx(exact.item(), rel=1e-6)
    exact = losses.kl_divergence(x.double(), torch.softmax(y.double(), 1)).item()
    assert losses.kl_divergence(leaf, torch.softmax(y, 1)).item() == pytest.approx(exact, rel=2e-6)
    assert losses.gaussian_kl(leaf, y).item() == pytest.approx(
        losses.gaussian_kl(x.double(), y.double()).item(), rel=1e-6
    )
