"""Losses: pure functions of arrays, prediction first, on NumPy, PyTorch and JAX from one body."""

from assay.losses.classification import binary_cross_entropy, cross_entropy, focal, hinge
from assay.losses.detection import box_iou, ciou, diou, giou, iou, yolo, yolo_targets
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
    "box_iou",
    "ciou",
    "cross_entropy",
    "diou",
    "focal",
    "gaussian_nll",
    "giou",
    "hinge",
    "huber",
    "iou",
    "log_cosh",
    "mae",
    "mse",
    "poisson_nll",
    "quantile",
    "smooth_l1",
    "wing",
    "yolo",
    "yolo_targets",
]
