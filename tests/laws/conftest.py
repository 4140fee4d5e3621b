"""Every metric of the registry with each value of its parameters."""

from __future__ import annotations

import functools

import pytest

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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """``variant`` runs over everything, ``default`` over the metrics with their defaults."""
    for name, found in (("variant", all_variants), ("default", all_defaults)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, found(), ids=lambda metric: metric.signature())
