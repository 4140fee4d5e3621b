"""The trivial rankings beside a system: documents in random order, or for recommenders the most popular items first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from assay.core.arrays import Floats
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Sum
from assay.core.ragged import Ragged
from assay.evaluation.measure import measure
from assay.evaluation.task_data import TaskData

_SHUFFLES = 20
_LARGEST = 2_000_000  # documents for which a baseline is worth its time
SAMPLED = (
    1001  # candidates per user up to which they are probably a sample: one relevant item and a round number of others
)


def ranking_baseline(chosen: Mapping[str, Metric[Sum]], problem: TaskData) -> dict[str, float]:
    """The value of each metric: the mean of random orders for retrieval, popularity for recommendation."""
    inputs = problem.inputs
    if len(inputs["y_score"]["score"]) > _LARGEST:
        return {}
    usable = {name: metric for name, metric in chosen.items() if metric.record.better != "none"}
    if problem.task == "recommendation":
        return _values(usable, _reordered(inputs, _popularity(inputs)))
    rng = np.random.default_rng(0)
    runs = [_values(usable, _reordered(inputs, lambda row, ids: rng.random(len(ids)))) for _ in range(_SHUFFLES)]
    return {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}


def _values(chosen: Mapping[str, Metric[Sum]], inputs: Inputs) -> dict[str, float]:
    values = measure(chosen, inputs, ["y_score"], lenient=True)
    return {name: float(value) for name, value in values.items() if isinstance(value, float)}


def _reordered(inputs: Inputs, scorer: Callable[[int, Sequence[Any]], Floats]) -> Inputs:
    """The same documents with other scores, from the row and the names (or columns) of its documents."""
    truth, ranking = cast(Ragged, inputs["y_true"]), cast(Ragged, inputs["y_score"])
    scores, judged = ranking["score"].copy(), list[float]()
    for row in range(inputs.n):
        own = slice(ranking.starts[row], ranking.starts[row + 1])
        ids = list(ranking.facts["ids"][row]) if "ids" in ranking.facts else range(own.stop - own.start)
        scores[own] = scorer(row, ids)
        if "score" in truth:
            known = dict(zip(ids, scores[own].tolist(), strict=True))
            judged.extend(known.get(document, np.nan) for document in truth.facts["ids"][row])
    arrays: dict[str, Any] = {"y_score": replace(ranking, items={"score": scores})}
    if "score" in truth:
        arrays["y_true"] = replace(truth, items={**truth.items, "score": np.array(judged)})
    return inputs.replaced(arrays)


def _popularity(inputs: Inputs) -> Callable[[int, Sequence[Any]], Floats]:
    """How many other users an item is relevant to: what a user likes does not count for the list of this user."""
    truth = cast(Ragged, inputs["y_true"])
    liked = [_liked(truth, row) for row in range(inputs.n)]
    counts = Counter[Any](item for own in liked for item in own)
    return lambda row, ids: np.array([counts[item] - (item in liked[row]) for item in ids], np.float64)


def _liked(truth: Ragged, row: int) -> set[Any]:
    grades = truth["grade"][truth.starts[row] : truth.starts[row + 1]]
    ids = truth.facts["ids"][row] if "ids" in truth.facts else range(len(grades))
    return {item for item, grade in zip(ids, grades.tolist(), strict=True) if grade > 0}


def cautions(problem: TaskData) -> tuple[str, ...]:
    """What the lists of candidates give away: one relevant item among few others, the same number for every user."""
    truth, ranking = cast(Ragged, problem.inputs["y_true"]), cast(Ragged, problem.inputs["y_score"])
    sizes = ranking.counts
    one_each = "score" not in truth and np.count_nonzero(truth["grade"] > 0) == truth.n
    if problem.task != "recommendation" or not one_each or len(set(sizes.tolist())) > 1 or sizes[0] > SAMPLED:
        return ()
    return (
        f"every user has one relevant item among {sizes[0]} candidates: if these were sampled, all values are too high, and models may "
        "be in another order than among all items (Krichene and Rendle 2020).",
    )
