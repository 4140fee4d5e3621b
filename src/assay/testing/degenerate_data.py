"""Data on which many metrics are undefined, under weights that mean the same: fractions, integers, copies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.core.metric import Metric
from assay.testing.law_values import is_plain
from assay.testing.metric_cases import MetricCase, accepts

COUNTS = np.array([1, 1, 1, 6, 2, 3, 7, 1, 1, 3])  # sums of a third of them round
Comparisons = Iterator[tuple[str, Any, Any]]  # what would be wrong, the value, the value it must have


def comparisons(metric: Metric[Any], case: MetricCase) -> Comparisons:
    """Values of degenerate data under equivalent weights."""
    for what, inputs in degenerate_inputs(metric, case):
        if accepts(metric, inputs):
            small = MetricCase(f"{case.name}, {what}", inputs)
            for says, got, wanted in _equivalent(metric, small, case):
                yield f"{what}: {says}", got, wanted


def degenerate_inputs(metric: Metric[Any], case: MetricCase) -> Iterator[tuple[str, dict[str, Any]]]:
    """Few rows of the case in which the truth, the predictions or both are all alike, perfect, or of a single row."""
    rows = {name: np.asarray(value) for name, value in case.rows(metric).items()}
    large = any(value.dtype.kind == "O" or value[0].size > 64 for value in rows.values())  # images take their time
    n = min(case.size(metric), 4 if large else len(COUNTS))
    perfect = {**rows, **{name: np.asarray(v) for name, v in (case.perfect or {}).items() if name in rows}}
    some, same, single = np.arange(n), np.zeros(n, dtype=np.int64), np.zeros(1, dtype=np.int64)

    def taken(source: dict[str, Any], truth: Any, others: Any) -> dict[str, Any]:
        picked = {name: value[truth if name == "y_true" else others] for name, value in source.items()}
        return {**picked, **case.free(metric)}

    yield "one truth", taken(rows, same, some)
    yield "one prediction", taken(rows, some, same)
    yield "one truth and one prediction", taken(rows, same, same)
    yield "a single row", taken(rows, single, single)
    if case.perfect is not None:
        yield "perfect", taken(perfect, some, some)
        yield "perfect of one truth", taken(perfect, same, same)


def _equivalent(metric: Metric[Any], small: MetricCase, case: MetricCase) -> Comparisons:
    n = small.size(metric)
    whole = COUNTS[:n].astype(np.float64)
    wanted = metric(**small.inputs, weight=whole)
    if metric.weights_are_copies:
        copies = metric(**small.taken(metric, np.repeat(np.arange(n), COUNTS[:n])))
        yield "weight k differs from k copies", wanted, copies
    if metric.weights_count or metric.corrects_for_rows or "objects" in " ".join(metric.record.takes):
        return  # curves of detection are read at levels such as 0.3, and rounding decides on which side of one a recall falls
    third = whole / 3
    yield "a third of all weights differs from the weights", metric(**small.inputs, weight=third), wanted
    cut = n // 2
    parts = [
        metric.state(**small.taken(metric, at), weight=third[at])
        for at in (slice(cut), slice(cut, n))
        if len(third[at])
    ]
    yield "merged states differ from the whole", sum(parts[1:], parts[0]).value(), wanted
    yield "rows of weight zero are not absent", _with_absent(metric, small, case, third), wanted
    if is_plain(wanted):
        both = metric.replicates(np.stack([third, whole]), **small.inputs)
        yield "replicates differ from the weighted call", both, np.stack([wanted, wanted])


def _with_absent(metric: Metric[Any], small: MetricCase, case: MetricCase, weight: Any) -> Any:
    """The value with two ordinary rows of weight zero at the end."""
    more = {name: np.asarray(value)[-2:] for name, value in case.rows(metric).items()}
    rows = {name: np.concatenate([value, more[name]]) for name, value in small.rows(metric).items()}
    return metric(**rows, **small.free(metric), weight=np.append(weight, [0.0, 0.0]))
