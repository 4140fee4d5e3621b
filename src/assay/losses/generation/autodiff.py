"""Gradients of functions that the caller passes, and loops of samplers, by the library of the arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from assay.core.arrays import Array, Namespace
from assay.core.errors import InputError
from assay.losses.accelerators import jax_accelerators, torch_accelerators

S = TypeVar("S")


def repeated(xp: Namespace, steps: int, step: Callable[[Array, S], S], state: S) -> S:
    """``state = step(k, state)`` for k = 0, 1, ...; JAX compiles the step once instead of once for each."""
    if "jax" in xp.__name__:
        return jax_accelerators().autodiff.repeated(steps, step, state)
    for k in range(steps):
        state = step(k, state)
    return state


def gradient(who: str, xp: Namespace, function: Callable[[Array], Array], at: Array, *, graph: bool) -> Array:
    """The gradient of the sum of ``function`` at ``at``, by PyTorch or JAX; with ``graph`` it can be differentiated again."""
    if "torch" in xp.__name__:
        return torch_accelerators().autodiff.gradient(function, at, graph=graph)
    if "jax" in xp.__name__:
        return jax_accelerators().autodiff.gradient(function, at, graph=graph)
    library = xp.__name__.rsplit(".", 1)[-1]
    raise InputError(
        who,
        "",
        f"it needs the gradient of a function, which {library} cannot take",
        "Pass PyTorch tensors or JAX arrays.",
    )
