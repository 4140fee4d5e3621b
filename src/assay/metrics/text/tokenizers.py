"""How a text becomes words. A tokenizer is a function of one text; the usual ones have a compiled twin for many texts at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from assay import kernels
from assay.core.errors import ParameterError, did_you_mean
from assay.data.texts import Codes, Offsets


class Spans(NamedTuple):
    """Words as places in an array of code points: word j is ``codes[begins[j] : ends[j]]``, text i has words from ``starts[i]``."""

    codes: Codes
    begins: Offsets
    ends: Offsets
    starts: Offsets


@dataclass(frozen=True)
class Tokenizer:
    """``split`` gives the words of one text; ``compiled`` those of many, given as code points and where each text begins.

    With ``lower`` texts come in lower case. With ``reread`` references are split, joined by spaces and split again.
    """

    name: str
    split: Callable[[str], Sequence[str]]
    compiled: Callable[[Codes, Offsets], Spans] | None = None
    lower: bool = False
    reread: bool = False


TokenizerLike: TypeAlias = str | Callable[[str], Sequence[str]]


def _spaces(codes: Codes, offsets: Offsets) -> Spans:
    return Spans(codes, *kernels.words.split(codes, offsets))


SPACES = Tokenizer("none", str.split, _spaces)
TOKENIZERS: dict[str, Tokenizer] = {"none": SPACES}


def tokenizer_of(who: str, asked: TokenizerLike, known: Mapping[str, Tokenizer] = TOKENIZERS) -> Tokenizer:
    """The tokenizer of a name, or of a function of a text."""
    if callable(asked):
        return Tokenizer(getattr(asked, "__name__", "custom"), asked)
    if asked not in known:
        raise ParameterError(who, "tokenizer", f"{asked!r} is unknown", did_you_mean(asked, known).strip())
    return known[asked]
