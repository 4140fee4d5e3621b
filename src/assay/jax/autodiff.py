"""What samplers and penalties need of JAX beyond arrays: gradients, loops that compile once, keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import jax as _jax

jax = cast(Any, _jax)  # its own annotations are partial


def gradient(function: Callable[[Any], Any], at: Any, *, graph: bool) -> Any:
    """The gradient of the sum of ``function`` at ``at``; JAX can always differentiate it again."""

    def summed(x: Any) -> Any:
        return jax.numpy.sum(function(x))

    return jax.grad(summed)(at)


def repeated(steps: int, step: Callable[[Any, Any], Any], state: Any) -> Any:
    """``state = step(k, state)``, compiled once."""
    return jax.lax.fori_loop(0, steps, step, state)


def noise(seed: Any, shape: tuple[int, ...], dtype: Any, kind: str, at: Any) -> Any:
    """Random numbers of a key, which is made of an integer if that is what was given."""
    key = jax.random.key(seed) if isinstance(seed, int) else seed
    return getattr(jax.random, kind)(jax.random.fold_in(key, at), shape, dtype)
