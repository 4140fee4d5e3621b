"""Losses: pure functions of arrays, prediction first, on NumPy, PyTorch and JAX from one body."""

from typing import TYPE_CHECKING

from assay.losses.classification import (
    binary_cross_entropy,
    cross_entropy,
    focal,
    hinge,
    label_smoothing,
    nll,
    poly,
)
from assay.losses.detection import box_iou, ciou, diou, giou, iou, yolo, yolo_targets
from assay.losses.embedding import (
    arcface,
    barlow_twins,
    center,
    circle,
    contrastive,
    cosface,
    info_nce,
    simsiam,
    softmax,
    sphereface,
    sphereface_annealing,
    triplet,
    update_centers,
)
from assay.losses.generation import (
    RBM,
    NoiseSchedule,
    adversarial,
    contrastive_divergence,
    denoising,
    flow_nll,
    gaussian_kl,
    gradient_penalty,
    kl_divergence,
    langevin,
    noise_contrastive,
    noise_schedule,
    reconstruction,
    signal_to_noise,
    sinkhorn,
    vae,
    wasserstein,
    wasserstein_distance,
)
from assay.losses.reduction import Parts
from assay.losses.regression import (
    balanced_l1,
    cvar,
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
from assay.losses.schedules import Ramp, Stages
from assay.losses.segmentation import Term, combined, dice, jaccard, lovasz_hinge, lovasz_softmax, tversky
from assay.losses.text import (
    cosine,
    margin_ranking,
    minimum_risk,
    moving_baseline,
    ngram_reward,
    ranknet,
    reinforce,
    structured_hinge,
    token_cross_entropy,
)

__all__ = [
    "RBM",
    "NoiseSchedule",
    "Parts",
    "Ramp",
    "Stages",
    "Term",
    "adversarial",
    "arcface",
    "balanced_l1",
    "barlow_twins",
    "binary_cross_entropy",
    "box_iou",
    "center",
    "ciou",
    "circle",
    "combined",
    "contrastive",
    "contrastive_divergence",
    "cosface",
    "cosine",
    "cross_entropy",
    "cvar",
    "denoising",
    "dice",
    "diou",
    "flow_nll",
    "focal",
    "gaussian_kl",
    "gaussian_nll",
    "giou",
    "gradient_penalty",
    "hinge",
    "huber",
    "info_nce",
    "iou",
    "jaccard",
    "kl_divergence",
    "label_smoothing",
    "langevin",
    "log_cosh",
    "lovasz_hinge",
    "lovasz_softmax",
    "mae",
    "margin_ranking",
    "minimum_risk",
    "moving_baseline",
    "mse",
    "ngram_reward",
    "nll",
    "noise_contrastive",
    "noise_schedule",
    "poisson_nll",
    "poly",
    "quantile",
    "ranknet",
    "reconstruction",
    "reinforce",
    "signal_to_noise",
    "simsiam",
    "sinkhorn",
    "smooth_l1",
    "softmax",
    "sphereface",
    "sphereface_annealing",
    "structured_hinge",
    "token_cross_entropy",
    "triplet",
    "tversky",
    "update_centers",
    "vae",
    "wasserstein",
    "wasserstein_distance",
    "wing",
    "yolo",
    "yolo_targets",
]

if not TYPE_CHECKING:  # type checkers are to find misspelt names

    def __getattr__(name: str) -> object:
        """A loss by an alias, ``assay.losses.bce``, or in the style of a class, ``assay.losses.Huber(delta=2.0)``."""
        from assay.core.loss import NAMES
        from assay.losses.configured import class_style

        if name in NAMES.aliases:
            return NAMES.entries[NAMES.aliases[name]]
        made = class_style(name)
        if made is not None:
            return made
        hint = "" if name.startswith("_") else NAMES.hint(name)
        if name[:1].isupper() and hint:
            hint += " Losses are functions here; modules are assay.torch.Loss(name, ...)."
        raise AttributeError(f"module 'assay.losses' has no attribute {name!r}.{hint}")
