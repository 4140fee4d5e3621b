"""Intervals of learners: how often they hold the true error of a learner at its size of training set, or of the fitted model.

Fits are scored by `Bare`, which knows two metrics only, and go through the plan and the intervals of the package. The first data sets
of every setting also go through `assay.estimate`, which must give the same limits.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

import assay
from assay.core.distributions import t_quantile
from assay.core.inference_options import InferenceOptions
from assay.resampling.estimate._fit_plan import FitPlan
from assay.resampling.estimate._fits import FitRecord, fit_seed
from assay.resampling.estimate._interval_formulas import Limits
from assay.resampling.estimate._intervals import Evidence, limits, settled
from assay.resampling.schemes.scheme import Bootstrap, CrossValidation, Scheme, Subsampling
from benchmarks.coverage.learner_worlds import CLASSES, CURVE, GROUPS, LEARNERS, LINE, Train, World, risk
from benchmarks.coverage.lines import Bias, Learned
from benchmarks.coverage.setting import Band, Task, generator

REPLICATES, QUICK = 500, 40  # data sets of a setting; a quick run has no use for more of them
PROVED = 3  # data sets that also go through the public call
POINTS = 10_000  # fresh rows behind the error of one fitted model
LEVEL = 0.95
CORRECTED, NESTED, GROUPED = (0.93, 0.975), (0.95, 0.985), (0.92, 1.0)
NESTED_REPEATS = 10
NESTED_SPLITS = 20  # ways to split, taken in turn: rows are independent, so that no split is better than another
FEWER = (
    ("linear", LINE),
    ("tree", CURVE),
    ("5-nearest", CLASSES),
    ("forest", CLASSES),
)  # one of each where fits take minutes
Z = 1.959964


@dataclass(frozen=True)
class Bare:
    """What `Evidence` asks of a scorer, for a metric that is a mean over rows."""

    world: World
    data: Any

    @property
    def metrics(self) -> dict[str, Any]:
        return {self.world.metric.key: self.world.metric}

    def losses(self, name: str, fold: FitRecord, at: Any = slice(None)) -> Any:
        return self.world.scores(self.data.y[fold.rows[at]], fold.answers["y_pred"][at])

    def values(self, answers: dict[str, Any], rows: Any) -> dict[str, float]:
        return {self.world.metric.key: float(self.world.scores(self.data.y[rows], answers["y_pred"]).mean())}


@dataclass(frozen=True)
class Found:
    """An interval and the folds behind it."""

    limits: Limits
    evidence: Evidence

    def wald(self) -> tuple[float, float]:
        """Mean and error of one cross-validation, its rows taken as independent."""
        first = [fold for fold in self.evidence.of("split") if fold.repeat == 0]
        losses = np.concatenate([self.evidence.scorer.losses("", fold) for fold in first])
        return float(losses.mean()), float(losses.std(ddof=1)) / math.sqrt(len(losses))


def interval(train: Train, world: World, X: Any, y: Any, scheme: Scheme, method: str = "auto") -> Found:
    """The fits of a plan and their interval, without the general scorer, which would take most of the time."""
    how = settled(scheme, method, grouped=False)
    bare = Bare(world, SimpleNamespace(X=X, y=y, groups=None, n=len(y)))
    folds = [_fitted(train, X, y, job, seed) for job, seed in _jobs(scheme, how, len(y))]
    name = world.metric.key
    values = np.array([bare.losses(name, fold).mean() for fold in folds if fold.role == "split"])
    evidence = Evidence(cast(Any, bare), name, scheme, folds, values, InferenceOptions(LEVEL))
    return Found(limits(evidence, how), evidence)


@functools.lru_cache(maxsize=NESTED_SPLITS)
def _jobs(scheme: Scheme, method: str, n: int) -> list[tuple[Any, int]]:
    """The plan with the seed of each fit: without strata and groups it depends on the number of rows only."""
    data = cast(Any, SimpleNamespace(X=np.empty((n, 0)), y=np.zeros(n), groups=None, n=n))
    return [(job, fit_seed(scheme.seed, job.index)) for job in FitPlan(scheme, method, data).jobs()]


def _fitted(train: Train, X: Any, y: Any, job: Any, seed: int) -> FitRecord:
    split = job.split
    model = train(X[split.train], y[split.train], seed)
    answers = {"y_pred": model(X[split.test])}
    return FitRecord(
        job.index, job.role, split.repeat, split.fold, split.test, len(split.train), answers, train_rows=split.train
    )


def prove(found: Found, train: Train, X: Any, y: Any, method: str) -> None:
    """The public call must give the same."""
    scheme = found.evidence.scheme
    task = "binary" if found.evidence.scorer.world.binary else "regression"  # type: ignore[attr-defined]
    public = assay.estimate(train, X, y, scheme, [found.evidence.name], task=task, method=method)
    score = public[found.evidence.name]
    low, high = found.evidence.scorer.metrics[found.evidence.name].bounds
    own = (found.limits.value, max(low, found.limits.low), min(high, found.limits.high))
    if not np.allclose(own, (float(score), score.low, score.high), rtol=1e-9, atol=1e-9):
        raise AssertionError(f"estimate gives {score!r}, the benchmark {own}.")


# ---- settings


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A learner on a truth, and what is done with it."""

    family: str
    learner: str
    world: World
    n: int
    band: Band = (0.0, 1.0)
    judged: bool = True
    note: str = ""
    replicates: int = REPLICATES

    @property
    def name(self) -> str:
        return f"{self.learner}, {self.world.name}{self.note}"

    @property
    def label(self) -> str:
        return f"{self.family}/{self.name}/{self.n}"

    @property
    def train(self) -> Train:
        return self.world.learner(self.learner)

    def many(self, most: int) -> int:
        return self.replicates if most >= REPLICATES else min(most, QUICK)

    def drawn(self, most: int) -> Iterator[tuple[int, Any, Any]]:
        """Data sets, each with the seed of its splits."""
        for at, seed in enumerate(generator(self.label).integers(0, 2**31, self.many(most)).tolist()):
            yield at, *self.world.truth.draw(self.n, seed)

    def line(
        self, limits: list[Any], truths: Any, *, reasons: Any = (), wald: float | None = None, **beside: float
    ) -> Learned:
        """The measured line: (value, low, high) of each data set against the truth."""
        value, low, high = np.array(limits).T
        coverage = float(((low <= truths) & (truths <= high)).mean())
        oracle = 2 * Z * float((value - truths).std(ddof=1))
        return Learned(
            self.family, self.name, self.n, len(value), coverage, math.sqrt(coverage * (1 - coverage) / len(value)),
            float((high - low).mean()) / oracle, *self.band, float(np.mean([bool(r) for r in reasons] or [0])), self.judged,
            wald, {k.replace("_", " "): round(v, 5) for k, v in beside.items()},
        )  # fmt: skip


def covers(truth: Any, value: Any, half: Any) -> float:
    return float((np.abs(value - truth) <= half).mean())


class Corrected(Setting):
    """Ten folds five times and the corrected t, with the intervals beside it that take splits or rows as independent."""

    def rows(self, most: int) -> list[Learned]:
        truth, at_n = (
            risk(self.world, self.learner, self.n * 9 // 10).value,
            risk(self.world, self.learner, self.n).value,
        )
        seen, plain, spread, reasons = [], [], [], []
        for at, X, y in self.drawn(most):
            found = interval(self.train, self.world, X, y, CrossValidation(folds=10, repeats=5, seed=at))
            if at < PROVED:
                prove(found, self.train, X, y, "corrected_t")
            seen.append(read(found.limits))
            plain.append(found.wald())
            spread.append(float(found.evidence.values.std(ddof=1)) / math.sqrt(50))
            reasons.append(found.limits.reason)
        value, low, high = np.array(seen).T
        mean, error = np.array(plain).T
        return [
            self.line(
                seen, truth, reasons=reasons, wald=float((high - low).mean() / (2 * Z * error).mean()),
                error_at_n=float(((low <= at_n) & (at_n <= high)).mean()),
                naive_t=covers(truth, value, t_quantile(LEVEL, 49) * np.array(spread)), CV_Wald=covers(truth, mean, Z * error),
            )
        ]  # fmt: skip


class NestedCv(Setting):
    """Nested cross-validation, for the error of the model fitted on all rows."""

    def rows(self, most: int) -> list[Learned]:
        seen, plain, truths, reasons = [], [], [], []
        for at, X, y in self.drawn(most):
            scheme = CrossValidation(folds=5, repeats=NESTED_REPEATS, seed=at % NESTED_SPLITS)
            found = interval(self.train, self.world, X, y, scheme, "nested_cv")
            if at < PROVED:
                prove(found, self.train, X, y, "nested_cv")
            seen.append(read(found.limits))
            plain.append(found.wald())
            truths.append(self.world.true(self.train(X, y, at), self.world.truth.points(POINTS, 2**33 + at)))
            reasons.append(found.limits.reason)
        mean, error = np.array(plain).T
        truth = np.array(truths)
        expected = risk(self.world, self.learner, self.n).value
        low, high = np.array(seen).T[1:]
        return [
            self.line(
                seen, truth, reasons=reasons, learner_at_n=float(((low <= expected) & (expected <= high)).mean()),
                CV_Wald=covers(truth, mean, Z * error),
            )
        ]  # fmt: skip


class Others(Setting):
    """Intervals without a band of the recipe: ten folds by Bayle et al. and halves by the conservative z."""

    def rows(self, most: int) -> list[Learned]:
        bayle = self.family.startswith("Bayle")
        truth = risk(self.world, self.learner, self.n * 9 // 10).value
        seen, reasons = [], []
        for at, X, y in self.drawn(most):
            if bayle:
                task = "binary" if self.world.binary else "regression"
                scheme = CrossValidation(folds=10, seed=at)
                score = assay.estimate(self.train, X, y, scheme, [self.world.metric.key], task=task, method="bayle")[
                    self.world.metric.key
                ]
                seen.append((float(score), score.low, score.high))
                reasons.append(score.reason)
            else:
                found = interval(
                    self.train, self.world, X, y, Subsampling(repeats=15, test=0.1, seed=at), "conservative_z"
                )
                seen.append(read(found.limits))
                reasons.append(found.limits.reason)
        return [self.line(seen, truth, reasons=reasons)]


class Grouped(Setting):
    """Groups kept whole, with the interval that counts groups; beside it rows split as if there were none."""

    def rows(self, most: int) -> list[Learned]:
        truth, groups = risk(self.world, self.learner, self.n * 9 // 10).value, self.world.truth.groups(self.n)
        seen, rowwise, reasons = [], [], []
        for at, X, y in self.drawn(most):
            scheme = CrossValidation(folds=10, seed=at)
            score = assay.estimate(self.train, X, y, scheme, ["mse"], groups=groups)["mse"]
            seen.append((float(score), score.low, score.high))
            reasons.append(score.reason)
            blind = interval(self.train, self.world, X, y, CrossValidation(folds=10, repeats=5, seed=at))
            rowwise.append(read(blind.limits))
        low, high = np.array(rowwise).T[1:]
        blind_covers = float(((low <= truth) & (truth <= high)).mean())
        return [self.line(seen, truth, reasons=reasons, rows_split_blindly=blind_covers)]


class Bags(Setting):
    """.632+ against ten folds: the bias of both. That of cross-validation is known, because its mean is the risk at 45 rows."""

    def rows(self, most: int) -> list[Bias]:
        goal, smaller = risk(self.world, self.learner, self.n), risk(self.world, self.learner, self.n * 9 // 10)
        seen, folded = [], []
        for at, X, y in self.drawn(most):
            found = interval(self.train, self.world, X, y, Bootstrap(repeats=100, seed=at))
            if at < PROVED:
                prove(found, self.train, X, y, "632+")
            seen.append(read(found.limits))
            crossed = interval(self.train, self.world, X, y, CrossValidation(folds=10, repeats=5, seed=at))
            folded.append(crossed.limits.value)
        value, low, high = np.array(seen).T
        gap = value - np.array(folded)  # cross-validation as control variate: its mean is known
        known = smaller.value - goal.value
        error = math.hypot(smaller.error, goal.error)
        coverage = float(((low <= goal.value) & (goal.value <= high)).mean())
        sd = value.std(ddof=1)
        return [
            Bias(
                self.family, self.name, self.n, len(value), goal.value, float(gap.mean()) + known,
                math.hypot(gap.std(ddof=1) / math.sqrt(len(gap)), error), known, error, float(sd),
                float(np.std(folded, ddof=1)), coverage, float((high - low).mean() / (2 * Z * sd)), self.judged,
            )
        ]  # fmt: skip


def read(found: Limits) -> tuple[float, float, float]:
    return found.value, found.low, found.high


def settings() -> Iterator[Task]:
    places: list[tuple[str, World]] = [("linear", LINE)]
    places += [(name, world) for name in LEARNERS for world in (CURVE, CLASSES)]
    for n in (100, 500):
        for name, world in places:
            yield Corrected(family="corrected t", learner=name, world=world, n=n, band=CORRECTED)
    for n, chosen in ((100, places), (500, FEWER)):
        for name, world in chosen:
            yield NestedCv(family="nested cross-validation", learner=name, world=world, n=n, band=NESTED)
    for groups in (20, 50, 200):
        for name in ("linear", "5-nearest"):
            note, enough = f", {groups} of 5 rows", groups >= 50
            yield Grouped(
                family="grouped", learner=name, world=GROUPS, n=groups * 5, band=GROUPED, note=note, judged=enough
            )
    for name, world in (("5-nearest", CLASSES), ("5-nearest", CURVE), ("1-nearest", CLASSES), ("1-nearest", CURVE)):
        yield Bags(family=".632+", learner=name, world=world, n=50)
    for family in ("Bayle et al.", "conservative z"):
        for name, world in places:
            if name != "forest":  # the fits would take most of an hour, for a line that has no band
                yield Others(family=family, learner=name, world=world, n=100, judged=False)
