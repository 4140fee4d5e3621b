"""Why a table cannot be read: a slow second look after the fast reader has failed, which names the line and the problem."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn, TextIO, cast

from assay.core.errors import InputError

TAB = "\t"


def head(data: Path | bytes, size: int) -> bytes:
    """The first bytes."""
    if isinstance(data, bytes):
        return data[:size]
    with data.open("rb") as opened:
        return opened.read(size)


def raw_lines(data: Path | bytes) -> Iterator[bytes]:
    """The lines as bytes."""
    if isinstance(data, bytes):
        yield from io.BytesIO(data)
        return
    with data.open("rb") as opened:
        yield from opened


def _text(data: Path | bytes) -> TextIO:
    """The text, undecodable bytes replaced: here only structure is looked at."""
    if isinstance(data, bytes):
        return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", errors="replace", newline="")
    return data.open(encoding="utf-8-sig", errors="replace", newline="")


def check_header(data: Path | bytes, mark: str, who: str) -> None:
    """Refuse repeated column names, which the reader would rename, and a separator that is not the expected one."""
    refuse_encoding_mark(data, who)
    with _text(data) as opened:
        names = next((row for row in csv.reader(opened, delimiter=mark) if row), cast("list[str]", []))
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        shown = ", ".join(repr(name) for name in twice)
        raise InputError(who, "", f"more than one column is called {shown}", "Give every column a name of its own.")
    if len(names) == 1:
        for other, word in ((";", "semicolons"), (TAB, "tabs"), (",", "commas")):
            if other != mark and other in names[0]:
                advice = (
                    "Save it with commas."
                    if other == ";"
                    else f"Say --input-format {'tsv' if other == TAB else 'csv'}."
                )
                raise InputError(who, "", f"the columns are separated by {word}", advice)


def refuse_encoding_mark(data: Path | bytes, who: str) -> None:
    """UTF-16 starts with a mark of its own; everything else is found line by line when reading fails."""
    if head(data, 2) in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(who, "", "is UTF-16 text, not UTF-8", "Save it as UTF-8.")


def refuse_encoding(data: Path | bytes, who: str) -> None:
    """Name the line that is not UTF-8, if there is one."""
    for number, line in enumerate(raw_lines(data), start=1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            bad = line[error.start]
            raise InputError(
                who, f"line {number}", f"is not UTF-8 text (byte 0x{bad:02x})", "Save the file as UTF-8."
            ) from error


def refuse_separated(data: Path | bytes, mark: str, who: str, error: Exception) -> NoReturn:
    """Why a csv or tsv file could not be read."""
    refuse_encoding(data, who)
    refuse_ragged(data, mark, who)
    if not any(line.strip() for line in raw_lines(data)):
        raise InputError(who, "", "the file is empty") from error
    raise InputError(who, "", f"cannot be read as a table ({first_line(error)})") from error


def refuse_ragged(data: Path | bytes, mark: str, who: str) -> None:
    """Name the first line with more or fewer values than there are columns, or a quote that never ends."""
    with _text(data) as opened:
        rows = csv.reader(opened, delimiter=mark, strict=True)
        expected, before = None, 0
        try:
            for row in rows:
                expected = len(row) if expected is None else expected
                if row and len(row) != expected:
                    raise InputError(
                        who,
                        f"line {before + 1}",
                        f"has {len(row)} values, the header names {expected} columns",
                        "Repair the line, or quote values that contain the separator.",
                    )
                before = rows.line_num
        except csv.Error as error:
            raise InputError(
                who, f"line {before + 1}", f"has a quote that does not end where it should ({error})"
            ) from error


def refuse_header_again(data: Path | bytes, mark: str, who: str) -> None:
    """Name the line that repeats the header, as files have that were put together of several."""
    with _text(data) as opened:
        rows = csv.reader(opened, delimiter=mark)
        header, before = next(rows, cast("list[str]", [])), rows.line_num
        for row in rows:
            if row == header:
                raise InputError(
                    who,
                    f"line {before + 1}",
                    "is the header again",
                    "Remove the line; if the file was concatenated from several, keep one header.",
                )
            before = rows.line_num


def refuse_lines(data: Path | bytes, who: str, error: Exception) -> NoReturn:
    """Why a jsonl file could not be read."""
    refuse_encoding_mark(data, who)
    refuse_encoding(data, who)
    seen = False
    for number, line in enumerate(raw_lines(data), start=1):
        if not line.strip():
            continue
        seen = True
        try:
            value = json.loads(line.decode("utf-8-sig"), parse_constant=_refuse_constant)
        except ValueError as problem:
            raise InputError(who, f"line {number}", f"is not JSON ({first_line(problem)})") from problem
        except RecursionError as problem:
            raise InputError(who, f"line {number}", "nests lists or objects too deeply to be read") from problem
        if not isinstance(value, dict):
            kind = type(cast(object, value)).__name__
            raise InputError(
                who, f"line {number}", f'must be an object such as {{"y": 1, "p": 0.8}}, got a {kind}'
            ) from error
    if not seen:
        raise InputError(who, "", "the file is empty") from error
    raise InputError(who, "", f"cannot be read as one JSON object per line ({first_line(error)})") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number; write null or leave the row out")


def refuse_binary(data: Path | bytes, who: str, kind: str, magic: bytes, error: Exception) -> NoReturn:
    """Why a parquet or arrow file could not be read."""
    if head(data, len(magic)) == magic:
        raise InputError(
            who, "", f"the {kind} file is damaged or truncated ({first_line(error)})", "Write it again."
        ) from error
    if kind == "arrow" and head(data, 4) == b"\xff\xff\xff\xff":
        raise InputError(
            who, "", f"the arrow stream is damaged or truncated ({first_line(error)})", "Write it again."
        ) from error
    if "uplicate" in str(error):
        raise InputError(who, "", f"several columns share a name ({first_line(error)})") from error
    article = "an" if kind == "arrow" else "a"
    advice = "If it is another format, say so with --input-format."
    raise InputError(who, "", f"is not {article} {kind} file", advice) from error


def first_line(error: BaseException | str) -> str:
    """The first line of a foreign message, without its full stop."""
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(". ") if lines else type(error).__name__
