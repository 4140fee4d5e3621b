"""TER: the edits, shifts of phrases among them, that turn a translation into its reference."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.arrays import Floats
from assay.core.inputs import Inputs
from assay.core.monoids import Sum
from assay.core.record import Record
from assay.data.texts import Codes, Offsets
from assay.metrics.averages import Numbers
from assay.metrics.text import ter_edits
from assay.metrics.text.corpus import CorpusMetric
from assay.metrics.text.family import TEXTS
from assay.metrics.text.tokenizers import Spans, Tokenizer
from assay.metrics.text.translation_tokenizers import ENTITIES, WESTERN, by_passes, character_class, tercom_program
from assay.metrics.text.words import Words, words
from assay.ops import divide, real

_PUNCTUATION = '.,?:;!"()'
_WIDE_PUNCTUATION = (
    (0x3001, 0x3002), (0x3008, 0x3011), (0x3014, 0x301F), (0xFF61, 0xFF65), (0x30FB, 0x30FB), (0xFF0E, 0xFF0E), (0xFF0C, 0xFF0C),
    (0xFF1F, 0xFF1F), (0xFF1A, 0xFF1B), (0xFF01, 0xFF02), (0xFF08, 0xFF09),
)  # fmt: skip
_ASIAN = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0x31C0, 0x31EF), (0x2E80, 0x2EFF), (0x3300, 0x33FF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F),
    (0x3200, 0x3F22), *_WIDE_PUNCTUATION,
)  # fmt: skip
_AROUND_ASIAN, _IS_WIDE_PUNCTUATION = character_class(_ASIAN), character_class(_WIDE_PUNCTUATION)
_IS_PUNCTUATION = re.compile(f"[{re.escape(_PUNCTUATION)}]")


@dataclass(frozen=True)
class TercomTokenizer:
    """The tokenizer of tercom: words between spaces, with ``normalized`` punctuation and with ``asian`` characters apart."""

    normalized: bool
    no_punct: bool
    asian: bool

    def split(self, text: str) -> list[str]:
        """The words of one text."""
        text = text.rstrip()
        if self.normalized and text:
            text = self._normal(text)
        if self.no_punct:
            text = _IS_PUNCTUATION.sub("", text)
            text = _IS_WIDE_PUNCTUATION.sub("", text) if self.asian else text
        return text.split()

    def _normal(self, text: str) -> str:
        text = text.replace("\n-", "").replace("\n", " ")
        for entity, letter in ENTITIES:
            text = text.replace(entity, letter)
        (symbols, around), *rest = WESTERN
        text = symbols.sub(around, f" {text} ").replace("'s ", " 's ")
        for pattern, replacement in rest:
            text = pattern.sub(replacement, text)
        return _AROUND_ASIAN.sub(r" \1 ", text) if self.asian else text

    def compiled(self, codes: Codes, offsets: Offsets) -> Spans:
        """The words of many texts."""
        dropped = [ord(mark) for mark in _PUNCTUATION] if self.no_punct else []
        if self.no_punct and self.asian:
            dropped += [code for low, high in _WIDE_PUNCTUATION for code in range(low, high + 1)]
        asian = _ASIAN if self.asian and self.normalized else ()
        return by_passes(codes, offsets, tercom_program(normalized=self.normalized, asian=asian, dropped=dropped))


@functools.cache
def tercom_tokenizer(*, normalized: bool, no_punct: bool, asian: bool, lower: bool, reread: bool) -> Tokenizer:
    """The same tokenizer for the same options, so that its words are made once."""
    own = TercomTokenizer(normalized, no_punct, asian)
    return Tokenizer("tercom", own.split, own.compiled, lower=lower, reread=reread)


@dataclass(frozen=True)
class ShiftedEdits:
    """Per row the fewest edits against any reference, and the mean length of its references."""

    tokenizer: Tokenizer
    names = ("edits", "length")

    def rows(self, inputs: Inputs) -> Floats:
        """The two numbers of each row."""
        found = words(inputs, self.tokenizer)
        starts = found.first[:-1]
        fewest = np.minimum.reduceat(self._edits(found), starts)
        lengths = np.add.reduceat(found.lengths[: found.first[-1]], starts) / np.diff(found.first)
        return np.stack([fewest, lengths], axis=1)

    def _edits(self, found: Words) -> NDArray[np.int64]:
        """The edits against every reference."""
        if found.spans is not None:
            return kernels.ter.edits(found.ids, found.starts, found.first)
        rows = np.repeat(np.arange(found.rows), np.diff(found.first)) + found.first[-1]
        pairs = ((found.text(text), found.text(at)) for at, text in enumerate(rows.tolist()))
        return np.array([ter_edits.edits(text, reference) for text, reference in pairs], dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class TER(CorpusMetric):
    r"""Translation edit rate: edits per word of the reference, times 100.

    .. math:: 100 \cdot \frac{\sum_i \min_r \text{edits}(\hat t_i, t_{ir})}{\sum_i \overline{|t_{ir}|}}

    An edit inserts, deletes or replaces a word, or shifts a phrase. Shifts are found by the greedy search of tercom, so that the number
    of edits is not always the smallest there is. Of several references the nearest counts, divided by their mean length. Texts without
    words against references without words score 0, other texts against such references 100.

    ``normalized`` splits off punctuation, ``no_punct`` removes it, ``asian_support`` does both for East Asian characters too.
    sacrebleu tokenizes references twice, which matters with ``normalized``: ``compat="sacrebleu"`` does so too.

    >>> round(ter(["the cat sat on the mat"], ["on the mat the cat sat"]), 2)
    16.67
    """

    record = Record(
        title="Translation edit rate", range=(0, float("inf")), better="lower", family="corpus", takes=TEXTS,
        use="how much work a translation leaves to its editor",
        misleads="above 100 for texts much longer than their references; a better wording than that of the reference costs as much "
        "as an error",
        equals=("sacrebleu TER (compat='sacrebleu', or normalized=False)",),
        differs=("sacrebleu tokenizes references twice, so that with normalized=True a text can differ from itself.",),
        references=("snover2006",), traps=(16,), aliases=("translation_edit_rate",),
    )  # fmt: skip

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    compat: Literal["sacrebleu"] | None = None

    def counts(self) -> ShiftedEdits:
        """Edits and lengths."""
        tokenizer = tercom_tokenizer(
            normalized=self.normalized, no_punct=self.no_punct, asian=self.asian_support, lower=not self.case_sensitive,
            reread=self.normalized and self.compat == "sacrebleu",
        )  # fmt: skip
        return ShiftedEdits(tokenizer)

    def scored(self, total: Sum) -> Numbers:
        """The rate."""
        edits, length = total["edits"], total["length"]
        return 100 * np.where(real(length) > 0, divide(edits, length), np.where(real(edits) > 0, 1.0, 0.0))
