"""Example data for any metric, made from what it says it takes: the ground on which `assay.testing` checks the laws.

All numbers are multiples of a power of two, so that single precision holds them exactly and scores tie now and then.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import typing
import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.errors import InputError, LawError, ParameterError, UndefinedError, UndefinedWarning
from assay.core.metric import Metric
from assay.testing import image_cases, map_cases, object_cases, ranking_cases, text_cases

ROWS = 120
CLASSES = 7  # more than the default k of top-k
LABELS = 3
REFUSALS = (InputError, ParameterError, UndefinedError)


@dataclass(frozen=True)
class MetricCase:
    """Inputs of a call by name; ``perfect`` replaces predictions by right ones, ``optimal`` if no better exist."""

    name: str
    inputs: Mapping[str, Any]
    perfect: Mapping[str, Any] | None = None
    optimal: bool = True

    def rows(self, metric: Metric[Any]) -> dict[str, Any]:
        """The inputs that hold one value per row."""
        return {name: value for name, value in self.inputs.items() if name not in metric.takes.free}

    def free(self, metric: Metric[Any]) -> dict[str, Any]:
        """The others, such as a training series."""
        return {name: value for name, value in self.inputs.items() if name in metric.takes.free}

    def size(self, metric: Metric[Any]) -> int:
        """Number of rows."""
        return len(next(iter(self.rows(metric).values())))

    def taken(self, metric: Metric[Any], at: NDArray[np.integer] | slice) -> dict[str, Any]:
        """The rows at these places, in this order."""
        return {**{name: np.asarray(v)[at] for name, v in self.rows(metric).items()}, **self.free(metric)}


@dataclass(frozen=True)
class ExampleProblem:
    """A truth and, for every input that may come with it, a fair and a perfect version."""

    name: str
    kind: str  # of the truth: values, counts, events, labels, distributions, label maps, masks, pictures, samples, texts and more
    truth: Any
    inputs: dict[str, tuple[Any, Any]] = field(default_factory=dict[str, tuple[Any, Any]])


def grid(values: ArrayLike, step: float = 1 / 256) -> Any:
    """The values on a dyadic grid."""
    return np.round(np.asarray(values) / step) * step


def _values(name: str, rng: Any, shape: tuple[int, ...], zeros: bool = False) -> ExampleProblem:
    y = grid(2 + rng.gamma(3.0, 2.0, shape))
    if zeros:
        y = np.where(rng.random(shape) < 0.1, 0.0, y)
    p = np.maximum(grid(y + rng.normal(0, 1.0, shape)), 0.25)
    b = np.maximum(grid(y + rng.normal(0, 3.0, shape)), 0.25)
    series = grid(10 + rng.normal(0, 2.0, 40))
    scale = 0.5 + np.arange(shape[0]) % 7 / 4
    inputs = {"y_pred": (p, y), "y_baseline": (b, b), "y_train": (series, series), "scale": (scale, scale)}
    if len(shape) == 1:
        low, high = grid(p - rng.random(shape) * 2), grid(p + rng.random(shape) * 2)
        sd = 0.5 + grid(rng.random(shape))
        many = grid(p[:, None] + rng.normal(0, 1.0, (*shape, 5)))
        inputs |= {"lower": (low, y), "upper": (high, y), "mean": (p, y), "sd": (sd, np.full(shape, 2.0**-36))}
        inputs |= {"members": (many, np.repeat(y[:, None], 5, axis=1))}
    return ExampleProblem(name, "values", y, inputs)


def _counts(rng: Any) -> list[ExampleProblem]:
    """Counts and events with their predicted means."""
    mean = grid(0.5 + rng.gamma(2.0, 1.0, ROWS))
    counts = rng.poisson(mean).astype(np.float64)
    chance = np.clip(grid(rng.random(ROWS), 1 / 128), 1 / 128, 127 / 128)
    events = (rng.random(ROWS) < chance).astype(np.float64)
    pairs = {"counts": (counts, mean), "events": (events, chance)}
    return [ExampleProblem(name, name, y, {"y_pred": (p, y)}) for name, (y, p) in pairs.items()]


def _scores(rng: Any, hot: Any) -> dict[str, tuple[Any, Any]]:
    """Scores, probabilities and logits of which a 0/1 array is the truth, entry by entry."""
    z = grid(2.0 * hot - 1 + rng.normal(0, 1.5, hot.shape), 1 / 16)
    p = np.clip(grid(1 / (1 + np.exp(-z - rng.normal(0, 0.3, hot.shape))), 1 / 128), 1 / 128, 127 / 128)
    right = hot.astype(np.float64)
    return {"y_score": (z, right), "logits": (z, 100 * right - 50), "y_prob": (p, right)}


def _simplex(rng: Any, z: Any) -> Any:
    """Distributions over the columns near softmax(z), every entry a positive multiple of 1/1024."""
    share = np.exp(z - z.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    counts: Any = 1 + np.stack([rng.multinomial(1024 - z.shape[1], row) for row in share])
    return counts / 1024


def _noisy(rng: Any, y: Any, k: int) -> Any:
    return cast(Any, np.where(rng.random(y.shape) < 0.3, rng.integers(0, k, y.shape), y))


def _binary(rng: Any) -> ExampleProblem:
    y = (rng.random(ROWS) < 0.4).astype(np.int64)
    return ExampleProblem("binary", "labels", y, {"y_pred": (_noisy(rng, y, 2), y), **_scores(rng, y)})


def _classes(name: str, rng: Any, k: int) -> ExampleProblem:
    y = rng.permutation(np.arange(ROWS) % k)
    hot = y[:, None] == np.arange(k)
    scores = _scores(rng, hot)
    matrix = _simplex(rng, scores["logits"][0])
    return ExampleProblem(
        name, "labels", y, {**scores, "y_pred": (_noisy(rng, y, k), y), "y_prob": (matrix, hot.astype(np.float64))}
    )


def _texts(rng: Any) -> ExampleProblem:
    names = np.array(["ant", "bee", "cat", "dog"])
    y = rng.permutation(np.arange(ROWS) % 4)
    return ExampleProblem("text labels", "labels", names[y], {"y_pred": (names[_noisy(rng, y, 4)], names[y])})


def _multilabel(rng: Any) -> ExampleProblem:
    y = (rng.random((ROWS, LABELS)) < 0.5).astype(np.int64)
    return ExampleProblem("multilabel", "labels", y, {"y_pred": (_noisy(rng, y, 2), y), **_scores(rng, y)})


def _distributions(rng: Any) -> ExampleProblem:
    y = _simplex(rng, rng.normal(0, 1.0, (ROWS, 4)))
    p = _simplex(rng, np.log(y) + rng.normal(0, 0.7, y.shape))
    return ExampleProblem(
        "distributions", "distributions", y, {"y_prob": (p, y), "logits": (grid(np.log(p)), np.log(y))}
    )


def _maps(name: str, rng: Any) -> ExampleProblem:
    makers = {"label maps": map_cases.label_maps, "masks": map_cases.masks, "panoptic maps": map_cases.panoptic_maps}
    true, predicted = makers[name](rng, ROWS)
    soft = (
        _scores(np.random.default_rng(7), true) if name == "masks" else {}
    )  # from draws of their own: others stay as they were
    return ExampleProblem(name, name, true, {"y_pred": (predicted, true), **soft})


def _generation(rng: Any) -> list[ExampleProblem]:
    """Pictures beside references, two samples of features, and class shares of generated images."""
    found = list[ExampleProblem]()
    for form in image_cases.FORMS:
        true, predicted = image_cases.pictures(form, rng, ROWS)
        found.append(ExampleProblem(form, "pictures", true, {"y_pred": (predicted, true)}))
    found.append(ExampleProblem("two samples", "samples", np.zeros(ROWS), image_cases.samples(rng, ROWS)))
    logits, kind = image_cases.shares(rng, ROWS)
    right = (kind[:, None] == np.arange(6)).astype(np.float64)
    inputs = {"logits": (logits, 100 * right), "y_prob": (_simplex(rng, logits), right)}
    return [*found, ExampleProblem("generated images", "generated", np.zeros(ROWS), inputs)]


def _objects(rng: Any) -> list[ExampleProblem]:
    """Pairs of boxes; images of objects with boxes and keypoints, or with masks, labelled with all classes or with some."""
    true, near = object_cases.boxes(rng, ROWS)
    found = [ExampleProblem("pairs of boxes", "boxes", true, {"y_pred": (near, true)})]
    for make, prefix in ((object_cases.objects, ""), (object_cases.federated, "federated ")):
        for name, rows, masks in (("objects", 60, False), ("objects with masks", 30, True)):
            truth, fair, perfect = make(rng, rows, masks)
            found.append(ExampleProblem(prefix + name, "objects", truth, {"y_pred": (fair, perfect)}))
    return found


def _sentences(rng: Any) -> list[ExampleProblem]:
    """Sentences beside one reference each, and beside one to three."""
    found = list[ExampleProblem]()
    for name, references in (("texts", 1), ("texts with several references", 3)):
        truth, fair, perfect = text_cases.sentences(rng, ROWS, references=references)
        found.append(ExampleProblem(name, "texts", truth, {"y_pred": (fair, perfect)}))
    return found


def _rankings(rng: Any) -> list[ExampleProblem]:
    """Grades and scores of documents; a perfect ranking has them in the order of their grades."""
    found = list[ExampleProblem]()
    for name, ties in (("rankings", False), ("rankings with ties", True)):
        grades, scores = ranking_cases.rankings(rng, ties=ties)
        found.append(ExampleProblem(name, "rankings", grades, {"y_score": (scores, grades.astype(np.float64))}))
    judged, fair, perfect = ranking_cases.named(rng)
    found.append(ExampleProblem("named documents", "named documents", judged, {"y_score": (fair, perfect)}))
    probes, similar, right, gallery = ranking_cases.identities(rng)
    inputs = {"y_score": (similar, right), "gallery": (gallery, gallery)}
    return [*found, ExampleProblem("probes and a gallery", "identities", probes, inputs)]


def problems(seed: int = 0) -> list[ExampleProblem]:
    """One problem of every form that an existing family knows."""
    return list(_problems(seed, ROWS))


@functools.cache
def _problems(seed: int, _rows: int) -> tuple[ExampleProblem, ...]:
    """Made once for all metrics: what they are given they do not change, as a law says."""
    rng = np.random.default_rng(seed)
    return (
        _values("values", rng, (ROWS,)), _values("values with zeros", rng, (ROWS,), zeros=True),
        _values("several outputs", rng, (ROWS, 3)), _binary(rng), _classes("classes", rng, CLASSES),
        _classes("two columns", rng, 2), _texts(rng), _multilabel(rng), _distributions(rng),
        _maps("label maps", rng), _maps("masks", rng), _maps("panoptic maps", rng), *_generation(rng),
        *_objects(rng), *_sentences(rng), *_counts(rng), *_rankings(rng),
    )  # fmt: skip


def selections(metric: Metric[Any]) -> Iterator[tuple[str, ...]]:
    """Every set of inputs that the metric might be called with."""
    takes = metric.takes
    more = (*(() if takes.one_of else takes.optional), *takes.free)
    ones = [(name,) for name in takes.optional] if takes.one_of else [()]
    for one in ones:
        for size in range(len(more) + 1):
            for chosen in itertools.combinations(more, size):
                yield (*takes.required, *one, *chosen)


def accepts(metric: Metric[Any], inputs: Mapping[str, Any]) -> bool:
    """Whether the metric is defined on such inputs: it refuses the others with an error of ours."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedWarning)
            metric(**inputs)
    except REFUSALS:
        return False
    return True


def cases_for(metric: Metric[Any], seed: int = 0, *, forms: Collection[str] | None = None) -> list[MetricCase]:
    """Example data of every form that the metric accepts; an error if it accepts none.

    Where their names are known already, ``forms`` saves the calls that find out.
    """
    kinds = dict(fact.split(": ", 1) for fact in metric.record.takes if ": " in fact)
    truth = kinds.get("y_true") or " ".join(kinds.values()) or "values labels distributions"
    found = [
        case
        for problem in problems(seed)
        if problem.kind in truth
        for names in selections(metric)
        if (case := _case(problem, names)) is not None
        and (accepts(metric, case.inputs) if forms is None else case.name in forms)
    ]
    if not found:
        problem = f"none of the example data fit; it takes {metric.takes.text()}"
        fix = "Describe them in record.takes, or give cases=[{name: array, ...}] to check_metric."
        raise LawError(metric.name, "", problem, fix)
    return found


def _case(problem: ExampleProblem, names: tuple[str, ...]) -> MetricCase | None:
    if any(name != "y_true" and name not in problem.inputs for name in names):
        return None
    inputs = {name: problem.truth if name == "y_true" else problem.inputs[name][0] for name in names}
    perfect = {name: problem.inputs[name][1] for name in names if name != "y_true"}
    label = f"{problem.name}: {', '.join(names)}"
    return MetricCase(label, inputs, perfect, optimal=problem.kind != "distributions")


# ---- parameters

NUMBERS: dict[str, Any] = {
    "beta": 2.0, "quantile": 0.2, "epsilon": 0.125, "season": 2, "features": 3, "threshold": 0.3, "max_fpr": 0.3,
    "fpr": 0.2, "precision": 0.7, "recall": 0.7, "sensitivity": 0.7, "level": 0.75, "bins": 4, "k": 2, "clip": 0.0625,
    "data_range": 256.0, "degree": 2, "background": 0, "coefficients": 3, "relevance": 2, "max_retrieved": 5, "multiple": 0.5,
    "persistence": 0.5, "max_grade": 5.0,
}  # fmt: skip


def options(cls: type[Metric[Any]]) -> Iterator[dict[str, Any]]:
    """One parameter at a time at each of its other values: literals, flags and the numbers above."""
    hints = typing.get_type_hints(cls)
    for f in dataclasses.fields(cls):
        if f.name == "undefined":
            continue
        values = [*_literals(hints[f.name]), *([NUMBERS[f.name]] if f.name in NUMBERS else [])]
        yield from ({f.name: value} for value in values if value != f.default or value is not f.default)


def _literals(hint: Any) -> list[Any]:
    if typing.get_origin(hint) is typing.Literal:
        return list(typing.get_args(hint))
    if hint is bool:
        return [False, True]
    if hint is type(None):
        return [None]
    if typing.get_origin(hint) is tuple:
        return []
    return [value for part in typing.get_args(hint) for value in _literals(part)]


def variants(cls: type[Metric[Any]]) -> list[Metric[Any]]:
    """The metric with its defaults and with each other value of each parameter.

    A value that is refused alone (``debiased=True`` needs ``norm="l2"``) is tried beside each other single change.
    """
    found = dict[Metric[Any], None]()
    for change in ({}, *options(cls)):
        partners: list[dict[str, Any]] = [{}]
        if _built(cls, change) is None:
            partners = [other for other in options(cls) if not set(other) & set(change)]
        for other in partners:
            metric = _built(cls, {**other, **change})
            if metric is not None:
                found[metric] = None
    return list(found)


def _built(cls: type[Metric[Any]], parameters: dict[str, Any]) -> Metric[Any] | None:
    try:
        return cls(**parameters)
    except ParameterError:
        return None
