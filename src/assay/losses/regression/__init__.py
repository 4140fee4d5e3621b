"""Losses of real targets."""

from assay.losses.regression.coordinates import balanced_l1, wing
from assay.losses.regression.errors import huber, log_cosh, mae, mse, quantile, smooth_l1
from assay.losses.regression.likelihoods import gaussian_nll, poisson_nll
from assay.losses.regression.tails import cvar

__all__ = [
    "balanced_l1",
    "cvar",
    "gaussian_nll",
    "huber",
    "log_cosh",
    "mae",
    "mse",
    "poisson_nll",
    "quantile",
    "smooth_l1",
    "wing",
]
