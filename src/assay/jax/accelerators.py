"""Fills the table of accelerators of `assay.losses` with what JAX alone can do."""

from __future__ import annotations

from assay.jax import autodiff
from assay.losses.accelerators import JaxAccelerators, register

register(JaxAccelerators(autodiff=autodiff))
