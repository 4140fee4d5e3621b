"""Finished fits on disk: a run that was interrupted goes on where it stopped, and metrics can be added without refitting."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from assay.core.errors import InputError
from assay.resampling.data import Data
from assay.resampling.folds import Fold
from assay.resampling.identity import mark, values_of

_PLAN = "run.json"
_FACTS = ("index", "role", "repeat", "fold", "train_size", "scores", "seconds", "error", "chosen")
_DAMAGED = (ValueError, OSError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True)
class Store:
    """A folder with one file a fit, and a description of the run that they belong to."""

    folder: Path

    @classmethod
    def opened(cls, folder: str | os.PathLike[str], identity: dict[str, str]) -> Store:
        """The folder of this run; refuses one that holds another run."""
        store = cls(Path(folder))
        plan = store.folder / _PLAN
        if store.folder.exists() and not store.folder.is_dir():
            raise InputError(f"estimate: {folder} is a file. Give store= a new or empty folder.")
        if not plan.exists():
            if store.folder.exists() and any(store.folder.iterdir()):
                raise InputError(f"estimate: {folder} holds other files. Give store= a new or empty folder.")
            store.folder.mkdir(parents=True, exist_ok=True)
            _written(plan, json.dumps(identity, indent=2).encode())
            return store
        before = _described(plan)
        other = [name for name in identity if before.get(name) != identity[name]]
        if other:
            raise InputError(
                f"estimate: {folder} holds a run with another {' and another '.join(other)}. Give store= another folder, or "
                "delete this one to begin again."
            )
        return store

    def keep(self, fold: Fold) -> None:
        """Write a finished fit; a half-written file is never left behind."""
        arrays = {"rows": fold.rows, **{f"test.{k}": _plain(v) for k, v in fold.answers.items()}}
        arrays |= {f"train.{k}": _plain(v) for k, v in fold.train.items()}
        if fold.train_rows is not None:
            arrays["train_rows"] = fold.train_rows
        facts = json.dumps({name: getattr(fold, name) for name in _FACTS})
        out = io.BytesIO()
        np.savez(out, facts=np.array(facts), **arrays)
        _written(self.folder / f"{fold.index:07d}.npz", out.getvalue())

    def known(self) -> Iterator[Fold]:
        """The fits that are there already; failed ones are tried again."""
        for file in sorted(self.folder.glob("*.npz")):
            try:
                with np.load(file, allow_pickle=False) as found:
                    fold = _read(dict(found))
            except _DAMAGED as error:
                raise InputError(
                    f"estimate: {file} cannot be read ({error}). Delete it: its fit is then done again."
                ) from error
            if not fold.error:
                yield fold


def _described(plan: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(plan.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise InputError(
            f"estimate: {plan} is damaged ({error}), so that nobody knows which run these fits belong to. Give store= another "
            "folder, or delete this one to begin again."
        ) from error


def _read(found: dict[str, Any]) -> Fold:
    facts = json.loads(str(found["facts"]))
    named = {
        kind: {k[len(kind) + 1 :]: v for k, v in found.items() if k.startswith(kind + ".")}
        for kind in ("test", "train")
    }
    return Fold(
        **facts, rows=found["rows"], answers=named["test"], train=named["train"], train_rows=found.get("train_rows")
    )


def _plain(values: Any) -> Any:
    """Arrays that need no pickle: labels kept as objects become text or numbers."""
    return np.array(values.tolist()) if values.dtype.kind == "O" else values


def _written(path: Path, content: bytes) -> None:
    half = path.with_suffix(".part")
    half.write_bytes(content)
    half.replace(path)


def fingerprint(data: Data) -> str:
    """A hash of rows, targets and groups: equal data, equal run."""
    digest = hashlib.sha256()
    for part in (data.X, data.y, data.groups):
        digest.update(_bytes(part))
    return digest.hexdigest()[:32]


def _bytes(part: Any) -> bytes:
    """The values themselves where they can be had: a pickle also tells which objects are shared, and that may differ."""
    if part is None or isinstance(part, np.ndarray | list | tuple):
        return mark(cast(Any, part)).encode()
    values = values_of(part)
    return pickle.dumps(part) if values is None else mark(values).encode()
