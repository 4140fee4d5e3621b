"""What a loss is: a pure function of arrays with its facts as data, registered under its name."""

from __future__ import annotations

import functools
import importlib
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

from assay.core.arrays import stop_gradient
from assay.core.call_checks import Call
from assay.core.errors import UnknownNameError
from assay.core.mixed_precision import in_single
from assay.core.registry import Names
from assay.core.value_checks import of_loss

F = TypeVar("F", bound=Callable[..., Any])
Property = Literal[
    "convex", "differentiable", "smooth", "robust", "symmetric", "bounded", "proper", "monotone", "sparse"
]


@dataclass(frozen=True, kw_only=True)
class LossRecord:
    """What is known about a loss; ``properties`` are promises, in the first input, that `assay.testing` checks numerically.

    convex: no chord lies below. differentiable: no kink. smooth: the gradient is continuous. robust: one outlier's gradient
    stays bounded however far it is. symmetric: both inputs may be swapped. bounded: the range is finite. proper: the expected
    loss is least at the true probabilities. monotone: never rises as the evidence for the truth grows. sparse: what is
    good enough has no gradient at all.
    """

    title: str
    use: str
    instead: str = ""
    misleads: str = ""
    equals: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    erratum: str = ""
    traps: tuple[int, ...] = ()
    range: tuple[float, float] = (0.0, float("inf"))
    learned: tuple[str, ...] = ()  # inputs that belong to the loss and learn with the model, one row per class
    rows: bool = False  # whether it is a mean over independent rows of a prediction and a target
    properties: frozenset[Property] = field(default_factory=lambda: frozenset[Property]())
    aliases: tuple[str, ...] = ()  # other names that people use for it; they resolve everywhere


LOSSES: dict[str, Any] = {}
NAMES: Names[Any] = Names("loss", lambda: importlib.import_module("assay.losses") and None)


_ROWS = ("regression", "classification")  # families whose losses are all means over rows


def loss(*properties: Property, **facts: Any) -> Callable[[F], F]:
    """Register a loss with its record, and check how it is called; ``record``, ``key`` and ``task`` stand beside it.

    The task is the folder or file of `assay.losses` that holds it.
    """

    def registered(function: F) -> F:
        task = function.__module__.removeprefix("assay.losses.").split(".")[0]
        known_facts: dict[str, Any] = {"rows": task in _ROWS, **facts}
        record = LossRecord(properties=frozenset(properties), **known_facts)
        call = Call(function, of_loss)

        @functools.wraps(function)
        def entry(*inputs: Any, **named: Any) -> Any:
            inputs, named = call.check(inputs, named)
            return _spoiled(in_single(function, inputs, named))

        known = cast(Any, entry)
        known.record, known.key, known.task = record, function.__name__, task
        known.prepared = call.prepared
        LOSSES[f"{task}.{known.key}"] = entry
        NAMES.add(known.key, entry, record.aliases)
        return cast(F, entry)

    return registered


def _spoiled(value: Any) -> Any:
    """The same value, whose gradient is NaN wherever the value is.

    The slope of a margin or of a linear loss does not look at its inputs: a model that has diverged would go on with a gradient
    that seems fine. One product with a constant, which is 1 or NaN, tells it; a number that can be looked at for nothing needs none.
    """
    if isinstance(value, tuple):  # a total and its parts
        named = cast(Any, value)
        return named._replace(total=_spoiled(named.total))
    if getattr(value, "ndim", 1) or not (getattr(value, "requires_grad", False) or "jax" in type(value).__module__):
        return value
    if _is_number(value):
        return value
    return value * stop_gradient(value).clip(1, 1)


def _is_number(value: Any) -> bool:
    """Whether it is a tensor on the host, under no compiler and no transformation, that holds something other than NaN."""
    torch = cast(Any, sys.modules.get("torch"))
    if torch is None or type(value) is not torch.Tensor or not value.is_cpu:
        return False
    if torch.compiler.is_compiling() or torch._C._are_functorch_transforms_active():
        return False
    return not math.isnan(value.item())


def losses() -> list[Any]:
    """All losses, by task and name."""
    importlib.import_module("assay.losses")
    return [LOSSES[name] for name in sorted(LOSSES)]


def find_loss(name: str) -> Any:
    """A loss by its key or alias, alone or after its task: ``focal``, ``classification.focal``, ``bce``."""
    task, _, key = name.rpartition(".")
    entry = NAMES.find(key)
    if task and task.lower() != entry.task:
        raise UnknownNameError("", "", f"unknown loss {name!r}", f"Did you mean {f'{entry.task}.{entry.key}'!r}?")
    return entry
