"""Compiled kernels on disk: one file per kernel and argument types, so that processes never share a file that changes.

numba's own cache keeps an index per function. Two processes that compile at once overwrite each other's index, and a data file may
end up under the types of the other; a change in one module does not invalidate kernels of another that contain its code. Here the
folder is named after everything that the code depends on, the file after the kernel and its types, a file appears whole or not at
all, and one that cannot be read is compiled again.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import shutil
import sys
import warnings
from importlib import resources
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import llvmlite  # pyright: ignore[reportMissingTypeStubs]
import numba
import numpy as np
from numba.core import caching, compiler, config, serialize, sigutils  # pyright: ignore[reportMissingTypeStubs]

from assay.core.errors import AssayWarning
from assay.kernels import folders
from assay.version import __version__

_numba = cast(Any, caching)
_DAMAGE = (OSError, EOFError, pickle.UnpicklingError, ValueError, TypeError, LookupError, AttributeError, ImportError)
_BUILDS = 8  # that are kept in a folder
_ADVICE = "Set ASSAY_CACHE_DIR to a folder that you may write to."
_SETTINGS = (
    "BOUNDSCHECK",
    "OPT",
    "DEBUGINFO_DEFAULT",
    "ENABLE_AVX",
    "DISABLE_INTEL_SVML",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
)


@functools.cache
def _warn_once(words: str) -> None:
    warnings.warn(f"assay: {words} {_ADVICE}", AssayWarning, stacklevel=2)


@functools.cache
def _sources() -> bytes:
    """A digest of all modules of this folder: a kernel contains code of the others."""
    digest = hashlib.sha256()
    for module in sorted(resources.files("assay.kernels").iterdir(), key=lambda file: file.name):
        if module.name.endswith(".py"):
            digest.update(module.name.encode() + module.read_bytes())
    return digest.digest()


@functools.cache
def _build(machine: tuple[str, ...]) -> str:
    """The name of the folder of one build: version of assay, and a digest of whatever else the code depends on."""
    versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.implementation.cache_tag)
    settings = [(name, getattr(config, name, None)) for name in _SETTINGS]
    digest = hashlib.sha256(_sources() + repr((versions, settings, machine)).encode())
    return f"{__version__}-{digest.hexdigest()[:16]}"


class KernelCache(_numba._Cache):
    """What numba asks for compiled code and gives it to; damage and full disks cost a compilation, never an error."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def cache_path(self) -> str | None:
        """The folder that kernels are written to, for numba's statistics."""
        folder = destination()
        return None if folder is None else str(folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept for these types; None if there is nothing, or nothing that can be read."""
        target_context.refresh()
        key, place = self._key(sig), self._place(sig, target_context)
        for folder in folders.candidates():
            try:
                return compiler.CompileResult._rebuild(target_context, *_read(folder / place, key))  # pyright: ignore
            except _DAMAGE:
                continue
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if there is a place for it."""
        if data.library.has_dynamic_globals:
            return  # it holds addresses of this process
        folder = destination()
        if folder is None:
            _warn_once("there is no folder for compiled kernels, so they are compiled again in every process.")
            return
        try:
            _write(folder / self._place(sig, data.target_context), self._key(sig), data._reduce())
        except _DAMAGE as error:
            _warn_once(f"a compiled kernel could not be kept ({error}), so it is compiled again in every process.")

    def is_kept(self, sig: Any, target_context: Any) -> bool:
        """Whether there is a file for these types."""
        place = self._place(sig, target_context)
        return any((folder / place).exists() for folder in folders.candidates())

    def enable(self) -> None:
        """Always enabled."""

    def disable(self) -> None:
        """Always enabled."""

    def flush(self) -> None:
        """Nothing is held in memory."""

    def _key(self, sig: Any) -> str:
        types: tuple[Any, ...] = cast(Any, sigutils).normalize_signature(sig)[0]
        return f"{self.name}({', '.join(map(repr, types))})"

    def _place(self, sig: Any, target_context: Any) -> Path:
        digest = hashlib.sha256(self._key(sig).encode()).hexdigest()[:16]
        return Path(_build(target_context.codegen().magic_tuple())) / f"{self.name}-{digest}.kernel"


def destination() -> Path | None:
    """The folder that kernels are written to; None if there is none."""
    folder = next(filter(folders.writable, folders.candidates()), None)
    if folder is not None and folders.chosen() is None and folder == folders.private_folder():
        _warn_once(f"neither the package nor your home folder is writable, so compiled kernels are kept in {folder}.")
    return folder


def _read(path: Path, key: str) -> Any:
    """What a file holds; ValueError if it is damaged or holds another kernel."""
    content = path.read_bytes()
    digest, body = content[:32], content[32:]
    if hashlib.sha256(body).digest() != digest:
        raise ValueError(f"{path} is damaged")
    found, payload = pickle.loads(body)
    if found != key:
        raise ValueError(f"{path} holds {found}")
    return payload


def _drop_old_builds(folder: Path) -> None:
    """Every version, and every edit of a kernel, makes a folder of its own; all but the last few are of no use to anybody."""
    with contextlib.suppress(OSError):  # another process may be doing the same
        builds = sorted(folder.glob(f"*-{'[0-9a-f]' * 16}"), key=lambda build: build.stat().st_mtime)
        for build in builds[:-_BUILDS]:
            shutil.rmtree(build, ignore_errors=True)


def _write(path: Path, key: str, payload: Any) -> None:
    """A whole file or none: it is written under another name and then renamed."""
    body = cast(Any, serialize).dumps((key, payload))
    if not path.parent.exists():
        path.parent.mkdir(exist_ok=True)
        _drop_old_builds(path.parent.parent)
    draft = path.with_name(f"{path.name}.{uuid4().hex[:12]}")
    try:
        draft.write_bytes(hashlib.sha256(body).digest() + body)
        os.replace(draft, path)
    except PermissionError:
        if not (os.name == "nt" and path.exists()):  # Windows: another process is just reading the same kernel
            raise
    finally:
        draft.unlink(missing_ok=True)
