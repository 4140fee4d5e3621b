"""A fingerprint of an object: the same in another process, a different one when its code or its values change."""

from __future__ import annotations

import dis
import hashlib
import pickle
import re
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from functools import partial
from types import CodeType, MethodType
from typing import Any, cast

import numpy as np

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))
_NUMBER: Any = np.generic
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}")
_INSTALLED = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def mark(value: Any, *, changing: Any = None) -> str:
    """A short hash of an object; the current state of ``changing`` is left out, unless it has a ``repr`` of its own."""
    return hashlib.sha256(_Fingerprinter(changing).text(value).encode()).hexdigest()[:16]


def values_of(value: Any) -> Any:
    """The values of tensors, frames, tables and sparse matrices as arrays, or None; their ``repr`` shows only some of them."""
    if hasattr(value, "tocsr"):
        rows = value.tocsr()
        return rows.shape, rows.data, rows.indices, rows.indptr
    if isinstance(value, type) or not hasattr(value, "__array__"):
        return None
    if hasattr(value, "detach"):
        return np.asarray(value.detach().cpu())
    if hasattr(value, "column_names"):  # a table of arrow
        return list(value.column_names), [np.asarray(column) for column in value.columns]
    if hasattr(value, "columns"):
        return list(value.columns), [np.asarray(value[name]) for name in value.columns]
    return np.asarray(value)


class _Fingerprinter:
    """Walks through an object. Equal parts have equal texts, whether one object or two; a cycle ends where it began."""

    def __init__(self, changing: Any) -> None:
        self.changing = changing
        self.told: dict[int, str] = {}
        self.kept: list[Any] = []  # visited objects stay alive, so that no address is used twice

    def text(self, value: Any) -> str:
        """The text that stands for a value."""
        kind: str = type(value).__qualname__
        if isinstance(value, (*_PLAIN, _NUMBER)):
            return f"{kind}:{value!r}"
        if id(value) not in self.told:
            self.told[id(value)] = f"{kind}#"
            self.kept.append(value)
            inside = f"{kind}({self._inside(value)})"
            self.told[id(value)] = inside if len(inside) < 100 else hashlib.sha256(inside.encode()).hexdigest()
        return self.told[id(value)]

    def _inside(self, value: Any) -> str:
        if isinstance(value, np.ndarray):
            return self._array(cast(Any, value))
        if isinstance(value, Mapping):
            found = cast("Mapping[Any, Any]", value)
            return self._all(sorted(found.items(), key=lambda pair: str(pair[0])))
        if isinstance(value, list | tuple):
            return self._all(cast("Iterable[Any]", value))
        if isinstance(value, set | frozenset):
            return self._all(sorted(cast("Iterable[Any]", value), key=repr))
        if isinstance(value, CodeType):
            return self._code(value)
        if isinstance(value, partial):
            found = cast("partial[Any]", value)
            return self._all((found.func, found.args, found.keywords))
        if isinstance(value, MethodType):
            return self._all((value.__func__, value.__self__))
        if isinstance(value, type):
            return self._class(cast("type[Any]", value))
        if hasattr(value, "__code__"):
            return self._function(value)
        values = values_of(value)
        return self._object(value) if values is None else self.text(values)

    def _all(self, values: Iterable[Any]) -> str:
        return ",".join([self.text(one) for one in values])

    def _array(self, value: Any) -> str:
        if value.dtype.kind == "O":
            return f"{value.shape}{self._all(value.ravel().tolist())}"
        return f"{value.shape}{value.dtype.str}{hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"

    def _code(self, code: CodeType) -> str:
        # The constants hold the code of inner functions, whose repr has an address.
        return f"{code.co_code.hex()}{code.co_names}{code.co_varnames}{self._all(code.co_consts)}"

    def _function(self, function: Any) -> str:
        function = getattr(function, "py_func", function)  # what a compiler was given
        cells = [cell.cell_contents for cell in function.__closure__ or () if _filled(cell)]
        given = (function.__defaults__, function.__kwdefaults__, cells)
        return f"{self._code(function.__code__)}{self._all(given)}{self._all(_globals(function))}"

    def _class(self, cls: type[Any]) -> str:
        """Classes of libraries by their name, those of the user by their code too."""
        mine = [one for one in cls.__mro__ if _own(one.__module__)]
        parts = [
            (name, part)
            for one in mine
            for name, part in sorted(vars(one).items())
            if not (name.startswith("__") and not callable(part)) and not name.startswith("_abc")
        ]
        bodies = [(name, _function_of(part)) for name, part in parts]
        return f"{cls.__module__}.{cls.__qualname__}{self._all(pair for pair in bodies if pair[1] is not None)}"

    def _object(self, given: object) -> str:
        value = cast(Any, given)
        name = getattr(value, "__qualname__", None)
        if name is not None and not hasattr(value, "__dict__"):  # a function in C
            return f"{getattr(value, '__module__', '')}.{name}"
        if hasattr(value, "get_params"):
            return f"{self.text(type(value))}{self.text(value.get_params(deep=False))}"
        said = "" if type(value).__repr__ is object.__repr__ else repr(value)
        if hasattr(value, "state_dict"):  # the repr of a net has no weights
            return f"{self.text(type(value))}{said}{self.text(value.state_dict())}"
        if said and not _ADDRESS.search(said):
            return f"{self.text(type(value))}{said}"
        if value is self.changing:
            return self.text(type(value))
        return f"{self.text(type(value))}{self._state(value)}"

    def _state(self, value: Any) -> str:
        if hasattr(value, "__dict__") and vars(value):
            return self.text({**value.__dict__})
        try:
            return hashlib.sha256(pickle.dumps(value)).hexdigest()
        except Exception:  # what cannot be pickled is identified by its class alone
            return ""


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None or True
    except ValueError:  # a function that is defined later
        return False


def _globals(function: Any) -> list[tuple[str, Any]]:
    """Constants and functions of the user's module that the function reads, without those it sets itself."""
    known = function.__globals__
    steps = list(dis.get_instructions(function.__code__))
    read = {str(step.argval) for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    read -= {str(step.argval) for step in steps if step.opname == "STORE_GLOBAL"}
    found = [(name, known[name]) for name in sorted(read) if name in known]
    return [(name, value) for name, value in found if isinstance(value, _PLAIN) or _own_function(value)]


def _own_function(value: Any) -> bool:
    return hasattr(value, "__code__") and _own(getattr(value, "__module__", ""))


def _own(module: Any) -> bool:
    """Whether a module is the user's: not built in, not installed, and not this library in development."""
    if str(module).split(".")[0] == "assay":
        return False
    found = sys.modules.get(str(module))
    file = getattr(found, "__file__", None)
    if file is None:
        return str(module) == "__main__"
    return not str(file).startswith(_INSTALLED)


def _function_of(part: Any) -> Any:
    """The function behind a member of a class, or the plain value that it holds."""
    inner = getattr(part, "__func__", None) or getattr(part, "fget", None) or part
    return inner if hasattr(inner, "__code__") or isinstance(inner, _PLAIN) else None
