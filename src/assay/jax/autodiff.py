"""What samplers and penalties need of JAX beyond arrays: gradients, loops that compile once, keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import jax as _jax
from jax import Array as JaxArray

jax = cast(Any, _jax)  # its own annotations are partial
S = TypeVar("S")


def gradient(function: Callable[[JaxArray], JaxArray], at: JaxArray, *, graph: bool) -> JaxArray:
    """The gradient of the sum of ``function`` at ``at``; JAX can always differentiate it again."""

    def summed(x: JaxArray) -> JaxArray:
        return jax.numpy.sum(function(x))

    return jax.grad(summed)(at)


def repeated(steps: int, step: Callable[[JaxArray, S], S], state: S) -> S:
    """``state = step(k, state)``, compiled once."""
    return jax.lax.fori_loop(0, steps, step, state)


def noise(seed: object, shape: tuple[int, ...], dtype: object, kind: str, at: object) -> JaxArray:
    """Random numbers of a key, which is made of an integer if that is what was given."""
    key = jax.random.key(seed) if isinstance(seed, int) else seed
    return getattr(jax.random, kind)(jax.random.fold_in(key, at), shape, dtype)
