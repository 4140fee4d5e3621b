"""Binary tables through a library that may fail hard: panics become errors, and what may abort is tried by a child first."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from assay.io.table_problems import first_line

_TRY = """
import io, sys
import polars as pl
name, source = sys.argv[1:]
try:
    getattr(pl, name)(io.BytesIO(sys.stdin.buffer.read()) if source == "-" else source).reverse()
except BaseException as error:
    sys.stdout.write(str(error))
    sys.exit(3)
"""


class UnreadableError(Exception):
    """The library could not read the data; the text says what it said."""


def read(reader: Callable[..., pl.DataFrame], data: Path | bytes) -> pl.DataFrame:
    """``reader`` of polars on the data; a child process reads them first, for some damage aborts the process."""
    _try(reader.__name__, data)
    return directly(reader, data)


def directly(reader: Callable[..., pl.DataFrame], data: Path | bytes) -> pl.DataFrame:
    """``reader`` on the data; errors and panics of the library are one error."""
    with _held_back() as said:
        try:
            return reader(io.BytesIO(data) if isinstance(data, bytes) else data)
        except (pl.exceptions.PolarsError, OSError, ValueError, TypeError) as error:
            raise UnreadableError(first_line(error)) from error
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # derives from BaseException, and has no public name
                raise
            said.drop = True
            raise UnreadableError(first_line(error)) from None


def _try(name: str, data: Path | bytes) -> None:
    """Refuse what ends a child process: a length that is damaged asks for memory that is not there, which aborts the process."""
    source = "-" if isinstance(data, bytes) else str(data)
    given = data if isinstance(data, bytes) else b""
    if not sys.executable:
        return  # inside another program there is no Python to start
    found = subprocess.run([sys.executable, "-c", _TRY, name, source], input=given, capture_output=True, check=False)
    if found.returncode == 3:
        raise UnreadableError(first_line(found.stdout.decode("utf-8", "replace")))
    if found.returncode:
        raise UnreadableError(f"reading it ends the process, code {found.returncode}")


class _Held:
    """What was written to standard error; forgotten if ``drop`` is set."""

    drop = False


@contextmanager
def _held_back() -> Generator[_Held]:
    """Keep what is written to standard error below Python until the block ends: the report of a panic is dropped, all else follows."""
    held = _Held()
    try:
        kept = os.dup(2)
    except OSError:  # there is no standard error
        yield held
        return
    with tempfile.TemporaryFile() as buffer:
        os.dup2(buffer.fileno(), 2)
        try:
            yield held
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            buffer.seek(0)
            if not held.drop and (late := buffer.read()):
                os.write(2, late)
