"""400,000 rows (or some hundred images) through every bounded state: the bytes do not grow, and the value is that of the batch."""

from __future__ import annotations

import time
import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import UndefinedWarning
from assay.core.monoids import Counts, Extreme, Joint, Moments, Rows, Sum
from assay.testing.law_values import numbers
from messages import refusal
from registered import all_defaults, cases_of

BATCH, BATCHES = 20_000, 20


def kinds(element: Any) -> set[type]:
    """The monoids that an element is made of."""
    return set().union(*map(kinds, element.parts)) if isinstance(element, Joint) else {type(element)}


def first_case(metric: Any) -> Any:
    return cases_of(metric)[0]


def bounded(metric: Any) -> bool:
    return kinds(metric.state(**first_case(metric).inputs).total) <= {Sum, Counts, Moments, Extreme}


ALL = all_defaults()
BOUNDED = [metric for metric in ALL if bounded(metric)]


def sizes(metric: Any) -> tuple[int, int]:
    """Rows of a batch, and batches: a row that is an image or a text is worth thousands of plain ones."""
    case = first_case(metric)
    first = [np.asarray(value)[0] for value in case.rows(metric).values()]
    large = any(np.ndim(row) > 1 or np.size(row) > 64 or np.asarray(row).dtype.kind in "OU" for row in first)
    return (case.size(metric), 4) if large else (BATCH, BATCHES)


def batch(metric: Any) -> dict[str, Any]:
    case = first_case(metric)
    return case.taken(metric, np.resize(np.arange(case.size(metric)), sizes(metric)[0]))


@pytest.mark.parametrize("metric", BOUNDED, ids=lambda metric: metric.signature())
def test_states_do_not_grow(metric: Any) -> None:
    inputs = batch(metric)
    one = metric.state(**inputs)
    total, size = one, len(one.to_bytes())
    rows, batches = sizes(metric)
    tracemalloc.start()
    for _ in range(batches - 1):
        total = total + metric.state(**inputs)
    time.sleep(0.05)  # a thread lets go of its last piece a moment after it has given the result
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert total.n == rows * batches
    assert len(total.to_bytes()) <= size + 64  # the counts have more digits, nothing else
    assert kept < 200_000, f"{kept} bytes stay behind"
    if not metric.weights_count:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedWarning)
            values = [numbers(state.value()) for state in (total, one)]
        np.testing.assert_allclose(*values, rtol=1e-9, atol=1e-12)


def test_most_metrics_are_bounded_and_the_others_keep_rows() -> None:
    assert len(BOUNDED) > 35
    for metric in ALL:
        if metric not in BOUNDED:
            assert Rows in kinds(metric.state(**first_case(metric).inputs).total), metric.signature()


@pytest.mark.parametrize("first", [[1, 1], [-1, -1], [1, -1]])
def test_batches_that_show_one_class(first: list[int]) -> None:
    """A batch of ones alone cannot tell 0/1 from -1/1; the merged state must be the whole all the same."""
    y, p = [*first, 1, -1, -1, 1], [0.2, 0.7, 0.6, 0.4, 0.8, 0.9]
    for metric in (assay.metrics.F1(average="macro"), assay.metrics.Accuracy(), assay.metrics.RocAuc()):
        merged = metric.state(y[:2], y_prob=p[:2]) + metric.state(y[2:], y_prob=p[2:])
        assert merged.value() == pytest.approx(metric(y, y_prob=p))
        swapped = metric.state(y[2:], y_prob=p[2:]) + metric.state(y[:2], y_prob=p[:2])
        assert swapped.value() == pytest.approx(metric(y, y_prob=p))


def test_other_negatives_do_not_merge() -> None:
    """Three classes must not pass as two because each batch shows two of them."""
    metric = assay.metrics.RocAuc(positive="b")
    with refusal(assay.StateError):
        metric.state(["a", "b"], [0.1, 0.2]) + metric.state(["b", "c"], [0.1, 0.2])
    f1 = assay.metrics.F1(positive="b")
    with refusal(assay.StateError):
        f1.state(["a", "b"], y_prob=[0.1, 0.2]) + f1.state(["b", "c"], y_prob=[0.1, 0.2])
