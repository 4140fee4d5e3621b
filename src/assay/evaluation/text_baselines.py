"""Trivial models of texts: what would be scored without any model, where the data tell it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping

from assay.core.arrays import ArrayLike
from assay.core.errors import InputError, ParameterError, arg
from assay.core.inputs import Inputs
from assay.core.ragged import Ragged
from assay.data.texts import TEXT, text_column
from assay.evaluation.task_data import TaskData

TRIVIAL_TEXTS = {"translation": "copying the source", "question_answering": "always giving the most common answer",
                 "summarization": "the first three sentences of the source"}  # fmt: skip
_LEAD = 3  # sentences
_SENTENCE_END = re.compile(r"\n+|(?<=[.!?])\s+|(?<=[。！？])")
WITH_SOURCE = ("translation", "summarization")  # tasks that know a text from which the prediction was made


def beside_texts(task: str, extra: Mapping[str, ArrayLike], n: int) -> dict[str, Ragged]:
    """What a task of texts takes beyond texts and references, as columns."""
    known = ["source"] if task in WITH_SOURCE else []
    found = dict[str, Ragged]()
    for name, value in extra.items():
        if name not in known:
            if not known:
                raise ParameterError("evaluate", "extra", f"does not apply to {arg('task', task)}", "Drop it.")
            problem = f"names {name!r}, which {arg('task', task)} does not take"
            raise InputError("evaluate", "extra", problem, f"It takes: {', '.join(known)}.")
        found[name] = text_column(value, name=name, who="evaluate")
        if found[name].n != n:
            raise InputError("evaluate", name, f"must have one text per row, got {found[name].n} for {n} rows")
    return found


def text_baseline(problem: TaskData) -> Inputs | None:
    """The references beside the trivial texts; None where there are none."""
    build = _BASELINES.get(problem.task)
    found = None if build is None else build(problem)
    if found is None:
        return None
    inputs = problem.inputs
    return Inputs({"y_true": inputs["y_true"], "y_pred": found}, weight=inputs.host_weight(), who="baseline")


def _copy(problem: TaskData) -> Ragged | None:
    return problem.beside.get("source")


def _lead(problem: TaskData) -> Ragged | None:
    """The first three sentences of each source; a sentence ends at a line, or at a mark that a space follows."""
    source = problem.beside.get("source")
    if source is None:
        return None
    first = ["\n".join(_SENTENCE_END.split(text.strip())[:_LEAD]) for text in source[TEXT].tolist()]
    return text_column(first, name="y_pred", who="baseline")


def _most_common(problem: TaskData) -> Ragged:
    """The answer that most questions have among their references; of several, the first."""
    truth = problem.inputs["y_true"]
    pairs = dict.fromkeys(zip(truth.row.tolist(), truth[TEXT].tolist(), strict=True))
    [(answer, _)] = Counter(text for _, text in pairs).most_common(1)
    return text_column([answer] * truth.n, name="y_pred", who="baseline")


_BASELINES: dict[str, Callable[[TaskData], Ragged | None]] = {
    "translation": _copy,
    "question_answering": _most_common,
    "summarization": _lead,
}
