"""Losses of text: tokens, pairs of sentences, ranks, sampled sequences."""

from assay.losses.text.pairs import cosine, margin_ranking, ranknet
from assay.losses.text.rewards import ngram_reward
from assay.losses.text.sequences import minimum_risk, moving_baseline, reinforce
from assay.losses.text.structured import structured_hinge
from assay.losses.text.tokens import token_cross_entropy

__all__ = [
    "cosine",
    "margin_ranking",
    "minimum_risk",
    "moving_baseline",
    "ngram_reward",
    "ranknet",
    "reinforce",
    "structured_hinge",
    "token_cross_entropy",
]
