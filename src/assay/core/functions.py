"""The lower-case function of a metric: ``assay.f1(y_true, y_pred, average="macro")``, from the class declaration alone."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any, cast

from assay.core.errors import ParameterError, arg, shown
from assay.core.metric import Metric
from assay.core.parameters import check_names

_OF_INTERVALS = ("level", "method", "groups", "strata", "replicates", "seed")


def function_of(cls: type[Metric[Any]]) -> Callable[..., Any]:
    """A plain function that takes the inputs and the parameters of the metric and returns its value.

    With ``interval=True`` it returns a `Score`, and takes the options of `Metric.interval` too.
    """
    parameters = [f.name for f in dataclasses.fields(cls)]
    inputs = (*cls.takes.required, *cls.takes.optional, *cls.takes.free)

    def function(*args: Any, interval: bool = False, **named: Any) -> Any:
        if not isinstance(cast(Any, interval), bool):
            raise ParameterError(cls.__name__, "interval", f"must be True or False, got {shown(interval)}")
        if not interval:
            _refuse_options(cls.__name__, named, parameters)
        check_names(
            cls.__name__, named, (*inputs, "weight", *parameters, *(_OF_INTERVALS if interval else ["interval"]))
        )
        metric = cls(**{name: named.pop(name) for name in parameters if name in named})
        return metric.interval(*args, **named) if interval else metric(*args, **named)

    function.__name__ = function.__qualname__ = cls.key
    function.__module__ = "assay"
    function.__doc__ = cls.__doc__
    function.__dict__.update(__signature__=signature_of(cls), metric=cls)
    return function


def _refuse_options(who: str, named: dict[str, Any], parameters: list[str]) -> None:
    """Options of intervals say nothing about a plain number."""
    for name in _OF_INTERVALS:
        if name in named and name not in parameters:
            raise ParameterError(who, name, "is about intervals", f"Give {arg('interval', True)} too.")


def signature_of(cls: type[Metric[Any]]) -> inspect.Signature:
    """Inputs first, then weight and the parameters, keyword-only."""
    kind = inspect.Parameter
    required = [kind(name, kind.POSITIONAL_OR_KEYWORD) for name in cls.takes.required]
    optional = [kind(name, kind.POSITIONAL_OR_KEYWORD, default=None) for name in (*cls.takes.optional, *cls.takes.free)]
    options = [kind(f.name, kind.KEYWORD_ONLY, default=default_of(f)) for f in dataclasses.fields(cls)]
    plain = {"weight": None, "interval": False}
    more = [kind(name, kind.KEYWORD_ONLY, default=default) for name, default in plain.items()]
    return inspect.Signature([*required, *optional, *more, *options])


def default_of(field: dataclasses.Field[Any]) -> Any:
    """The default of a field, made if it has a factory."""
    return field.default_factory() if callable(field.default_factory) else field.default
