"""Tokenizers of translation, word for word those of sacrebleu: 13a, intl, zh, char, none."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from assay.core.errors import ParameterError
from assay.metrics.text.tokenizers import SPACES, Tokenizer, TokenizerLike, tokenizer_of

# One after the other: what a substitution has consumed, the next one sees again, so that no single pattern does the same.
_WESTERN = (
    (re.compile(r"([{-~\[-` -&(-+:-@/])"), r" \1 "),  # symbols
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),  # full stop and comma, unless a digit precedes
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),  # or follows
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),  # a dash after a digit
)
ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_CHINESE = (
    (0x3400, 0x4DB5), (0x4E00, 0x9FBB), (0xF900, 0xFA2D), (0xFA30, 0xFA6A), (0xFA70, 0xFAD9), (0xFF00, 0xFFEF), (0x2E80, 0x2EFF),
    (0x3000, 0x303F), (0x31C0, 0x31EF), (0x2F00, 0x2FDF), (0x2FF0, 0x2FFF), (0x3100, 0x312F), (0x31A0, 0x31BF), (0xFE10, 0xFE1F),
    (0xFE30, 0xFE4F), (0x2600, 0x26FF), (0x2700, 0x27BF), (0x3200, 0x33FF),
)  # fmt: skip
# sacrebleu writes '\u20000' for U+20000, which Python reads as U+2000 and a zero; compared as texts, its two ranges are these.
SACREBLEU_CHINESE = (*_CHINESE, (0x2001, 0x2A6D), (0x2F81, 0x2FA1))
CORRECTED_CHINESE = (*_CHINESE, (0x20000, 0x2A6D6), (0x2F800, 0x2FA1D))
NEED_DATA = {
    "spm": "a SentencePiece model", "flores101": "a SentencePiece model", "flores200": "a SentencePiece model",
    "spBLEU-1K": "a SentencePiece model", "ja-mecab": "MeCab and its dictionary", "ko-mecab": "MeCab and its dictionary",
}  # fmt: skip


def western(text: str) -> str:
    """The four substitutions that 13a and zh share."""
    for pattern, replacement in _WESTERN:
        text = pattern.sub(replacement, text)
    return text


def _13a(text: str) -> list[str]:
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, letter in ENTITIES:
        text = text.replace(entity, letter)
    return western(f" {text} ").split()


def _class(ranges: Sequence[tuple[int, int]]) -> re.Pattern[str]:
    return re.compile("([" + "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges) + "])")


_AROUND = {"zh": _class(SACREBLEU_CHINESE), "zh-corrected": _class(CORRECTED_CHINESE)}


def _zh(text: str) -> list[str]:
    return western(_AROUND["zh"].sub(r" \1 ", text.strip())).split()


def _zh_corrected(text: str) -> list[str]:
    return western(_AROUND["zh-corrected"].sub(r" \1 ", text.strip())).split()


_INTL = (
    (re.compile("([^N])(P)"), (1, 2)),  # punctuation, unless a number precedes
    (re.compile("(P)([^N])"), (0, 1)),  # or follows
)


def _intl(text: str) -> list[str]:
    """Punctuation and symbols stand alone, but for punctuation between numbers; a stop after a final number stays."""
    letters = list(text.rstrip())
    for pattern, gaps in _INTL:
        letters = _spaced(letters, pattern, gaps)
    return "".join(f" {letter} " if unicodedata.category(letter)[0] == "S" else letter for letter in letters).split()


def _spaced(letters: list[str], pattern: re.Pattern[str], gaps: tuple[int, int]) -> list[str]:
    """The letters with a space at two places of each match of a pattern of their classes."""
    classes = "".join(unicodedata.category(letter)[0] for letter in letters)
    found, at = list[str](), 0
    for match in pattern.finditer(classes):
        for gap in gaps:
            found += [*letters[at : match.start() + gap], " "]
            at = match.start() + gap
    return [*found, *letters[at:]]


def _characters(text: str) -> list[str]:
    return [letter for letter in text if not letter.isspace()]


TRANSLATION: dict[str, Tokenizer] = {
    "13a": Tokenizer("13a", _13a),
    "intl": Tokenizer("intl", _intl),
    "zh": Tokenizer("zh", _zh),
    "zh-corrected": Tokenizer("zh-corrected", _zh_corrected),
    "char": Tokenizer("char", _characters),
    "none": SPACES,
}


def translation_tokenizer(who: str, asked: TokenizerLike) -> Tokenizer:
    """The tokenizer of a name that sacrebleu knows too, or of a function; those that need data are refused with the reason."""
    if isinstance(asked, str) and asked in NEED_DATA:
        fix = "Give a function of a text that returns its words."
        raise ParameterError(who, "tokenizer", f"{asked!r} needs {NEED_DATA[asked]}, which assay does not contain", fix)
    return tokenizer_of(who, asked, TRANSLATION)
