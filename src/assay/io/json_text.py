"""The bytes of a JSON file, and where the values of its outermost object lie."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from assay import kernels
from assay.core.errors import InputError


def _fill(file: Any, text: Any) -> None:
    """The bytes of a file, read in pieces at once where the system can."""
    if not hasattr(os, "preadv"):
        file.readinto(text)
        return

    def work(start: int, stop: int) -> None:
        while start < stop:
            got = os.preadv(file.fileno(), [text[start:stop]], start)
            if not got:
                raise OSError("the file became shorter while it was read")
            start += got

    kernels.over_chunks(len(text), work, least=1 << 22)


@dataclass(frozen=True, eq=False)
class JsonText:
    """A file as bytes with a zero behind them, so that scanners need not ask whether they are at the end."""

    name: str
    text: Any

    @classmethod
    def read(cls, path: str | Path) -> JsonText:
        """The whole file; a byte order mark is passed over."""
        path = Path(path)
        try:
            size = path.stat().st_size
            text = np.empty(size + 1, np.uint8)
            text[size] = 0
            with path.open("rb") as file:
                _fill(file, text[:size])
        except FileNotFoundError:
            raise InputError(str(path), "", "no such file") from None
        except IsADirectoryError:
            raise InputError(str(path), "", "is a folder", "Name the json file.") from None
        except OSError as error:
            raise InputError(str(path), "", f"cannot be read ({error.strerror or error})") from error
        if text[:3].tobytes() == b"\xef\xbb\xbf":
            text = text[3:]
        return cls(str(path), text)

    def rewritten(self, value: object) -> JsonText:
        """The same file with its value written in the plain way."""
        return JsonText(self.name, np.frombuffer(json.dumps(value).encode() + b"\0", np.uint8).copy())

    @property
    def size(self) -> int:
        """Number of bytes."""
        return len(self.text) - 1

    def raw(self, start: int = 0, stop: int | None = None) -> bytes:
        """Some of the bytes."""
        return self.text[start : self.size if stop is None else stop].tobytes()

    def parsed(self, start: int = 0, stop: int | None = None) -> Any:
        """A value read by Python's own parser."""
        try:
            return json.loads(self.raw(start, stop))
        except json.JSONDecodeError as error:
            self.refuse(error, start)
        except UnicodeDecodeError as error:
            raise InputError(self.name, "", f"is not valid JSON ({error})") from error
        except RecursionError as error:
            raise InputError(self.name, "", "nests lists or objects too deeply to be read") from error

    def refuse(self, error: json.JSONDecodeError, start: int) -> NoReturn:
        """What is wrong with the text, and where."""
        if not self.raw().strip():
            raise InputError(self.name, "", "is empty") from error
        if error.pos >= len(error.doc.rstrip()) or "Unterminated" in error.msg:
            raise InputError(
                self.name, "", f"ends in the middle (after {self.size} bytes)", "Copy or write it again."
            ) from error
        raise InputError(self.name, "", f"is not valid JSON at byte {start + error.pos} ({error.msg})") from error

    def members(self) -> dict[str, tuple[int, int]] | None:
        """Where the values of the outermost object begin and end; None if it is a list or out of the ordinary."""
        skipped = kernels.json_values.skipped
        at = self._next(0)
        if self._byte(at) != b"{":
            return None
        found: dict[str, tuple[int, int]] = {}
        at = self._next(at + 1)
        while self._byte(at) == b'"':
            end = int(skipped(self.text, at))
            colon = self._next(end) if end > 0 else 0
            if end < 0 or self._byte(colon) != b":":
                return None
            start = self._next(colon + 1)
            stop = int(skipped(self.text, start))
            if stop < 0:
                return None
            found[self.raw(at + 1, end - 1).decode("utf-8", "replace")] = (start, stop)
            at = self._next(stop)
            if self._byte(at) != b",":
                break
            at = self._next(at + 1)
        return found if self._byte(at) == b"}" and self._next(at + 1) >= self.size else None

    def _byte(self, at: int) -> bytes:
        return self.text[at : at + 1].tobytes()

    def _next(self, at: int) -> int:
        while at < self.size and self.text[at] in (9, 10, 13, 32):
            at += 1
        return at
