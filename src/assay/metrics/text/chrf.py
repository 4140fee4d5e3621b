"""chrF and chrF++: n-grams of characters, and of words beside them."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.arrays import Floats
from assay.core.inputs import Inputs
from assay.core.monoids import Sum
from assay.core.record import Record
from assay.core.value_checks import Positive, Span
from assay.data.texts import Codes, Offsets, joined
from assay.metrics.averages import Numbers
from assay.metrics.text.bleu import ngrams
from assay.metrics.text.corpus import CorpusMetric
from assay.metrics.text.family import TEXTS
from assay.metrics.text.tokenizers import Spans, Tokenizer
from assay.metrics.text.translation_tokenizers import by_passes, program
from assay.metrics.text.words import Words, all_texts, compiled_pays, prepared, words
from assay.ops import real

EPSILON = 1e-16
_PUNCTUATION = frozenset(string.punctuation)


def _edges(text: str) -> list[str]:
    """Words with one punctuation mark split off: the last one, or else the first; «(hi)» is «(hi» and «)»."""
    found = list[str]()
    for word in text.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            found += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            found += [word[0], word[1:]]
        else:
            found.append(word)
    return found


def _compiled_edges(codes: Codes, offsets: Offsets) -> Spans:
    kinds = np.zeros(0x110000, dtype=np.uint8)
    kinds[[ord(mark) for mark in _PUNCTUATION]] = 1
    return by_passes(codes, offsets, program((), kinds, form=2))


@dataclass(frozen=True)
class CharacterMatches:
    """Per row and order: n-grams of the text, of the reference with the best F, and those that both have.

    An order of which the reference has no n-gram counts none of the text either. Orders of characters come first, then those of words.
    """

    characters: int
    words: int
    beta: float
    lowercase: bool
    whitespace: bool
    epsilon: bool

    @property
    def orders(self) -> int:
        """Number of orders."""
        return self.characters + self.words

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the counts."""
        kinds = [f"characters_{n + 1}" for n in range(self.characters)] + [f"words_{n + 1}" for n in range(self.words)]
        return tuple(f"{kind}_{what}" for kind in kinds for what in ("text", "reference", "match"))

    def rows(self, inputs: Inputs) -> Floats:
        """The counts (rows, 3 x orders) of the first reference with the best F."""
        truth, counts = inputs["y_true"], self._by_reference(inputs)
        scores = f_score(counts, self.beta, self.epsilon)
        best = np.lexsort((np.arange(len(scores)), -scores, truth.row))[truth.starts[:-1]]
        return counts[best].reshape(truth.n, -1)

    def _by_reference(self, inputs: Inputs) -> Floats:
        """The counts (references, orders, 3)."""
        first: Offsets = inputs["y_true"].starts
        own = int(first[-1]) + inputs["y_true"].row
        shared, sizes = self._characters(inputs, first)
        parts = [_counted(shared, sizes, own)]
        if self.words:
            found = words(inputs, Tokenizer("chrf", _edges, _compiled_edges, lower=self.lowercase))
            parts.append(_counted(_word_matches(found, own, self.words), found.lengths, own))
        return np.concatenate(parts, axis=1)

    def _characters(self, inputs: Inputs, first: Offsets) -> tuple[NDArray[np.int64], Offsets]:
        """Matches of each reference by order, and the length of each text."""
        texts = prepared(all_texts(inputs), inputs, Tokenizer("", str.split, lower=self.lowercase))
        if compiled_pays(sum(map(len, texts))):
            codes, starts = joined(texts) if self.whitespace else kernels.ngrams.squeezed(*joined(texts))
            return kernels.ngrams.character_matches(codes, starts, first, self.characters), np.diff(starts)
        if not self.whitespace:
            texts = ["".join(text.split()) for text in texts]
        own = texts[int(first[-1]) :]
        rows = np.repeat(np.arange(len(own)), np.diff(first)).tolist()
        found = [
            matches_of(list(map(ord, texts[at])), list(map(ord, own[row])), self.characters)
            for at, row in enumerate(rows)
        ]
        return np.array(found, dtype=np.int64), np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))


def _word_matches(found: Words, own: Offsets, order: int) -> NDArray[np.int64]:
    """Matches of each reference with the text ``own[reference]`` by order."""
    if found.spans is not None:
        return kernels.ngrams.matches(found.ids, found.starts, np.arange(len(own) + 1), own, order)
    pairs = ((found.text(at), found.text(text)) for at, text in enumerate(own.tolist()))
    return np.array([matches_of(reference, text, order) for reference, text in pairs], dtype=np.int64)


def matches_of(reference: Sequence[int], text: Sequence[int], order: int) -> list[int]:
    """N-grams that two sequences share, by order."""
    counts = [0] * order
    for ngram, count in (Counter(ngrams(reference, order)) & Counter(ngrams(text, order))).items():
        counts[len(ngram) - 1] += count
    return counts


def _counted(shared: NDArray[np.int64], sizes: Offsets, own: Offsets) -> Floats:
    """(references, orders, 3): n-grams of the text and of the reference, and matches."""
    orders = np.arange(int(shared.shape[1]), dtype=np.int64)
    reference = np.maximum(sizes[: len(own), None] - orders, 0)
    text = np.maximum(sizes[own][:, None] - orders, 0) * (reference > 0)
    return np.stack([text, reference, shared], axis=2).astype(np.float64)


def f_score(counts: Numbers, beta: float, epsilon: bool) -> Numbers:
    """The F-score from counts (..., orders, 3), on the scale of 0 to 100."""
    text, reference, match = counts[..., 0], counts[..., 1], counts[..., 2]
    both, factor = (real(text) > 0) & (real(reference) > 0), beta**2
    precision, recall = (
        np.where(real(size) > 0, match / np.where(real(size) > 0, size, 1), EPSILON) for size in (text, reference)
    )
    if epsilon:
        below = factor * precision + recall
        ratio = np.where(
            real(below) > 0, (1 + factor) * precision * recall / np.where(real(below) > 0, below, 1), EPSILON
        )
        return 100 * _added(ratio) / counts.shape[-2]
    orders = np.maximum(both.sum(axis=-1), 1).astype(real(text).dtype)  # so that single precision stays so
    p, r = (_added(np.where(both, rate, 0)) / orders for rate in (precision, recall))
    some = real(p + r) > 0
    return np.where(some, 100 * ((1 + factor) * p * r / np.where(some, factor * p + r, 1)), 0)


def _added(values: Numbers) -> Numbers:
    """The sum over the last axis from left to right, so that equal scores are equal to the last digit."""
    total = values[..., 0]
    for at in range(1, values.shape[-1]):
        total = total + values[..., at]
    return total


@dataclass(frozen=True, kw_only=True)
class ChrF(CorpusMetric):
    r"""F-score of n-grams of characters on the scale of 0 to 100; with ``word_order=2`` it is chrF++.

    .. math:: 100 \cdot (1 + \beta^2) \frac{P R}{\beta^2 P + R}

    ``P`` and ``R`` are the means over orders of precision and recall, from counts summed over the corpus; orders that one side does not
    have are left out. With ``eps_smoothing`` every order counts, and F is taken by order before the mean, as in chrF++.py. Of several
    references the one with the best score of the sentence counts. Needs no words, so that it fits every script.

    >>> round(chrf(["the cat"], ["the hat"], char_order=2), 2)
    71.67
    """

    record = Record(
        title="chrF", range=(0, 100), better="higher", family="corpus", takes=TEXTS,
        use="translations into any language, above all into those with rich morphology or without spaces; no tokenizer to choose",
        misleads="rewards similar spelling: names and numbers that are wrong by a letter cost little",
        equals=("sacrebleu CHRF", "sacrebleu CHRF(word_order=2), which is chrF++ (word_order=2)"),
        references=("popovic2015", "popovic2017"), traps=(16,), aliases=("chrf_score",),
    )  # fmt: skip

    key = "chrf"

    char_order: Annotated[int, Span(1, 16)] = 6
    word_order: Annotated[int, Span(0, 16)] = 0
    beta: Positive = 2.0
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False

    def counts(self) -> CharacterMatches:
        """N-grams by order."""
        return CharacterMatches(
            self.char_order, self.word_order, self.beta, self.lowercase, self.whitespace, self.eps_smoothing
        )

    def scored(self, total: Sum) -> Numbers:
        """The score from the sums."""
        counts = total.totals[..., 1:]
        return f_score(counts.reshape(*counts.shape[:-1], -1, 3), self.beta, self.eps_smoothing)
