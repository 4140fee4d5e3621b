"""Weights of losses as functions of the training step; the step may be a number, a tensor or traced by JAX."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from assay.core.arrays import Array, array_api_compat, namespace
from assay.core.errors import ParameterError
from assay.losses.parameter_checks import one_of, positive

Schedule: TypeAlias = Callable[[Array | float], Array | float]


@dataclass(frozen=True)
class Ramp:
    """From ``first`` to ``last`` within ``steps``, starting at step ``begin``; constant before and after.

    >>> [Ramp(0.0, 1.0, steps=10)(step) for step in (0, 5, 20)]
    [0.0, 0.5, 1.0]
    """

    first: float
    last: float
    steps: float
    begin: float = 0.0
    shape: Literal["linear", "cosine"] = "linear"

    def __post_init__(self) -> None:
        """Refuse a ramp of no length."""
        positive("Ramp", steps=self.steps)
        one_of("Ramp", "shape", self.shape, "linear", "cosine")

    def __call__(self, step: Array | float) -> Array | float:
        """The weight at a step."""
        done = _within((step - self.begin) / self.steps)
        if self.shape == "cosine":
            done = (1 - _cos(math.pi * done)) / 2
        return self.first + (self.last - self.first) * done


@dataclass(frozen=True)
class Stages:
    """One weight from each of some steps on: ``Stages({0: 1.0, 1000: 0.1})``.

    >>> [Stages({0: 1.0, 1000: 0.1})(step) for step in (0, 999, 1000)]
    [1.0, 1.0, 0.1]
    """

    weights: dict[float, float]

    def __post_init__(self) -> None:
        """Refuse a schedule without a stage."""
        if not self.weights:
            raise ParameterError("Stages", "", "there must be at least one stage, such as {0: 1.0}")

    def __call__(self, step: Array | float) -> Array | float:
        """The weight of the last stage that has begun; that of the first before."""
        begins = sorted(self.weights)
        value: Any = self.weights[begins[0]]
        for begin in begins[1:]:
            value = _chosen(step >= begin, self.weights[begin], value)
        return value


def _chosen(condition: Any, yes: Any, no: Any) -> Any:
    """One of two numbers; the condition may be traced."""
    if not array_api_compat.is_array_api_obj(condition):
        return yes if condition else no
    xp = namespace(condition)
    return xp.where(condition, xp.asarray(yes), xp.asarray(no))


def _within(x: Any) -> Any:
    """Between 0 and 1."""
    if array_api_compat.is_array_api_obj(x):
        return namespace(x).clip(x, 0.0, 1.0)
    return min(1.0, max(0.0, x))


def _cos(x: Any) -> Any:
    return namespace(x).cos(x) if array_api_compat.is_array_api_obj(x) else math.cos(x)
