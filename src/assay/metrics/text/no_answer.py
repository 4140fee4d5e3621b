"""The threshold above which the probability that a question has no answer replaces its answer, as SQuAD 2.0 chooses it."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.core.arrays import ArrayLike, Floats
from assay.core.errors import InputError
from assay.core.inputs import Inputs
from assay.core.parameters import choice
from assay.data.texts import TEXT
from assay.metrics.classification.thresholds import ChosenThreshold, warn_of_selection
from assay.metrics.text.exact_match import ExactMatch
from assay.metrics.text.token_f1 import TokenF1

WHO = "no_answer_threshold"


def no_answer_threshold(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    no_answer: ArrayLike,
    *,
    metric: Literal["f1", "exact"] = "f1",
    compat: Literal["squad"] | None = None,
) -> ChosenThreshold:
    """The best threshold of ``no_answer``, a score per row: an answer whose score is above it is replaced by an empty one.

    Rows with equal scores are answered or not together. ``compat="squad"`` gives ``best_f1_thresh`` or ``best_exact_thresh`` of
    SQuAD's evaluate-v2.0.py, and as the value ``best_f1`` or ``best_exact`` as a fraction: it takes equal scores one by one, and counts
    every answer of any character to a question without an answer as wrong, so that it can report a value that no threshold reaches.
    The value is optimistic, since the threshold was chosen on the same data.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore", category=assay.SelectionWarning):
    ...     no_answer_threshold(["Paris", ""], ["Paris", "Rome"], [0.1, 0.8])
    ChosenThreshold(threshold=0.1, value=1.0)
    """
    choice(WHO, "metric", metric, ("f1", "exact"))
    choice(WHO, "compat", compat, ("squad", None))
    scorer = TokenF1() if metric == "f1" else ExactMatch(normalization="squad")
    inputs = scorer.inputs(y_true, y_pred)
    answered = scorer.measure().rows(inputs)[:, 0]
    if compat == "squad":
        truth, found = inputs["y_true"], inputs["y_pred"]
        answerable = np.logical_or.reduceat(truth[TEXT].astype(np.bool_), truth.starts[:-1])
        silent = np.where(answerable, 0.0, 1.0)
        answered = np.where(answerable, answered, np.where(found[TEXT].astype(np.bool_), 0.0, 1.0))
    else:
        silent = scorer.measure().rows(scorer.inputs(inputs["y_true"], [""] * inputs.n))[:, 0]
    chosen = _best(_checked(no_answer, inputs.n), answered, silent, together=compat is None)
    warn_of_selection(WHO)
    return chosen


def _checked(no_answer: ArrayLike, rows: int) -> Floats:
    column = Inputs({"no_answer": no_answer}, who=WHO)
    values = np.asarray(column.numbers("no_answer", ranks=(1,)), dtype=np.float64)
    if len(values) != rows:
        raise InputError(WHO, "no_answer", f"must hold one number per row, got {len(values)} for {rows} rows")
    if not np.isfinite(values).all():
        column.refuse_not_finite("no_answer")
    return values


def _best(scores: Floats, answered: Floats, silent: Floats, *, together: bool) -> ChosenThreshold:
    """From no answer at all to all answers, in the order of the scores; the first of the best."""
    order = np.argsort(scores, kind="stable")
    ordered, none = scores[order], float(silent.sum())
    reached = none + np.cumsum((answered - silent)[order])
    if together:
        reached[:-1][ordered[1:] == ordered[:-1]] = -np.inf
    at = int(np.argmax(reached))
    if reached[at] > none:
        return ChosenThreshold(float(ordered[at]), float(reached[at]) / len(scores))
    return ChosenThreshold(-np.inf if together and ordered[0] <= 0 else 0.0, none / len(scores))
