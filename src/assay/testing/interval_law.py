"""The interval of a state against that of all data at once, as pairs of values that must agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.core.metric import Metric
from assay.core.state import State
from assay.inference.families import family_of
from assay.testing.metric_cases import REFUSALS, MetricCase


def compared(metric: Metric[Any], case: MetricCase) -> Iterator[tuple[str, Any, Any]]:
    """What would be wrong, the limits from merged states that went through bytes, and those from the data; with and without weights."""
    n = case.size(metric)
    rng = np.random.default_rng(n)
    for weight in (None, rng.integers(1, 4, n) / 2):
        try:
            whole = metric.interval(**case.inputs, weight=weight, replicates=100)
        except REFUSALS:
            continue  # no single number, or no interval at all
        if "replicates" in (whole.method or "") or not family_of(metric).from_states:
            continue
        parts = np.split(rng.permutation(n), [1, n // 5, n // 5 + 1, n // 2])
        states = [metric.state(**case.taken(metric, at), weight=None if weight is None else weight[at]) for at in parts]
        merged: State[Any] = sum(states[1:], start=states[0])
        found = State[Any].from_bytes(merged.to_bytes()).interval()
        if (found.method, found.reason) != (whole.method, whole.reason):
            yield f"a state says {found.method!r} ({found.reason}), the data {whole.method!r} ({whole.reason})", 0, 1
        yield "the interval of merged states is not that of all data", _limits(found), _limits(whole)


def _limits(score: Any) -> list[float]:
    return [np.nan if limit is None else limit for limit in (score.low, score.high)]
