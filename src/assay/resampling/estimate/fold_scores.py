"""Intervals from scores of folds that a user already has; nothing is trained here."""

from __future__ import annotations

import numpy as np

from assay.core.arrays import ArrayLike, to_host
from assay.core.call_checks import guarded
from assay.core.errors import InputError
from assay.core.ingestion import ingest
from assay.core.parameters import number
from assay.core.score import Score
from assay.core.value_checks import Level
from assay.resampling.estimate import _interval_formulas as formulas


@guarded
def corrected_t(scores: ArrayLike, ratio: float, *, level: Level = 0.95) -> Score:
    """The mean of the scores of splits with an interval that allows for the training rows that they share.

    Nadeau and Bengio (2003): ``scores`` hold one number per split, ``ratio`` is n_test / n_train: 1 / (K - 1) for K folds, repeated or
    not. The interval covers the expected score of the learner at this training set size. A plain t over folds is too narrow, since it
    takes them for independent. Intervals that need the errors of rows or of inner folds (Bayle, nested cross-validation) are those
    of `estimate`.

    >>> corrected_t([0.81, 0.79, 0.84, 0.80, 0.82], ratio=1 / 4)
    0.8120 [0.7762, 0.8478] 95 % · n=5 · corrected resampled t
    """
    who = "corrected t"
    values = to_host(ingest(scores, name="scores", who=who))
    if values.dtype.kind not in "fiub" or not np.isfinite(values.astype(np.float64)).all():
        raise InputError(who, "scores", "must be finite numbers")
    if values.ndim != 1 or len(values) < 2:
        problem = f"must be one-dimensional with at least 2 numbers, got shape {values.shape}"
        raise InputError(who, "scores", problem)
    number(who, "ratio", ratio, low=0, open_low=True)
    found = formulas.corrected_t(values, ratio, level)
    flat = found.error <= 1e-12 * abs(found.value)  # what rounding leaves of no spread at all
    return Score(
        found.value, metric="fold scores", n=len(values), signature=f"corrected_t|ratio:{ratio:g}|splits:{len(values)}", low=found.low,
        high=found.high, level=level, method=found.method, reliable=not flat,
        reason="all splits score the same, so nothing tells how much they vary" if flat else "",
    )  # fmt: skip
