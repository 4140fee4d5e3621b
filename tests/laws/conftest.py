"""Parametrises the laws over the registry."""

from __future__ import annotations

from typing import Any

import pytest

from accepted_table import Accepted, table
from registered import all_defaults, all_variants, one_per_statistic


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """``variant`` runs over everything, ``default`` over the metrics with their defaults; ``array_...`` over those that take arrays.

    Images of objects are lists of mappings, whose arrays tests/detection converts to other libraries; texts are Python strings.
    """
    if "law" in metafunc.fixturenames or any(
        mark.args[0] == "variant" for mark in metafunc.definition.iter_markers("parametrize")
    ):
        return
    for name, found in (("variant", all_variants), ("default", all_defaults), ("jax_default", all_defaults)):
        quick = one_per_statistic() if name == "jax_default" else found()
        for prefix, chosen in (("", found()), ("array_", filter(takes_arrays, found()))):
            if prefix + name in metafunc.fixturenames:
                cases = [
                    pytest.param(metric, id=metric.signature(), marks=() if metric in quick else pytest.mark.slow)
                    for metric in chosen
                ]
                metafunc.parametrize(prefix + name, cases)


def takes_arrays(metric: Any) -> bool:
    forms = table().get(metric.signature(), Accepted()).forms
    ours = metric.task in ("text", "ranking")  # strings, and rankings that are sorted on the host
    return not ours and (not forms or not all("objects" in form for form in forms))
