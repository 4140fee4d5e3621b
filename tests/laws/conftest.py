"""Parametrises the laws over the registry."""

from __future__ import annotations

from typing import Any

import pytest

from accepted import Accepted, table
from registered import all_defaults, all_variants


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """``variant`` runs over everything, ``default`` over the metrics with their defaults; ``array_...`` over those that take arrays.

    Images of objects are lists of mappings, whose arrays tests/detection converts to other libraries; texts are Python strings.
    """
    if "law" in metafunc.fixturenames or any(
        mark.args[0] == "variant" for mark in metafunc.definition.iter_markers("parametrize")
    ):
        return
    for name, found in (("variant", all_variants), ("default", all_defaults)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, found(), ids=lambda metric: metric.signature())
        if f"array_{name}" in metafunc.fixturenames:
            metafunc.parametrize(
                f"array_{name}", list(filter(takes_arrays, found())), ids=lambda metric: metric.signature()
            )


def takes_arrays(metric: Any) -> bool:
    forms = table().get(metric.signature(), Accepted()).forms
    return not forms or not all("objects" in form or form.startswith("texts") for form in forms)
