"""What an annotation asks of a value, compiled once: a check that also turns NumPy's scalars into Python's own."""

from __future__ import annotations

import collections.abc
import inspect
import math
import numbers
import sys
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from assay.core.ingestion import column_names

NO: Any = object()  # what a check gives for a value that does not fit
_PLAIN = (int, float, str, bool, type(None))
_CALLABLE = cast(Any, collections.abc.Callable)
_WIDE = 2**63  # the integers of kernels and states have 64 bits
_ABSTRACT = (collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection, list)


@dataclass(frozen=True)
class Kind:
    """Values that fit: ``text`` says which, ``take`` gives the value as Python's own, or `NO`; ``options`` are those of a choice."""

    text: str
    take: Callable[[Any], Any]
    plural: str = ""
    options: tuple[object, ...] = ()

    @property
    def several(self) -> str:
        """How a list of them is called."""
        return self.plural or f"{self.text} each"


@dataclass(frozen=True)
class Span:
    """Beside a number in ``Annotated``: the range it lies in."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False

    def holds(self, value: float) -> bool:
        """Whether the value lies inside."""
        above = self.low < value if self.open_low else self.low <= value
        return above and (value < self.high if self.open_high else value <= self.high)

    @property
    def text(self) -> str:
        """``above 0 and at most 1``."""
        low = f"{'above' if self.open_low else 'at least'} {self.low:g}" if self.low > -math.inf else ""
        high = f"{'below' if self.open_high else 'at most'} {self.high:g}" if self.high < math.inf else ""
        return " and ".join(filter(None, [low, high]))


@dataclass(frozen=True)
class Says:
    """Beside a type in ``Annotated``: better words for what is expected, with an example."""

    text: str


Level: TypeAlias = typing.Annotated[float, Span(0, 1, open_low=True, open_high=True)]
Share: TypeAlias = typing.Annotated[float, Span(0, 1)]
Positive: TypeAlias = typing.Annotated[float, Span(0, math.inf, open_low=True, open_high=True)]
Count: TypeAlias = typing.Annotated[int, Span(1)]
Seed: TypeAlias = typing.Annotated[int, Span(0, 2**128)]
Name: TypeAlias = typing.Annotated[str, "name"]  # integers become text
Backend: TypeAlias = typing.Literal["polars", "pandas", "pyarrow"]


MODELS = Says("a dict of name and predictions, such as {'old': a, 'new': b}")


def kind_of_hint(hint: Any) -> Kind | None:
    """The check of an annotation; None where it allows anything."""
    if hint is Any or isinstance(hint, str | typing.TypeVar | typing.ParamSpec) or hint is inspect.Parameter.empty:
        return None
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _annotated(args[0], args[1:])
    if origin is typing.Literal:
        return _choice(args)
    if origin in (typing.Union, types.UnionType):
        return _choice(_options(args)) if all(map(_is_choice, args)) else _union([kind_of_hint(arg) for arg in args])
    if origin is tuple:
        return _tuple(args)
    if origin in _ABSTRACT or hint in _ABSTRACT:
        return _sequence(kind_of_hint(args[0]) if args else None, list)
    if origin in (collections.abc.Mapping, dict) or hint in (collections.abc.Mapping, dict):
        return _mapping(*(args or (Any, Any)))
    if origin is _CALLABLE or hint is _CALLABLE:
        return Kind("a function", lambda value: value if callable(value) else NO)
    if hint is collections.abc.Hashable:
        return Kind("something that can be looked up", _hashable)
    return _instance(origin or hint)


def expected(kind: Kind, value: object) -> str:
    """What was expected of a value that does not fit; it also says why where the value nearly does."""
    number = scalar(value)
    if "integer" in kind.text and isinstance(number, int) and abs(number) >= _WIDE and "2**" not in kind.text:
        return f"{kind.text} of at most 64 bits"
    if isinstance(value, Mapping):
        names = list(cast("Mapping[Any, Any]", value))
        twice = [name for name in names if not isinstance(name, str) and str(name) in names]
        return (
            f"{kind.text}, each name once as text; {twice[0]!r} and {str(twice[0])!r} are one" if twice else kind.text
        )
    return kind.text


def scalar(value: Any) -> Any:
    """A NumPy scalar, or an array or tensor of one number and no axes, as Python's own value; the rest as it is."""
    if type(value) in _PLAIN:
        return value
    try:
        return value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value
    except Exception:  # a tensor without data, a traced one, a masked value: no number, and refused as what it is
        return value


def of_loss(hint: object) -> Kind | None:
    """The check of an option of a loss: what is a number may also be a tensor that learns, or traced."""
    if hint is float:
        return Kind("a number", _learnable)
    some = [one for one in typing.get_args(hint) if one is not type(None)]
    shape = typing.get_origin(some[0] if len(some) == 1 and type(None) in typing.get_args(hint) else hint)
    known = hint in (bool, int | None) or shape in (typing.Literal, collections.abc.Mapping, _CALLABLE)
    return kind_of_hint(hint) if known else None


def _learnable(value: Any) -> Any:
    """A number; of a tensor nothing is known yet. A large integer is a float, since libraries know no others.

    A number in an array of NumPy is one of Python's own: beside a tensor the array would be none.
    """
    value = scalar(value) if type(value).__module__ == "numpy" else value
    if isinstance(value, bool | str | bytes | list | dict | tuple | set):
        return NO
    return _number(float(value) if abs(value) <= sys.float_info.max else value) if type(value) is int else value


# ---- plain values


def _flag(value: Any) -> Any:
    value = scalar(value)
    return value if isinstance(value, bool) else NO


def _integer(value: Any) -> Any:
    value = scalar(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        return NO
    value = int(value)
    return value if -_WIDE <= value < _WIDE else NO


def _number(value: Any) -> Any:
    value = scalar(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return NO
    try:
        plain = value if type(cast(Any, value)) is int else float(value)
        return NO if math.isnan(plain) else plain
    except (OverflowError, ValueError):  # an integer beyond the floats
        return NO


def _text(value: Any) -> Any:
    value = scalar(value)
    return value if type(value) is str else str.__str__(value) if isinstance(value, str) else NO


def _hashable(value: Any) -> Any:
    value = scalar(value)
    try:
        hash(value)
    except TypeError:
        return NO
    return value


def _none(value: Any) -> Any:
    return None if value is None else NO


def named(value: object) -> Any:
    """A name: text as it is, integers as text."""
    number = _integer(value)
    return _text(value) if number is NO else str(number)


def _label(value: Any) -> Any:
    """A class label; a number with a fraction is none, but frames turn integers into floats."""
    value = scalar(value)
    if isinstance(value, str | bool) or _integer(value) is not NO:
        return value
    return value if isinstance(value, float) and value.is_integer() else NO


LABEL = Kind("a label (text or an integer)", _label, "labels")
_SIMPLE: dict[Any, Kind] = {
    bool: Kind("True or False", _flag, "flags"),
    int: Kind("an integer", _integer, "integers"),
    float: Kind("a number", _number, "numbers"),
    str: Kind("text", _text, "texts"),
    type(None): Kind("None", _none),
    None: Kind("None", _none),
}


def _annotated(hint: Any, notes: tuple[Any, ...]) -> Kind | None:
    for note in notes:
        if isinstance(note, Kind):
            return note
        if note == "name":
            return Kind("a name", named)
        if isinstance(note, Span):
            return _bounded(hint, note)
        if isinstance(note, Says) and (kind := kind_of_hint(hint)) is not None:
            return Kind(note.text, kind.take)
    return kind_of_hint(hint)


def _bounded(hint: Any, span: Span) -> Kind:
    wide = hint is int and span.high > _WIDE

    def take(value: Any) -> Any:
        value = scalar(value)
        if wide and not isinstance(value, bool) and isinstance(value, numbers.Integral):
            found: Any = int(value)
        else:
            found = _SIMPLE[hint].take(value)
        return found if found is not NO and span.holds(found) else NO

    what = _SIMPLE[hint].text
    return Kind(
        f"{what} {span.text}"
        if not wide
        else f"{what} of at least {span.low:g} and at most 2**{math.log2(span.high):.0f}",
        take,
    )


def _is_choice(hint: Any) -> bool:
    return hint is type(None) or typing.get_origin(hint) is typing.Literal


def _options(hints: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values of several literals, None where it is one of them."""
    return tuple(v for hint in hints for v in (typing.get_args(hint) if hint is not type(None) else (None,)))


def _choice(options: tuple[Any, ...]) -> Kind:
    def take(value: Any) -> Any:
        value = scalar(value)
        if isinstance(value, str) and type(value) is not str:
            value = str.__str__(value)
        return next((o for o in options if type(o) is type(value) and o == value), NO)

    return Kind(("one of " if len(options) > 1 else "") + ", ".join(map(repr, options)), take, options=options)


def _union(kinds: list[Kind | None]) -> Kind | None:
    """Whichever fits first; the narrow ones are asked before those that convert."""
    found = [kind for kind in kinds if kind is not None]
    if len(found) < len(kinds):
        return None
    takes = [kind.take for kind in found]

    def take(value: Any) -> Any:
        for one in takes:
            taken = one(value)
            if taken is not NO:
                return taken
        return NO

    texts = list(dict.fromkeys(kind.text.removeprefix("one of ") for kind in found))
    return Kind(" or ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts), take)


# ---- collections


def listed(value: Any) -> Any:
    """The entries of a list, a tuple, an array of one axis or more, or a column; `NO` for anything else."""
    if isinstance(value, list | tuple | range):
        return list(cast("list[Any]", value))
    if isinstance(value, str | bytes | Mapping | set | frozenset) or column_names(value) is not None:
        return NO
    for name in ("tolist", "to_list", "to_pylist"):
        if hasattr(value, name) and not isinstance(value, type):
            try:
                found = getattr(value, name)()
            except Exception:  # tensors without data, sparse ones: no list to be had
                return NO
            return cast("list[Any]", found) if isinstance(found, list) else NO
    if isinstance(value, collections.abc.Sequence):
        return list(cast("collections.abc.Sequence[Any]", value))
    return NO


def _sequence(each: Kind | None, make: Callable[[list[Any]], Any]) -> Kind:
    def take(value: Any) -> Any:
        entries = listed(value)
        if entries is NO or each is None:
            return entries if entries is NO else make(entries)
        taken = [each.take(entry) for entry in entries]
        return NO if any(entry is NO for entry in taken) else make(taken)

    several = "" if each is None else f" of {each.several}"
    return Kind(f"a list{several}", take, f"lists{several}")


def _tuple(args: tuple[Any, ...]) -> Kind:
    if not args or args[-1] is Ellipsis:
        return _sequence(kind_of_hint(args[0]) if args else None, tuple)
    kinds = [kind_of_hint(arg) for arg in args]

    def take(value: Any) -> Any:
        entries = listed(value)
        if entries is NO or len(entries) != len(kinds):
            return NO
        taken = [v if k is None else k.take(v) for k, v in zip(kinds, entries, strict=True)]
        return NO if any(entry is NO for entry in taken) else tuple(taken)

    return Kind("(" + ", ".join("anything" if k is None else k.text for k in kinds) + ")", take)


def _mapping(key: Any, value: Any) -> Kind:
    """A dict; the columns of a data frame by name; where names are text, integers become text."""
    each = kind_of_hint(value)

    def rename(name: Any) -> Any:
        return named(name) if key is str else name

    def take(given: Any) -> Any:
        names = column_names(given)
        if names is not None:
            given = {str(name): given[name] for name in getattr(given, "column_names", None) or given.columns}
        if not isinstance(given, Mapping):
            return NO
        found: dict[Any, Any] = {}
        for name, one in cast("Mapping[Any, Any]", given).items():
            plain, taken = rename(name), one if each is None else each.take(one)
            if plain is NO or taken is NO or plain in found:  # 1 and "1" would be one name
                return NO
            found[plain] = taken
        return found

    names = " of name and value" if key is str else ""
    return Kind(f"a dict{names}" + ("" if each is None else f", {each.several}"), take)


def _instance(cls: Any) -> Kind | None:
    if not isinstance(cls, type) or (
        getattr(cls, "_is_protocol", False) and not getattr(cls, "_is_runtime_protocol", 0)
    ):
        return None
    name = cls.__name__
    article = "an" if name[:1] in "AEIOUaeiou" else "a"
    return Kind(f"{article} {name}", lambda value: value if isinstance(value, cls) else NO)
