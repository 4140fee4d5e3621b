"""Tokenizers of translation, word for word those of sacrebleu: 13a, intl, zh, char, none.

Each is written twice: as substitutions on one text, and as the same passes for compiled code, which takes many texts at once.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.errors import ParameterError
from assay.data.texts import Codes, Offsets
from assay.metrics.text.tokenizers import SPACES, Spans, Tokenizer, TokenizerLike, tokenizer_of

if TYPE_CHECKING:
    from assay.kernels.tokenizers import Program

# One after the other: what a substitution has consumed, the next one sees again, so that no single pattern does the same.
WESTERN = (
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
    for pattern, replacement in WESTERN:
        text = pattern.sub(replacement, text)
    return text


def _13a(text: str) -> list[str]:
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, letter in ENTITIES:
        text = text.replace(entity, letter)
    return western(f" {text} ").split()


def character_class(ranges: Sequence[tuple[int, int]]) -> re.Pattern[str]:
    """A pattern of one character in any of the ranges."""
    return re.compile("([" + "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges) + "])")


_AROUND = {"zh": character_class(SACREBLEU_CHINESE), "zh-corrected": character_class(CORRECTED_CHINESE)}


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


# ---- the same as passes

SYMBOL, DOT, DIGIT, DASH, SPECIAL, WIDE, DROPPED = (1 << k for k in range(7))  # kinds of characters
_PASSES = (  # pass, kinds, whether the first and the second character are of them, space before them
    (1, SYMBOL, 0, 0, 0, 0),
    (2, DIGIT, DOT, 0, 1, 0),
    (2, DOT, DIGIT, 1, 0, 1),
    (2, DIGIT, DASH, 1, 1, 0),
)
_POSSESSIVE = (3, 0, 0, 0, 0, 0)
_AROUND_WIDE = (1, WIDE, 0, 0, 0, 0)
_SYMBOLS = '!"#$%&()*+/:;<=>?@[\\]^_`{|}~'  # and the space, which it changes nothing to surround
Needles = Sequence[tuple[str, str]]
NEEDLES_13A: Needles = (("<skipped>", ""), ("-\n", ""), ("\n", " "), *ENTITIES)
NEEDLES_TERCOM: Needles = (("\n-", ""), ("\n", " "), *ENTITIES)


def kinds_of(wide: Iterable[tuple[int, int]] = (), dropped: Iterable[int] = ()) -> NDArray[np.uint8]:
    """The table of kinds of the Western passes, with ranges of ``wide`` characters and ``dropped`` ones."""
    table = np.zeros(0x110000, dtype=np.uint8)
    for letters, kind in ((_SYMBOLS, SYMBOL), (".,", DOT), ("0123456789", DIGIT), ("-", DASH), ("&<\n", SPECIAL)):
        table[[ord(letter) for letter in letters]] |= kind
    for low, high in wide:
        table[low : high + 1] |= WIDE
    table[list(dropped)] |= DROPPED
    return table


def program(
    passes: Sequence[tuple[int, ...]], kinds: NDArray[np.uint8], needles: Needles = (), **options: int
) -> Program:
    """Passes for compiled code; texts of ``needles`` are replaced first."""
    steps = [*((0, at, 0, 0, 0, 0) for at in range(len(needles))), *passes]
    cuts = np.cumsum([0, *(len(needle) for needle, _ in needles)], dtype=np.int64)
    codes = np.array([ord(letter) for needle, _ in needles for letter in needle], dtype=np.uint32)
    letters = np.array([ord(letter) if letter else -1 for _, letter in needles], dtype=np.int64)
    matrix = np.array(steps, dtype=np.int64).reshape(-1, 6)
    return kernels.tokenizers.Program(matrix, kinds, codes, cuts, letters, trigger=SPECIAL, **options)


@functools.cache
def _programs(name: str) -> Program:
    if name == "13a":
        return program(_PASSES, kinds_of(), NEEDLES_13A, padded=1)
    if name in ("zh", "zh-corrected"):
        wide = SACREBLEU_CHINESE if name == "zh" else CORRECTED_CHINESE
        return program((_AROUND_WIDE, *_PASSES), kinds_of(wide), stripped=1)
    return program((), kinds_of(), form=1)  # every character alone


def tercom_program(*, normalized: bool, asian: Sequence[tuple[int, int]], dropped: Iterable[int]) -> Program:
    """The passes of the tokenizer of TER."""
    passes = (_PASSES[0], _POSSESSIVE, *_PASSES[1:], *((_AROUND_WIDE,) if asian else ())) if normalized else ()
    needles = NEEDLES_TERCOM if normalized else ()
    return program(passes, kinds_of(asian, dropped), needles, padded=int(normalized), dropped=DROPPED)


def by_passes(codes: Codes, offsets: Offsets, passes: Program) -> Spans:
    """The words of many texts."""
    return Spans(*kernels.tokenizers.tokenize(codes, offsets, passes))


def _compiled(name: str, codes: Codes, offsets: Offsets) -> Spans:
    return by_passes(codes, offsets, _programs(name))


_NUMBER, _PUNCTUATION, _SYMBOL = 1, 2, 4


def _compiled_intl(codes: Codes, offsets: Offsets) -> Spans:
    """Of the code points that occur, only a few, the classes are looked up."""
    kinds = np.zeros(0x110000, dtype=np.uint8)
    by_class = {"N": _NUMBER, "P": _PUNCTUATION, "S": _SYMBOL}
    for code in np.flatnonzero(np.bincount(codes)).tolist():
        kinds[code] = by_class.get(unicodedata.category(chr(code))[0], 0)
    passes = (
        (2, _NUMBER, _PUNCTUATION, 0, 1, 0), (2, _PUNCTUATION, _NUMBER, 1, 0, 1), (1, _SYMBOL, 0, 0, 0, 0),
    )  # fmt: skip
    return by_passes(codes, offsets, program(passes, kinds))


TRANSLATION: dict[str, Tokenizer] = {
    "13a": Tokenizer("13a", _13a, functools.partial(_compiled, "13a")),
    "intl": Tokenizer("intl", _intl, _compiled_intl),
    "zh": Tokenizer("zh", _zh, functools.partial(_compiled, "zh")),
    "zh-corrected": Tokenizer("zh-corrected", _zh_corrected, functools.partial(_compiled, "zh-corrected")),
    "char": Tokenizer("char", _characters, functools.partial(_compiled, "char")),
    "none": SPACES,
}


def translation_tokenizer(who: str, asked: TokenizerLike) -> Tokenizer:
    """The tokenizer of a name that sacrebleu knows too, or of a function; those that need data are refused with the reason."""
    if isinstance(asked, str) and asked in NEED_DATA:
        fix = "Give a function of a text that returns its words."
        raise ParameterError(who, "tokenizer", f"{asked!r} needs {NEED_DATA[asked]}, which assay does not contain", fix)
    return tokenizer_of(who, asked, TRANSLATION)
