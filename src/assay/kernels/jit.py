"""How kernels are compiled: kept on disk, without the lock, and free to reorder sums into vector lanes.

A decorator with argument types makes a *kernel*: a function that Python calls, compiled on its first call for the types at hand.
The types are those that its callers pass, in numba's notation; ``assay warm`` compiles them ahead, and the tests fail if a kernel is
ever called with others. A decorator without types makes a *part*, which only kernels call: it is compiled into them, and has
neither the wrappers that Python needs nor a file of its own, which take a third of the time of a small function.

NaN and infinity keep their meaning (the callers notice bad input by them), so `fastmath` is not switched on whole.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast, overload

import numba
from numba.core import registry, sigutils, types  # pyright: ignore[reportMissingTypeStubs]

from assay.kernels.cache import KernelCache

F = TypeVar("F", bound=Callable[..., Any])
_LANES = {"reassoc", "nsz", "contract", "arcp"}
_PART = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class Kernel(NamedTuple):
    """A function that Python calls, and the argument types that it is called with."""

    name: str
    dispatcher: Any
    declared: tuple[str, ...]

    def types(self) -> Iterator[tuple[Any, ...]]:
        """The declared types as numba's own."""
        for text in self.declared:
            yield tuple(cast(Any, sigutils).normalize_signature(f"({text},)")[0])

    def undeclared(self) -> list[tuple[Any, ...]]:
        """What the kernel has been compiled for in this process and does not declare."""
        declared = set(self.types())
        return [kinds for kinds in self.dispatcher.overloads if kinds not in declared]


KERNELS: dict[str, Kernel] = {}  # by module and name; filled as the modules of this folder are imported


class _Part(registry.CPUDispatcher):
    """A compiled function without an entrance for Python."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The types to compile for. numba takes a constant for a type of its own, and would compile the function once more for it."""
        plain: Any = cast(Any, types).unliteral
        named = {name: plain(kind) for name, kind in dict(kws).items()}
        return cast(Any, super()).get_call_template([plain(kind) for kind in args], named)

    def __call__(self, *args: Any, **named: Any) -> Any:
        raise TypeError(
            f"{self.py_func.__name__} is a part of kernels: Python must call a kernel that declares its types."
        )


class Way:
    """One way of compiling. ``@way`` makes a part, ``@way("f8[::1], T", T="f4 f8")`` a kernel for each choice of T."""

    def __init__(self, **options: Any) -> None:
        self.options = {"nogil": True, **options}

    @overload
    def __call__(self, function: F, /) -> F: ...
    @overload
    def __call__(self, *declared: str, **choices: str | tuple[str, ...]) -> Callable[[F], F]: ...
    def __call__(self, *given: Any, **choices: Any) -> Any:
        """Decorate a part, or make the decorator of a kernel."""
        if len(given) == 1 and callable(given[0]):
            return self._part(given[0])
        declared = tuple(text for one in given for text in _each(one, choices))
        return partial(self._kernel, declared)

    def _part(self, function: F) -> F:
        part = cast(Any, numba).njit(**self.options, **_PART)(function)
        if hasattr(part, "py_func"):  # not under NUMBA_DISABLE_JIT, which gives the function back
            part.__class__ = _Part
        return part

    def _kernel(self, declared: tuple[str, ...], function: F) -> F:
        made = cast(Any, numba).njit(no_cfunc_wrapper=True, **self.options)(function)
        if hasattr(made, "py_func"):
            name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
            made._cache = KernelCache(name)
            KERNELS[name] = Kernel(name, made, declared)
        return made


def _each(text: str, choices: dict[str, str | tuple[str, ...]]) -> Iterator[str]:
    """The text with every name replaced by each of its choices."""
    listed = [kinds.split() if isinstance(kinds, str) else kinds for kinds in choices.values()]
    for chosen in itertools.product(*listed):
        by_name = dict(zip(choices, chosen, strict=True))
        yield re.sub(r"\b[A-Z]\w*\b", lambda match, by_name=by_name: by_name.get(match[0], match[0]), text)


kernel = Way(fastmath=_LANES)  # free to reorder sums
exact = Way()  # no freedom to reorder
bare = Way(error_model="numpy")  # no reordering, and no test at every division whether it is by zero
lanes = Way(fastmath=_LANES, error_model="numpy")  # loops without branches: a test for zero would be one
step = Way(fastmath=_LANES, error_model="numpy", forceinline=True)  # of such a loop: a call would leave the lanes
