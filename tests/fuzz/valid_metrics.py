"""Valid calls of every metric: the plain function and its methods, on small inputs of every form that it takes."""

from __future__ import annotations

import dataclasses
import random
from functools import cache
from typing import Any

import numpy as np
from valid_calls import SCORED, Call

import assay
from assay.core.functions import default_of
from assay.testing import metric_cases

ROWS = 16


@cache
def _problems() -> list[Any]:
    return metric_cases.problems(0)


@cache
def metric_inputs(cls: Any) -> tuple[dict[str, Any], ...]:
    """Small valid inputs of a metric, of every form that it takes."""
    metric = cls()
    kinds = dict(fact.split(": ", 1) for fact in metric.record.takes if ": " in fact)
    truth = kinds.get("y_true") or " ".join(kinds.values()) or "values labels distributions"
    found: list[dict[str, Any]] = []
    for problem in _problems():
        if problem.kind not in truth:
            continue
        rows = 2 if problem.name.startswith("large") else 60 if problem.kind in ("samples", "generated") else ROWS
        for names in metric_cases.selections(metric):
            case = metric_cases._case(problem, names)
            if case is None:
                continue
            small = {n: v if n in metric.takes.free else np.asarray(v)[:rows] for n, v in case.inputs.items()}
            if metric_cases.accepts(metric, small):
                found.append(small)
    return tuple(found) or (dict(metric_cases.cases_for(metric)[0].inputs),)


def _by_method(metric: Any, inputs: dict[str, Any]) -> dict[str, Call]:
    name, takes = metric.name, metric.takes.required
    n = len(next(iter(inputs.values())))
    sliced = {k: v for k, v in SCORED.items() if k != "strata"} | {"slices": np.arange(n) % 2, "pool": False}
    plain = {**inputs, "weight": None}
    calls = {
        "interval": Call(f"{name}.interval", metric.interval, {**inputs, **SCORED}),
        "by": Call(f"{name}.by", metric.by, {**inputs, **sliced}),
        "state": Call(f"{name}.state", lambda **given: metric.state(**given).value(), plain),
        "score": Call(f"{name}.score", metric.score, plain),
        "influence": Call(f"{name}.influence", metric.influence, plain),
        "replicates": Call(f"{name}.replicates", metric.replicates, {**plain, "weights": np.ones((2, n))}),
    }
    others = [n for n in inputs if n != "y_true"]
    if "y_true" in takes and len(others) == 1:
        models = {"a": {others[0]: inputs[others[0]]}, "b": {others[0]: inputs[others[0]]}}
        calls["rank"] = Call(f"{name}.rank", metric.rank, {"y_true": inputs["y_true"], "models": models, **SCORED})
        if others[0] == "y_pred":
            pair = {"a": inputs["y_pred"], "b": inputs["y_pred"], "margin": 0.1}
            calls["compare"] = Call(f"{name}.compare", metric.compare, {"y_true": inputs["y_true"], **pair, **SCORED})
    return calls


def metric_call(cls: Any, rng: random.Random) -> Call:
    """A call of a metric: the plain function, or one of its methods."""
    inputs = rng.choice(metric_inputs(cls))
    if rng.random() < 0.5:
        parameters = {f.name: default_of(f) for f in dataclasses.fields(cls) if f.name != "extractor"}
        return Call(cls.key, getattr(assay, cls.key), {**inputs, "weight": None, **parameters})
    calls = _by_method(cls(), inputs)
    return calls[rng.choice(sorted(calls))]
