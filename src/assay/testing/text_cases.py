"""Example texts for the laws of text metrics: sentences of a small grammar, and what a fair system makes of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.object_]
_SUBJECTS = ("the cat", "a small dog", "the old engineer", "my neighbour", "the company", "der Hund")
_VERBS = ("sees", "has repaired", "sold", "did not find", "paints", "über­holt")
_OBJECTS = ("the red car", "a machine", "3.5 million shares", "the house, again", "two of them", "the mat")
_ENDS = ("on Monday.", "in the garden!", "for $1,200.", "today?", "at 10:30.", "with care.")


def sentences(rng: np.random.Generator, rows: int, *, references: int) -> tuple[Column, Column, Column]:
    """(truth, fair, perfect): sentences with up to ``references`` references each; a perfect one equals the first of them."""
    truth, fair, perfect = (np.empty(rows, dtype=object) for _ in range(3))
    for at in range(rows):
        own = [_sentence(rng) for _ in range(int(rng.integers(1, references + 1)))]
        truth[at] = own if references > 1 else own[0]
        fair[at], perfect[at] = _garbled(rng, own[0]), own[0]
    return truth, fair, perfect


def _sentence(rng: np.random.Generator) -> str:
    parts = [words[int(rng.integers(len(words)))] for words in (_SUBJECTS, _VERBS, _OBJECTS, _ENDS)]
    return " ".join(parts)


def _garbled(rng: np.random.Generator, text: str) -> str:
    """Words go missing, come twice, are replaced or change places; some texts are right."""
    if rng.random() < 0.2:
        return text
    words = list[str]()
    for word in text.split():
        words.extend(([word], [], [word, word], ["thing"])[int(rng.choice(4, p=[0.8, 0.08, 0.05, 0.07]))])
    if len(words) > 3 and rng.random() < 0.3:
        at = int(rng.integers(0, len(words) - 2))
        words[at : at + 2] = words[at + 1], words[at]
    return " ".join(words) or "nothing"
