"""Valid calls of everything public: where the fuzzer starts from before it spoils an argument or two."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import assay
from assay import resampling
from assay.core.functions import default_of
from assay.evaluation.side_by_side import side_by_side
from assay.inference import plan, ppi
from assay.resampling.compare import paired_tests
from assay.resampling.compare import rank_tests as ranks

N = 24
RNG = np.random.default_rng(5)
Y = np.tile([0, 1, 1, 0], N // 4)
P = np.clip(Y * 0.5 + RNG.random(N) * 0.45, 0.01, 0.99)
Q = np.clip(Y * 0.3 + RNG.random(N) * 0.6, 0.01, 0.99)
T = RNG.normal(3, 1, N)
U = T + RNG.normal(0, 0.4, N)
V = T + RNG.normal(0, 0.8, N)
K = np.arange(N) % 3
PK = np.eye(3)[K] * 0.5 + 1 / 6
X = RNG.normal(size=(N, 2))
GROUPS = np.arange(N) // 2
STRATA = np.arange(N) % 2
SITE = np.array(["north", "south", "east"])[np.arange(N) % 3]
MANY = np.concatenate([T, RNG.normal(3, 1, 40)])


@dataclass(frozen=True)
class Call:
    """A function and arguments by name that it takes; ``fixed`` ones are left alone, with the reason beside them."""

    name: str
    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    fixed: tuple[str, ...] = ()
    place: str = ""  # an argument that comes first, by place


def fit(X: Any, y: Any) -> float:
    return float(np.mean(np.asarray(y, dtype=float)))


def predict(model: float, X: Any) -> Any:
    return np.full(len(X), model)


def chances(model: float, X: Any) -> Any:
    p = np.clip(np.full(len(X), model) + np.linspace(-0.1, 0.1, len(X)), 0.05, 0.95)
    return np.stack([1 - p, p], axis=1)


LEARNER = (fit, predict)
CLASSIFIER = {"fit": fit, "predict": lambda m, X: np.arange(len(X)) % 2, "predict_proba": chances}


class Constant:
    """An estimator with a parameter."""

    def __init__(self, level: float = 0.0) -> None:
        self.level = level

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"level": self.level}

    def set_params(self, **params: Any) -> Constant:
        if set(params) - {"level"}:
            raise ValueError("no such parameter")
        self.level = params.get("level", self.level)
        return self

    def fit(self, X: Any, y: Any) -> Constant:
        self.mean_ = float(np.mean(np.asarray(y, dtype=float)))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_ + float(self.level))


# ---- results whose methods are called


@cache
def result() -> Any:
    return assay.evaluate(task="binary", y_true=Y, y_prob=P, slices={"site": SITE}, metrics=["f1", "log_loss"])


@cache
def comparisons() -> Any:
    models = {"a": P, "b": Q, "c": (P + Q) / 2}
    return assay.compare(task="binary", y_true=Y, models=models, kind="y_prob", metrics=["log_loss", "accuracy"])


@cache
def sliced() -> Any:
    return assay.metrics.MAE().by(SITE, T, U)


@cache
def comparison() -> Any:
    return assay.metrics.MAE().compare(T, U, V)


@cache
def ranking() -> Any:
    return assay.metrics.MAE().rank(T, {"a": U, "b": V})


@cache
def estimated() -> Any:
    return assay.estimate(LEARNER, X, T, "cv:3", "mae")


@cache
def curve() -> Any:
    return assay.learning_curve(LEARNER, X, T, "mae", sizes=[4, 6, 8, 12], resampling="cv:3")


@cache
def complexity() -> Any:
    return assay.complexity_curve(Constant(), X, T, "level", [0, 1], "mae", resampling="cv:3")


@cache
def quality() -> Any:
    return resampling.estimator_quality(
        LEARNER,
        TRUTH,
        n=10,
        rates=[0.5],
        replicates=2,
        repeats=2,
        risk=resampling.learner_risk(LEARNER, TRUTH, 10, repeats=2),
    )


@cache
def ranked() -> Any:
    return ranks.friedman(RNG.random((6, 3)), ["a", "b", "c"], "lower")


@cache
def decomposed() -> Any:
    return resampling.bias_variance_curve(lambda v: LEARNER, TRUTH, [1, 2], n=5, repeats=20, points=10)


TRUTH = resampling.SineTruth()
SCORED = {"weight": None, "level": 0.95, "method": "auto", "groups": None, "strata": None, "replicates": 100, "seed": 0}
FITTED = {
    "groups": None, "task": None, "classes": None, "positive": None, "threshold": 0.5, "level": 0.95, "on_failure": "report", "name": None,
    "inner_loss": None, "progress": None,
}  # fmt: skip
_JOBS = "jobs starts processes"


def functions() -> Iterator[Call]:
    """The public functions and methods."""
    yield from _evaluations()
    yield from _inference()
    yield from _resampling()
    yield from _methods()
    cost = [[0.0, 1.0], [4.0, 0.0]]
    yield Call("cost_minimal_threshold", assay.cost_minimal_threshold, {"cost": cost})
    yield Call(
        "cost_minimal_decisions",
        assay.cost_minimal_decisions,
        {"y_prob": PK[:, :2] / PK[:, :2].sum(1, keepdims=True), "cost": cost},
    )
    boxes = np.array([[0.0, 0, 2, 2], [1, 1, 3, 3]])
    yield Call("box_iou_matrix", assay.box_iou_matrix, {"a": boxes, "b": boxes, "crowd": [0, 1], "box_format": "xyxy"})


def _evaluations() -> Iterator[Call]:
    common = {
        **SCORED, "metrics": None, "pool": False, "ids": None, "slices": {"site": SITE}, "extra": None, "classes": None, "positive": None,
        "threshold": 0.5, "parameters": None, "progress": None,
    }  # fmt: skip
    inputs: dict[str, dict[str, Any]] = {
        "regression": {"y_true": T, "y_pred": U}, "binary": {"y_true": Y, "y_prob": P}, "multiclass": {"y_true": K, "y_prob": PK},
        "multilabel": {"y_true": np.eye(3, dtype=int)[K], "y_prob": PK},
    }  # fmt: skip
    for task, given in inputs.items():
        yield Call(f"evaluate({task})", assay.evaluate, {"task": task, **given, **common})
    few = {**common, "slices": None}
    labels = {"y_true": Y, "y_pred": 1 - Y, "metrics": ["accuracy", "f1"]}
    yield Call("evaluate(labels)", assay.evaluate, {"task": "binary", **few, **labels})
    maps = {"y_true": [K.reshape(4, 6)] * 3, "y_pred": [np.roll(K, 1).reshape(4, 6)] * 3, "metrics": ["mean_iou"]}
    yield Call("evaluate(segmentation)", assay.evaluate, {"task": "segmentation", **few, **maps})
    both = {k: v for k, v in few.items() if k not in ("pool", "slices", "extra")}
    models = {"a": U, "b": V}
    options = {"margin": 0.1, "effect": 0.2, "kind": "auto"}
    yield Call(
        "compare(regression)", assay.compare, {"task": "regression", "y_true": T, "models": models, **both, **options}
    )
    chances = {
        "task": "binary",
        "y_true": Y,
        "models": {"a": P, "b": {"y_prob": Q}},
        **both,
        **options,
        "kind": "y_prob",
    }
    yield Call("compare(binary)", assay.compare, {**chances, "metrics": ["log_loss", "accuracy"]})
    yield Call("side_by_side", side_by_side, {"results": {"a": result(), "b": result()}, "title": None})


def _inference() -> Iterator[Call]:
    assumed = {"value": 0.8, "sd": None, "prevalence": None, "share": None, "discordance": None, "correlation": None}
    asked = {"metric": "accuracy", "level": 0.95, **assumed}
    yield Call("plan(width)", plan.plan, {**asked, "width": 0.1, "effect": None, "n": None, "power": None})
    yield Call("plan(n)", plan.plan, {**asked, "n": 200, "width": None, "effect": None, "power": None})
    yield Call("rows_for_interval", plan.rows_for_interval, {**asked, "width": 0.1})
    yield Call("width_at", plan.width_at, {**asked, "n": 200})
    paired = {**asked, "value": None, "discordance": 0.2}
    yield Call("rows_for_comparison", plan.rows_for_comparison, {**paired, "effect": 0.05, "power": 0.8})
    yield Call("power_at", plan.power_at, {**paired, "n": 300, "effect": 0.05})
    yield Call("detectable", plan.detectable, {**paired, "n": 300, "power": 0.8})
    options = {
        "power": "tuned", "level": 0.95, "cross_fit": False, "seed": 0, "few_labels": True, "groups": None, "unlabelled_groups": None,
        "strata": None, "unlabelled_strata": None, "shares": None,
    }  # fmt: skip
    rows = {"labels": T, "predictions": U, "unlabelled": MANY}
    yield Call("ppi.mean", ppi.mean, {**rows, **options, "method": "hall"})
    strata = {"strata": STRATA, "unlabelled_strata": np.arange(len(MANY)) % 2, "shares": {0: 0.5, 1: 0.5}}
    yield Call("ppi.mean(strata)", ppi.mean, {**rows, **options, **strata})
    yield Call(
        "ppi.proportion", ppi.proportion, {"labels": Y, "predictions": P, "unlabelled": np.tile(P, 3), **options}
    )
    yield Call("ppi.difference", ppi.difference, {"a": (T, U, MANY), "b": (V, U, MANY), **options, "method": "hall"})
    means = [ppi.mean(T, U, MANY, few_labels=True) for _ in range(2)]
    yield Call("ppi.difference_of", ppi.difference_of, {"first": means[0], "second": means[1], "level": 0.95})
    data = {
        "labelled": {"y_true": T, "y_pred": U},
        "judged": {"y_true": V, "y_pred": U},
        "unlabelled": {"y_true": MANY, "y_pred": MANY + 1},
    }
    yield Call("ppi.metric", ppi.metric, {"metric": "mae", **data, **options})


def _resampling() -> Iterator[Call]:
    data = {"learner": LEARNER, "X": X, "y": T, "resampling": "cv:3"}
    kept = {"method": "auto", "best": None, "keep_train": False, "store": None}
    yield Call("estimate", assay.estimate, {**data, "metrics": ["mae"], **FITTED, **kept}, ("store", "progress"))
    yield Call(
        "estimate(classes)",
        assay.estimate,
        {**data, "learner": CLASSIFIER, "y": Y, "metrics": ["accuracy"], **FITTED},
        ("progress",),
    )
    both = {
        "learners": {"a": LEARNER, "b": Constant()},
        "X": X,
        "y": T,
        "resampling": "cv:3",
        "metrics": ["mae"],
        "rope": 0.1,
        "margin": 0.1,
    }
    yield Call("compare_learners", assay.compare_learners, {**both, "groups": None, "level": 0.95, "method": "auto"})
    sets = {
        "learners": both["learners"],
        "datasets": {"s": (X, T), "t": (X, U)},
        "metric": "mae",
        "resampling": "cv:3",
        "level": 0.95,
    }
    yield Call("compare_on_datasets", assay.compare_on_datasets, sets)
    yield Call(
        "learning_curve",
        assay.learning_curve,
        {**data, "metric": "mae", "sizes": [4, 6, 8, 12], "seed": 0, **FITTED},
        ("progress",),
    )
    values = {"learner": Constant(), "parameter": "level", "values": [0, 1], "metric": "mae", "seed": 0}
    yield Call("complexity_curve", assay.complexity_curve, {**data, **values, **FITTED}, ("progress",))
    simulated = {"learner": LEARNER, "truth": TRUTH, "n": 5, "repeats": 20, "points": 10, "loss": None, "seed": 0}
    big = ("n", "repeats", "points")  # as much work as is asked for
    yield Call("bias_variance", assay.bias_variance, {**simulated, "progress": None}, big)
    yield Call(
        "bias_variance_curve",
        resampling.bias_variance_curve,
        {**simulated, "learner": Constant(), "values": [0, 1], "parameter": "level"},
        big,
    )
    more = {
        "rates": [0.5],
        "schemes": None,
        "replicates": 2,
        "stratify": None,
        "risk": quality().risk,
        "stop": None,
        "repeats": 2,
        "n": 10,
    }
    yield Call(
        "estimator_quality",
        resampling.estimator_quality,
        {"learner": LEARNER, "truth": TRUTH, "seed": 0, "loss": None, **more},
        ("n", "repeats", "replicates"),
    )
    yield Call("learner_risk", resampling.learner_risk, {**simulated, "repeats": 2}, big)
    yield Call(
        "guideline",
        assay.guideline,
        {"n": 300, "classes": [250, 50], "groups": None, "budget": 50, "ordered": False, "seed": 0},
    )
    yield Call("scheme_of", resampling.scheme_of, {"text": "cv:10x5,stratify,seed=7"})
    for scheme in (
        assay.Holdout,
        assay.Subsampling,
        assay.Bootstrap,
        assay.CrossValidation,
        assay.LeaveOneOut,
        assay.LeaveOneGroupOut,
        assay.TimeOrdered,
        assay.Nested,
        resampling.LinearTruth,
        resampling.GroupedTruth,
        resampling.FriedmanTruth,
        resampling.SineTruth,
        resampling.GaussianTruth,
    ):
        yield Call(scheme.__name__, scheme, {f.name: default_of(f) for f in dataclasses.fields(scheme)})
    for scheme in (
        assay.Holdout(),
        assay.CrossValidation(folds=3, stratify=True),
        assay.Bootstrap(repeats=3),
        assay.TimeOrdered(folds=2),
    ):
        given = {"X": X, "y": Y, "groups": None}
        yield Call(
            f"{scheme.name}.splits", lambda X, y=None, groups=None, s=scheme: list(s.splits(X, y, groups)), given
        )
        yield Call(f"{scheme.name}.get_n_splits", scheme.get_n_splits, given)
    yield Call("Truth.draw", TRUTH.draw, {"n": 10, "seed": 0}, ("n",))
    table = RNG.random((6, 3))
    yield Call(
        "friedman",
        ranks.friedman,
        {"table": table, "names": ["a", "b", "c"], "better": "lower", "datasets": None, "level": 0.95},
    )
    yield Call("nemenyi", ranks.nemenyi, {"datasets": 6, "learners": 3, "level": 0.95})
    yield Call("signed_rank", ranks.signed_rank, {"differences": T, "level": 0.95})
    yield Call("corrected_paired_t", paired_tests.corrected_paired_t, {"differences": T, "ratio": 0.1, "level": 0.95})
    yield Call("five_by_two_t", paired_tests.five_by_two_t, {"differences": T[:10].reshape(5, 2), "level": 0.95})
    yield Call("five_by_two_f", paired_tests.five_by_two_f, {"differences": T[:10].reshape(5, 2), "level": 0.95})
    yield Call("correlated_t", paired_tests.correlated_t, {"differences": T, "rho": 0.1, "rope": 0.1, "level": 0.95})
    yield Call("sign_flips", paired_tests.sign_flips, {"differences": T[:12], "groups": None, "level": 0.95})


def _methods() -> Iterator[Call]:
    frames = (result(), comparisons(), estimated(), curve(), complexity(), quality(), decomposed())
    for one in frames:
        yield Call(f"{type(one).__name__}.to_frame", one.to_frame, {"backend": "polars"})
    for one in (result(), comparisons(), sliced(), estimated()):
        yield Call(f"{type(one).__name__}[]", lambda name, one=one: one[name], {"name": next(iter(one))})
    yield Call("Result.named", result().named, {"names": {0: "no", 1: "yes"}})
    named = {"metric": "accuracy", "a": "a", "b": "b"}
    yield Call("Comparisons.pair", comparisons().pair, named)
    yield Call("Comparisons.pairs", comparisons().pairs, {"metric": "accuracy"})
    yield Call("Comparisons.best", comparisons().best, {"metric": "accuracy"})
    yield Call("Comparisons.rows_for", comparisons().rows_for, {**named, "effect": 0.1, "power": 0.8})
    yield Call("Ranking.pair", ranking().pair, {"a": "a", "b": "b"})
    yield Call("Comparison.rows_for", comparison().rows_for, {"effect": 0.1, "power": 0.8})
    yield Call("Comparison.detectable", comparison().detectable, {"power": 0.8})
    yield Call("Ranks.pair", ranked().pair, {"a": "a", "b": "b"})
    yield Call("LearningCurve.predict", curve().predict, {"n": 100})
    yield Call("LearningCurve.gain", curve().gain, {"factor": 2.0})
    yield Call("LearningCurve.figure", curve().figure, {"factor": 2.0})
    yield Call("ComplexityCurve.figure", complexity().figure, {"log": None})
    yield Call("DecompositionCurve.figure", decomposed().figure, {"log": False})
    yield Call("EstimatorQuality.of", quality().of, {"estimator": "hold-out"})
    yield Call("EstimatorQuality.figure", quality().figure, {"by": "quantity"})
    yield Call("Estimate.measure", estimated().measure, {"metrics": ["mse"]})
    sweep = assay.threshold_sweep(Y, P)
    yield Call("Sweep.best", sweep.best, {"metric": "f1"})
    yield Call("Sweep.values", sweep.values, {"metric": "f1"})
    yield Call("Sweep.cheapest", sweep.cheapest, {"cost": [[0, 1], [4, 0]]})
    state = assay.metrics.F1().state(Y, 1 - Y)
    yield Call("State.interval", state.interval, {"level": 0.95, "method": "auto", "replicates": 100, "seed": 0})
    yield Call("State.__add__", lambda other: state + other, {"other": state}, ("other",))
    yield Call("sklearn.scorer", assay.sklearn.scorer, {"metric": "f1", "sign": True, "average": "macro"})
