"""How a hand-checked case is written and checked. Expected values are derived in the tables, never by running assay."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.registry import find


@dataclass(frozen=True)
class Case:
    """A metric's key, its inputs, its parameters and the value that follows from the definition."""

    key: str
    inputs: dict[str, Any]
    expected: Any
    options: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return "-".join([self.key, *(f"{k}={v}" for k, v in self.options.items())])[:80]


def params(cases: list[Case]) -> Any:
    return [pytest.param(case, id=str(case)) for case in cases]


def value_of(case: Case) -> Any:
    """The value by the plain function, checked to be the same by the class, the state and the bytes of the state."""
    value = getattr(assay, case.key)(**case.inputs, **case.options)
    metric = find(case.key)(**case.options)
    state = metric.state(**case.inputs)
    for other in (metric(**case.inputs), state.value(), assay.State.from_bytes(state.to_bytes()).value()):
        np.testing.assert_array_equal(np.asarray(other), np.asarray(value))
    return value


def as_float(expected: Any) -> Any:
    return np.asarray(expected).astype(np.float64)


def check(case: Case) -> None:
    value = value_of(case)
    np.testing.assert_allclose(value, as_float(case.expected), rtol=1e-13, atol=1e-15)
    assert isinstance(value, float) or np.ndim(value) > 0


def check_undefined(key: str, inputs: dict[str, Any], options: dict[str, Any]) -> None:
    """The four policies on data where the value does not exist."""
    function = getattr(assay, key)
    with pytest.warns(assay.UndefinedWarning, match=find(key).__name__):
        assert math.isnan(function(**inputs, **options))
    with pytest.raises(assay.UndefinedError, match=find(key).__name__):
        function(**inputs, **options, undefined="error")
    assert function(**inputs, **options, undefined=0) == 0.0
    assert function(**inputs, **options, undefined=1) == 1.0


def libraries() -> list[Any]:
    """Makers of arrays in the libraries that hold no text."""
    made: list[Any] = []
    for name in ("torch", "jax.numpy", "array_api_strict"):
        library: Any = pytest.importorskip(name)
        made.append(library.asarray)
    return made
