"""Random numbers for samplers: they enter as a seed, a generator or a key, and the same one gives the same numbers."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias, cast

import numpy as np

from assay.core.arrays import Array, Namespace, SupportsArray, like
from assay.core.errors import ParameterError
from assay.losses.accelerators import jax_accelerators, torch_accelerators


class TorchGenerator(Protocol):
    """A generator of PyTorch."""

    def initial_seed(self) -> int:
        """The seed it began with."""
        ...


RandomSource: TypeAlias = int | np.random.Generator | TorchGenerator | SupportsArray  # the last: a key of JAX


def noise(
    xp: Namespace,
    seed: RandomSource,
    shape: tuple[int, ...],
    beside: Array,
    *,
    kind: Literal["uniform", "normal"],
    at: Array | int = 0,
) -> Array:
    """Uniform numbers in [0, 1) or normal ones, in the library, dtype and on the device of ``beside``.

    An integer gives the same numbers on NumPy and PyTorch: they are drawn by NumPy. A generator of NumPy or PyTorch is
    drawn from and moves on. JAX takes a key, or makes one of an integer. ``at`` tells the draws of one seed apart.
    """
    if "jax" in xp.__name__:
        return jax_accelerators().autodiff.noise(seed, tuple(shape), beside.dtype, kind, at)
    if type(seed).__module__.startswith("torch"):
        return torch_accelerators().autodiff.noise(seed, tuple(shape), beside, kind)
    generator = seed if isinstance(seed, np.random.Generator) else np.random.default_rng([_whole(seed), at])
    drawn = generator.random(shape) if kind == "uniform" else generator.standard_normal(shape)
    return xp.astype(like(beside, drawn), beside.dtype)


def _whole(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ParameterError(
            "", "seed", f"must be an integer from 0, a generator, or a JAX key under JAX, got {seed!r}"
        )
    return int(cast(Any, seed))
