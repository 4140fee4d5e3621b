"""Losses of generation: autoencoders, adversarial games, transport, flows, energy models, diffusion."""

from assay.losses.generation.adversarial import adversarial, gradient_penalty, wasserstein
from assay.losses.generation.denoising import NoiseSchedule, denoising, noise_schedule, signal_to_noise
from assay.losses.generation.divergence import gaussian_kl, kl_divergence
from assay.losses.generation.energies import RBM, contrastive_divergence, langevin
from assay.losses.generation.likelihoods import flow_nll, noise_contrastive
from assay.losses.generation.reconstruction import reconstruction, vae
from assay.losses.generation.transport import sinkhorn, wasserstein_distance

__all__ = [
    "RBM",
    "NoiseSchedule",
    "adversarial",
    "contrastive_divergence",
    "denoising",
    "flow_nll",
    "gaussian_kl",
    "gradient_penalty",
    "kl_divergence",
    "langevin",
    "noise_contrastive",
    "noise_schedule",
    "reconstruction",
    "signal_to_noise",
    "sinkhorn",
    "vae",
    "wasserstein",
    "wasserstein_distance",
]
