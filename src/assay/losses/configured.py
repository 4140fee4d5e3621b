"""A loss with its parameters given once: what a name in the style of a class stands for, such as ``losses.CrossEntropy``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assay.core.arrays import ArrayLike
from assay.core.errors import InputError, ParameterError, did_you_mean
from assay.core.loss import NAMES
from assay.losses.reduction import LossOptions


@dataclass(frozen=True)
class Configured:
    """A function that remembers its parameters and nothing else: ``losses.Huber(delta=2.0)(prediction, target)``."""

    title: str
    loss: Callable[..., object]
    parameters: dict[str, Any]

    def __call__(self, *inputs: ArrayLike, **more: object) -> object:
        """The loss of these inputs; ``more`` are inputs by name, and parameters of this call alone."""
        return self.loss(*inputs, **{**self.parameters, **more})

    def __repr__(self) -> str:
        return f"{self.title}({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"


def class_style(title: str) -> Callable[..., Configured] | None:
    """What makes losses of this name, such as ``CrossEntropy``, with their parameters; None if it is no such name."""
    key = NAMES.key_of(title) if title[:1].isupper() else None
    if key is None:
        return None
    loss: Any = NAMES.entries[key]

    def make(*inputs: object, **parameters: object) -> Configured:
        if inputs:
            raise InputError(
                title,
                "",
                f"takes the parameters of {key}, and what it returns takes the inputs",
                f"Call {title}(...)(inputs), or the function: losses.{key}(inputs, ...).",
            )
        known = inspect.signature(loss).parameters
        several = any(p.kind is p.VAR_KEYWORD for p in known.values())
        names = {*(n for n in known if n != "options"), *(LossOptions.__annotations__ if several else ())}
        for name in parameters:
            if name not in names:
                raise ParameterError(title, "", f"{key} has no parameter {name!r}", did_you_mean(name, names))
        return Configured(title, loss, parameters)

    make.__name__ = make.__qualname__ = title
    make.__doc__ = f"`losses.{key}` with its parameters given once: ``{title}(...)(inputs)``."
    return make
