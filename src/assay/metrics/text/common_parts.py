"""What a text has in common with its references: n-grams, common subsequences, skip-bigrams; plain twins of the kernels."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from assay import kernels
from assay.core.arrays import Floats
from assay.core.inputs import Inputs, memo
from assay.data.texts import Offsets
from assay.metrics.text.answers import overlap, pairs
from assay.metrics.text.stemming import stem
from assay.metrics.text.tokenizers import Tokenizer
from assay.metrics.text.words import Words, all_texts, compiled_pays, numbered, prepared, words

Boundaries: TypeAlias = Literal["lines", "split"]
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_STEMMED_FROM = 4  # letters, as in rouge-score
_Shared: TypeAlias = Callable[[list[int], list[int]], float]


class Common(NamedTuple):
    """For every reference and the prediction of its row: what they share, and how much each has."""

    shared: Floats
    reference: Floats
    text: Floats


@dataclass(frozen=True)
class WordRule:
    """What the words are."""

    tokenizer: Tokenizer
    stemming: bool


@memo
def rule_words(inputs: Inputs, rule: WordRule) -> Words:
    """The words of all texts."""
    found = words(inputs, rule.tokenizer)
    return stemmed(found) if rule.stemming else found


def stemmed(found: Words) -> Words:
    """The words replaced by their stems, each distinct one stemmed once."""
    numbers = dict[str, int]()
    stems = [stem(word) if len(word) >= _STEMMED_FROM else word for word in found.vocabulary]
    ids = np.array([numbers.setdefault(word, len(numbers)) for word in stems], dtype=np.int32)
    none = np.zeros(0, dtype=np.int64)
    return Words(ids[found.ids] if len(ids) else found.ids, found.starts, found.first, None, tuple(numbers), none)


@memo
def common_ngrams(inputs: Inputs, rule: WordRule, order: int) -> Common:
    """n-grams of one order."""
    found = rule_words(inputs, rule)
    left, right = pairs(found)
    if compiled_pays(len(found.ids) * order):
        grams, begins, ends, size = kernels.common_parts.ngrams(found.ids, found.starts, found.size, order)
        shared = kernels.bags.overlaps(grams, begins, ends, left, right, size)
    else:
        shared = _each(found, lambda a, b: overlap(list(grams_of(a, order)), list(grams_of(b, order))))
    counts = np.maximum(found.lengths - order + 1, 0)
    return _common(shared, counts, left, right)


def grams_of(items: Sequence[int], order: int) -> Iterator[tuple[int, ...]]:
    """The n-grams of one order."""
    return zip(*(items[k:] for k in range(order)), strict=False)


@memo
def common_subsequence(inputs: Inputs, rule: WordRule) -> Common:
    """Longest common subsequences of whole texts."""
    found = rule_words(inputs, rule)
    left, right = pairs(found)
    if compiled_pays(_cells(found)):
        shared = kernels.common_parts.subsequences(found.ids, found.starts, left, right, found.size)
    else:
        shared = _each(found, lambda a, b: subsequence_table(a, b)[-1][-1])
    return _common(shared, found.lengths, left, right)


@memo
def common_weighted(inputs: Inputs, rule: WordRule, exponent: float) -> Common:
    """Weighted common subsequences: k matches in a row count k to the power ``exponent``, and so do the lengths."""
    found = rule_words(inputs, rule)
    left, right = pairs(found)
    worth = np.arange(int(found.lengths.max(initial=0)) + 2, dtype=np.float64) ** exponent
    if compiled_pays(_cells(found)):
        shared = kernels.common_parts.weighted(found.ids, found.starts, left, right, worth)
    else:
        shared = _each(found, lambda a, b: weighted_subsequence(a, b, worth.tolist()))
    return _common(shared, worth[found.lengths], left, right)


@memo
def common_skips(inputs: Inputs, rule: WordRule, gap: int | None) -> Common:
    """Skip-bigrams: pairs of words in their order with at most ``gap`` words between them."""
    found = rule_words(inputs, rule)
    left, right = pairs(found)
    longest = int(found.lengths.max(initial=0))
    reach = longest if gap is None else min(gap + 1, max(1, longest))
    if compiled_pays(len(found.ids) * max(1, reach)):
        shared = kernels.common_parts.skips(found.ids, found.starts, left, right, reach)
    else:
        shared = _each(found, lambda a, b: overlap(list(skips_of(a, reach)), list(skips_of(b, reach))))
    far = np.minimum(reach, np.maximum(found.lengths - 1, 0))
    return _common(shared, far * found.lengths - far * (far + 1) // 2, left, right)


def skips_of(items: Sequence[int], reach: int) -> Iterator[tuple[int, int]]:
    """Pairs of words at most ``reach`` apart."""
    return ((one, other) for at, one in enumerate(items) for other in items[at + 1 : at + 1 + reach])


@memo
def common_words_but_last(inputs: Inputs, rule: WordRule) -> Common:
    """Words without the last one of each text, which ROUGE-1.5.5 forgets in ROUGE-SU."""
    found = rule_words(inputs, rule)
    left, right = pairs(found)
    shared = _each(found, lambda a, b: overlap(a[:-1], b[:-1]))
    return _common(shared, np.maximum(found.lengths - 1, 0), left, right)


@memo
def common_sentences(inputs: Inputs, rule: WordRule, boundaries: Boundaries, once: bool) -> Common:
    """Union of the longest common subsequences of each sentence of a reference with the sentences of the text."""
    sentences = [sentences_of(text, boundaries) for text in all_texts(inputs)]
    first = np.zeros(len(sentences) + 1, dtype=np.int64)
    np.cumsum([len(own) for own in sentences], out=first[1:])
    flat = prepared([one for own in sentences for one in own], inputs, rule.tokenizer)
    found = numbered(inputs.who, flat, first, rule.tokenizer)
    found = stemmed(found) if rule.stemming else found
    references = inputs["y_true"].starts
    left = np.arange(int(references[-1]), dtype=np.int64)
    right = np.repeat(np.arange(inputs.n, dtype=np.int64), np.diff(references)) + len(left)
    if compiled_pays(len(found.ids) * 10):
        shared = kernels.common_parts.unions(found.ids, found.starts, first, left, right, once, found.size)
    else:
        texts = [[found.text(at) for at in range(a, b)] for a, b in itertools.pairwise(first.tolist())]
        both: list[list[int]] = np.stack([left, right], axis=1).tolist()
        shared = np.array([union(texts[a], texts[b], once) for a, b in both], dtype=np.int64)
    lengths = found.starts[first[1:]] - found.starts[first[:-1]]
    return _common(shared, lengths, left, right)


def sentences_of(text: str, boundaries: Boundaries) -> list[str]:
    """Lines, or what stands between the ends of sentences."""
    parts = text.split("\n") if boundaries == "lines" else _SENTENCE_ENDS.split(text)
    return [part for part in parts if part]


def union(reference: Sequence[Sequence[int]], text: Sequence[Sequence[int]], once: bool) -> int:
    """Words of the reference in the union, by sentence, of its common subsequences with the sentences of the text."""
    left = Counter(word for sentence in text for word in sentence)
    hits = 0
    for sentence in reference:
        marked = set[int]().union(*(common_places(sentence, other) for other in text))
        for at in sorted(marked):
            if not once or left[sentence[at]] > 0:
                left[sentence[at]] -= 1
                hits += 1
    return hits


def common_places(a: Sequence[int], b: Sequence[int]) -> Iterator[int]:
    """The places in ``a`` of one longest common subsequence, read from the end as rouge-score does."""
    table = subsequence_table(a, b)
    i, j = len(a), len(b)
    while i and j:
        if a[i - 1] == b[j - 1]:
            i, j = i - 1, j - 1
            yield i
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1


def subsequence_table(a: Sequence[int], b: Sequence[int]) -> list[list[int]]:
    """Lengths of the longest common subsequences of the beginnings of both."""
    table = [[0] * (len(b) + 1)]
    for one in a:
        above, row = table[-1], [0]
        for j, other in enumerate(b):
            row.append(above[j] + 1 if one == other else max(above[j + 1], row[j]))
        table.append(row)
    return table


def weighted_subsequence(a: Sequence[int], b: Sequence[int], worth: Sequence[float]) -> float:
    """As the longest common subsequence, with ``worth[k]`` for k matches in a row."""
    above, above_run = [0.0] * (len(b) + 1), [0] * (len(b) + 1)
    for one in a:
        row, run = [0.0], [0]
        for j, other in enumerate(b):
            k = above_run[j]
            same = one == other
            row.append(above[j] + worth[k + 1] - worth[k] if same else max(above[j + 1], row[j]))
            run.append(k + 1 if same else 0)
        above, above_run = row, run
    return above[-1]


def _each(found: Words, shared: _Shared) -> Floats:
    left, right = pairs(found)
    return np.array(
        [shared(found.text(a), found.text(b)) for a, b in zip(left.tolist(), right.tolist(), strict=True)],
        dtype=np.float64,
    )


def _cells(found: Words) -> int:
    """How many places the tables of all pairs have, in tens: about what plain Python does in the time of a character."""
    left, right = pairs(found)
    return int((found.lengths[left] * found.lengths[right]).sum()) // 10


def _common(shared: Floats | Offsets, sizes: Floats | Offsets, left: Offsets, right: Offsets) -> Common:
    return Common(*(np.asarray(column, dtype=np.float64) for column in (shared, sizes[left], sizes[right])))
