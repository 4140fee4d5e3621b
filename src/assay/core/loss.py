"""What a loss is: a pure function of arrays with its facts as data, registered under its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
Property = Literal[
    "convex", "differentiable", "smooth", "robust", "symmetric", "bounded", "proper", "monotone", "sparse"
]


@dataclass(frozen=True, kw_only=True)
class LossRecord:
    """What is known about a loss; ``properties`` are promises, in the prediction, that tests check numerically.

    ``robust``: one outlier moves the gradient by a bounded amount. ``smooth``: the gradient is continuous.
    """

    title: str
    use: str
    instead: str = ""
    misleads: str = ""
    equals: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    erratum: str = ""
    traps: tuple[int, ...] = ()
    properties: frozenset[Property] = field(default_factory=lambda: frozenset[Property]())


LOSSES: dict[str, Any] = {}


def loss(*properties: Property, **facts: Any) -> Callable[[F], F]:
    """Register a loss with its record: the function is left as it is, with ``record``, ``key`` and ``task`` beside it."""
    record = LossRecord(properties=frozenset(properties), **facts)

    def registered(function: F) -> F:
        entry = cast(Any, function)
        entry.record, entry.key, entry.task = record, function.__name__, function.__module__.split(".")[2]
        LOSSES[f"{entry.task}.{entry.key}"] = function
        return function

    return registered
