"""How a function may be called: what is missing, misspelt or of the wrong kind is refused in our words."""

from __future__ import annotations

import inspect
import numbers
import typing
from collections.abc import Callable
from functools import cached_property
from typing import Any

from assay.core.errors import InputError, ParameterError, did_you_mean


class Call:
    """The rules of one function, read from its signature when it is first called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    @cached_property
    def _rules(self) -> tuple[str, list[str], list[str], frozenset[str] | None, dict[str, Any]]:
        """Its name, its inputs by place, those that must come, the names it takes (None: any), and checks by name."""
        parameters = inspect.signature(self.function).parameters
        hints = typing.get_type_hints(self.function)
        places = [n for n, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
        free = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        needed = [n for n, p in parameters.items() if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
        checks = {n: check for n in parameters if (check := _check_of(hints.get(n))) is not None}
        return self.function.__name__, places, needed, None if free else frozenset(parameters), checks

    def check(self, inputs: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Refuse a call that cannot be meant."""
        who, places, needed, allowed, checks = self._rules
        if len(inputs) > len(places):
            raise InputError(
                f"{who}: takes {', '.join(places)} by place and the rest by name, got {len(inputs)} by place."
            )
        for name, value in named.items():
            if allowed is not None and name not in allowed:
                raise ParameterError(f"{who} has no parameter {name!r}.{did_you_mean(name, allowed)}")
            if name in checks:
                checks[name](who, name, value)
        for name in needed:
            if name not in named and name not in places[: len(inputs)]:
                raise InputError(f"{who}: {name} must be given.")


def _check_of(hint: Any) -> Callable[[str, str, Any], None] | None:
    """The check of a flag, of a whole number or None, or of a choice; what is an array or a number is checked by itself."""
    if hint is bool:
        return _flag
    if hint == (int | None):
        return _whole
    if hint is float:
        return _number
    if typing.get_origin(hint) is typing.Literal:
        return _choice(typing.get_args(hint))
    return None


def _flag(who: str, name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise ParameterError(f"{who}: {name} must be True or False, got {value!r}.")


def _whole(who: str, name: str, value: Any) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, numbers.Integral)):
        raise ParameterError(f"{who}: {name} must be a whole number or None, got {value!r}.")


def _number(who: str, name: str, value: Any) -> None:
    """Of words and flags only: a number may also be a tensor that learns, or traced."""
    if isinstance(value, bool | str | bytes | list | dict):
        raise ParameterError(f"{who}: {name} must be a number, got {value!r}.")


def _choice(options: tuple[Any, ...]) -> Callable[[str, str, Any], None]:
    def check(who: str, name: str, value: Any) -> None:
        if not isinstance(value, str) or value not in options:
            names = ", ".join(repr(one) for one in options)
            raise ParameterError(f"{who}: {name} must be one of {names}, got {value!r}.")

    return check
