"""Losses of classes, from logits or probabilities."""

from assay.losses.classification.binary import binary_cross_entropy, focal, hinge
from assay.losses.classification.cross import cross_entropy

__all__ = ["binary_cross_entropy", "cross_entropy", "focal", "hinge"]
