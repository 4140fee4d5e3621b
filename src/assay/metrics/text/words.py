"""All texts of a call as numbers, made once for all metrics that read them: equal numbers are equal words."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.errors import InputError
from assay.core.inputs import Inputs, memo
from assay.data.texts import TEXT, Offsets, joined
from assay.metrics.text.tokenizers import Spans, Tokenizer

WORTH = 20_000  # characters from which compiled code pays if it is loaded already


@dataclass(frozen=True, eq=False)
class Words:
    """Text i holds ``ids[starts[i] : starts[i + 1]]``, numbers below ``size``.

    The texts are the references, row after row, then one prediction per row: row i has the references ``first[i]`` to
    ``first[i + 1]`` and the prediction ``first[-1] + i``.
    """

    ids: NDArray[np.int32]
    starts: Offsets
    first: Offsets
    spans: Spans | None  # where words lie in the code points, or
    names: tuple[str, ...]  # the distinct words themselves
    seen: Offsets  # the first word with each number, for ``spans``

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.first) - 1

    @property
    def own(self) -> Offsets:
        """The prediction of each row."""
        return int(self.first[-1]) + np.arange(self.rows)

    @property
    def size(self) -> int:
        """Number of distinct words."""
        return len(self.seen) if self.spans is not None else len(self.names)

    @property
    def lengths(self) -> Offsets:
        """Number of words of each text."""
        return np.diff(self.starts)

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """The distinct words by number."""
        if self.spans is None:
            return self.names
        codes, begins, ends, _ = self.spans
        return tuple(
            codes[begins[at] : ends[at]].tobytes().decode("utf-32-le", "surrogatepass") for at in self.seen.tolist()
        )

    def text(self, at: int) -> list[int]:
        """The numbers of one text."""
        return self.ids[self.starts[at] : self.starts[at + 1]].tolist()


def all_texts(inputs: Inputs) -> list[str]:
    """The references, row after row, then the predictions."""
    return [*inputs["y_true"][TEXT].tolist(), *inputs["y_pred"][TEXT].tolist()]


def prepared(texts: list[str], inputs: Inputs, tokenizer: Tokenizer) -> list[str]:
    """The texts as the tokenizer wants them."""
    if tokenizer.prepare is not None:
        texts = list(map(tokenizer.prepare, texts))
    if tokenizer.lower:
        texts = [text.lower() for text in texts]
    if not tokenizer.reread:
        return texts
    references = int(inputs["y_true"].starts[-1])
    return [*(" ".join(tokenizer.split(text)) for text in texts[:references]), *texts[references:]]


@memo
def words(inputs: Inputs, tokenizer: Tokenizer) -> Words:
    """The words of both columns under one numbering."""
    texts = prepared(all_texts(inputs), inputs, tokenizer)
    return numbered(inputs.who, texts, inputs["y_true"].starts, tokenizer)


def numbered(who: str, texts: Sequence[str], first: Offsets, tokenizer: Tokenizer) -> Words:
    """The words of texts that are prepared."""
    if tokenizer.compiled is not None and compiled_pays(sum(map(len, texts))):
        spans = tokenizer.compiled(*joined(texts))
        ids, seen = kernels.words.number(spans.codes, spans.begins, spans.ends)
        return Words(ids, spans.starts, first, spans, (), seen)
    return _plain(who, texts, first, tokenizer)


def compiled_pays(characters: int) -> bool:
    """Whether to use compiled code: for much text, or for some where it is loaded already."""
    return characters >= (WORTH if "assay.kernels.words" in sys.modules else kernels.LARGE)


def _plain(who: str, texts: Sequence[str], first: Offsets, tokenizer: Tokenizer) -> Words:
    numbers = dict[str, int]()
    starts, ids = np.zeros(len(texts) + 1, dtype=np.int64), list[int]()
    for at, text in enumerate(texts):
        found = tokenizer.split(text)
        if isinstance(found, str):
            raise InputError(who, "tokenizer", f"must return a list of words, got {found[:40]!r}")
        ids.extend(numbers.setdefault(word, len(numbers)) for word in found)
        starts[at + 1] = len(ids)
    none = np.zeros(0, dtype=np.int64)
    return Words(np.array(ids, dtype=np.int32), starts, first, None, tuple(numbers), none)
