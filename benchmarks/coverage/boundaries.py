"""Tests of two models that differ on few rows, or whose values lie on a bound: how often they reject without a difference.

The models agree on every row but a fixed number, and a coin tells for each of these which of the two has it wrong. So neither is better,
and a test at 5 % should reject at most 5 % of the data sets. The last setting has no coin: models of equal precision that call different
numbers of rows positive are not exchangeable.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import assay
from assay.core.inference_options import InferenceOptions
from assay.core.uncertainty import PairedData
from assay.inference.paired import compared, pair
from benchmarks.coverage.lines import Edge
from benchmarks.coverage.setting import generator

M: Any = assay.metrics
ALPHA = 0.05
DISCORDANT = (2, 4, 6, 8, 12, 20)
TABLES, SOME, CLOSED, SLOW = 1_000, 200, 150, 60  # replicates: tables are few, so that equal ones are measured once
POSITIVE, NEGATIVE = 80, 140
DEFAULT = InferenceOptions()
Draw = Callable[[np.random.Generator, int], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Edges:
    """One way in which models differ on a few rows, and the metrics that compare them there."""

    family: str
    discordant: int
    draw: Draw
    metrics: dict[str, Any]
    replicates: int = CLOSED
    options: InferenceOptions = DEFAULT
    discrete: bool = False

    @property
    def label(self) -> str:
        return f"boundary/{self.family}/{self.discordant}"

    def rows(self, most: int) -> list[Edge]:
        rng, replicates = generator(self.label), min(self.replicates, most)
        known: dict[Any, tuple[bool, bool, bool]] = {}
        found: dict[str, list[tuple[bool, bool, bool]]] = {name: [] for name in self.metrics}
        for _ in range(replicates):
            data = self.draw(rng, self.discordant)
            key = _table_key(data) if self.discrete else None
            for name, metric in self.metrics.items():
                if key is None or (name, key) not in known:
                    known[name, key] = _verdict(_compared(metric, self.options, **data))
                found[name].append(known[name, key])
        return [self._edge(name, np.array(seen), replicates) for name, seen in found.items()]

    def _edge(self, name: str, seen: Any, replicates: int) -> Edge:
        rejected, outside, starred = seen.T
        return Edge(
            self.family, name, self.discordant, replicates, float((rejected & ~starred).mean()),
            float((outside & ~starred).mean()), float(starred.mean()), float((rejected != outside).mean()),
        )  # fmt: skip


def _compared(
    metric: Any, options: InferenceOptions, y_true: Any, a: Any, b: Any, weight: Any = None, groups: Any = None
) -> Any:
    """As `Metric.compare`, but without the intervals of the single models, which take most of its time and are not looked at."""
    samples = list(pair(metric, PairedData(y_true, {"a": a, "b": b}, weight, groups)).values())
    first, second = (metric.as_score(sample.outcome, sample.n) for sample in samples)
    return compared(*samples, options, scores=(first, second))


def _verdict(c: Any) -> tuple[bool, bool, bool]:
    """(whether the p value rejects, whether the interval leaves out zero, whether there is a star)."""
    if c.p is None or c.low is None:
        return False, False, True
    return c.p < ALPHA, c.low > 0 or c.high < 0, not c.reliable


def _table_key(data: dict[str, Any]) -> bytes:
    """How often each combination of truth and decisions occurs: all that a table knows of the rows."""
    columns = [np.asarray(data[name]).astype(np.int64) for name in ("y_true", "a", "b")]
    return np.bincount(16 * columns[0] + 4 * columns[1] + columns[2], minlength=64).tobytes()


# ---- data


def _flipped(rng: np.random.Generator, decided: Any, at: Any, other: Callable[[Any], Any]) -> dict[str, Any]:
    """Two copies of the decisions; a coin says in which of them a row is changed."""
    a, b = decided.copy(), decided.copy()
    coin = rng.random(len(at)) < 0.5
    for model, rows in ((a, at[coin]), (b, at[~coin])):
        model[rows] = other(model[rows])
    return {"a": a, "b": b}


def binary(side: str, shared: int = 0) -> Draw:
    """Decisions that are right but for ``shared`` rows of each class and the discordant ones: negatives, or both classes."""

    def draw(rng: np.random.Generator, count: int) -> dict[str, Any]:
        truth = np.repeat([1, 0], [POSITIVE, NEGATIVE])
        decided = truth.copy()
        decided[:shared], decided[-shared or len(truth) :] = 0, 1
        free = np.arange(POSITIVE if side == "negatives" else shared, len(truth) - shared)
        return {"y_true": truth, **_flipped(rng, decided, rng.choice(free, count, replace=False), lambda d: 1 - d)}

    return draw


def three_classes(rng: np.random.Generator, count: int) -> dict[str, Any]:
    """Three classes of 90, 60 and 30 rows, one row of each wrong under both models."""
    truth = np.repeat([0, 1, 2], [90, 60, 30])
    decided = truth.copy()
    decided[[0, 90, 150]] = 1, 2, 0
    at = rng.choice(np.setdiff1d(np.arange(180), [0, 90, 150]), count, replace=False)
    shift = rng.integers(1, 3, 180)
    return {"y_true": truth, **_flipped(rng, decided, at, lambda d: (d + shift[: len(d)]) % 3)}


def weighted(rng: np.random.Generator, count: int) -> dict[str, Any]:
    """Binary decisions whose rows weigh one to three."""
    return {**binary("both")(rng, count), "weight": rng.integers(1, 4, POSITIVE + NEGATIVE)}


def grouped(rng: np.random.Generator, count: int) -> dict[str, Any]:
    """Groups of four rows; in a discordant group one of the models has two rows wrong."""
    truth = np.arange(4 * 60) % 2
    groups = np.arange(4 * 60) // 4
    a, b = truth.copy(), truth.copy()
    for group in rng.choice(60, count, replace=False):
        (a if rng.random() < 0.5 else b)[4 * group : 4 * group + 2] ^= 1
    return {"y_true": truth, "a": a, "b": b, "groups": groups}


def scores(rng: np.random.Generator, count: int) -> dict[str, Any]:
    """Scores that separate the classes but for rows that one of the models puts among the other class."""
    truth = np.repeat([1, 0], [POSITIVE, NEGATIVE])
    found = [8.0 * truth + rng.normal(size=len(truth)) for _ in range(2)]
    for at in rng.choice(len(truth), count, replace=False):
        found[rng.integers(2)][at] += -8.0 if truth[at] else 8.0
    return {"y_true": truth, "a": found[0], "b": found[1]}


def few_scores(rng: np.random.Generator, count: int) -> dict[str, Any]:
    """Scores that are equal but for some rows, which both models draw anew; the classes overlap."""
    truth = np.repeat([1, 0], [POSITIVE, NEGATIVE])
    a = 1.5 * truth + rng.normal(size=len(truth))
    b = a.copy()
    at = rng.choice(len(truth), count, replace=False)
    b[at] = 1.5 * truth[at] + rng.normal(size=count)
    return {"y_true": truth, "a": a, "b": b}


def losses(rng: np.random.Generator, count: int) -> dict[str, Any]:
    """Predictions that are equal but for some rows, where both have errors of their own; the target is noisy for both alike."""
    truth = rng.normal(size=200)
    a = truth + 0.3 * rng.normal(size=200)
    b = a.copy()
    at = rng.choice(200, count, replace=False)
    a[at], b[at] = (truth[at] + 2 * rng.standard_exponential(count) for _ in range(2))
    return {"y_true": truth, "a": a, "b": b}


def perfect_losses(rng: np.random.Generator, count: int) -> dict[str, Any]:
    """Predictions without an error but on some rows, where one of the models has one."""
    truth = rng.normal(size=200)
    return {
        "y_true": truth,
        **_flipped(rng, truth, rng.choice(200, count, replace=False), lambda d: d + rng.standard_exponential(len(d))),
    }


def label_rows(rng: np.random.Generator, count: int) -> dict[str, Any]:
    """Rows of ten labels, all right but for some rows, where one model has a share of them wrong."""
    truth = (rng.random((120, 10)) < 0.5).astype(np.int64)
    a, b = truth.copy(), truth.copy()
    for at in rng.choice(120, count, replace=False):
        model = a if rng.random() < 0.5 else b
        model[at] ^= (rng.random(10) < rng.random()).astype(np.int64)
    return {"y_true": truth, "a": a, "b": b}


def probabilities(rng: np.random.Generator, count: int) -> dict[str, Any]:
    """Probabilities near 0 and 1, equal but for some rows, which one of the models is unsure about."""
    truth = np.repeat([1, 0], [POSITIVE, NEGATIVE])
    sure = np.where(truth == 1, 0.99, 0.01)
    at = rng.choice(len(truth), count, replace=False)
    both = _flipped(rng, sure, at, lambda d: 0.5 + (d - 0.5) * rng.uniform(-1, 0.8, len(d)))
    return {"y_true": truth, "a": {"y_prob": both["a"]}, "b": {"y_prob": both["b"]}}


def unequal_calls(rng: np.random.Generator, count: int) -> dict[str, Any]:
    """The first model finds 80 % of the positives and the second 40 %, both at a precision of 97 %: not exchangeable."""
    positive, negative = 25 * count, 50 * count
    truth = np.repeat([1, 0], [positive, negative])
    u = rng.random(len(truth))  # shared, so that the calls of the second lie within those of the first
    alarms = 0.8 * positive * 0.03 / 0.97 / negative
    a = np.where(truth == 1, u < 0.8, u < alarms)
    b = np.where(truth == 1, u < 0.4, u < alarms / 2)
    return {"y_true": truth, "a": a.astype(np.int64), "b": b.astype(np.int64)}


# ---- settings

RATES = {
    "precision": M.Precision(), "accuracy": M.Accuracy(), "specificity": M.Specificity(), "F1": M.F1(), "Jaccard": M.Jaccard(),
    "MCC": M.MatthewsCorrelation(), "kappa": M.CohenKappa(), "balanced accuracy": M.BalancedAccuracy(),
    "false discovery rate": M.FalseDiscoveryRate(),
}  # fmt: skip
MORE = {**RATES, "recall": M.Recall(), "NPV": M.NegativePredictiveValue()}
MACRO = {
    "macro-F1": M.F1(average="macro"), "macro precision": M.Precision(average="macro"), "micro-F1": M.F1(average="micro"),
    "weighted F1": M.F1(average="weighted"), "balanced accuracy": M.BalancedAccuracy(), "kappa": M.CohenKappa(),
    "MCC": M.MatthewsCorrelation(),
}  # fmt: skip
FEW_RATES = {name: MORE[name] for name in ("precision", "accuracy", "F1", "MCC")}
ERRORS = {
    "MAE": M.MAE(),
    "MSE": M.MSE(),
    "RMSE": M.RMSE(),
    "R²": M.R2(),
    "Pearson": M.Pearson(),
    "Spearman": M.Spearman(),
}


def _without(metrics: dict[str, Any], *names: str) -> dict[str, Any]:
    """Those whose single intervals draw from a posterior are slow, and take turns."""
    return {name: metric for name, metric in metrics.items() if name not in names}


def settings() -> Iterator[Edges]:
    edges = functools.partial(Edges, replicates=TABLES, discrete=True)
    for count in DISCORDANT:
        yield edges(family="false alarms, all else right", discordant=count, draw=binary("negatives"), metrics=RATES)
        yield edges(
            family="misses and false alarms, all else right", discordant=count, draw=binary("both"), replicates=SOME,
            metrics=_without(MORE, "kappa", "balanced accuracy"),
        )  # fmt: skip
        yield edges(
            family="misses and false alarms, 10 rows of each class wrong", discordant=count, draw=binary("both", 10), replicates=SOME,
            metrics=_without(MORE, "MCC"),
        )  # fmt: skip
        yield edges(family="three classes", discordant=count, draw=three_classes, metrics=MACRO, replicates=CLOSED)
        yield Edges(family="weighted rows", discordant=count, draw=weighted, metrics=FEW_RATES, replicates=TABLES)
        yield Edges(family="groups, discordant groups", discordant=count, draw=grouped, metrics=FEW_RATES)
        yield Edges(
            family="scores that separate", discordant=count, draw=scores,
            metrics={"AUC": M.RocAuc(), "average precision": M.AveragePrecision()},
        )  # fmt: skip
        yield Edges(
            family="scores of few rows", discordant=count, draw=few_scores,
            metrics={"AUC": M.RocAuc(), "average precision": M.AveragePrecision()},
        )  # fmt: skip
        yield Edges(
            family="errors of one model", discordant=count, draw=perfect_losses, metrics=dict(list(ERRORS.items())[:4])
        )
        yield Edges(family="errors of both", discordant=count, draw=losses, metrics=ERRORS)
        yield Edges(
            family="rows of labels", discordant=count, draw=label_rows,
            metrics={"mean Dice of rows": M.F1(average="samples"), "Hamming loss": M.Hamming(), "exact match": M.Accuracy()},
        )  # fmt: skip
        yield Edges(
            family="probabilities", discordant=count, draw=probabilities, metrics={"log loss": M.LogLoss(), "Brier": M.Brier()}
        )  # fmt: skip
        yield Edges(
            family="resampled", discordant=count, draw=losses, metrics={"median absolute error": M.MedianAbsoluteError()},
            replicates=SLOW, options=InferenceOptions(replicates=200),
        )  # fmt: skip
        yield Edges(
            family="equal precision, twice the calls", discordant=count, draw=unequal_calls, metrics={"precision": M.Precision()},
            replicates=SOME, discrete=True,
        )  # fmt: skip
