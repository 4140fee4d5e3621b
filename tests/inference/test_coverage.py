"""The short form of `make coverage`: every family of intervals and every test of two models holds a wide band.

Seeds are fixed, so a failure means that an interval or a test has changed. The last tests show that the bands can fail.
"""

import dataclasses
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.metrics import Accuracy

sys.path.append(str(Path(__file__).parents[2]))  # `pytest` alone does not put the root there, `python -m pytest` does

from benchmarks.coverage.comparisons import settings as contests
from benchmarks.coverage.lines import LEVEL, Row
from benchmarks.coverage.run import tasks
from benchmarks.coverage.setting import Setting

REPLICATES = 400
INTERVALS = [
    "proportions/30",
    "F1, IoU/F1, prevalence 0.1/30",
    "F1, IoU/IoU, prevalence 0.5/100",
    "skewed means/MSE, normal errors/30",
    "skewed means/MAE, lognormal errors/100",
    "RMSE/normal errors/100",
    "MSE, heavy tails/exponential errors/40",
    "MSE, heavy tails/t4 errors, no fourth moment/40",
    "MSE, heavy tails/lognormal errors, sigma 0.5/100",
    "losses without a bound/MAE, normal errors/40",
    "losses without a bound/MAE, lognormal errors, sigma 1.5/40",
    "losses without a bound/MAE, lognormal errors around their mean/100",
    "losses without a bound/MAPE, lognormal targets/100",
    "bounded means/mean Dice of rows/30",
    "AUC/AUC 0.98, prevalence 0.5/30",
    "AUC/AUC 0.9, prevalence 0.2/100",
    "AP/prevalence 0.3, AUC 0.8/1000",
    "AP/prevalence 0.3, AUC 0.8, P<50/100",
    "MCC, kappa/MCC, prevalence 0.3/30",
    "MCC, kappa/kappa, K=3/100",
    "balanced accuracy/K=2, prevalence 0.3/30",
    "balanced accuracy/K=5/100",
    "macro-F1/K=5, imbalanced/30",
    "ECE/calibrated model, l1/30",
    "ECE/miscalibrated model, l2/1000",
    "Pearson/t4 errors/100",
    "Spearman/normal, Pearson 0.45/100",
    "R²/normal errors, true value 0.5/30",
    "medians/normal errors/30",
    "clusters/mean, 8 groups of 5/40",
    "clusters/AUC, 20 groups of 5/100",
    "PPI++/mean, good judge/50",
    "PPI++/proportion, good judge/150",
    "bootstrap/AUC by BCa/200",
]
COMPARISONS = {
    "accuracy/50": 400,
    "squared errors/50": 400,
    "squared errors of different shapes/200": 400,
    "AUC/50": 400,
    "F1/50": 200,
    "R²/50": 200,
    "MCC/50": 200,
    "squared errors, swapped/50": 200,
    "F1, swapped/50": 60,
}
LONG = {"R²/50", "MCC/50", "F1, swapped/50"}  # ten seconds each and more


def setting(label: str) -> Any:
    return next(t for t in tasks(("tables", "numbers", "scores", "designs")) if t.label == label)


def within(row: Row) -> bool:
    """Inside the band, give or take four Monte-Carlo errors."""
    low, high = (
        edge + side * 4 * math.sqrt(edge * (1 - edge) / REPLICATES) for edge, side in ((row.low, -1), (row.high, 1))
    )
    return low <= row.coverage <= high and (row.minimum is None or row.minimum >= row.floor)


@pytest.mark.parametrize("label", INTERVALS)
def test_intervals_hold_their_level(label: str) -> None:
    for row in setting(label).rows(REPLICATES):
        assert within(row), row


@pytest.mark.parametrize(
    "label", [pytest.param(label, marks=pytest.mark.slow if label in LONG else ()) for label in COMPARISONS]
)
def test_comparisons_hold_their_level_and_find_differences(label: str) -> None:
    replicates = COMPARISONS[label]
    contest = next(c for c in contests() if c.label == label)
    for row in contest.rows(replicates):
        if not row.peer:
            assert row.level <= LEVEL[1] + 4 * math.sqrt(LEVEL[1] * (1 - LEVEL[1]) / replicates), row
            assert row.power > 0.15 > row.level, row
            cautious = row.name == "paired bootstrap"  # on few rows it finds less, as docs/coverage.md says
            assert not row.beaten or cautious, row


def test_prediction_powered_intervals_are_narrower_than_those_of_the_labels_alone() -> None:
    (row,) = setting("PPI++/mean, good judge/150").rows(REPLICATES)
    assert row.classical is not None
    assert row.classical < 0.8


# ---- the bands can fail


class Wald(float):
    """The textbook interval of a share."""

    reliable = True

    @property
    def half(self) -> float:
        return 1.96 * math.sqrt(self * (1 - self) / 30)

    @property
    def low(self) -> float:
        return self - self.half

    @property
    def high(self) -> float:
        return self + self.half


def test_wald_fails_where_wilson_holds() -> None:
    def draw(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        return (rng.random((size, 30)) < 0.95,)

    def wilson(hits: Any) -> Any:
        return Accuracy().interval(np.ones(30, dtype=np.int64), hits.astype(np.int64))

    wanted = Setting(family="share", name="Wilson", n=30, truth=0.95, draw=draw, interval=wilson, band=(0.92, 1.0))
    assert within(wanted.rows(REPLICATES)[0])
    assert not within(dataclasses.replace(wanted, interval=lambda hits: Wald(hits.mean())).rows(REPLICATES)[0])


@pytest.mark.parametrize(
    "label",
    [
        "bootstrap/AUC .98 by percentiles, for contrast/30",
        "clusters/mean, groups ignored, for contrast, 20 groups of 5/100",
    ],
)
def test_percentiles_and_ignored_groups_fail(label: str) -> None:
    (row,) = setting(label).rows(REPLICATES)
    assert not within(row)
    assert not np.isclose(row.coverage, 0.95, atol=0.05)


def test_the_signed_rank_test_of_losses_does_not_keep_its_level() -> None:
    contest = next(c for c in contests() if c.label == "squared errors of different shapes/200")
    rank = next(row for row in contest.rows(60) if row.name == "scipy wilcoxon")
    assert rank.level > 0.3
