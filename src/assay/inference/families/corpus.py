"""Corpus metrics of text, such as BLEU: functions of sums over sentences, bootstrapped over sentences or documents."""

from __future__ import annotations

from assay.inference.families.family import Family


class CorpusFamily(Family):
    """A function of sums over sentences that is not their mean."""

    interval_words = "corpus metrics of text: bootstrap over sentences, or over documents or speakers given as groups"
    comparison_words = "corpus metrics of text: t of the influence of sentences, or paired bootstrap and approximate randomisation by name"
    unplanned = "depends on how lengths and matches vary together over sentences"
