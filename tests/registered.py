"""Every metric of the registry with each value of its parameters, and example data for it."""

from __future__ import annotations

import functools

from accepted_table import table
from assay import testing
from assay.core.registry import metrics


@functools.cache
def all_variants() -> list:
    return [variant for cls in metrics() for variant in testing.variants(cls)]


@functools.cache
def all_defaults() -> list:
    return [testing.variants(cls)[0] for cls in metrics()]


def is_quick(metric) -> bool:
    """Whether `make test` runs all laws on it: parameters of images and rankings change a row's own value, not what is done with rows."""
    return metric in all_defaults() or metric.task not in ("detection", "segmentation", "generation", "ranking")


@functools.cache
def one_per_statistic() -> list:
    """Of the metrics that gather the same from the same inputs, the first: what a library of arrays computes is the same for all."""
    found = {(metric.statistic(), type(metric).inputs, metric.takes): metric for metric in reversed(all_defaults())}
    return list(found.values())[::-1]


@functools.cache
def cases_of(metric) -> list:
    """The example data that the metric accepts, as the table says; `laws/test_laws.py` holds the table to the metrics."""
    known = table().get(metric.signature())
    return testing.cases_for(metric, forms=known.forms if known else None)
