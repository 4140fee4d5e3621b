"""Exact match: the fraction of texts that equal one of their references."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Floats
from assay.core.errors import ParameterError
from assay.core.inputs import Inputs
from assay.core.monoids import Sum
from assay.core.record import Record
from assay.core.sources import SURVEY
from assay.data.texts import TEXT
from assay.metrics.averages import Numbers
from assay.metrics.text.answers import AnswerMetric, Normalization, SquadVersion, best, counted_references, same_words
from assay.metrics.text.family import TEXTS
from assay.metrics.text.tokenizers import Tokenizer
from assay.metrics.text.words import words
from assay.metrics.unit_sums import UNITS, UnitMeasure
from assay.ops import divide


@dataclass(frozen=True)
class Matches:
    """Whether each text equals one of its references."""

    names = ("match",)

    def rows(self, inputs: Inputs) -> Floats:
        """One or zero per row."""
        truth, found = inputs["y_true"], inputs["y_pred"]
        equal = truth[TEXT] == found[TEXT][truth.row]
        return (np.bincount(truth.row[equal.astype(np.bool_)], minlength=truth.n) > 0).astype(np.float64)[:, None]


@dataclass(frozen=True)
class WordMatches:
    """Whether each text has the words of one of its references."""

    tokenizer: Tokenizer
    version: SquadVersion

    names = ("match",)

    def rows(self, inputs: Inputs) -> Floats:
        """One or zero per row."""
        found = words(inputs, self.tokenizer)
        same = same_words(inputs, self.tokenizer).astype(np.float64)
        return best(same, counted_references(found, self.version), found.first)


@dataclass(frozen=True, kw_only=True)
class ExactMatch(AnswerMetric):
    r"""Fraction of texts that equal one of their references.

    .. math:: \frac{1}{n} \sum_i \max_r [\hat t_i = t_{ir}]

    Texts are compared as they are, character by character. ``normalization="squad"`` compares their words in lower case without
    ASCII punctuation and articles, as SQuAD does; in its ``version="2.0"`` an empty reference counts only where a row has no other.

    >>> exact_match(["Paris", ["42", "forty-two"]], ["Paris", "forty-two."])
    0.5
    >>> exact_match(["Paris", ["42", "forty-two"]], ["paris", "forty-two."], normalization="squad")
    1.0
    """

    record = Record(
        title="Exact match", range=(0, 1), better="higher", family="proportion", transform="logit", takes=TEXTS,
        use="short answers that are right or wrong", misleads="an answer that differs by a comma counts as wrong",
        equals=(
            "SQuAD evaluate-v2.0.py exact, divided by 100, with normalization='squad'",
            "SQuAD evaluate-v1.1.py exact_match, divided by 100, with normalization='squad', version='1.1'",
            "torchmetrics squad exact_match, divided by 100, with normalization='squad', version='1.1'",
        ),
        erratum=f"{SURVEY}, eq. 128, says that no difference at all is allowed, and names SQuAD, whose scoring ignores case, articles "
        "and punctuation; both are offered.",
        references=("rajpurkar2016", "rajpurkar2018"), aliases=("em",),
    )  # fmt: skip

    normalization: Normalization = "raw"

    def check(self) -> None:
        """Refuse a version of SQuAD's scoring where it is not used."""
        if self.normalization == "raw" and self.version != "2.0":
            problem = "has no meaning for normalization='raw'"
            raise ParameterError(self.name, "version", problem, "Choose normalization='squad'.")

    def measure(self) -> UnitMeasure:
        """Equal or not."""
        return Matches() if self.normalization == "raw" else WordMatches(self.splitter, self.version)

    def of(self, total: Sum) -> Numbers:
        """The fraction."""
        return divide(total["match"], total[UNITS])
