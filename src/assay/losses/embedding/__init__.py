"""Losses of embeddings: class vectors with margins, centres, pairs, triplets, and two views of the same things."""

from assay.losses.embedding.centers import center, update_centers
from assay.losses.embedding.circle import circle
from assay.losses.embedding.margins import arcface, cosface, softmax, sphereface, sphereface_annealing
from assay.losses.embedding.nce import info_nce
from assay.losses.embedding.pairs import contrastive
from assay.losses.embedding.triplets import triplet
from assay.losses.embedding.two_views import barlow_twins, simsiam

__all__ = [
    "arcface",
    "barlow_twins",
    "center",
    "circle",
    "contrastive",
    "cosface",
    "info_nce",
    "simsiam",
    "softmax",
    "sphereface",
    "sphereface_annealing",
    "triplet",
    "update_centers",
]
