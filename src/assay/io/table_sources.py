"""Where a table comes from: one file, the files of a pattern as one table, or an address that fsspec opens (``s3://``)."""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import polars as pl

from assay.core.errors import DependencyError, InputError
from assay.core.extras import optional
from assay.data.columns import Columns

_ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://|[a-zA-Z][a-zA-Z0-9+.-]+::")
_PATTERN = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class RemoteFile:
    """A file that is not in the file system: its name and its content."""

    name: str
    content: bytes


def is_address(source: str) -> bool:
    """Whether fsspec has to open it."""
    return _ADDRESS.match(source) is not None


def is_pattern(source: str) -> bool:
    """Whether several files may be meant; a file that has such a name is itself."""
    return _PATTERN.search(source) is not None and not Path(source).exists()


def expanded(source: str) -> list[str]:
    """The local files of a pattern, sorted; anything else is itself."""
    if is_address(source) or not is_pattern(source):
        return [source]
    return [path for path in sorted(glob.glob(source, recursive=True)) if Path(path).is_file()]


def local_files(source: str) -> list[str]:
    """The files of a pattern; there must be one at least."""
    found = expanded(source)
    if not found:
        raise InputError(source, "", "no file matches the pattern")
    return found


def remote_files(source: str) -> list[RemoteFile]:
    """The files of an address or of a pattern in it, read as a whole."""
    core = optional("fsspec.core", source, "", "requires fsspec")
    found: list[RemoteFile] = []
    try:
        system, path = cast("tuple[Any, str]", core.url_to_fs(source))
        names = sorted(cast("list[str]", system.glob(path))) if _PATTERN.search(path) else [path]
        protocol = source.partition("://")[0]
        found += [RemoteFile(f"{protocol}://{name.lstrip('/')}", system.cat_file(name)) for name in names]
    except FileNotFoundError as error:
        raise InputError(source, "", "no such file") from error
    except ImportError as error:  # the package behind the protocol, such as s3fs
        raise DependencyError(source, "", f"cannot be opened: {error}") from error
    except (OSError, ValueError) as error:
        raise InputError(source, "", f"cannot be read ({error})") from error
    if not found:
        raise InputError(source, "", "no file matches the pattern")
    return found


def joined(parts: Sequence[Columns], who: str) -> Columns:
    """Several tables below each other; they must have the same columns, of the same kinds."""
    first = parts[0]
    for part in parts[1:]:
        names, own = set(first.frame.columns), set(part.frame.columns)
        if names != own:
            odd = sorted(names ^ own)[0]
            has, lacks = (first, part) if odd in names else (part, first)
            raise InputError(
                who, "", f"{has.who} has a column {odd!r}, {lacks.who} has not", "Give files with the same columns."
            )
        for name in first.frame.columns:
            kinds = (first.frame.schema[name], part.frame.schema[name])
            if kinds[0] != kinds[1] and not all(kind.is_numeric() for kind in kinds):
                problem = f"the column {name!r} is {_kind(kinds[0])} in {first.who} and {_kind(kinds[1])} in {part.who}"
                raise InputError(who, "", problem, "Write it in one way.")
    frame = pl.concat([part.frame.select(first.frame.columns) for part in parts], how="vertical_relaxed")
    spelled = {name for part in parts for name in part.spelled or ()}
    text = {name: pl.concat([part.written(name).rename(name) for part in parts]) for name in spelled}
    return replace(first, frame=frame, who=who, spelled=None if first.spelled is None else text)


def _kind(dtype: pl.DataType) -> str:
    return "text" if dtype == pl.String else "a number" if dtype.is_numeric() else str(dtype)
