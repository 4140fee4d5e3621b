"""The lower-case function of a metric: ``assay.f1(y_true, y_pred, average="macro")``, from the class declaration alone."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

from assay.core.metric import Metric
from assay.core.parameters import check_names


def function_of(cls: type[Metric[Any]]) -> Callable[..., Any]:
    """A plain function that takes the inputs and the parameters of the metric and returns its value."""
    parameters = [f.name for f in dataclasses.fields(cls)]
    inputs = (*cls.takes.required, *cls.takes.optional, *cls.takes.free)

    def function(*args: Any, **named: Any) -> Any:
        check_names(cls.__name__, named, (*inputs, "weight", *parameters))
        options = {name: named.pop(name) for name in parameters if name in named}
        return cls(**options)(*args, **named)

    function.__name__ = function.__qualname__ = cls.key
    function.__module__ = "assay"
    function.__doc__ = cls.__doc__
    function.__dict__.update(__signature__=signature_of(cls), metric=cls)
    return function


def signature_of(cls: type[Metric[Any]]) -> inspect.Signature:
    """Inputs first, then weight and the parameters, keyword-only."""
    kind = inspect.Parameter
    required = [kind(name, kind.POSITIONAL_OR_KEYWORD) for name in cls.takes.required]
    optional = [kind(name, kind.POSITIONAL_OR_KEYWORD, default=None) for name in (*cls.takes.optional, *cls.takes.free)]
    options = [kind(f.name, kind.KEYWORD_ONLY, default=default_of(f)) for f in dataclasses.fields(cls)]
    return inspect.Signature([*required, *optional, kind("weight", kind.KEYWORD_ONLY, default=None), *options])


def default_of(field: dataclasses.Field[Any]) -> Any:
    """The default of a field, made if it has a factory."""
    return field.default_factory() if callable(field.default_factory) else field.default
