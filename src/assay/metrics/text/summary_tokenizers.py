"""Tokenizers of summaries: words of any script, the words of rouge-score, and characters. Texts are in lower case."""

from __future__ import annotations

import functools
import re
import string
import unicodedata
from collections.abc import Callable, Sequence

from assay import kernels
from assay.data.texts import Codes, Offsets
from assay.metrics.text.tokenizers import SPACES, Spans, Tokenizer

_ASCII = string.ascii_lowercase + string.digits
_NO_SPACES = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "BOPOMOFO")
_JOINERS = "\u200c\u200d"
_LETTER, _ALONE, _MARK = "w", "c", "m"


@functools.lru_cache(maxsize=1 << 16)
def _class(letter: str) -> str:
    """A letter or digit of a word; a character that is a word, in scripts without spaces; a mark of what precedes; or nothing."""
    if letter in _JOINERS or unicodedata.category(letter).startswith("M"):
        return _MARK
    if not letter.isalnum():
        return ""
    return _ALONE if unicodedata.name(letter, "").startswith(_NO_SPACES) else _LETTER


def _unicode(text: str) -> list[str]:
    """Runs of letters and digits, and single characters of scripts without spaces, with the marks that follow."""
    found, last = list[str](), ""
    for letter in text:
        kind = _class(letter)
        if last and (kind == _MARK or (kind == last == _LETTER)):
            found[-1] += letter
            continue
        last = "" if kind == _MARK else kind
        if last:
            found.append(letter)
    return found


def _rouge_score(text: str) -> list[str]:
    return re.findall("[a-z0-9]+", text)


def _characters(text: str) -> list[str]:
    return list("".join(text.split()))


def _unicode_kind(letter: str) -> int:
    kinds = kernels.character_kinds
    return {_LETTER: kinds.LETTER, _ALONE: kinds.ALONE, _MARK: kinds.MARK, "": kinds.OTHER}[_class(letter)]


def _ascii_kind(letter: str) -> int:
    return kernels.character_kinds.LETTER if letter in _ASCII else kernels.character_kinds.OTHER


def _character_kind(letter: str) -> int:
    return kernels.character_kinds.SPACE if letter.isspace() else kernels.character_kinds.ALONE


def _tokenizer(name: str, split: Callable[[str], Sequence[str]], kind: Callable[[str], int]) -> Tokenizer:
    def compiled(codes: Codes, offsets: Offsets) -> Spans:
        kinds = kernels.character_kinds
        return Spans(codes, *kinds.words(codes, offsets, kinds.table(codes, kind)))

    return Tokenizer(name, split, compiled, prepare=str.lower)


SUMMARY_TOKENIZERS = {
    "unicode": _tokenizer("unicode", _unicode, _unicode_kind),
    "rouge-score": _tokenizer("rouge-score", _rouge_score, _ascii_kind),
    "char": _tokenizer("char", _characters, _character_kind),
    "none": SPACES,
}
