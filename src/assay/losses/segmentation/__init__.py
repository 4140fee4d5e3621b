"""Losses of segmentation: overlap of masks, Lovász extensions, and weighted sums."""

from assay.losses.segmentation.combination import Term, combined
from assay.losses.segmentation.lovasz import lovasz_hinge, lovasz_softmax
from assay.losses.segmentation.overlap import dice, jaccard, tversky

__all__ = ["Term", "combined", "dice", "jaccard", "lovasz_hinge", "lovasz_softmax", "tversky"]
