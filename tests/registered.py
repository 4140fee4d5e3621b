"""Every metric of the registry with each value of its parameters, and example data for it."""

from __future__ import annotations

import functools

from assay import testing
from assay.core.registry import metrics


@functools.cache
def all_variants() -> list:
    return [variant for cls in metrics() for variant in testing.variants(cls)]


@functools.cache
def all_defaults() -> list:
    return [testing.variants(cls)[0] for cls in metrics()]


@functools.cache
def cases_of(metric) -> list:
    return testing.cases_for(metric)
