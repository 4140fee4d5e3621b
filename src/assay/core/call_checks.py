"""How a function may be called: what is missing, misspelt or of the wrong kind is refused in our words.

One place reads the annotations of public functions, methods and parameters of metrics; `assay.core.value_checks` says what fits.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
import types
import typing
from collections.abc import Callable
from typing import Any, NamedTuple, Self, TypeVar, cast, overload

import numpy as np

from assay.core.arrays import compiling
from assay.core.errors import InputError, ParameterError, did_you_mean, shown, suggestion
from assay.core.parameters import check_names
from assay.core.value_checks import NO, Kind, expected, kind_of_hint

F = TypeVar("F", bound=Callable[..., Any])
_FEW = 6  # options that are read at a glance; among more, the one that was meant is named


class _Rules(NamedTuple):
    """What a signature says: positional inputs, whether more may come, required ones, the names there are (None: any)."""

    places: list[str]
    open: bool
    needed: dict[str, int]  # and their places, beyond all for those that are keyword-only
    allowed: frozenset[str] | None
    kinds: dict[str, Kind]
    bound: bool  # whether the first is self
    plain: frozenset[int]  # how many positional inputs suffice, of kinds that nobody checks


class Call:
    """The rules of one function, read from its signature when it is first called."""

    def __init__(
        self, function: Callable[..., Any], kind_of: Callable[[Any], Kind | None] = kind_of_hint, who: str = ""
    ) -> None:
        self.function, self._kind_of, self._who = function, kind_of, who
        self._found: _Rules | None = None

    @property
    def _rules(self) -> _Rules:
        return self._found or self.prepared()

    def prepared(self) -> _Rules:
        """The rules, read from the signature; compilers that follow a call cannot follow this, so it may be done before."""
        if self._found is None:
            self._found = self._read()
        return self._found

    def _read(self) -> _Rules:
        parameters = inspect.signature(self.function).parameters
        hints = _hints(self.function)
        places = [n for n, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
        several = {p.kind for p in parameters.values()}
        single = [n for n, p in parameters.items() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        required = (n for n in single if parameters[n].default is inspect.Parameter.empty)
        needed = {n: places.index(n) if n in places else sys.maxsize for n in required}
        options = next((hints.get(n) for n, p in parameters.items() if p.kind is p.VAR_KEYWORD), None)
        more = _options(options)
        free = inspect.Parameter.VAR_KEYWORD in several and more is None
        hints = {**{n: hints.get(n, Any) for n in single}, **(more or {})}
        kinds = {n: kind for n, hint in hints.items() if (kind := self._kind_of(hint)) is not None}
        looked_at = min((at for at, name in enumerate(places) if name in kinds), default=len(places))
        return _Rules(
            places, inspect.Parameter.VAR_POSITIONAL in several, needed, None if free else frozenset(hints), kinds,
            places[:1] in (["self"], ["cls"]), frozenset(range(max(needed.values(), default=-1) + 1, looked_at + 1)),
        )  # fmt: skip

    def check(self, inputs: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with NumPy's scalars as Python's own; refuses a call that cannot be meant."""
        if self._found is None and compiling():  # what is wrong is told by Python then
            return inputs, named
        places, more, needed, allowed, kinds, _, plain = self._rules
        if not named and len(inputs) in plain:
            return inputs, named
        if len(inputs) > len(places) and not more:
            self._refuse_more(inputs)
        by_place = list(inputs)
        for at, name in enumerate(places[: len(inputs)]):
            if name in kinds:
                by_place[at] = self._taken(name, inputs[at], inputs)
            if name in named:
                raise InputError(self._name(inputs), name, "was given twice, as a positional and as a keyword argument")
        by_name: dict[str, Any] = {}
        for name, value in named.items():
            if allowed is not None and name not in allowed:
                known = [known for known in allowed if known not in ("self", "cls")]
                raise ParameterError(self._name(inputs), "", f"has no parameter {name!r}", did_you_mean(name, known))
            by_name[name] = self._taken(name, value, inputs) if name in kinds else value
        for name, place in needed.items():
            if place >= len(inputs) and name not in named:
                raise InputError(self._name(inputs), name, "is required")
        return tuple(by_place), by_name

    def _taken(self, name: str, value: Any, inputs: tuple[Any, ...]) -> Any:
        kind = self._rules.kinds[name]
        taken = kind.take(value)
        if taken is NO:
            fix = suggestion(value, kind.options).strip() if len(kind.options) > _FEW else ""
            raise ParameterError(self._name(inputs), name, f"must be {expected(kind, value)}, got {shown(value)}", fix)
        return taken

    def _name(self, inputs: tuple[Any, ...]) -> str:
        """Who refuses: the function, or the class of the object and its method."""
        if not self._rules.bound or not inputs:
            return self._who or self.function.__name__
        owner = cast(Any, inputs[0] if isinstance(inputs[0], type) else type(inputs[0]))
        name = self.function.__name__
        return owner.__name__ if name.startswith("__") else f"{owner.__name__}.{name}"

    def _refuse_more(self, inputs: tuple[Any, ...]) -> None:
        self_too = self._rules.bound
        places = self._rules.places[self_too:]
        told = (
            f"takes {', '.join(places)} as positional arguments, the rest are keyword-only"
            if places
            else "takes keyword arguments only"
        )
        raise InputError(self._name(inputs), "", f"{told}; got {len(inputs) - self_too} positional")


def _hints(function: Any) -> dict[str, Any]:
    """The annotations of the parameters; what it returns may be known to type checkers only."""
    given = {name: hint for name, hint in function.__annotations__.items() if name != "return"}
    holder = types.SimpleNamespace(__annotations__=given)
    return typing.get_type_hints(holder, globalns=function.__globals__, include_extras=True)


def _options(hint: Any) -> dict[str, Any] | None:
    """The named options that ``**options: Unpack[Options]`` stands for; None for any."""
    if typing.get_origin(hint) is not typing.Unpack:
        return None
    return typing.get_type_hints(typing.get_args(hint)[0], include_extras=True)


@overload
def guarded(function: F) -> F: ...
@overload
def guarded(*, who: str) -> Callable[[F], F]: ...
def guarded(function: Any = None, *, who: str = "") -> Any:
    """A public function or method whose arguments are checked by its annotations before it sees them."""
    if function is None:
        return functools.partial(guarded, who=who)
    call = Call(function, who=who)

    @functools.wraps(function)
    def entry(*inputs: Any, **named: Any) -> Any:
        inputs, named = call.check(inputs, named)
        # What does not fit in a number is infinite or NaN in the result, which shows it; NumPy would warn of a line of ours.
        with np.errstate(over="ignore", invalid="ignore"):
            return function(*inputs, **named)

    return entry


# ---- values whose fields are parameters


@functools.cache
def _field_kinds(cls: Any) -> dict[str, Kind]:
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except NameError:  # a class of the caller's whose annotations are for type checkers only
        return {}
    names = [field.name for field in dataclasses.fields(cls) if field.init]
    return {name: kind for name in names if (kind := kind_of_hint(hints[name])) is not None}


def check_fields(value: object) -> None:
    """Check the fields of a frozen dataclass by their annotations; NumPy's scalars become Python's own."""
    cls = cast(Any, type(value))
    for name, kind in _field_kinds(cls).items():
        given = getattr(value, name)
        taken = kind.take(given)
        if taken is NO:
            raise ParameterError(cls.__name__, name, f"must be {expected(kind, given)}, got {shown(given)}")
        if taken is not given:
            object.__setattr__(value, name, taken)


class Parameters:
    """Base of frozen dataclasses whose fields are keyword-only parameters."""

    def __new__(cls, *args: Any, **named: Any) -> Self:
        """Refuse a positional or misspelt parameter in our words before the dataclass does in Python's."""
        if "__dataclass_fields__" not in cls.__dict__:
            return super().__new__(cls)  # a class of the caller's with a constructor of its own
        if args:
            raise ParameterError(cls.__name__, "", f"parameters are keyword-only; got positional {shown(args[0])}")
        check_names(cls.__name__, named, (f.name for f in dataclasses.fields(cast(Any, cls)) if f.init))
        return super().__new__(cls)
