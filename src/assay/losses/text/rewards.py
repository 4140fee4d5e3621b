"""A reward for sampled sequences: how much of a reference they contain, in words and runs of words."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from assay.core.arrays import Array, ArrayLike, array_api_compat, like, to_host
from assay.core.errors import InputError, ParameterError
from assay.losses.parameter_checks import between


def ngram_reward(
    candidates: ArrayLike, references: ArrayLike, *, order: int = 4, smooth: float = 1.0, padding: int | None = None
) -> Array:
    r"""BLEU of single sequences of integers, between 0 and 1: a reward for `reinforce`, or 1 - risk for `minimum_risk`.

    .. math:: e^{\min(0, 1 - r/c)} \prod_{n=1}^N \left(\frac{m_n + s}{c_n + s}\right)^{1/N}

    Of the ``c_n`` n-grams of a candidate ``m_n`` occur in its reference, none more often than there; ``smooth`` (s) is added
    for n above 1 only, so that a sequence without a right pair still gets something, and one without a right word nothing.
    Shapes are (..., length) for both, and references may lack the axis of samples: (batch, length) beside (batch, samples,
    length). A sequence ends at the first ``padding``. The reward has no gradient.

    >>> float(ngram_reward([1, 2, 3], [1, 2, 3], order=2))
    1.0
    """
    given: Any = order
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise ParameterError("ngram_reward", "order", f"must be an integer of at least 1, got {order!r}")
    between("ngram_reward", 0.0, math.inf, smooth=smooth)
    found, wanted = _whole("candidates", candidates), _whole("references", references)
    if wanted.ndim == found.ndim - 1:
        wanted = np.broadcast_to(wanted[..., None, :], (*found.shape[:-1], wanted.shape[-1]))
    if found.shape[:-1] != wanted.shape[:-1]:
        raise InputError(
            "ngram_reward",
            "",
            f"there must be one reference per candidate or per batch entry, got {found.shape} and {wanted.shape}",
        )
    pairs = zip(found.reshape(-1, found.shape[-1]), wanted.reshape(-1, wanted.shape[-1]), strict=True)
    rewards = [_bleu(_ended(a, padding), _ended(b, padding), order, smooth) for a, b in pairs]
    values = np.asarray(rewards, dtype=np.float64).reshape(found.shape[:-1])
    return like(candidates, values) if array_api_compat.is_array_api_obj(candidates) else values


def _whole(name: str, given: Any) -> Any:
    array = to_host(given) if array_api_compat.is_array_api_obj(given) else np.asarray(given)
    if array.dtype.kind not in "iu" or array.ndim == 0:
        raise InputError("ngram_reward", name, f"must be sequences of integers, got {array.dtype} {array.shape}")
    return array


def _ended(tokens: Any, padding: int | None) -> list[int]:
    words: list[int] = tokens.tolist()
    return words[: words.index(padding)] if padding is not None and padding in words else words


def _grams(words: list[int], n: int) -> Counter[tuple[int, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def _bleu(found: list[int], wanted: list[int], order: int, smooth: float) -> float:
    if not found or not wanted:
        return float(found == wanted)
    total = min(0.0, 1 - len(wanted) / len(found))
    for n in range(1, order + 1):
        grams = _grams(found, n)
        hits, count = (grams & _grams(wanted, n)).total(), grams.total()
        more = smooth if n > 1 else 0.0
        if hits + more == 0:
            return 0.0
        total += math.log((hits + more) / (count + more)) / order
    return math.exp(total)
