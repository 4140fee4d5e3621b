"""Error rates of transcripts: edits over words or characters, added up over all rows before they are divided."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.core.monoids import Sum
from assay.core.parameters import choice
from assay.core.record import Record
from assay.data.texts import Codes, Offsets
from assay.metrics.averages import Numbers
from assay.metrics.text.edits import EDITS, Alignment, Edits
from assay.metrics.text.family import WordMetric
from assay.metrics.text.tokenizers import SPACES, Spans, Tokenizer, TokenizerLike
from assay.ops import divide

_RUNS = re.compile(r"\s\s+")


def _jiwer(text: str) -> list[str]:
    """Runs of two and more white spaces become a space, and only spaces divide words: a single tab does not."""
    return [word for word in _RUNS.sub(" ", text).strip().split(" ") if word]


def _characters(codes: Codes, offsets: Offsets) -> Spans:
    places = np.arange(len(codes), dtype=np.int64)
    return Spans(codes, places, places + 1, offsets)


CHARACTERS = Tokenizer("characters", list, _characters, prepare=str.strip)
SPLITTERS = {"none": SPACES, "characters": CHARACTERS, "jiwer": Tokenizer("jiwer", _jiwer)}
ONE = ("y_true: texts", "y_pred: texts")


@dataclass(frozen=True, kw_only=True)
class ErrorRate(WordMetric):
    """A function of hits, substitutions, deletions and insertions."""

    several: ClassVar[bool] = False
    known = SPLITTERS

    tokenizer: TokenizerLike = "none"

    def measure(self) -> Edits:
        """The edits of each row."""
        return Edits(self.splitter)

    def of(self, total: Sum) -> Numbers:
        """The rate."""
        return self.rate(*(total[name] for name in EDITS))

    def rate(self, hits: Numbers, substitutions: Numbers, deletions: Numbers, insertions: Numbers) -> Numbers:
        """From the edits to the value. Every rate has this."""
        raise TypeError(f"{self.name} must define rate()")  # a programming error, not a user's


@dataclass(frozen=True, kw_only=True)
class AlignedRate(ErrorRate):
    """A rate that depends on which of the shortest alignments is taken.

    ``alignment`` is that of RapidFuzz and jiwer, or one with the most or the fewest hits: their difference is how far the value
    depends on the choice.
    """

    alignment: Alignment = "standard"

    def check(self) -> None:
        """An alignment that exists."""
        super().check()
        choice(self.name, "alignment", self.alignment, ("standard", "most_hits", "fewest_hits"))

    def measure(self) -> Edits:
        """The edits of each row."""
        return Edits(self.splitter, self.alignment)


@dataclass(frozen=True, kw_only=True)
class WordErrorRate(ErrorRate):
    r"""Substitutions, deletions and insertions per word of the reference.

    .. math:: \mathrm{WER} = \frac{S + D + I}{H + S + D}

    Edits and words are added up over all rows: the mean of the rates of sentences would count short ones too much. It can exceed 1.
    Words lie between white space (``tokenizer="none"``); case and punctuation count unless you remove them first.

    >>> word_error_rate(["the cat sat", "hello"], ["the hat sat down", "hello"])
    0.5
    """

    record = Record(
        title="Word error rate", range=(0, np.inf), better="lower", family="ratio", transform="log", takes=ONE,
        undefined="no reference has a word", use="speech recognition, character recognition",
        misleads="every word weighs the same, and case, punctuation and numerals count as errors unless both sides are normalised",
        equals=("jiwer wer, with tokenizer='jiwer'", "torchmetrics word_error_rate"), references=("morris2004",), aliases=("wer",),
    )  # fmt: skip

    def rate(self, hits: Numbers, substitutions: Numbers, deletions: Numbers, insertions: Numbers) -> Numbers:
        """Edits per word."""
        return divide(substitutions + deletions + insertions, hits + substitutions + deletions)


@dataclass(frozen=True, kw_only=True)
class CharacterErrorRate(WordErrorRate):
    r"""Substitutions, deletions and insertions per character of the reference.

    .. math:: \mathrm{CER} = \frac{S + D + I}{H + S + D}

    Characters are code points, white space inside a text included and around it removed. For scripts without spaces between words it
    takes the place of the word error rate.

    >>> character_error_rate(["cat"], ["cart"])
    0.3333...
    """

    record = Record(
        title="Character error rate", range=(0, np.inf), better="lower", family="ratio", transform="log", takes=ONE,
        undefined="no reference has a character", use="scripts without spaces between words, character recognition",
        misleads="a wrong word of many right letters costs little", equals=("jiwer cer",), references=("morris2004",),
        aliases=("cer",),
    )  # fmt: skip

    tokenizer: TokenizerLike = "characters"


@dataclass(frozen=True, kw_only=True)
class MatchErrorRate(AlignedRate):
    r"""Fraction of aligned pairs of words that are errors.

    .. math:: \mathrm{MER} = \frac{S + D + I}{H + S + D + I}

    The probability that a word, given or wanted, is wrong; never above 1.

    >>> match_error_rate(["the cat sat"], ["the hat sat down"])
    0.5
    """

    record = Record(
        title="Match error rate", range=(0, 1), better="lower", family="ratio", transform="logit", takes=ONE,
        undefined="there is no word at all", use="transcripts with many insertions, where the word error rate exceeds 1",
        misleads="depends on which of the shortest alignments is taken", equals=("jiwer mer, with tokenizer='jiwer'",),
        references=("morris2004",), aliases=("mer",),
    )  # fmt: skip

    def rate(self, hits: Numbers, substitutions: Numbers, deletions: Numbers, insertions: Numbers) -> Numbers:
        """Errors among all pairs."""
        errors = substitutions + deletions + insertions
        return divide(errors, hits + errors)


@dataclass(frozen=True, kw_only=True)
class WordInformationPreserved(AlignedRate):
    r"""Fraction of the reference's words that are right, times that of the text's.

    .. math:: \mathrm{WIP} = \frac{H}{H + S + D} \cdot \frac{H}{H + S + I}

    An approximation of the information about the reference that the text carries.

    >>> word_information_preserved(["the cat sat"], ["the hat sat down"])
    0.3333...
    """

    record = Record(
        title="Word information preserved", range=(0, 1), better="higher", family="ratio", transform="logit", takes=ONE,
        undefined="no reference, or no text, has a word", use="transcripts, where both missing and invented words matter",
        misleads="depends on which of the shortest alignments is taken", equals=("jiwer wip, with tokenizer='jiwer'",),
        references=("morris2004",), aliases=("wip",),
    )  # fmt: skip

    def rate(self, hits: Numbers, substitutions: Numbers, deletions: Numbers, insertions: Numbers) -> Numbers:
        """Recall times precision of words."""
        return divide(hits, hits + substitutions + deletions) * divide(hits, hits + substitutions + insertions)


@dataclass(frozen=True, kw_only=True)
class WordInformationLost(WordInformationPreserved):
    r"""One minus the word information preserved.

    .. math:: \mathrm{WIL} = 1 - \frac{H}{H + S + D} \cdot \frac{H}{H + S + I}

    0 for a perfect transcript, 1 if no word is right.

    >>> word_information_lost(["the cat sat"], ["the hat sat down"])
    0.6666...
    """

    record = Record(
        title="Word information lost", range=(0, 1), better="lower", family="ratio", transform="logit", takes=ONE,
        undefined="no reference, or no text, has a word", use="transcripts, where both missing and invented words matter",
        misleads="depends on which of the shortest alignments is taken", equals=("jiwer wil, with tokenizer='jiwer'",),
        references=("morris2004",), aliases=("wil",),
    )  # fmt: skip

    def rate(self, hits: Numbers, substitutions: Numbers, deletions: Numbers, insertions: Numbers) -> Numbers:
        """What is not preserved."""
        return 1 - super().rate(hits, substitutions, deletions, insertions)
