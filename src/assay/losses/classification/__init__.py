"""Losses of classes, from logits or probabilities."""

from assay.losses.classification.binary import binary_cross_entropy
from assay.losses.classification.cross_entropies import cross_entropy, label_smoothing, nll
from assay.losses.classification.focal import focal, poly
from assay.losses.classification.hinge import hinge

__all__ = ["binary_cross_entropy", "cross_entropy", "focal", "hinge", "label_smoothing", "nll", "poly"]
