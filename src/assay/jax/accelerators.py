"""Fills the table of accelerators of `assay.losses` with what JAX alone can do."""

from __future__ import annotations

from assay.jax import autodiff
from assay.losses.accelerators import register_jax


class _Routes:
    autodiff = autodiff


register_jax(_Routes())
