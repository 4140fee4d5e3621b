"""How a text becomes words. A tokenizer is a function of one text; the usual ones have a compiled twin for many texts at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple, TypeAlias

from assay import kernels
from assay.core.errors import ParameterError, did_you_mean
from assay.core.value_checks import Says
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

    Both are given what ``prepare`` makes of a text, with ``lower`` in lower case. With ``reread`` references are split, joined by spaces
    and split again.
    """

    name: str
    split: Callable[[str], Sequence[str]]
    compiled: Callable[[Codes, Offsets], Spans] | None = None
    lower: bool = False
    reread: bool = False
    prepare: Callable[[str], str] | None = None


Splitter: TypeAlias = Callable[[str], Sequence[str]]
TokenizerLike: TypeAlias = Annotated[
    str | Splitter, Says("the name of a tokenizer, or a function of a text that returns its words")
]


def _spaces(codes: Codes, offsets: Offsets) -> Spans:
    return Spans(codes, *kernels.words.split(codes, offsets))


SPACES = Tokenizer("none", str.split, _spaces)
TOKENIZERS: dict[str, Tokenizer] = {"none": SPACES}


def function_name(function: Splitter) -> str:
    """What signatures and states say of a function: it is named, not kept."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return f"function {getattr(function, '__module__', '')}.{name}"


def tokenizer_of(who: str, asked: str | Splitter, known: Mapping[str, Tokenizer] = TOKENIZERS) -> Tokenizer:
    """The tokenizer of a name, or of a function of a text."""
    if not isinstance(asked, str):
        return Tokenizer(function_name(asked), asked)
    if asked not in known:
        fix = "Pass the function itself." if asked.startswith("function ") else did_you_mean(asked, known).strip()
        raise ParameterError(who, "tokenizer", f"{asked!r} is unknown", fix or f"There are: {', '.join(known)}.")
    return known[asked]
