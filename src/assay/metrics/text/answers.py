"""Answers to questions beside their references: the normalisation of SQuAD, and how the references of a row are joined."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.arrays import Floats
from assay.core.inputs import Inputs, memo
from assay.data.texts import Codes, Offsets
from assay.metrics.text.family import TextMetric
from assay.metrics.text.tokenizers import SPACES, Spans, Tokenizer
from assay.metrics.text.words import Words, compiled_pays, words

Normalization: TypeAlias = Literal["raw", "squad"]
SquadVersion: TypeAlias = Literal["2.0", "1.1"]
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def _squad(text: str) -> list[str]:
    """Without ASCII punctuation, then without articles between borders of words, then split at white space."""
    return _ARTICLES.sub(" ", text.translate(_NO_PUNCTUATION)).split()


def _kind(letter: str) -> int:
    kinds = kernels.character_kinds
    if letter in string.punctuation:
        return kinds.PUNCTUATION
    return kinds.SPACE if letter.isspace() else kinds.LETTER if letter.isalnum() else kinds.OTHER


def _squad_compiled(codes: Codes, offsets: Offsets) -> Spans:
    kinds = kernels.character_kinds
    return Spans(*kinds.answers(codes, offsets, kinds.table(codes, _kind)))


SQUAD = Tokenizer("squad", _squad, _squad_compiled, prepare=str.lower)
_TOKENIZERS = {"raw": SPACES, "squad": SQUAD}


@dataclass(frozen=True, kw_only=True)
class AnswerMetric(TextMetric):
    """A metric of answers, the best over the references of a row.

    ``normalization="squad"`` compares words in lower case without ASCII punctuation and articles, ``"raw"`` the texts as they are.
    ``version`` is that of SQuAD's scoring: in 2.0 an empty reference counts only where a row has no other.
    """

    normalization: Normalization = "squad"
    version: SquadVersion = "2.0"

    @property
    def splitter(self) -> Tokenizer:
        """How answers become words."""
        return _TOKENIZERS[self.normalization]


def pairs(found: Words) -> tuple[Offsets, Offsets]:
    """Every reference, and the prediction of its row."""
    return np.arange(int(found.first[-1]), dtype=np.int64), np.repeat(
        found.first[-1] + np.arange(found.rows), np.diff(found.first)
    )


def counted_references(found: Words, version: SquadVersion) -> NDArray[np.bool_]:
    """Which references count: in version 2.0 an empty one does only where all references of its row are empty."""
    full = found.lengths[: found.first[-1]] > 0
    if version == "1.1":
        return np.ones_like(full)
    some = np.logical_or.reduceat(full, found.first[:-1])
    return full | ~np.repeat(some, np.diff(found.first))


def best(scores: Floats, counted: NDArray[np.bool_], first: Offsets) -> Floats:
    """The best score of each row as a column; a reference that does not count scores 0."""
    return np.maximum.reduceat(np.where(counted, scores, 0), first[:-1])[:, None]


@memo
def shared_words(inputs: Inputs, tokenizer: Tokenizer) -> Offsets:
    """For every reference the number of words that it shares with the prediction of its row."""
    found = words(inputs, tokenizer)
    left, right = pairs(found)
    if compiled_pays(len(found.ids)):
        begins, ends = found.starts[:-1], found.starts[1:]
        return kernels.bags.overlaps(found.ids, begins, ends, left, right, found.size)
    shared = [overlap(found.text(a), found.text(b)) for a, b in zip(left, right, strict=True)]
    return np.array(shared, dtype=np.int64)


def overlap(a: Sequence[object], b: Sequence[object]) -> int:
    """How many members two bags share."""
    return (Counter(a) & Counter(b)).total()


@memo
def same_words(inputs: Inputs, tokenizer: Tokenizer) -> NDArray[np.bool_]:
    """For every reference whether the prediction of its row has the same words in the same order."""
    found = words(inputs, tokenizer)
    left, right = pairs(found)
    if compiled_pays(len(found.ids)):
        return kernels.bags.equal(found.ids, found.starts, left, right)
    same = [found.text(a) == found.text(b) for a, b in zip(left, right, strict=True)]
    return np.array(same, dtype=np.bool_)
