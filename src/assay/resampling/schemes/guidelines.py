"""The guideline: which resampling scheme suits the data, and why."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, cast

from assay.core.call_checks import guarded
from assay.core.errors import ParameterError, arg
from assay.core.parameters import whole
from assay.core.value_checks import Says
from assay.resampling.estimate._intervals import FEW_GROUPS
from assay.resampling.estimate._intervals import FEW_ROWS as FLAGGED_ROWS
from assay.resampling.schemes._sampling_units import MOST_CLASSES
from assay.resampling.schemes.scheme import CrossValidation, Holdout, LeaveOneGroupOut, Scheme
from assay.resampling.schemes.time_ordered import TimeOrdered

BUDGET = 50  # fits: ten folds, repeated five times
LARGE = 100_000
FEW_LEFT_OUT = 20
FEW_ROWS = 500
SMALL_CLASS = 1000  # rows: a third of them are too few to test on, however many rows there are in total
MEASURED = 100  # rows, the fewest for which the coverage of the corrected t was measured


@dataclass(frozen=True)
class Guideline:
    """A scheme, the interval method that goes with it, and the reasons."""

    scheme: Scheme
    method: str
    reasons: list[str] = field(default_factory=lambda: list[str]())

    def __str__(self) -> str:
        return "\n".join([f"{self.scheme}, method={self.method!r}", *(f"- {reason}" for reason in self.reasons)])


@guarded
def guideline(
    n: int,
    *,
    classes: Annotated[
        Sequence[int] | Mapping[Any, int] | None, Says("the number of rows per class, such as [250, 50]")
    ] = None,
    groups: int | None = None,
    budget: int = BUDGET,
    ordered: bool = False,
    seed: int = 0,
) -> Guideline:
    """Which scheme to use and why, given ``n`` rows, the number of rows per class, the number of ``groups`` and a budget of fits.

    ``ordered`` means that rows are ordered in time and the learner will predict later ones. ``method`` of the result is the
    interval that goes with the scheme; ``"none"`` means that none is known to be valid.

    >>> guideline(300, classes=[250, 50]).scheme
    CrossValidation(seed=0, stratify=True, folds=10, repeats=5)
    """
    n, budget = _whole("n", n, low=2), _whole("budget", budget)
    groups = None if groups is None else _whole("groups", groups, low=2)
    if groups is not None and groups > n:
        raise ParameterError(
            "guideline", "groups", f"must not exceed the number of rows, got {groups} groups of {n} rows"
        )
    counts = _counts(classes, n)
    if ordered:
        folds = max(1, min(5, budget, (groups or n) // 2 - 1))
        why = (
            "Rows are ordered in time: test rows must come after training rows. No interval is known to be valid here."
        )
        return Guideline(TimeOrdered(folds=folds, seed=seed), "none", [why])
    if groups is not None:
        return _grouped(groups, counts, budget, seed)
    return _rows(n, counts, budget, seed)


def _whole(name: str, value: Any, *, low: int = 1) -> int:
    """An integer, also one of NumPy: that is what counting returns."""
    given = operator.index(value) if hasattr(value, "__index__") and not isinstance(value, bool) else value
    whole("guideline", name, given, low=low)
    return given


def _counts(classes: Any, n: int) -> list[int]:
    """The number of rows of each class to stratify by; empty if nearly every row is a class of its own."""
    if classes is None:
        return []
    values = cast("Mapping[Any, Any]", classes).values() if isinstance(classes, Mapping) else classes
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise ParameterError(
            "guideline", "classes", f"must hold the number of rows per class, such as [250, 50], got {classes!r}"
        )
    counts = [_whole("each of classes", count, low=0) for count in values]
    if sum(counts) > n:
        raise ParameterError("guideline", "classes", f"must add up to at most {arg('n')}: the number of rows per class")
    counts = [count for count in counts if count]
    return counts if len(counts) <= max(2, MOST_CLASSES * n) else []


def _grouped(groups: int, counts: list[int], budget: int, seed: int) -> Guideline:
    said = ["Rows of one group are not independent: groups stay whole, and the interval counts groups, not rows."]
    if groups < FEW_GROUPS:
        said.append(
            f"With {groups} groups the interval is flagged: below {FEW_GROUPS} its coverage is less than nominal."
        )
    if groups <= min(FEW_LEFT_OUT, budget):
        said.append(f"With {groups} groups each can be left out in turn.")
        if counts:
            said.append("A single group cannot be stratified, so nothing is stratified here.")
        return Guideline(LeaveOneGroupOut(seed=seed), "cluster_t", said)
    folds = _folds(groups, budget)
    if folds < 2:
        said.append(f"A budget of {budget} fit allows one split.")
        return Guideline(Holdout(stratify=bool(counts), seed=seed), "holdout", [*said, *_layers(counts, 2, "part")])
    scheme = CrossValidation(folds=folds, repeats=_repeats(folds, budget), stratify=bool(counts), seed=seed)
    return Guideline(scheme, "cluster_t", [*said, *_layers(counts, folds, "fold")])


def _folds(units: int, budget: int) -> int:
    """Ten folds, or five, or what the units and the budget allow."""
    most = min(units, budget)
    return 10 if most >= 10 else 5 if most >= 5 else most


def _repeats(folds: int, budget: int) -> int:
    """Five, or what the budget allows."""
    return max(1, min(5, budget // folds))


def _layers(counts: list[int], parts: int, name: str) -> list[str]:
    """What there is to report about classes: that they are stratified, and which are too small for it."""
    if not counts:
        return []
    said = [f"Stratified, so that every {name} has its proportion of each class, as closely as possible."]
    if min(counts) < parts:
        least = min(counts)
        said.append(
            f"A class of {least} row{'s' * (least > 1)} is missing in some {name}s: metrics per class may be undefined there."
        )
    return said


def _rows(n: int, counts: list[int], budget: int, seed: int) -> Guideline:
    small = min(counts, default=n) < SMALL_CLASS
    if budget < 2 or (n >= LARGE and not small):
        return _one_split(n, counts, budget, seed)
    folds = _folds(n, budget)
    # Large data take too long to go through repeatedly; once is enough to test every row of a small class.
    repeats = 1 if n >= LARGE else _repeats(folds, budget)
    said = [f"{repeats} x {folds}-fold cross-validation: each fit trains on nearly all rows, every row is tested."]
    if folds < 5:
        said = [
            f"{repeats} x {folds}-fold cross-validation: every row is tested, but each fit leaves out 1 row in {folds}."
        ]
    if n >= LARGE:
        said.append(f"One hold-out would do for {n} rows, but they include a small sample: a class of {min(counts)}.")
    said.append(_level(n, folds, repeats))
    if n < FEW_ROWS and repeats > 1:
        said.append(f"With {n} rows the estimate depends on the division into folds; repeats stabilise it.")
    if budget < BUDGET and n < LARGE:
        said.append(f"A budget of {budget} fits allows {repeats} x {folds}; 5 x 10 would be more stable.")
    scheme = CrossValidation(folds=folds, repeats=repeats, stratify=bool(counts), seed=seed)
    return Guideline(scheme, "corrected_t", [*said, *_layers(counts, folds, "fold")])


def _one_split(n: int, counts: list[int], budget: int, seed: int) -> Guideline:
    why = f"{n} rows are enough for one split" if n >= LARGE else f"a budget of {budget} fit allows one split"
    said = [f"One hold-out: {why}; the interval is about the model fitted on its training part."]
    least = min(counts, default=n)
    if n >= LARGE and least < SMALL_CLASS:
        said.append(f"A class of {least} is still a small sample: more fits would test all of its rows.")
    return Guideline(Holdout(stratify=bool(counts), seed=seed), "holdout", [*said, *_layers(counts, 2, "part")])


def _level(n: int, folds: int, repeats: int) -> str:
    """What is known about the corrected t with this many rows and splits, or that nothing was measured."""
    if n < FLAGGED_ROWS:
        return f"The corrected t is flagged: its coverage has not been measured with fewer than {FLAGGED_ROWS} rows."
    if n < MEASURED:
        return f"The coverage of the corrected t was measured from {MEASURED} rows on; with {n} it is unknown."
    if (folds, repeats) == (10, 5):
        return (
            "The corrected t at 95 % covered the error in 0.91 to 0.99 of simulated data sets of 100 and of 500 rows."
        )
    splits = folds * repeats
    return f"The coverage of the corrected t was measured for 5 x 10 splits only; with {splits} it is wider, its coverage unknown."
