"""Losses of generation: values and gradients against PyTorch, SciPy and closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import rel_entr

from assay import losses

RNG = np.random.default_rng(8)
X, R = RNG.random((6, 2, 3, 3)), RNG.normal(size=(6, 2, 3, 3))
P, Q = RNG.dirichlet(np.ones(5), 7), RNG.dirichlet(np.ones(5), 7)
Z = RNG.normal(size=(7, 5))
MEAN, LOGV = RNG.normal(size=(7, 4)), RNG.normal(size=(7, 4))


def agree(ours: Any, theirs: Any, *start: Any) -> None:
    """The same value and the same gradients, in double precision on PyTorch."""
    torch = pytest.importorskip("torch")
    a, b = ([torch.tensor(x, requires_grad=True) for x in start] for _ in range(2))
    mine, other = ours(*a), theirs(*b)
    torch.testing.assert_close(mine, other, rtol=1e-12, atol=1e-12)
    for one, two in zip(torch.autograd.grad(mine, a), torch.autograd.grad(other, b), strict=True):
        torch.testing.assert_close(one, two, rtol=1e-10, atol=1e-12)


def functional() -> Any:
    return pytest.importorskip("torch").nn.functional


# ---- reconstruction and autoencoders


def test_reconstruction_sums_over_pixels_and_averages_over_pictures() -> None:
    assert float(losses.reconstruction(R, X)) == pytest.approx(((R - X) ** 2).sum() / 6, rel=1e-12)
    F, x = functional(), pytest.importorskip("torch").tensor(X)
    agree(lambda r: losses.reconstruction(r, x), lambda r: F.mse_loss(r, x, reduction="sum") / 6, R)
    agree(
        lambda r: losses.reconstruction(logits=r, target=x),
        lambda r: F.binary_cross_entropy_with_logits(r, x, reduction="sum") / 6,
        R,
    )
    p = RNG.random(X.shape)
    agree(
        lambda r: losses.reconstruction(probabilities=r, target=x),
        lambda r: F.binary_cross_entropy(r, x, reduction="sum") / 6,
        p,
    )


def test_vae_is_the_sum_of_its_parts() -> None:
    codes = {"mean": MEAN[:6], "log_variance": LOGV[:6]}
    whole = losses.vae(R, X, **codes, beta=0.3, parts=True)
    error, divergence = losses.reconstruction(R, X), losses.gaussian_kl(**codes)
    assert float(whole.parts["reconstruction"]) == pytest.approx(float(error), rel=1e-12)
    assert float(whole.parts["divergence"]) == pytest.approx(float(divergence), rel=1e-12)
    assert float(whole.total) == pytest.approx(float(error + 0.3 * divergence), rel=1e-12)
    assert float(losses.vae(R, X, **codes, beta=0.3)) == float(whole.total)
    each = losses.vae(R, X, **codes, reduction="none")
    assert each.shape == (6,)
    by_hand = ((R - X) ** 2).sum((1, 2, 3)) + 0.5 * (MEAN**2 + np.exp(LOGV) - 1 - LOGV)[:6].sum(1)
    np.testing.assert_allclose(each, by_hand, rtol=1e-12)


def test_a_batch_twice_as_large_does_not_change_beta() -> None:
    codes = {"mean": MEAN[:6], "log_variance": LOGV[:6]}
    twice = {name: np.concatenate([x, x]) for name, x in codes.items()}
    doubled = losses.vae(np.concatenate([R, R]), np.concatenate([X, X]), **twice, beta=4.0)
    assert float(doubled) == pytest.approx(float(losses.vae(R, X, **codes, beta=4.0)), rel=1e-12)


# ---- divergences


def test_kl_is_that_of_scipy_in_every_kind() -> None:
    exact = rel_entr(P, Q).sum(1)
    kinds: list[dict[str, Any]] = [
        {"probabilities": Q, "target": P},
        {"log_probabilities": np.log(Q), "target": P},
        {"logits": np.log(Q) + 3.0, "target": P},
        {"logits": np.log(Q), "target_logits": np.log(P) - 40.0},
        {"probabilities": Q, "target_log_probabilities": np.log(P)},
    ]
    for given in kinds:
        np.testing.assert_allclose(losses.kl_divergence(**given, reduction="none"), exact, rtol=1e-10)
        assert float(losses.kl_divergence(**given)) == pytest.approx(exact.mean(), rel=1e-10)
    assert float(losses.kl_divergence(probabilities=Q[0], target=P[0])) == pytest.approx(exact[0], rel=1e-12)


def test_kl_is_that_of_torch_in_value_and_gradient() -> None:
    torch, F = pytest.importorskip("torch"), functional()
    p = torch.tensor(P)
    agree(
        lambda z: losses.kl_divergence(z, p),
        lambda z: F.kl_div(torch.log_softmax(z, 1), p, reduction="batchmean"),
        Z,
    )
    agree(
        lambda q, t: losses.kl_divergence(log_probabilities=q, target_log_probabilities=t),
        lambda q, t: F.kl_div(q, t, reduction="batchmean", log_target=True),
        np.log(Q),
        np.log(P),
    )
    agree(
        lambda z, w: losses.kl_divergence(z, target_logits=w),
        lambda z, w: torch.distributions.kl_divergence(
            torch.distributions.Categorical(logits=w), torch.distributions.Categorical(logits=z)
        ).mean(),
        Z,
        2 * Z[::-1].copy(),
    )


def test_kl_of_maps_has_its_classes_in_the_second_axis() -> None:
    q, p = RNG.dirichlet(np.ones(3), (2, 4)), RNG.dirichlet(np.ones(3), (2, 4))
    found = losses.kl_divergence(probabilities=np.moveaxis(q, -1, 1), target=np.moveaxis(p, -1, 1), reduction="none")
    np.testing.assert_allclose(found, rel_entr(p, q).sum(-1), rtol=1e-12)


def test_zeros_of_both_sides() -> None:
    torch = pytest.importorskip("torch")
    p = torch.tensor([[1.0, 0.0], [0.5, 0.5]], dtype=torch.float64, requires_grad=True)
    q = torch.tensor([[0.5, 0.5], [1.0, 0.0]], dtype=torch.float64, requires_grad=True)
    each = losses.kl_divergence(probabilities=q, target=p, reduction="none")
    tiny = np.finfo(np.float64).smallest_normal
    assert each.tolist() == pytest.approx([math.log(2), 0.5 * math.log(0.5) + 0.5 * (math.log(0.5) - math.log(tiny))])
    assert all(bool(torch.isfinite(g).all()) for g in torch.autograd.grad(each.sum(), (p, q)))
    never = torch.tensor([[0.0, -math.inf]], dtype=torch.float64, requires_grad=True)  # a class that is masked out
    masked = losses.kl_divergence(never, torch.tensor([[1.0, 0.0]], dtype=torch.float64))
    assert masked.item() == 0
    assert bool(torch.isfinite(torch.autograd.grad(masked, never)[0]).all())
    assert float(losses.kl_divergence([[0.0, -math.inf]], [[0.5, 0.5]])) == math.inf
    logs = losses.kl_divergence(log_probabilities=np.log(Q[:1, :2]), target_log_probabilities=[[0.0, -math.inf]])
    assert float(logs) == pytest.approx(-math.log(Q[0, 0]), rel=1e-12)


def test_normal_divergence_is_that_of_torch_distributions() -> None:
    torch = pytest.importorskip("torch")

    def theirs(m: Any, v: Any, n: Any = None, w: Any = None) -> Any:
        normal = torch.distributions.Normal
        other = normal(torch.zeros_like(m), torch.ones_like(m)) if n is None else normal(n, torch.exp(0.5 * w))
        return torch.distributions.kl_divergence(normal(m, torch.exp(0.5 * v)), other).sum(1).mean()

    agree(losses.gaussian_kl, theirs, MEAN, LOGV)
    agree(
        lambda m, v, n, w: losses.gaussian_kl(m, v, target_mean=n, target_log_variance=w),
        theirs,
        MEAN,
        LOGV,
        MEAN[::-1].copy(),
        0.5 * LOGV[::-1],
    )


# ---- adversarial games


FAKE, REAL = 2 * RNG.normal(size=(8, 1)), 2 * RNG.normal(size=5)


def test_adversarial_losses_are_cross_entropies_of_torch() -> None:
    torch, F = pytest.importorskip("torch"), functional()
    bce = F.binary_cross_entropy_with_logits
    agree(losses.adversarial, lambda f: bce(f, torch.ones_like(f)), FAKE)
    agree(
        lambda f: losses.adversarial(f, form="minimax"),
        lambda f: -bce(f, torch.zeros_like(f)),
        FAKE,
    )
    for form in ("non_saturating", "minimax"):
        agree(
            lambda f, r, form=form: losses.adversarial(f, r, role="discriminator", form=form, label_smoothing=0.1),
            lambda f, r: bce(f, torch.zeros_like(f)) + bce(r, torch.full_like(r, 0.9)),
            FAKE,
            REAL,
        )


def test_hinge_least_squares_and_wasserstein_by_hand() -> None:
    fake, real = np.array([-2.0, 0.5]), np.array([0.25, 3.0, -1.0])
    games: list[tuple[str, float, float]] = [
        ("hinge", 0.75, (0 + 1.5) / 2 + (0.75 + 0 + 2) / 3),
        ("least_squares", (9 + 0.25) / 4, (4 + 0.25) / 4 + (0.5625 + 4 + 4) / 6),
    ]
    for form, generator, discriminator in games:
        assert float(losses.adversarial(fake, form=form)) == pytest.approx(generator, rel=1e-12)
        found = losses.adversarial(fake, real, role="discriminator", form=form, parts=True)
        assert float(found.total) == pytest.approx(discriminator, rel=1e-12)
        assert float(found.parts["real"] + found.parts["fake"]) == pytest.approx(discriminator, rel=1e-12)
    assert float(losses.wasserstein(fake)) == 0.75
    assert float(losses.wasserstein(fake, real, role="critic")) == pytest.approx(-0.75 - 0.75, rel=1e-12)
    parts = losses.wasserstein(fake, real, role="critic", parts=True).parts
    assert {name: float(v) for name, v in parts.items()} == {"fake": -0.75, "real": -0.75}


@pytest.mark.parametrize("form", ["non_saturating", "minimax", "hinge", "least_squares"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float64"])
def test_games_stay_finite_far_out(form: Any, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    x, y = (torch.tensor([-1e4, 0.0, 1e4], dtype=getattr(torch, dtype), requires_grad=True) for _ in range(2))
    for value in (losses.adversarial(x, form=form), losses.adversarial(x, y, role="discriminator", form=form)):
        value.backward()
        assert torch.isfinite(value)
        assert torch.isfinite(x.grad).all()


# ---- flows, noise, denoising


def test_an_affine_flow_has_the_density_of_its_normal_distribution() -> None:
    from scipy.stats import multivariate_normal

    A, b = RNG.normal(size=(3, 3)), RNG.normal(size=3)
    x = RNG.normal(size=(9, 3))
    latent = x @ A.T + b
    log_determinant = np.full(9, np.linalg.slogdet(A)[1])
    inverse = np.linalg.inv(A)
    exact = -multivariate_normal(-inverse @ b, inverse @ inverse.T).logpdf(x)
    np.testing.assert_allclose(losses.flow_nll(latent, log_determinant, reduction="none"), exact, rtol=1e-10)
    bits = losses.flow_nll(latent, log_determinant, bits_per_dimension=True)
    assert float(bits) == pytest.approx(exact.mean() / (3 * math.log(2)), rel=1e-10)
    pixels = losses.flow_nll(latent, log_determinant, bits_per_dimension=True, levels=256)
    assert float(pixels) == pytest.approx(float(bits) + 8, rel=1e-12)

    def logistic(z: Any) -> Any:
        return (-z - 2 * np.logaddexp(0, -z)).sum(1)

    other = losses.flow_nll(latent, log_determinant, log_density=logistic)
    assert float(other) == pytest.approx(-(logistic(latent) + log_determinant).mean(), rel=1e-12)


def test_uniform_pixels_cost_eight_bits() -> None:
    """The identity on [0, 1] with a uniform base: log2(256) bits for a pixel of 256 levels."""
    z = RNG.random((4, 10))
    found = losses.flow_nll(z, np.zeros(4), log_density=lambda z: np.zeros(4), bits_per_dimension=True, levels=256)
    assert float(found) == 8


def test_noise_contrast_in_closed_form() -> None:
    torch = pytest.importorskip("torch")
    a, b, on_a, on_b = RNG.normal(size=6), RNG.normal(size=18), RNG.normal(size=6), RNG.normal(size=18)
    k = 3.0
    ours = losses.noise_contrastive(a, b, data_log_noise=on_a, noise_log_noise=on_b, parts=True)
    real = np.exp(a) / (np.exp(a) + k * np.exp(on_a))
    fake = np.exp(b) / (np.exp(b) + k * np.exp(on_b))
    assert float(ours.parts["data"]) == pytest.approx(-np.log(real).mean(), rel=1e-12)
    assert float(ours.parts["noise"]) == pytest.approx(-k * np.log(1 - fake).mean(), rel=1e-12)
    far = torch.tensor([-1e4, 1e4], requires_grad=True)
    zero = torch.zeros(2)
    value = losses.noise_contrastive(far, -far, data_log_noise=zero, noise_log_noise=zero)
    assert torch.isfinite(torch.autograd.grad(value, far)[0]).all()


def test_noise_contrast_is_least_at_the_truth() -> None:
    """Expected gradient over all states of a small space: zero at the true log-density, its constant included."""
    torch = pytest.importorskip("torch")
    p, q = torch.tensor(P[0]), torch.tensor(Q[0])
    log_model = p.log().requires_grad_()

    def expected(at: Any, k: float) -> Any:
        terms = [
            p[s] * losses.noise_contrastive(
                at[s : s + 1], at[s : s + 1], data_log_noise=q[s : s + 1].log(), noise_log_noise=q[s : s + 1].log(),
                ratio=k, parts=True,
            ).parts["data"]
            + q[s] * losses.noise_contrastive(
                at[s : s + 1], at[s : s + 1], data_log_noise=q[s : s + 1].log(), noise_log_noise=q[s : s + 1].log(),
                ratio=k, parts=True,
            ).parts["noise"]
            for s in range(5)
        ]  # fmt: skip
        return sum(terms)

    for k in (1.0, 5.0):
        (slope,) = torch.autograd.grad(expected(log_model, k), log_model)
        assert float(slope.abs().max()) < 1e-12
        (elsewhere,) = torch.autograd.grad(expected(log_model + 0.5, k), log_model)
        assert float(elsewhere.min()) > 0  # the constant is learned too: a model that is too high is pulled down


def test_denoising_weights_by_the_ratio_of_signal_to_noise() -> None:
    F, torch = functional(), pytest.importorskip("torch")
    noise = torch.tensor(X)
    agree(lambda r: losses.denoising(r, noise), lambda r: F.mse_loss(r, noise), R)
    agree(lambda r: losses.denoising(r, noise, form="absolute"), lambda r: F.l1_loss(r, noise), R)
    snr = np.array([0.0, 0.1, 1.0, 5.0, 20.0, math.inf])
    weights = {
        "epsilon": np.array([1, 1, 1, 1, 0.25, 0]),
        "x0": np.array([0, 0.1, 1, 5, 5, 5]),
        "v": np.array([0, 0.1 / 1.1, 0.5, 5 / 6, 5 / 21, 0]),
    }
    errors = ((R - X) ** 2).mean((1, 2, 3))
    for predicts, weight in weights.items():
        found = losses.denoising(R, X, snr=snr, predicts=predicts)  # type: ignore[arg-type]
        assert float(found) == pytest.approx((weight * errors).mean(), rel=1e-12)
        both = losses.denoising(R, X, snr=snr, predicts=predicts, timestep_weight=np.arange(6.0))  # type: ignore[arg-type]
        assert float(both) == pytest.approx((np.arange(6) * weight * errors).mean(), rel=1e-12)


def test_schedules_of_noise() -> None:
    linear = losses.noise_schedule(1000)
    assert (linear.betas[0], linear.betas[-1]) == (1e-4, 0.02)
    np.testing.assert_allclose(linear.snr, linear.alphas_cumprod / (1 - linear.alphas_cumprod), rtol=1e-12)
    cosine = losses.noise_schedule(1000, form="cosine")
    t = (np.arange(1, 1000) / 1000 + 0.008) / 1.008 * math.pi / 2
    start = math.cos(0.008 / 1.008 * math.pi / 2) ** 2
    np.testing.assert_allclose(cosine.alphas_cumprod[:-1], np.cos(t) ** 2 / start, rtol=1e-9)
    assert cosine.betas.max() == 0.999
    assert np.all(np.diff(cosine.snr) < 0)
    assert losses.signal_to_noise([0.5, 1.0]).tolist() == [1.0, math.inf]


# ---- half precision at the edges, and what is refused
