"""BLEU: n-grams that a translation shares with its references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.arrays import Floats
from assay.core.errors import ParameterError
from assay.core.inputs import Inputs
from assay.core.monoids import Sum
from assay.core.record import Record
from assay.core.value_checks import Positive, Span
from assay.data.texts import Offsets
from assay.metrics.averages import Numbers
from assay.metrics.text.corpus import CorpusMetric
from assay.metrics.text.family import TEXTS
from assay.metrics.text.tokenizers import Tokenizer, TokenizerLike
from assay.metrics.text.translation_tokenizers import translation_tokenizer
from assay.metrics.text.words import Words, words
from assay.ops import real

SMOOTHING_VALUES = {"floor": 0.1, "add-k": 1.0}  # by default, as in sacrebleu


@dataclass(frozen=True)
class NgramMatches:
    """Per row and order n: n-grams of the text that its references have too, its n-grams, and those of the closest reference.

    A match counts at most as often as the n-gram occurs in any one reference. The closest reference is that of the nearest length,
    the shorter one of two.
    """

    tokenizer: Tokenizer
    order: int

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the counts."""
        return tuple(f"{what}_{n}" for what in ("matches", "ngrams", "reference") for n in range(1, self.order + 1))

    def rows(self, inputs: Inputs) -> Floats:
        """The counts (rows, 3 x order)."""
        found = words(inputs, self.tokenizer)
        lengths = found.lengths
        own = lengths[found.first[-1] :]
        closest = closest_lengths(own, lengths[: found.first[-1]], found.first)
        orders = np.arange(self.order)
        totals = [np.maximum(size[:, None] - orders, 0) for size in (own, closest)]
        return np.concatenate([self._matches(found), *totals], axis=1, dtype=np.float64)

    def _matches(self, found: Words) -> NDArray[np.int64]:
        if found.spans is not None:  # by compiled code
            return kernels.ngrams.matches(found.ids, found.starts, found.first, found.own, self.order)
        return np.array([self._matches_of(found, row) for row in range(found.rows)], dtype=np.int64)

    def _matches_of(self, found: Words, row: int) -> list[int]:
        most = Counter[tuple[int, ...]]()
        for reference in range(int(found.first[row]), int(found.first[row + 1])):
            most |= Counter(ngrams(found.text(reference), self.order))
        shared = Counter(ngrams(found.text(int(found.first[-1]) + row), self.order)) & most
        counts = [0] * self.order
        for ngram, count in shared.items():
            counts[len(ngram) - 1] += count
        return counts


def ngrams(items: Sequence[int], order: int) -> Iterator[tuple[int, ...]]:
    """All n-grams up to an order."""
    return (tuple(items[at : at + n]) for n in range(1, order + 1) for at in range(len(items) - n + 1))


def closest_lengths(own: Offsets, references: Offsets, first: Offsets) -> Offsets:
    """For each row the length of a reference that is nearest to its own, the shorter one of two."""
    row = np.repeat(np.arange(len(own)), np.diff(first))
    gap = np.abs(references - own[row])
    return references[np.lexsort((references, gap, row))[first[:-1]]]


@dataclass(frozen=True, kw_only=True)
class BLEU(CorpusMetric):
    r"""BLEU on the scale of 0 to 100: the geometric mean of n-gram precisions, times a penalty for short texts.

    .. math:: 100 \cdot \min\left(1, e^{1 - r/c}\right) \prod_{n=1}^{N} p_n^{1/N}

    Matches, n-grams and lengths are summed over the corpus before any ratio is taken; ``c`` is the length of the texts and ``r`` that
    of their closest references. ``smoothing`` says what an order without any match counts: ``exp`` 1/2, 1/4, ... of a match,
    ``floor`` ``smoothing_value`` of a match, ``none`` nothing, so that the score is 0; ``add-k`` adds ``smoothing_value`` to matches and
    n-grams from bigrams on. Where nothing matches at all the score is 0.

    ``effective_order=True`` leaves out orders of which the texts have no n-gram, ``False`` scores 0 then, and ``None`` leaves out only
    orders of which neither texts nor references have any, so that a text of three words against itself scores 100. For
    ``unit="sentence"``, the mean of the scores of sentences, ``None`` means ``True``.

    >>> round(bleu(["the cat sat on the mat"], ["the cat sat on a mat"]), 2)
    53.73
    """

    record = Record(
        title="BLEU", range=(0, 100), better="higher", family="corpus", takes=TEXTS,
        use="translations of a corpus beside others on the same references; report the signature with it",
        misleads="depends on tokenizer, smoothing and references, and rewards wording, not meaning; hardly comparable between languages "
        "or test sets; scores of single sentences are noisy",
        equals=(
            "sacrebleu BLEU (effective_order=False, or any text of four words)",
            "sacrebleu sentence_bleu, the mean of it (unit='sentence')",
        ),
        differs=(
            "sacrebleu scores 0 where no text has n-grams of the highest order, also for identical texts.",
            "sacrebleu ignores lines that are left over where the numbers of lines differ; they are refused here.",
        ),
        references=("papineni2002", "post2018", "chen2014"), traps=(16,),
    )  # fmt: skip

    tokenizer: TokenizerLike = "13a"
    smoothing: Literal["exp", "floor", "add-k", "none"] = "exp"
    smoothing_value: Positive | None = None
    lowercase: bool = False
    max_order: Annotated[int, Span(1, 16)] = 4
    effective_order: bool | None = None

    def check(self) -> None:
        """Refuse unknown tokenizers and a value that no smoothing takes."""
        translation_tokenizer(self.name, self.tokenizer)
        if self.smoothing_value is not None and self.smoothing not in SMOOTHING_VALUES:
            problem = f"has no meaning for smoothing={self.smoothing!r}"
            raise ParameterError(self.name, "smoothing_value", problem, "Choose smoothing='floor' or 'add-k'.")

    @property
    def weights_count(self) -> bool:
        """Whether what is added to the counts is fixed."""
        return self.smoothing == "add-k" and self.unit == "corpus"

    @property
    def leaves_out_orders(self) -> bool:
        """Whether orders of which the texts have no n-gram are left out."""
        return self.unit == "sentence" if self.effective_order is None else self.effective_order

    def counts(self) -> NgramMatches:
        """Matches and n-grams by order."""
        tokenizer = translation_tokenizer(self.name, self.tokenizer)
        return NgramMatches(replace(tokenizer, lower=self.lowercase), self.max_order)

    def scored(self, total: Sum) -> Numbers:
        """The score from the sums."""
        matches, own, reference = np.split(total.totals[..., 1:], 3, axis=-1)
        some = np.any(real(matches) > 0, axis=-1)
        c, r = np.where(some, own[..., 0], 1), np.where(some, reference[..., 0], 1)
        penalty = np.where(real(c) < real(r), np.exp(1 - r / c), 1)
        precisions, counted = self._precisions(matches, own, reference)
        zero = np.any(counted & (precisions == 0), axis=-1)
        logs = np.where(counted, np.log(np.where(counted & (precisions != 0), precisions, 1)), 0)
        score = penalty * np.exp(logs.sum(axis=-1) / np.maximum(counted.sum(axis=-1), 1))
        return 100 * np.where(some & ~zero, score, 0)

    def _precisions(self, matches: Numbers, own: Numbers, reference: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
        """The smoothed precision of each order, 0 from the first without n-grams on; and whether it counts."""
        value = self.smoothing_value or SMOOTHING_VALUES.get(self.smoothing, 0.0)
        if self.smoothing == "add-k":
            more = np.where(np.arange(self.max_order) > 0, value, 0)
            matches, own = matches + more, own + more
        there = np.logical_and.accumulate(own != 0, axis=-1)
        empty = there & (matches == 0)
        if self.smoothing == "exp":
            matches = np.where(empty, 0.5 ** np.cumsum(empty, axis=-1), matches)
        elif self.smoothing == "floor":
            matches = np.where(empty, value, matches)
        precisions = np.where(there, matches / np.where(there, own, 1), 0)
        if self.leaves_out_orders:
            return precisions, there
        return precisions, there | (reference != 0) if self.effective_order is None else np.ones_like(there)
