"""Metrics of a whole corpus, whose value follows from sums over sentences: what BLEU, chrF and TER share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from assay.core.arrays import Floats
from assay.core.inputs import Inputs
from assay.core.monoids import Sum
from assay.metrics.averages import Numbers
from assay.metrics.text.family import TextMetric
from assay.metrics.unit_sums import UNITS, UnitMeasure, UnitSums
from assay.ops import divide


@dataclass(frozen=True)
class SentenceScores:
    """The score of each sentence as a corpus of its own."""

    metric: CorpusMetric
    names = ("score",)

    def rows(self, inputs: Inputs) -> Floats:
        """One score per row."""
        counts = UnitSums(self.metric.counts())
        scores = self.metric.scored(Sum(counts.names, counts.unit_rows(inputs), inputs.n))
        return scores.astype(np.float64)[:, None]


@dataclass(frozen=True, kw_only=True)
class CorpusMetric(TextMetric):
    """A score of sums over all sentences, or with ``unit="sentence"`` the mean of the scores of sentences."""

    unit: Literal["corpus", "sentence"] = "corpus"

    @abstractmethod
    def counts(self) -> UnitMeasure:
        """What is counted in each sentence."""

    @abstractmethod
    def scored(self, total: Sum) -> Numbers:
        """The score from sums of counts, with any leading axes."""

    def measure(self) -> UnitMeasure:
        """The counts, or the scores of sentences."""
        return self.counts() if self.unit == "corpus" else SentenceScores(replace(self, undefined="nan"))

    def of(self, total: Sum) -> Numbers:
        """The score of the corpus, or the mean of those of sentences."""
        return self.scored(total) if self.unit == "corpus" else divide(total["score"], total[UNITS])
