"""Losses of generation where it is hard: extreme numbers, bad calls, nothing selected, maps under vmap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from messages import refusal

RNG = np.random.default_rng(8)
X, R = RNG.random((6, 2, 3, 3)), RNG.normal(size=(6, 2, 3, 3))
P, Q = RNG.dirichlet(np.ones(5), 7), RNG.dirichlet(np.ones(5), 7)
Z = RNG.normal(size=(7, 5))
MEAN, LOGV = RNG.normal(size=(7, 4)), RNG.normal(size=(7, 4))
FAKE, REAL = 2 * RNG.normal(size=(8, 1)), 2 * RNG.normal(size=5)


def test_divergences_of_maps_under_vmap() -> None:
    torch = pytest.importorskip("torch")
    z, p = torch.randn(3, 2, 4, 5), torch.softmax(torch.randn(3, 2, 4, 5), 2)
    each = torch.stack([losses.kl_divergence(a, b) for a, b in zip(z, p, strict=True)])
    torch.testing.assert_close(torch.func.vmap(losses.kl_divergence)(z, p), each)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_edges_stay_finite(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    kind = getattr(torch, dtype)
    wild = torch.tensor([[-1e4, 1e4]], dtype=kind, requires_grad=True)
    sure = torch.tensor([[0.0, 1.0]], dtype=kind, requires_grad=True)
    target = torch.tensor([[1.0, 0.0]], dtype=kind)
    calls = [
        (losses.reconstruction(logits=wild, target=target), wild),
        (losses.reconstruction(probabilities=sure, target=target), sure),
        (losses.kl_divergence(wild, target), wild),
        (losses.kl_divergence(probabilities=sure, target=target), sure),
        (losses.kl_divergence(wild, target_logits=-wild.detach()), wild),
        (losses.denoising(sure, sure.detach(), snr=torch.zeros(1, dtype=kind)), sure),
        (losses.wasserstein_distance(sure[0], sure[0].detach(), p=2), sure),
        (losses.sinkhorn(sure, sure.detach(), p=1), sure),
    ]
    for value, leaf in calls:
        assert torch.isfinite(value)
        assert torch.isfinite(torch.autograd.grad(value, leaf)[0]).all()


REFUSED = [
    (lambda: losses.reconstruction(R, X, logits=R), "exactly one of prediction, logits, probabilities"),
    (lambda: losses.reconstruction(R), "target is missing"),
    (lambda: losses.reconstruction(1.0, 2.0), "one entry per image"),
    (lambda: losses.reconstruction(R, X[:5]), "must have the same shape"),
    (lambda: losses.vae(R, X, mean=MEAN, log_variance=LOGV, beta=-1.0), "beta must be a number at least 0"),
    (lambda: losses.vae(R, X, mean=MEAN[:, :1], log_variance=LOGV), "mean and log_variance must have the same shape"),
    (lambda: losses.kl_divergence(Z), "exactly one of target, target_logits, target_log_probabilities; got none"),
    (lambda: losses.kl_divergence(Z, P, probabilities=Q), "got logits and probabilities"),
    (lambda: losses.kl_divergence(1.0, 1.0), "classes along an axis"),
    (lambda: losses.gaussian_kl(MEAN, LOGV, target_mean=MEAN), "together, or neither"),
    (lambda: losses.gaussian_kl(1.0, 1.0), "one entry per row"),
    (lambda: losses.adversarial(FAKE, REAL), "the generator sees no real data"),
    (lambda: losses.adversarial(FAKE, role="discriminator"), "real is missing"),
    (lambda: losses.adversarial(FAKE, form="vanilla"), "form must be one of"),
    (lambda: losses.adversarial(FAKE, label_smoothing=0.1), "label_smoothing is for a discriminator"),
    (lambda: losses.adversarial([]), "at least one value"),
    (lambda: losses.wasserstein(FAKE, role="discriminator"), "role must be one of 'generator', 'critic'"),
    (lambda: losses.wasserstein_distance(Z, Z), "For points take sinkhorn"),
    (lambda: losses.wasserstein_distance([1.0], [2.0], p=0.5), "p must be a number at least 1"),
    (lambda: losses.wasserstein_distance([1.0], [2.0], target_weight=[1.0, 2.0]), "one number for each of 1 points"),
    (lambda: losses.sinkhorn(Z, Z[:, :2]), "points, one a row, of one dimension"),
    (lambda: losses.sinkhorn(Z, Z, epsilon=0), "epsilon must be a number above 0"),
    (lambda: losses.sinkhorn(Z, Z, iterations=0), "iterations must be an integer from 1"),
    (lambda: losses.flow_nll(Z, Z), "one number for each row of latent"),
    (lambda: losses.flow_nll(Z, Z[:, 0], levels=256), "is for bits_per_dimension=True"),
    (lambda: losses.contrastive_divergence([], [1.0]), "at least one energy"),
    (
        lambda: losses.noise_contrastive(Z[0], Z[1], data_log_noise=Z[0, :2], noise_log_noise=Z[1]),
        "data_log_model and data_log_noise must have the same shape",
    ),
    (
        lambda: losses.noise_contrastive(Z[0], Z[1], data_log_noise=Z[0], noise_log_noise=Z[1], ratio=0),
        "ratio must be a number above 0",
    ),
    (lambda: losses.denoising(R, X, predicts="noise"), "predicts must be one of"),
    (lambda: losses.denoising(R, X, snr=np.ones(5)), "snr must have the shape"),
    (lambda: losses.denoising(R, X, gamma=0), "gamma must be a number above 0"),
    (lambda: losses.noise_schedule(0), "steps must be an integer from 1"),
    (lambda: losses.noise_schedule(5, end=2.0), "end must lie between 0 and 1"),
]


@pytest.mark.parametrize("call", [call for call, _ in REFUSED], ids=[words for _, words in REFUSED])
def test_refusals_say_why(call: Any) -> None:
    with refusal(assay.AssayError):
        call()


def test_undefined_is_said_of_the_whole_and_not_of_each_term() -> None:
    x, codes = np.ones((2, 3)), np.zeros((2, 1))
    given: Any = {"mean": codes, "log_variance": codes, "mask": [0, 0]}
    for undefined in (0, 1, 2.5):
        assert float(losses.vae(x, x, undefined=undefined, **given)) == undefined
    assert np.isnan(losses.vae(x, x, undefined="nan", **given))
    with refusal(assay.UndefinedError):
        losses.vae(x, x, undefined="error", **given)
    given["mask"] = [1, 0]
    assert float(losses.vae(x, 0 * x, undefined=1, **given)) == 3
