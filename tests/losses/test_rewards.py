"""The reward of sampled sequences: by hand, clipped, brief, padded, in any array library."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import assay
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
