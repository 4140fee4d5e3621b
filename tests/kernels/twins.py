"""Each kernel twice: compiled, and as the plain Python that it was written in."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numba
import numpy as np

from assay import kernels

NAMES = [info.name for info in pkgutil.iter_modules(kernels.__path__)]


@contextmanager
def _without_compiler() -> Iterator[None]:
    paths = [f"assay.kernels.{name}" for name in NAMES]
    kept = {path: sys.modules.pop(path) for path in paths if path in sys.modules}
    numba.config.DISABLE_JIT = True
    try:
        yield
    finally:
        numba.config.DISABLE_JIT = False
        for name, path in zip(NAMES, paths, strict=True):
            sys.modules.pop(path, None)
            vars(kernels).pop(name, None)
            if path in kept:
                sys.modules[path] = kept[path]
                setattr(kernels, name, kept[path])


@functools.cache
def plain_modules() -> dict[str, ModuleType]:
    """The kernel modules imported once more with the compiler switched off."""
    for name in NAMES:
        importlib.import_module(f"assay.kernels.{name}")
    with _without_compiler():
        return {name: importlib.import_module(f"assay.kernels.{name}") for name in NAMES}


def both(module: str, function: str) -> list[Callable[..., Any]]:
    """The public function compiled and plain."""
    plain = getattr(plain_modules()[module], function)

    def quiet(*args: Any, **named: Any) -> Any:
        with warnings.catch_warnings(), np.errstate(all="ignore"):  # compiled integers wrap without a word
            warnings.simplefilter("ignore", RuntimeWarning)
            return plain(*args, **named)

    return [getattr(importlib.import_module(f"assay.kernels.{module}"), function), quiet]


def home(function: str) -> str:
    """The module that defines a public kernel."""
    found = [
        name
        for name in NAMES
        if getattr(
            getattr(importlib.import_module(f"assay.kernels.{name}"), function, None), "__module__", ""
        ).endswith(f".{name}")
    ]
    assert len(found) == 1, f"{function} is defined in {found}"
    return found[0]
