"""Adapters for scikit-learn: metrics and losses as scorers."""

from assay.sklearn.scorers import Scorer, scorer

__all__ = ["Scorer", "scorer"]
