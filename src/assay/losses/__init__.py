"""Losses: pure functions of arrays, prediction first, on NumPy, PyTorch and JAX from one body."""

from assay.losses.classification import binary_cross_entropy, cross_entropy, focal, hinge
from assay.losses.regression import (
    balanced_l1,
    gaussian_nll,
    huber,
    log_cosh,
    mae,
    mse,
    poisson_nll,
    quantile,
    smooth_l1,
    wing,
)

__all__ = [
    "balanced_l1",
    "binary_cross_entropy",
    "cross_entropy",
    "focal",
    "gaussian_nll",
    "hinge",
    "huber",
    "log_cosh",
    "mae",
    "mse",
    "poisson_nll",
    "quantile",
    "smooth_l1",
    "wing",
]
