"""Finished fits on disk: an interrupted run resumes where it stopped, and metrics can be added without refitting."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import tempfile
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from assay.core.errors import InputError
from assay.resampling.estimate._fingerprint import mark, values_of
from assay.resampling.estimate._fits import FitRecord
from assay.resampling.estimate._learning_data import LearningData

_PLAN = "run.json"
_LOCK = "run.lock"
_FACTS = ("index", "role", "repeat", "fold", "train_size", "scores", "seconds", "error", "chosen")
_DAMAGED = (ValueError, OSError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True)
class Store:
    """A folder with one file per fit, and a description of the run they belong to."""

    folder: Path

    @classmethod
    @contextmanager
    def opened(cls, folder: str | os.PathLike[str], identity: dict[str, str]) -> Generator[Store]:
        """The folder of this run, locked until it is done; refuses one that holds another run."""
        store = cls(Path(folder))
        if store.folder.exists() and not store.folder.is_dir():
            raise InputError("estimate", "store", f"{folder} is a file", "Choose a new or empty folder.")
        store.folder.mkdir(parents=True, exist_ok=True)
        with _alone(store.folder / _LOCK):
            store._described_by(identity)
            yield store

    def _described_by(self, identity: dict[str, str]) -> None:
        """Write which run this folder is for, or check that it is this one."""
        plan = self.folder / _PLAN
        if not plan.exists():
            if any(path.name != _LOCK for path in self.folder.iterdir()):
                raise InputError(
                    "estimate", "store", f"{self.folder} holds other files", "Choose a new or empty folder."
                )
            _written(plan, json.dumps(identity, indent=2).encode())
            return
        before = _described(plan)
        other = [name for name in identity if before.get(name) != identity[name]]
        if other:
            why = f"{self.folder} holds a run with another {' and another '.join(other)}"
            raise InputError("estimate", "store", why, "Choose another folder, or delete this one to start again.")

    def keep(self, fold: FitRecord) -> None:
        """Write a finished fit; a half-written file is never left behind."""
        arrays = {"rows": fold.rows, **{f"test.{k}": _plain(v) for k, v in fold.answers.items()}}
        arrays |= {f"train.{k}": _plain(v) for k, v in fold.train.items()}
        if fold.train_rows is not None:
            arrays["train_rows"] = fold.train_rows
        facts = json.dumps({name: getattr(fold, name) for name in _FACTS})
        out = io.BytesIO()
        np.savez(out, facts=np.array(facts), **arrays)
        _written(self.folder / f"{fold.index:07d}.npz", out.getvalue())

    def known(self) -> Iterator[FitRecord]:
        """The fits that are already there; failed ones are tried again."""
        for file in sorted(self.folder.glob("*.npz")):
            try:
                with np.load(file, allow_pickle=False) as found:
                    fold = _read(dict(found))
            except _DAMAGED as error:
                why = f"file {file} cannot be read ({error})"
                raise InputError("estimate", "store", why, "Delete it: its fit is then repeated.") from error
            if not fold.error:
                yield fold


def _described(plan: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(plan.read_text(encoding="utf-8")))
    except (ValueError, TypeError, RecursionError) as error:
        why = f"file {plan} is damaged ({error}), so it is unknown which run these fits belong to"
        raise InputError(
            "estimate", "store", why, "Choose another folder, or delete this one to start again."
        ) from error


def _read(found: dict[str, Any]) -> FitRecord:
    facts = json.loads(str(found["facts"]))
    named = {
        kind: {k[len(kind) + 1 :]: v for k, v in found.items() if k.startswith(kind + ".")}
        for kind in ("test", "train")
    }
    return FitRecord(
        **facts, rows=found["rows"], answers=named["test"], train=named["train"], train_rows=found.get("train_rows")
    )


def _plain(values: Any) -> Any:
    """Arrays that can be saved without pickle: labels stored as objects become text or numbers."""
    return np.array(values.tolist()) if values.dtype.kind == "O" else values


def _written(path: Path, content: bytes) -> None:
    handle, half = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(half).replace(path)
    except BaseException:
        Path(half).unlink(missing_ok=True)
        raise


@contextmanager
def _alone(path: Path) -> Generator[None]:
    """Hold a lock that ends with the process, however it ends; refuse to share the folder with another process."""
    try:
        import fcntl
    except ImportError:  # Windows: two runs at once would fit everything twice, but do no harm
        yield
        return
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            why = f"{path.parent} is in use by another run (process {file.read().strip() or 'unknown'})"
            raise InputError("estimate", "store", why, "Wait until it is done, or choose another folder.") from error
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def fingerprint(data: LearningData) -> str:
    """A hash of rows, targets and groups: equal data, equal run."""
    digest = hashlib.sha256()
    for part in (data.X, data.y, data.groups):
        digest.update(_bytes(part))
    return digest.hexdigest()[:32]


def _bytes(part: Any) -> bytes:
    """The values themselves where possible: a pickle also records which objects are shared, and that may differ."""
    if part is None or isinstance(part, np.ndarray | list | tuple):
        return mark(cast(Any, part)).encode()
    values = values_of(part)
    return pickle.dumps(part) if values is None else mark(values).encode()
