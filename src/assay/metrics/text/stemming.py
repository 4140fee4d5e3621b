"""Porter's stemmer with the extensions of nltk, which rouge-score uses."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TypeAlias

_IRREGULAR = {
    "sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news", "innings": "inning",
    "inning": "inning", "outings": "outing", "outing": "outing", "cannings": "canning", "canning": "canning", "howe": "howe",
    "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}  # fmt: skip
_PLURALS = (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", ""))
_DOUBLE = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"), ("alli", "al"),
    ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"),
    ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"), ("fulli", "ful"),
)  # fmt: skip
_SINGLE = (("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""))
_LAST = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip
Rules: TypeAlias = Sequence[tuple[str, str]]


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _past(_plural(word))
    if word.endswith("y") and len(word) > 2 and _consonants(word[:-1])[-1]:
        word = f"{word[:-1]}i"
    word = _replaced(_double(word), _SINGLE, _positive)
    return _tidied(_last(word))


def _consonants(word: str) -> list[bool]:
    """Which letters are consonants: a y is one unless it follows one."""
    flags = list[bool]()
    for at, letter in enumerate(word):
        flags.append(letter not in "aeiou" and (letter != "y" or at == 0 or not flags[-1]))
    return flags


def _measure(word: str) -> int:
    """How often consonants follow vowels."""
    flags = _consonants(word)
    return sum(after and not before for before, after in itertools.pairwise(flags))


def _positive(word: str) -> bool:
    return _measure(word) > 0


def _ends_short(word: str) -> bool:
    """Consonant, vowel, consonant other than w, x, y; or a vowel and a consonant."""
    flags = _consonants(word)
    return flags == [False, True] or (flags[-3:] == [True, False, True] and word[-1] not in "wxy")


def _replaced(word: str, rules: Rules, condition: Callable[[str], bool] | None = None) -> str:
    """By the first rule whose ending the word has, if what is left meets the condition."""
    for ending, instead in rules:
        if word.endswith(ending):
            left = word[: len(word) - len(ending)]
            return left + instead if condition is None or condition(left) else word
    return word


def _plural(word: str) -> str:
    return word[:-1] if word.endswith("ies") and len(word) == 4 else _replaced(word, _PLURALS)


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        left = word[: len(word) - len(ending)]
        if word.endswith(ending) and not all(_consonants(left)):
            return _mended(left)
    return word


def _mended(word: str) -> str:
    """What the removal of -ed or -ing leaves: conflat becomes conflate, hopp hop, fil file."""
    if word.endswith(("at", "bl", "iz")):
        return f"{word}e"
    flags = _consonants(word)
    if len(word) >= 2 and word[-1] == word[-2] and flags[-1]:
        return word if word[-1] in "lsz" else word[:-1]
    return f"{word}e" if _measure(word) == 1 and _ends_short(word) else word


def _double(word: str) -> str:
    while word.endswith("alli") and _positive(word[:-4]):
        word = word[:-2]
    if word.endswith("logi") and not any(word.endswith(ending) for ending, _ in _DOUBLE):
        return word[:-1] if _positive(word[:-3]) else word
    return _replaced(word, _DOUBLE, _positive)


def _last(word: str) -> str:
    for ending in _LAST:
        if word.endswith(ending):
            left = word[: len(word) - len(ending)]
            fits = _measure(left) > 1 and (ending != "ion" or left[-1] in "st")
            return left if fits else word
    return word


def _tidied(word: str) -> str:
    if word.endswith("e"):
        left = word[:-1]
        if _measure(left) > 1 or (_measure(left) == 1 and not _ends_short(left)):
            word = left
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
