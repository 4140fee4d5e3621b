"""The reward of sampled sequences: by hand, clipped, brief, padded, in any array library."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from assay.losses import ngram_reward
from messages import refusal


def test_by_hand() -> None:
    """the cat sat / the cat ate: words 2/3; pairs (1 + 1)/(2 + 1); equal length."""
    found = ngram_reward([1, 2, 3], [1, 2, 4], order=2)
    assert float(found) == pytest.approx(math.sqrt(2 / 3 * 2 / 3))
    # the the the against the cat: one word counts once; too long is no crime, and no pair is right
    assert float(ngram_reward([1, 1, 1], [1, 2], order=2)) == pytest.approx(math.sqrt(1 / 3 * 1 / 3))
    # brevity: one right word of two
    assert float(ngram_reward([1], [1, 2], order=1)) == pytest.approx(math.exp(1 - 2))
    assert float(ngram_reward([5, 6], [1, 2])) == 0.0
    assert float(ngram_reward([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])) == 1.0


def test_padding_ends_a_sequence_and_samples_share_a_reference() -> None:
    drawn = np.array([[[1, 2, 0, 7], [1, 0, 0, 0]], [[3, 3, 3, 0], [0, 0, 0, 0]]])
    wanted = np.array([[1, 2, 0], [3, 3, 3]])
    found = ngram_reward(drawn, wanted, order=1, padding=0)
    np.testing.assert_allclose(found, [[1.0, math.exp(-1)], [1.0, 0.0]])


def test_tensors_stay_tensors() -> None:
    torch = pytest.importorskip("torch")
    found = ngram_reward(torch.tensor([[1, 2], [2, 1]]), torch.tensor([[1, 2], [1, 2]]), order=2)
    assert isinstance(found, torch.Tensor)
    np.testing.assert_allclose(found, [1.0, math.sqrt(1 / 2)])


@pytest.mark.parametrize(
    "call",
    [
        lambda: ngram_reward([1.5], [1]),
        lambda: ngram_reward([[1]], [[1], [2]]),
        lambda: ngram_reward([1], [1], order=0),
        lambda: ngram_reward([1], [1], smooth=-1.0),
    ],
)
def test_refusals(call: Any) -> None:
    with refusal(assay.AssayError):
        call()


LIBRARIES = ["numpy", "torch", "jax"]


def made(library: str, x: Any) -> Any:
    if library == "numpy":
        return x
    module: Any = pytest.importorskip("torch" if library == "torch" else "jax.numpy")
    return module.asarray(x)


@pytest.mark.parametrize("library", LIBRARIES)
def test_normalised_rewards_are_those_of_the_textbook(library: str) -> None:
    """(R - mean) / sd with n - 1, as in PyTorch's own example of REINFORCE."""
    rng = np.random.default_rng(0)
    logs, rewards = -rng.random(9), 100 * rng.random(9)
    want = -np.mean(logs * (rewards - rewards.mean()) / rewards.std(ddof=1))
    for scale in (1.0, 1e-3, 1e3):
        ours = losses.reinforce(made(library, logs), made(library, scale * rewards), baseline="batch", standardize=True)
        assert float(ours) == pytest.approx(want, rel=1e-5)


def test_a_baseline_of_the_caller_is_not_centred_again() -> None:
    logs, rewards = np.array([-1.0, -2.0, -3.0]), np.array([1.0, 2.0, 6.0])
    want = -np.mean(logs * (rewards - 1.0) / rewards.std(ddof=1))
    assert float(losses.reinforce(logs, rewards, baseline=1.0, standardize=True)) == pytest.approx(want)


def test_only_what_is_selected_is_normalised() -> None:
    logs, rewards = np.array([-1.0, -2.0, -3.0, -4.0]), np.array([1.0, 2.0, 6.0, 1e6])
    mask = [True, True, True, False]
    ours = losses.reinforce(logs, rewards, baseline="batch", standardize=True, mask=mask)
    assert float(ours) == pytest.approx(
        float(losses.reinforce(logs[:3], rewards[:3], baseline="batch", standardize=True))
    )
    tokens = np.array([[-1.0, -2.0], [-3.0, -0.5]])
    given, there = np.array([[1.0, 4.0], [2.0, 50.0]]), np.array([[1, 1], [1, 0]])
    advantage = np.array([[5.0, 4.0], [2.0, 0.0]])  # rewards still to come
    spread = np.std([5.0, 4.0, 2.0], ddof=1)
    assert float(losses.reinforce(tokens, given, standardize=True, mask=there)) == pytest.approx(
        -np.sum(tokens * advantage) / spread / 2
    )


def test_equal_rewards_teach_nothing() -> None:
    """0.1 thirty times has a standard deviation of rounding alone, by which nothing must be divided."""
    logs = -np.arange(30.0)
    assert abs(float(losses.reinforce(logs, np.full(30, 0.1), baseline="batch", standardize=True))) < 1e-12
    assert abs(float(losses.minimum_risk([[-1.0, -2.0, -3.0]], [[0.1, 0.1, 0.1]], standardize=True))) < 1e-12
    assert float(losses.reinforce([-1.0], [2.0], standardize=True)) == 2.0  # one reward has no deviation


def test_risks_of_every_input_are_brought_to_one_scale() -> None:
    logs = np.array([[-1.0, -2.0, -0.5], [-1.0, -2.0, -0.5]])
    risk = np.array([[1.0, 2.0, 6.0], [100.0, 200.0, 600.0]])
    ours = losses.minimum_risk(logs, risk, standardize=True, reduction="none")
    q = np.exp(logs[0]) / np.exp(logs[0]).sum()
    want = q @ (risk[0] - risk[0].mean()) / risk[0].std(ddof=1)
    np.testing.assert_allclose(ours, [want, want])
    padded, there = np.array([[1.0, 2.0, 6.0, 1e9]]), [[True, True, True, False]]
    four = np.array([[-1.0, -2.0, -0.5, -9.0]])
    assert float(losses.minimum_risk(four, padded, valid=there, standardize=True)) == pytest.approx(want)
