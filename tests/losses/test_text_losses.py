"""Losses of text: PyTorch's values and gradients, chunks, enumerated policies, hard numbers, refusals."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from messages import refusal

torch = pytest.importorskip("torch")
functional = torch.nn.functional
RNG = np.random.default_rng(24)
H, W, SHIFT = RNG.normal(size=(4, 6, 8)), RNG.normal(size=(11, 8)), RNG.normal(size=11)
TOKENS = np.where(RNG.random((4, 6)) < 0.25, -100, RNG.integers(0, 11, (4, 6)))
U, V = RNG.normal(size=(30, 7)), RNG.normal(size=(30, 7))
SIGN = RNG.choice([-1.0, 1.0], 30)


def equal(ours: Any, theirs: Any, *starts: Any) -> None:
    """Equal values and gradients in all arguments."""
    mine, other = ([torch.tensor(x, requires_grad=True) for x in starts] for _ in range(2))
    a, b = ours(*mine), theirs(*other)
    torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)
    for one, two in zip(torch.autograd.grad(a, mine), torch.autograd.grad(b, other), strict=True):
        torch.testing.assert_close(one, two, rtol=1e-10, atol=1e-12)


# ---- tokens


def test_tokens_are_those_of_torch() -> None:
    logits, t = RNG.normal(size=(4, 6, 11)), torch.tensor(TOKENS)
    for smoothing in (0.0, 0.1):
        equal(
            lambda z: losses.token_cross_entropy(z, t, label_smoothing=smoothing),  # noqa: B023
            lambda z: functional.cross_entropy(z.reshape(-1, 11), t.reshape(-1), label_smoothing=smoothing),  # noqa: B023
            logits,
        )
    single = losses.token_cross_entropy(logits, TOKENS, reduction="none")
    assert single.shape == (4, 6)
    assert (single[TOKENS == -100] == 0).all()


@pytest.mark.parametrize("chunk", [1, 5, 24, None])
@pytest.mark.parametrize("small", [True, False])
def test_chunks_of_hidden_states_change_nothing(
    chunk: int | None, small: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plain body of small tensors and the block-wise one of large ones, for states, matrix and bias."""
    monkeypatch.setattr("assay.torch.blocks.FEWEST", 1 << 18 if small else 1)
    t, weight = torch.tensor(TOKENS), torch.tensor(RNG.random((4, 6)))

    def plain(h: Any, w: Any, b: Any) -> Any:
        each = functional.cross_entropy((h @ w.T + b).reshape(-1, 11), t.reshape(-1), reduction="none")
        keep = (t.reshape(-1) != -100) * weight.reshape(-1)
        return (each * keep).sum() / keep.sum()

    equal(
        lambda h, w, b: losses.token_cross_entropy(hidden=h, output=w, bias=b, target=t, chunk=chunk, weight=weight),
        plain,
        H,
        W,
        SHIFT,
    )


def test_second_derivatives_of_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.torch.blocks.FEWEST", 1)
    h, w = torch.tensor(H[0, :3], requires_grad=True), torch.tensor(W[:4], requires_grad=True)
    t = torch.tensor([0, 3, -100])
    assert torch.autograd.gradgradcheck(
        lambda a, b: losses.token_cross_entropy(hidden=a, output=b, target=t, chunk=2), (h, w)
    )


def test_chunks_on_jax_keep_no_logits() -> None:
    jax = pytest.importorskip("jax")

    def f(h: Any, w: Any) -> Any:
        return losses.token_cross_entropy(hidden=h, output=w, target=jax.numpy.asarray(TOKENS), chunk=5)

    inputs = [jax.numpy.asarray(x) for x in (H, W)]
    found = jax.jit(jax.grad(f, (0, 1)))(*inputs)
    h, w = (torch.tensor(x, requires_grad=True) for x in (H, W))
    losses.token_cross_entropy(hidden=h, output=w, target=torch.tensor(TOKENS)).backward()
    np.testing.assert_allclose(np.asarray(found[0]), h.grad.numpy(), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(np.asarray(found[1]), w.grad.numpy(), rtol=1e-4, atol=1e-6)
    assert "remat" in str(jax.make_jaxpr(jax.grad(f))(*inputs))


def test_only_padding_is_nothing() -> None:
    h, w = (torch.tensor(x, requires_grad=True) for x in (H, W))
    value = losses.token_cross_entropy(hidden=h, output=w, target=torch.full((4, 6), -100))
    value.backward()
    assert float(value) == 0
    assert (w.grad == 0).all()


# ---- pairs


def test_cosine_is_that_of_torch() -> None:
    y = torch.tensor(SIGN)
    equal(
        lambda u, v: losses.cosine(u, v, y, margin=0.1),
        lambda u, v: functional.cosine_embedding_loss(u, v, y, margin=0.1),
        U,
        V,
    )


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
def test_vectors_of_zeros_and_large_ones_stay_finite(dtype: str) -> None:
    kind = getattr(torch, dtype)
    u = torch.tensor([[0.0, 0.0], [1e4, 1e4], [0.0, 0.0], [1.0, 2.0]], dtype=kind, requires_grad=True)
    v = torch.tensor([[1.0, 2.0], [1e4, -1e4], [0.0, 0.0], [1.0, 2.0]], dtype=kind, requires_grad=True)
    value = losses.cosine(u, v, [1, -1, -1, 1])
    value.backward()
    assert torch.isfinite(value)
    assert torch.isfinite(u.grad).all()
    assert torch.isfinite(v.grad).all()


def test_ranks_are_those_of_torch() -> None:
    y = torch.tensor(SIGN)
    equal(
        lambda a, b: losses.margin_ranking(a, b, y, margin=0.3),
        lambda a, b: functional.margin_ranking_loss(a, b, y, margin=0.3),
        U[:, 0],
        V[:, 0],
    )
    assert float(losses.margin_ranking(U[:, 0], V[:, 0], margin=0.3)) == pytest.approx(
        np.maximum(0, 0.3 - U[:, 0] + V[:, 0]).mean(), rel=1e-12
    )


def test_ranknet_is_the_logistic_loss_of_the_lead() -> None:
    lead = U[:, 0] - V[:, 0]
    assert float(losses.ranknet(U[:, 0], V[:, 0])) == pytest.approx(np.log1p(np.exp(-lead)).mean(), rel=1e-12)
    chance = RNG.random(30)
    equal(
        lambda a, b: losses.ranknet(a, b, torch.tensor(chance), scale=2.0),
        lambda a, b: functional.binary_cross_entropy_with_logits(2 * (a - b), torch.tensor(chance)),
        U[:, 0],
        V[:, 0],
    )
    far = torch.tensor([1e4, -1e4], requires_grad=True)
    value = losses.ranknet(far, torch.zeros(2))
    value.backward()
    assert float(value) == 5000
    assert torch.isfinite(far.grad).all()


# ---- sampled sequences, on a policy small enough to enumerate: two tokens out of three

SEQUENCES = torch.tensor(list(itertools.product(range(3), repeat=2)))
REWARD = torch.tensor(RNG.random(9))


def policy(theta: Any) -> Any:
    """The log-probabilities of the tokens of all nine sequences; the second depends on the first."""
    first, second = torch.log_softmax(theta[0], -1), torch.log_softmax(theta[1:], -1)
    return torch.stack([first[SEQUENCES[:, 0]], second[SEQUENCES[:, 0], SEQUENCES[:, 1]]], dim=1)


def theta() -> Any:
    return torch.tensor(np.random.default_rng(3).normal(size=(4, 3)), requires_grad=True)


def exact(reward: Any = REWARD) -> Any:
    """The gradient of minus the expected reward."""
    at = theta()
    return torch.autograd.grad(-(policy(at).sum(1).exp() * reward).sum(), at)[0]


def test_minimum_risk_over_all_sequences_is_the_expected_risk() -> None:
    at = theta()
    value = losses.minimum_risk(policy(at).sum(1)[None], -REWARD[None])
    assert float(value) == pytest.approx(float(-(policy(at).sum(1).exp() * REWARD).sum()), rel=1e-12)
    torch.testing.assert_close(torch.autograd.grad(value, at)[0], exact(), rtol=1e-10, atol=1e-13)
    alpha, logs = 0.3, RNG.normal(size=(4, 5))
    q = np.exp(alpha * logs) / np.exp(alpha * logs).sum(axis=1, keepdims=True)
    risk = RNG.random((4, 5))
    assert float(losses.minimum_risk(logs, risk, alpha=alpha)) == pytest.approx(
        (q * risk).sum(axis=1).mean(), rel=1e-12
    )


def test_minimum_risk_of_samples_that_exist() -> None:
    logs, risk = torch.tensor(RNG.normal(size=(3, 4)), requires_grad=True), torch.tensor(RNG.random((3, 4)))
    there = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0]], dtype=torch.bool)
    value = losses.minimum_risk(logs, risk, valid=there, reduction="none")
    assert float(value[0]) == pytest.approx(float(losses.minimum_risk(logs[:1, :2], risk[:1, :2])), rel=1e-12)
    assert float(value[2]) == 0
    value.sum().backward()
    assert torch.isfinite(logs.grad).all()
    assert (logs.grad[~there] == 0).all()


def expected_gradient(baseline: Any) -> Any:
    """The exact mean of the gradient over all batches of two independent samples."""
    chance, total = policy(theta()).sum(1).exp().detach(), torch.zeros(4, 3, dtype=torch.float64)
    for i, j in itertools.product(range(9), repeat=2):
        at = theta()
        both = [i, j]
        value = losses.reinforce(policy(at).sum(1)[both], REWARD[both], baseline=baseline)
        total += chance[i] * chance[j] * torch.autograd.grad(value, at)[0]
    return total


@pytest.mark.parametrize(("baseline", "share"), [(None, 1.0), (0.37, 1.0), ("leave_one_out", 1.0), ("batch", 0.5)])
def test_the_mean_gradient_is_that_of_the_expected_reward(baseline: Any, share: float) -> None:
    """Unbiased with a constant and with the mean of the others; the batch mean takes 1/batch of it, here half."""
    torch.testing.assert_close(expected_gradient(baseline), share * exact(), rtol=1e-10, atol=1e-13)


def test_rewards_of_tokens_are_unbiased_too() -> None:
    """Each token answers for what comes from it on; the gradient is that of the whole expected reward."""
    single = torch.tensor(RNG.random((3, 3)))
    rewards = torch.stack([single[0][SEQUENCES[:, 0]], single[1][SEQUENCES[:, 1]]], dim=1)
    chance, at = policy(theta()).sum(1).exp().detach(), theta()
    value = (losses.reinforce(policy(at), rewards, reduction="none") * chance).sum()
    torch.testing.assert_close(torch.autograd.grad(value, at)[0], exact(rewards.sum(1)), rtol=1e-10, atol=1e-13)


def test_discounts_masks_and_baselines_by_hand() -> None:
    logs, reward = np.array([[-1.0, -2.0, -4.0]]), np.array([[1.0, 2.0, 4.0]])
    assert float(losses.reinforce(logs, reward, discount=0.5)) == 1 * 3 + 2 * 4 + 4 * 4
    mask = np.array([[1, 1, 0]])
    assert float(losses.reinforce(logs, reward, discount=0.5, mask=mask)) == 1 * 2 + 2 * 2
    assert float(losses.reinforce(logs, [2.0], mask=mask)) == 2 * 3
    four = np.array([1.0, 2.0, 3.0, 6.0])
    found = losses.reinforce(-np.ones(4), four, baseline="leave_one_out", reduction="none", mask=[1, 1, 1, 0])
    np.testing.assert_allclose(found, [1 - 2.5, 2 - 2.0, 3 - 1.5, 0.0])
    assert float(losses.reinforce([-1.0], [5.0], baseline="leave_one_out")) == 5.0


def test_the_advantage_is_a_constant() -> None:
    logs, reward = (torch.tensor(RNG.normal(size=5), requires_grad=True) for _ in range(2))
    losses.reinforce(logs, reward, baseline="leave_one_out").backward()
    assert reward.grad is None
    others = (reward.sum() - reward) / 4
    torch.testing.assert_close(logs.grad, (-(reward - others) / 5).detach())


def test_the_moving_baseline_moves() -> None:
    value = 0.0
    for _ in range(200):
        value = losses.moving_baseline(value, [0.0, 1.0], decay=0.9)
    assert float(value) == pytest.approx(0.5, abs=1e-8)
    tensor = losses.moving_baseline(1.0, torch.tensor([0.0, 1.0], requires_grad=True))
    assert not tensor.requires_grad


REFUSED = [
    (lambda: losses.token_cross_entropy(H), "give logits and target"),
    (lambda: losses.token_cross_entropy(target=TOKENS, hidden=H), "give logits and target"),
    (lambda: losses.token_cross_entropy(H, TOKENS[:2]), "one token for each"),
    (lambda: losses.token_cross_entropy(target=TOKENS, hidden=H, output=W[:, :3]), "output must be"),
    (lambda: losses.token_cross_entropy(target=TOKENS, hidden=H, output=W, bias=SHIFT[:2]), "bias must have"),
    (lambda: losses.token_cross_entropy(target=TOKENS, hidden=H, output=W, chunk=0), "chunk must be"),
    (lambda: losses.cosine(U, V, SIGN[:3]), "target must have the shape"),
    (lambda: losses.cosine(U, V, margin=2.0), "margin must be"),
    (lambda: losses.margin_ranking(U, V, margin=-1.0), "margin must be"),
    (lambda: losses.ranknet(U, V, scale=0.0), "scale must be"),
    (lambda: losses.minimum_risk(U, V, alpha=0.0), "alpha must be"),
    (lambda: losses.minimum_risk(U, V, valid=SIGN), "valid must have the shape"),
    (lambda: losses.reinforce(U, V[:3]), "reward must hold"),
    (lambda: losses.reinforce(U, V, baseline="mean"), "baseline must be one of"),
    (lambda: losses.reinforce(U, V, baseline=SIGN[:3]), "baseline must be a number"),
    (lambda: losses.reinforce(U, V, discount=1.5), "discount must be"),
    (lambda: losses.moving_baseline(0.0, [1.0], decay=2.0), "decay must be"),
]


@pytest.mark.parametrize(
    "call", [call for call, _ in REFUSED], ids=[f"{i}-{words}" for i, (_, words) in enumerate(REFUSED)]
)
def test_refusals_say_why(call: Any) -> None:
    with refusal(assay.AssayError):
        call()
