"""Token F1: words that an answer shares with its reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Floats
from assay.core.inputs import Inputs
from assay.core.monoids import Sum
from assay.core.record import Record
from assay.metrics.averages import Numbers
from assay.metrics.text.answers import AnswerMetric, SquadVersion, best, counted_references, pairs, shared_words
from assay.metrics.text.family import TEXTS
from assay.metrics.text.tokenizers import Tokenizer
from assay.metrics.text.words import words
from assay.metrics.unit_sums import UNITS
from assay.ops import divide


@dataclass(frozen=True)
class SharedWords:
    """The best F1 of each row."""

    tokenizer: Tokenizer
    version: SquadVersion

    names = ("f1",)

    def rows(self, inputs: Inputs) -> Floats:
        """One number per row."""
        found, shared = words(inputs, self.tokenizer), shared_words(inputs, self.tokenizer)
        references, own = (found.lengths[side] for side in pairs(found))
        some = shared > 0
        precision, recall = shared / np.maximum(own, 1), shared / np.maximum(references, 1)
        f1 = np.where(some, 2 * precision * recall / np.where(some, precision + recall, 1), 0)
        if self.version == "2.0":
            f1 = np.where((references == 0) & (own == 0), 1, f1)
        return best(f1, counted_references(found, self.version), found.first)


@dataclass(frozen=True, kw_only=True)
class TokenF1(AnswerMetric):
    r"""Mean F1 of the words that an answer shares with its best reference.

    .. math:: \frac{1}{n} \sum_i \max_r \frac{2 P_{ir} R_{ir}}{P_{ir} + R_{ir}}

    Precision and recall are the shared words over those of the answer and of the reference; the order of words does not count.
    ``normalization="squad"`` compares words in lower case without ASCII punctuation and articles, ``"raw"`` words between white
    space as they are. An empty answer to a question without an answer scores 1 in ``version="2.0"`` of SQuAD's scoring and 0 in
    ``"1.1"``; in 2.0 an empty reference counts only where a row has no other.

    >>> token_f1(["the Eiffel Tower", ["Paris", "in Paris"]], ["Eiffel tower.", "Paris, France"])
    0.8333...
    """

    record = Record(
        title="Token F1", range=(0, 1), better="higher", family="bounded_mean", transform="logit", takes=TEXTS,
        use="short answers, where part of the wording may be right",
        misleads="an answer that says the opposite with the same words scores high, and articles and punctuation count for nothing; "
        "scripts without spaces between words have one word per answer",
        equals=("SQuAD evaluate-v2.0.py f1, divided by 100", "SQuAD evaluate-v1.1.py f1, divided by 100, with version='1.1'",
            "torchmetrics squad f1, divided by 100, with version='1.1', if no text is empty"),
        references=("rajpurkar2016", "rajpurkar2018"),
    )  # fmt: skip

    def measure(self) -> SharedWords:
        """The best F1 of each row."""
        return SharedWords(self.splitter, self.version)

    def of(self, total: Sum) -> Numbers:
        """Their mean."""
        return divide(total["f1"], total[UNITS])
