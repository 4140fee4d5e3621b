"""The scoring of SQuAD, transcribed from evaluate-v1.1.py and evaluate-v2.0.py (rajpurkar/SQuAD-explorer)."""

from __future__ import annotations

import collections
import re
import string

PUNCTUATION = set(string.punctuation)


def normalize(text: str) -> str:
    kept = "".join(letter for letter in text.lower() if letter not in PUNCTUATION)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


def f1_v1(prediction: str, truth: str) -> float:
    found, wanted = normalize(prediction).split(), normalize(truth).split()
    same = sum((collections.Counter(found) & collections.Counter(wanted)).values())
    if same == 0:
        return 0
    precision, recall = 1.0 * same / len(found), 1.0 * same / len(wanted)
    return (2 * precision * recall) / (precision + recall)


def f1_v2(prediction: str, truth: str) -> float:
    found, wanted = normalize(prediction).split(), normalize(truth).split()
    if not found or not wanted:
        return int(found == wanted)
    return f1_v1(prediction, truth)


def exact(prediction: str, truth: str) -> int:
    return int(normalize(prediction) == normalize(truth))


def scores(references: list[list[str]], predictions: list[str], version: str) -> tuple[list[int], list[float]]:
    """(exact, F1) of every question; a question without an answer has the reference ""."""
    found = [], []
    for own, prediction in zip(references, predictions, strict=True):
        if version == "2.0":
            own = [text for text in own if normalize(text)] or [""]  # noqa: PLW2901
        found[0].append(max(exact(prediction, text) for text in own))
        found[1].append(max((f1_v1 if version == "1.1" else f1_v2)(prediction, text) for text in own))
    return found


def best_threshold(
    predictions: list[str], scored: list[float], no_answer: list[float], answerable: list[bool]
) -> tuple[float, float]:
    """find_best_thresh: the best score in per cent, and its threshold."""
    now = best = sum(1 for has in answerable if not has)
    threshold = 0.0
    for at in sorted(range(len(no_answer)), key=lambda k: no_answer[k]):
        if answerable[at]:
            now += scored[at]
        elif predictions[at]:
            now -= 1
        if now > best:
            best, threshold = now, no_answer[at]
    return 100.0 * best / len(scored), threshold
