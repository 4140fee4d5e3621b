"""Two million rows through every bounded state: the bytes do not grow, and the value is that of the batch."""

from __future__ import annotations

import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest

from assay import testing
from assay.core.errors import UndefinedWarning
from assay.core.monoids import Counts, Extreme, Joint, Moments, Rows, Sum
from assay.core.registry import metrics

BATCH, BATCHES = 20_000, 100


def kinds(element: Any) -> set[type]:
    """The monoids that an element is made of."""
    return set().union(*map(kinds, element.parts)) if isinstance(element, Joint) else {type(element)}


def first_case(metric: Any) -> Any:
    return testing.cases_for(metric)[0]


def bounded(metric: Any) -> bool:
    return kinds(metric.state(**first_case(metric).inputs).total) <= {Sum, Counts, Moments, Extreme}


ALL = [testing.variants(cls)[0] for cls in metrics()]
BOUNDED = [metric for metric in ALL if bounded(metric)]


def batch(metric: Any) -> dict[str, Any]:
    case = first_case(metric)
    return case.taken(metric, np.resize(np.arange(case.size(metric)), BATCH))


@pytest.mark.parametrize("metric", BOUNDED, ids=lambda metric: metric.signature())
def test_states_do_not_grow(metric: Any) -> None:
    inputs = batch(metric)
    one = metric.state(**inputs)
    total, size = one, len(one.to_bytes())
    tracemalloc.start()
    for _ in range(BATCHES - 1):
        total = total + metric.state(**inputs)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert total.n == BATCH * BATCHES == 2_000_000
    assert len(total.to_bytes()) <= size + 64  # the counts have more digits, nothing else
    assert kept < 200_000, f"{kept} bytes stay behind"
    if not metric.weights_count:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedWarning)
            want = testing.numbers(one.value())
        np.testing.assert_allclose(testing.numbers(total.value()), want, rtol=1e-9, atol=1e-12)


def test_most_metrics_are_bounded_and_the_others_keep_rows() -> None:
    assert len(BOUNDED) > 35
    for metric in ALL:
        if metric not in BOUNDED:
            assert Rows in kinds(metric.state(**first_case(metric).inputs).total), metric.signature()
