"""One table from a file or standard input; errors name the file and the problem in one sentence."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import polars as pl

from assay.core.errors import InputError, ParameterError, UnknownNameError, arg, did_you_mean
from assay.data.columns import Columns
from assay.io import guarded_reads, table_problems
from assay.io.separated_text import read_separated
from assay.io.table_sources import RemoteFile, is_address, is_pattern, joined, local_files, remote_files

SUFFIXES = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet", ".pq": "parquet",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
}  # fmt: skip
FORMATS = ("csv", "tsv", "parquet", "jsonl", "arrow")
STDIN = "standard input"
_GZIP = b"\x1f\x8b"


def read_table(source: str | Path, format: str | None = None) -> pl.DataFrame:
    """The table in a file, as `read_columns` finds it."""
    return read_columns(source, format).frame


def read_columns(source: str | Path, format: str | None = None) -> Columns:
    """The table in a file, or on standard input if ``source`` is "-", under the name that messages call it.

    The format follows from the file's name; on standard input from its first bytes. ``format`` overrules both. A pattern such as
    ``preds-*.csv`` is all its files as one table; ``s3://`` and other addresses are opened by fsspec.
    """
    if format is not None and format not in FORMATS:
        raise ParameterError("", "", f"unknown input format {format!r}", did_you_mean(format, FORMATS).strip())
    text = str(source)
    if is_address(text):
        return _whole([_remote(one, format) for one in remote_files(text)], text)
    if text != "-" and is_pattern(text):
        return _whole([_local(path, format) for path in local_files(text)], text)
    return _local(source, format)


def _whole(parts: list[Columns], who: str) -> Columns:
    return parts[0] if len(parts) == 1 else joined(parts, who)


def _local(source: str | Path, format: str | None) -> Columns:
    path = None if str(source) == "-" else Path(source)
    data = content(source)
    named = None if path is None or (_once(path) and path.suffix.lower() not in SUFFIXES) else format or _by_name(path)
    return _table(data, display_name(source), format or named)


def _remote(file: RemoteFile, format: str | None) -> Columns:
    if not file.content:
        raise InputError(file.name, "", "the file is empty")
    return _table(file.content, file.name, format or _by_name(Path(file.name)))


def _table(data: Path | bytes, who: str, kind: str | None) -> Columns:
    if isinstance(data, bytes):
        data = unzipped(data, who)
    found = _READERS[kind or sniff(table_problems.head(data, 4096))](data, who)
    table = found if isinstance(found, Columns) else Columns(found, who)
    if table.frame.height == 0:
        raise InputError(who, "", f"has columns ({', '.join(table.frame.columns[:8])}) but no rows")
    return table


def content(source: str | Path) -> Path | bytes:
    """The path of a file that can be opened by name, else its bytes; those of standard input if ``source`` is "-"."""
    return _standard_input() if str(source) == "-" else _content(Path(source))


def display_name(source: str | Path) -> str:
    """How messages call the source."""
    return STDIN if str(source) == "-" else str(source)


def _standard_input() -> bytes:
    if cast(Any, sys.stdin) is None:
        raise InputError(STDIN, "", "is closed", "Name a file, or pipe a table in.")
    if sys.stdin.isatty():
        raise InputError(
            STDIN, "", "is a terminal, not data", "Name a file, or pipe a table in: cat preds.csv | assay score - ..."
        )
    data = sys.stdin.buffer.read()
    if not data.strip():
        raise InputError(STDIN, "", "is empty")
    return data


def _once(path: Path) -> bool:
    """Whether the data can be read only once: a FIFO, a process substitution, a device."""
    return not path.is_file()


def _content(path: Path) -> Path | bytes:
    """The path of a file that polars can open by itself, else its bytes."""
    if not path.exists():
        beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        hint = did_you_mean(path.name, beside) if len(beside) > 12 or _close(path.name, beside) else ""
        raise InputError(str(path), "", "no such file", hint.strip())
    if path.is_dir():
        raise InputError(str(path), "", "is a folder, not a file")
    try:
        with path.open("rb") as opened:
            start = opened.read() if _once(path) else opened.read(len(_GZIP))
    except OSError as error:
        raise InputError(str(path), "", f"cannot be read ({error.strerror})") from error
    if not start:
        raise InputError(str(path), "", "the file is empty")
    if _once(path):
        return start
    return path.read_bytes() if start == _GZIP or not _is_plain(path) else path


def _is_plain(path: Path) -> bool:
    """Whether polars can be given the name: it takes brackets for a pattern, and Python also opens names that are not text."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return not any(mark in str(path) for mark in "*?[")


def _close(name: str, names: list[str]) -> bool:
    return "Did you mean" in did_you_mean(name, names)


def _by_name(path: Path) -> str:
    suffixes = [s.lower() for s in path.suffixes if s.lower() != ".gz"]
    if not suffixes or suffixes[-1] not in SUFFIXES:
        known = ", ".join(s for s in SUFFIXES if s not in (".tab", ".pq", ".ipc"))
        raise UnknownNameError(
            str(path),
            "",
            f"the name does not tell the format (known: {known})",
            f"Give {arg('input_format')}: {', '.join(FORMATS)}.",
        )
    return SUFFIXES[suffixes[-1]]


def sniff(data: bytes) -> str:
    """The format by the first bytes; text that is not JSON is tsv if its first line has tabs, else csv."""
    if data.startswith(b"PAR1"):
        return "parquet"
    if data.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    text = data.lstrip(b"\xef\xbb\xbf \r\n\t")
    if text.startswith(b"{"):
        return "jsonl"
    return "tsv" if b"\t" in text.split(b"\n", 1)[0] else "csv"


def unzipped(data: bytes, who: str) -> bytes:
    """The bytes, unpacked if they are gzip's."""
    if not data.startswith(_GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(who, "", f"the gzip data are damaged or truncated ({error})") from error


def _opened(data: Path | bytes) -> Any:
    return io.BytesIO(data) if isinstance(data, bytes) else data


def _read_lines(data: Path | bytes, who: str) -> pl.DataFrame:
    try:
        return pl.read_ndjson(_opened(data), infer_schema_length=None)
    except pl.exceptions.PolarsError as error:
        table_problems.refuse_lines(data, who, error)


def _read_parquet(data: Path | bytes, who: str) -> pl.DataFrame:
    try:
        return guarded_reads.read(pl.read_parquet, data)
    except guarded_reads.UnreadableError as error:
        table_problems.refuse_binary(data, who, "parquet", b"PAR1", error)


def _read_arrow(data: Path | bytes, who: str) -> pl.DataFrame:
    reader = pl.read_ipc if table_problems.head(data, 6) == b"ARROW1" else pl.read_ipc_stream
    try:
        return guarded_reads.read(reader, data)
    except guarded_reads.UnreadableError as error:
        table_problems.refuse_binary(data, who, "arrow", b"ARROW1", error)


_READERS: dict[str, Callable[[Path | bytes, str], Columns | pl.DataFrame]] = {
    "csv": lambda data, who: read_separated(data, ",", who),
    "tsv": lambda data, who: read_separated(data, "\t", who),
    "jsonl": _read_lines,
    "parquet": _read_parquet,
    "arrow": _read_arrow,
}
