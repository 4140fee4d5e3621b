"""Which scheme for these data, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.core.errors import ParameterError
from assay.core.parameters import whole
from assay.resampling.intervals import FEW_GROUPS
from assay.resampling.ordered import TimeOrdered
from assay.resampling.schemes import CrossValidation, Holdout, LeaveOneObjectOut, Scheme

BUDGET = 50  # fits: five repeats of ten folds
LARGE = 100_000
FEW_OBJECTS = 20
FEW_ROWS = 500


@dataclass(frozen=True)
class Guideline:
    """A scheme, the interval that goes with it, and the reasons."""

    scheme: Scheme
    method: str
    reasons: list[str] = field(default_factory=lambda: list[str]())

    def __str__(self) -> str:
        return "\n".join([f"{self.scheme}, method={self.method!r}", *(f"- {reason}" for reason in self.reasons)])


def guideline(
    n: int,
    *,
    classes: Sequence[int] | None = None,
    groups: int | None = None,
    budget: int = BUDGET,
    ordered: bool = False,
    seed: int = 0,
) -> Guideline:
    """Which scheme and why: for ``n`` rows, the numbers of rows of each class, the number of ``groups``, and a budget of fits.

    ``ordered`` says that rows stand in time and the learner will predict what comes later.

    >>> guideline(300, classes=[250, 50]).scheme
    CrossValidation(seed=0, stratify=True, folds=10, repeats=5)
    """
    whole("guideline", "n", n, low=2)
    whole("guideline", "budget", budget)
    if groups is not None:
        whole("guideline", "groups", groups, low=2)
    counts = list(classes or ())
    if any(count < 0 for count in counts) or (counts and sum(counts) > n):
        raise ParameterError("guideline: classes holds the number of rows of each class, which add up to n.")
    if ordered:
        folds = max(1, min(5, budget, n // 2 - 1))
        why = (
            "Rows stand in time: what is tested must come after what was trained on. No interval is known to hold here."
        )
        return Guideline(TimeOrdered(folds=folds, seed=seed), "none", [why])
    if groups is not None:
        return _grouped(groups, budget, seed)
    return _rows(n, counts, budget, seed)


def _grouped(groups: int, budget: int, seed: int) -> Guideline:
    said = ["Rows of one group are not independent: groups stay whole, and the interval counts groups, not rows."]
    if groups < FEW_GROUPS:
        said.append(f"With {groups} groups the interval is flagged: below {FEW_GROUPS} it covers less than it says.")
    if groups <= min(FEW_OBJECTS, budget):
        said.append(f"With {groups} groups each can be left out in turn.")
        return Guideline(LeaveOneObjectOut(seed=seed), "cluster_t", said)
    folds = _folds(groups, budget)
    if folds < 2:
        return Guideline(Holdout(seed=seed), "holdout", [*said, f"A budget of {budget} fit leaves one split."])
    repeats = max(1, min(5, budget // folds))
    return Guideline(CrossValidation(folds=folds, repeats=repeats, seed=seed), "cluster_t", said)


def _folds(units: int, budget: int) -> int:
    """Ten folds, or five, or what the units and the budget allow."""
    most = min(units, budget)
    return 10 if most >= 10 else 5 if most >= 5 else most


def _rows(n: int, counts: list[int], budget: int, seed: int) -> Guideline:
    said: list[str] = []
    if n >= LARGE or budget < 2:
        few = [count for count in counts if count < 1000]
        why = f"{n} rows are enough for one split" if n >= LARGE else f"a budget of {budget} fit leaves one split"
        said.append(f"One hold-out: {why}; the interval is about the model fitted on its training part.")
        said += (
            ["Some classes are small all the same: more splits would steady their share."] if few and n >= LARGE else []
        )
        return Guideline(Holdout(stratify=bool(counts), seed=seed), "holdout", said)
    folds = _folds(n, budget)
    repeats = max(1, min(5, budget // folds))
    said.append(
        f"{repeats} x {folds}-fold cross-validation: nearly all rows train, every row is tested, and the corrected t holds its "
        "level (0.93 to 0.975 measured at 95 %)."
    )
    if n < FEW_ROWS and repeats > 1:
        said.append(f"With {n} rows a single division into folds moves the estimate; repeats steady it.")
    if budget < BUDGET:
        said.append(f"A budget of {budget} fits leaves {repeats} x {folds}; 5 x 10 would be steadier.")
    if counts:
        said.append("Stratified, so that every fold has its share of each class.")
        if min(counts) < folds:
            said.append(
                f"A class of {min(counts)} rows is missing in some folds: metrics of each class may not exist there."
            )
    return Guideline(
        CrossValidation(folds=folds, repeats=repeats, stratify=bool(counts), seed=seed), "corrected_t", said
    )
