"""ROUGE: what a summary shares with its references, in all variants and the three definitions in use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Floats
from assay.core.inputs import Inputs, memo
from assay.core.monoids import Sum
from assay.core.record import Record
from assay.core.sources import SURVEY
from assay.core.value_checks import Positive, Span
from assay.data.texts import Offsets
from assay.metrics.averages import Numbers
from assay.metrics.text import common_parts as parts
from assay.metrics.text.common_parts import Boundaries, Common, WordRule
from assay.metrics.text.family import TEXTS, WordMetric
from assay.metrics.text.summary_tokenizers import SUMMARY_TOKENIZERS
from assay.metrics.text.tokenizers import Tokenizer, TokenizerLike
from assay.metrics.text.words import all_texts
from assay.metrics.unit_sums import UNITS
from assay.ops import divide

Variant: TypeAlias = Literal["1", "2", "3", "4", "5", "6", "7", "8", "9", "L", "Lsum", "W", "S", "SU"]
Definition: TypeAlias = Literal["lin2004", "rouge-score", "1.5.5"]
Flags: TypeAlias = NDArray[np.bool_]
Joined: TypeAlias = Literal["max", "mean", "pool"]
PLACES = 5  # decimals that ROUGE-1.5.5 keeps at every step


@dataclass(frozen=True)
class Rule:
    """What is counted, and how it becomes precision, recall and F."""

    words: WordRule
    variant: Variant
    definition: Definition
    references: Joined
    beta: float
    exponent: float
    gap: int | None
    sentences: Boundaries

    @memo
    def scores(self, inputs: Inputs) -> Floats:
        """(rows, 3): precision, recall and F of each row."""
        common, starts = self._common(inputs), inputs["y_true"].starts
        same = self._same(inputs, common) if self.definition == "lin2004" else np.zeros(len(common.shared), np.bool_)
        first = starts[:-1]
        if self.references == "pool":
            pooled = Common(*(np.add.reduceat(column, first) for column in common))
            return self._scores(pooled, np.logical_or.reduceat(same, first))
        each = self._scores(common, same)
        if self.references == "mean":
            return np.add.reduceat(each, first, axis=0) / np.diff(starts)[:, None]
        return each[_best(each[:, 2], starts)]

    def _common(self, inputs: Inputs) -> Common:
        match self.variant:
            case "L":
                return parts.common_subsequence(inputs, self.words)
            case "Lsum":
                return parts.common_sentences(inputs, self.words, self.sentences, self.definition != "lin2004")
            case "W":
                return parts.common_weighted(inputs, self.words, self.exponent)
            case "S":
                return parts.common_skips(inputs, self.words, self.gap)
            case "SU":
                single = (
                    parts.common_words_but_last(inputs, self.words)
                    if self.definition == "1.5.5"
                    else parts.common_ngrams(inputs, self.words, 1)
                )
                both = zip(parts.common_skips(inputs, self.words, self.gap), single, strict=True)
                return Common(*(skips + words for skips, words in both))
            case order:
                return parts.common_ngrams(inputs, self.words, int(order))

    def _scores(self, common: Common, same: Flags) -> Floats:
        precision, recall = (self._ratio(common.shared, size) for size in (common.text, common.reference))
        weight = self.beta**2
        below = recall + weight * precision
        f = np.where(below > 0, (1 + weight) * precision * recall / np.where(below > 0, below, 1), 0)
        if self.definition == "1.5.5":
            f = np.round(f, PLACES)
        return np.where(same[:, None], 1.0, np.stack([precision, recall, f], axis=1))

    def _ratio(self, shared: Floats, size: Floats) -> Floats:
        if self.variant == "W" and self.definition == "1.5.5":
            size = size**self.exponent  # raised a second time there
        ratio = np.minimum(shared / np.where(size > 0, size, 1), 1)
        if self.variant == "W":
            ratio = ratio ** (1 / self.exponent)
        return np.round(ratio, PLACES) if self.definition == "1.5.5" else ratio

    def _same(self, inputs: Inputs, common: Common) -> Flags:
        """Where neither side has anything to share, such as bigrams of one word: whether both are the same."""
        out = np.zeros(len(common.shared), dtype=np.bool_)
        empty = np.flatnonzero((common.text == 0) & (common.reference == 0))
        if len(empty):
            found, texts = parts.rule_words(inputs, self.words), all_texts(inputs)
            row_of = np.repeat(np.arange(inputs.n), np.diff(found.first))
            for at in empty.tolist():
                other = int(found.first[-1] + row_of[at])
                known = found.text(at)
                out[at] = known == found.text(other) and (bool(known) or texts[at].split() == texts[other].split())
        return out


def _best(f: Floats, starts: Offsets) -> Offsets:
    """For each row the reference with the best F, the first of equals."""
    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return np.lexsort((np.arange(len(f)), -f, row))[starts[:-1]]


@dataclass(frozen=True)
class RougeScores:
    """Precision, recall or F of each row."""

    rule: Rule
    column: int
    names = ("score",)

    def rows(self, inputs: Inputs) -> Floats:
        """One number per row."""
        return self.rule.scores(inputs)[:, self.column : self.column + 1]


@dataclass(frozen=True, kw_only=True)
class Rouge(WordMetric):
    r"""Mean overlap of summaries with their references: n-grams, common subsequences or skip-bigrams.

    .. math:: F = \frac{(1 + \beta^2) P R}{R + \beta^2 P}

    Precision and recall are what both share over what the text and the reference have. ``variant`` says of what: ``"1"`` to ``"9"``
    n-grams, ``"L"`` the longest common subsequence of words, ``"Lsum"`` its union over the sentences of the reference (lines, or with
    ``sentences="split"`` what ends with . ! or ?), ``"W"`` a subsequence in which k matches in a row count k to the power
    ``exponent``, ``"S"`` pairs of words in their order with at most ``gap`` words between them, ``"SU"`` such pairs and words.
    With several references the one with the best F counts, or their mean, or counts are pooled.

    ``definition="rouge-score"`` counts a word of the text once in Lsum, and scores 0 where neither side has an n-gram; ``"1.5.5"``
    also rounds every step to 5 decimals, raises the lengths of W twice and forgets the last word of SU. ``tokenizer="unicode"`` gives
    words of every script, characters where a script has no spaces; ``"rouge-score"`` knows a-z and 0-9 only.

    >>> rouge(["police killed the gunman"], ["police kill the gunman"])
    0.75
    """

    record = Record(
        title="ROUGE", range=(0, 1), better="higher", family="bounded_mean", transform="logit", takes=TEXTS,
        use="summaries beside others on the same references; name variant, tokenizer and stemming with it",
        misleads="rewards wording, not facts: a summary that turns a statement round by one word scores high; recall rewards length; "
        "Lsum depends on where sentences end",
        equals=(
            "rouge-score rougeN and rougeL fmeasure, with tokenizer='rouge-score', definition='rouge-score'",
            "rouge-score rougeLsum fmeasure, with tokenizer='rouge-score', definition='rouge-score', variant='Lsum'",
            "rouge-score use_stemmer=True, with tokenizer='rouge-score', definition='rouge-score', stemming=True",
        ),
        differs=(
            "rouge-score keeps a-z and 0-9 only: identical Japanese texts score 0 there.",
        ),
        erratum=f"{SURVEY}, eq. 124, takes the minimum with the count of matches; the matches are themselves the minimum of the counts "
        "in the text and in the reference.",
        references=("lin2004b",), traps=(17,), aliases=("rouge_n",),
    )  # fmt: skip

    known: ClassVar[Mapping[str, Tokenizer]] = SUMMARY_TOKENIZERS

    variant: Variant = "1"
    component: Literal["f", "precision", "recall"] = "f"
    beta: Positive = 1.0
    stemming: bool = False
    references: Joined = "max"
    definition: Definition = "lin2004"
    sentences: Boundaries = "lines"
    exponent: Annotated[float, Span(1, 16)] = 1.2
    gap: Annotated[int, Span(0)] | None = None
    tokenizer: TokenizerLike = "unicode"

    @property
    def optimum(self) -> float | None:
        """Out of reach where several references are averaged or pooled: no text equals all of them."""
        return super().optimum if self.references == "max" else None

    def __post_init__(self) -> None:
        """A spec such as ``rouge:variant=2`` gives the number."""
        if type(cast(object, self.variant)) is int:
            object.__setattr__(self, "variant", str(self.variant))
        super().__post_init__()

    def measure(self) -> RougeScores:
        """One score per row."""
        rule = Rule(
            WordRule(self.splitter, self.stemming), self.variant, self.definition, self.references, self.beta,
            self.exponent, self.gap, self.sentences,
        )  # fmt: skip
        return RougeScores(rule, ("precision", "recall", "f").index(self.component))

    def of(self, total: Sum) -> Numbers:
        """The mean of the rows."""
        return divide(total["score"], total[UNITS])
