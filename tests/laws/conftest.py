"""Parametrises the laws over the registry."""

from __future__ import annotations

import pytest
from registered import all_defaults, all_variants


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """``variant`` runs over everything, ``default`` over the metrics with their defaults."""
    for name, found in (("variant", all_variants), ("default", all_defaults)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, found(), ids=lambda metric: metric.signature())
