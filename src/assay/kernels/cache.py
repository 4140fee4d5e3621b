"""Compiled kernels on disk: where numba keeps them, else in a private temporary folder, else nowhere; damage is mended.

numba gives up where neither the package nor the home folder is writable, and lets errors of the disk through.
"""

from __future__ import annotations

import functools
import os
import pickle
import stat
import tempfile
import warnings
from pathlib import Path
from typing import Any, cast

from numba.core import caching  # pyright: ignore[reportMissingTypeStubs]

from assay.core.errors import AssayWarning

_numba = cast(Any, caching)
_DAMAGE = (OSError, EOFError, pickle.UnpicklingError, ValueError, TypeError, LookupError, AttributeError, ImportError)
_ADVICE = "Set NUMBA_CACHE_DIR to a folder that you may write to."


@functools.cache
def _say_once(words: str) -> None:
    warnings.warn(f"assay: {words} {_ADVICE}", AssayWarning, stacklevel=2)


@functools.cache
def _temporary() -> str | None:
    """A folder of our own below the temporary one; None if there is none that nobody else can write to.

    Whoever writes to the cache decides what runs, so a folder that was there already must belong to this user alone.
    """
    owner = getattr(os, "getuid", lambda: "user")()
    folder = Path(tempfile.gettempdir()) / f"assay-kernels-{owner}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        facts = folder.lstat()
    except OSError:
        return None
    private = stat.S_ISDIR(facts.st_mode) and (os.name == "nt" or (facts.st_uid == owner and not facts.st_mode & 0o022))
    return str(folder) if private else None


class _TemporaryLocator(_numba.UserProvidedCacheLocator):
    """The last place to look at."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        self._cache_path = os.path.join(cast(str, _temporary()), self.get_suitable_cache_subpath(py_file))

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        """A locator if the folder can be written to."""
        if _temporary() is None:
            return None
        locator = cls(py_func, py_file)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        _say_once(
            f"neither the package nor your home folder is writable, so compiled kernels are kept in {_temporary()}."
        )
        return locator


class _Results(_numba.CompileResultCacheImpl):
    _locator_classes = (*_numba.CompileResultCacheImpl._locator_classes, _TemporaryLocator)


class _Forgiving(_numba.Cache):
    """A cache whose damage costs a compilation, never an error."""

    _impl_class = _Results

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was kept for these types; None if there is nothing, or nothing that can be read."""
        try:
            return _numba.Cache.load_overload(self, sig, target_context)
        except _DAMAGE:
            self._emptied()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if the disk lets us."""
        try:
            _numba.Cache.save_overload(self, sig, data)
        except _DAMAGE as error:
            _say_once(f"a compiled kernel could not be kept ({error}), so it is compiled again in every process.")

    def _emptied(self) -> None:
        """Begin the index anew: whatever it leads to cannot be read."""
        try:
            self.flush()
        except OSError as error:
            _say_once(f"the cache of compiled kernels is damaged and cannot be mended ({error}).")


def kept(dispatcher: Any) -> Any:
    """The compiled function with a cache on disk, or without one where there is no place for it."""
    if not hasattr(dispatcher, "py_func"):  # NUMBA_DISABLE_JIT: the function itself, which has nothing to keep
        return dispatcher
    try:
        dispatcher._cache = _Forgiving(dispatcher.py_func)
    except RuntimeError:  # numba's word for: no locator found a folder
        _say_once("there is no folder for compiled kernels, so they are compiled again in every process.")
    return dispatcher
