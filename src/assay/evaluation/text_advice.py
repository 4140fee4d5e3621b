"""Warnings that texts themselves call for: lengths, scripts, empty texts, references."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from assay.core.inputs import Inputs
from assay.core.score import digits
from assay.data.texts import TEXT
from assay.evaluation.presets import TEXTS, unit_of
from assay.evaluation.table_layout import counted
from assay.evaluation.task_data import TaskData

# Scripts that put no spaces between words: Thai, Lao, Burmese, Khmer, kana, Chinese characters.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_WORDS = ("13a", "intl", "none", "jiwer", "unicode", "rouge-score")  # tokenizers that look for spaces and punctuation
_SHORT, _LONG = 0.75, 1.35  # ratios of lengths beyond which a colleague would ask
_LOOKED_AT = 2000  # rows


def text_advice(metrics: Mapping[str, object], problem: TaskData) -> list[str]:
    """Warnings about the texts of a task, most important first; none for other tasks."""
    if problem.task not in TEXTS or TEXT not in problem.inputs["y_true"]:
        return []
    inputs, unit = problem.inputs, unit_of(problem.task)
    return [
        *_copied(problem, unit),
        *_lengths(inputs),
        *_empty(inputs, unit),
        *_scripts(metrics, inputs),
        *(_spelling(inputs) if problem.task == "speech" else ()),
        *(_references(inputs, unit) if problem.task in ("translation", "captioning") else ()),
    ]


def _copied(problem: TaskData, unit: str) -> Iterator[str]:
    source = problem.beside.get("source")
    if source is not None:
        copies = int(np.count_nonzero(source[TEXT] == problem.inputs["y_pred"][TEXT]))
        if copies > 0.05 * problem.inputs.n:
            yield f"{counted(copies, unit)} equal their source: they may not have been translated."


def _lengths(inputs: Inputs) -> Iterator[str]:
    """Texts far shorter or longer than their references; with several references, than their mean."""
    truth = inputs["y_true"]
    own = sum(map(len, inputs["y_pred"][TEXT]))
    each = np.fromiter(map(len, truth[TEXT]), dtype=np.float64, count=len(truth[TEXT]))
    expected = float((np.bincount(truth.row, each, minlength=truth.n) / truth.counts).sum())
    if expected and own and not _SHORT <= own / expected <= _LONG:
        rows = "Are these the right files, in the right order?"
        yield f"the texts have {digits(own / expected)} times the characters of their references. {rows}"


def _empty(inputs: Inputs, unit: str) -> Iterator[str]:
    for name, what in (("y_pred", "an empty text"), ("y_true", "an empty reference")):
        column = inputs[name]
        count = len(set(column.row[[not text.strip() for text in column[TEXT]]].tolist()))
        if count:
            yield f"{counted(count, unit)} {'has' if count == 1 else 'have'} {what}."


def _scripts(metrics: Mapping[str, object], inputs: Inputs) -> Iterator[str]:
    """Word by word, a sentence of a script without spaces is one word."""
    texts: Sequence[str] = inputs["y_true"][TEXT][:_LOOKED_AT].tolist()
    letters = sum(len(text) - text.count(" ") for text in texts)
    unspaced = sum(len(_UNSPACED.findall(text)) for text in texts)
    names = [name for name, metric in metrics.items() if getattr(metric, "tokenizer", None) in _WORDS]
    if letters and unspaced > 0.3 * letters and names:
        yield (
            f"{', '.join(names)}: the references are written without spaces between words, so that whole sentences count as words. "
            "Choose another tokenizer (char; zh for Chinese), a function that finds words, or a metric of characters."
        )


def _spelling(inputs: Inputs) -> Iterator[str]:
    """How much of the word error rate is case and punctuation."""
    from assay.metrics.text.error_rates import WordErrorRate

    truth, found = (inputs[name][TEXT][:_LOOKED_AT].tolist() for name in ("y_true", "y_pred"))
    rate = WordErrorRate(undefined="nan")
    before, after = float(rate(truth, found)), float(rate(_plain(truth), _plain(found)))
    if before > after and before - after > 0.2 * before:
        rows = "" if inputs.n <= _LOOKED_AT else f" (first {_LOOKED_AT} rows)"
        yield (
            f"the word error rate is {digits(before)}, and {digits(after)} without case and punctuation{rows}. "
            "Normalise both sides alike unless these are what you measure."
        )


def _plain(texts: Sequence[str]) -> list[str]:
    return ["".join(c for c in text.lower() if unicodedata.category(c)[0] != "P") for text in texts]


def _references(inputs: Inputs, unit: str) -> Iterator[str]:
    if int(inputs["y_true"].counts.max(initial=0)) == 1:
        yield f"each {unit} has one reference: other good wordings count as errors, so compare systems rather than read the values alone."
