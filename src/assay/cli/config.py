"""Options from a file: ``assay.toml``, or ``[tool.assay]`` of ``pyproject.toml``. What the command line says wins."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from assay.core.errors import InputError, did_you_mean

OWN, PROJECT = "assay.toml", "pyproject.toml"


@dataclass(frozen=True)
class Option:
    """An option of a command: the name of its parameter, and whether it may be repeated."""

    parameter: str
    several: bool


Commands = Mapping[str, Mapping[str, Option]]


def named_in(arguments: Sequence[str]) -> str | None:
    """The file that ``--config`` names; it is needed before the options are read."""
    for at, word in enumerate(arguments):
        if word == "--":
            return None
        if word == "--config" and at + 1 < len(arguments):
            return arguments[at + 1]
        if word.startswith("--config="):
            return word.partition("=")[2]
    return None


def found(named: str | None) -> tuple[Path, dict[str, object]] | None:
    """The file with its settings: the one named, else the one in the current folder; None if there is none."""
    if named is not None:
        path = Path(named)
        return path, _section(path, _read(path))
    for path in (Path(OWN), Path(PROJECT)):
        if path.is_file():
            data = _read(path)
            if path.name == OWN or "assay" in data.get("tool", {}):
                return path, _section(path, data)
    return None


def _section(path: Path, data: dict[str, Any]) -> dict[str, object]:
    """The whole file, or the part of a project's file that is ours."""
    return data.get("tool", {}).get("assay", {}) if path.name == PROJECT else data


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(str(path), "", f"cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(str(path), "", f"is not valid TOML: {error}") from error


def defaults(path: Path, settings: Mapping[str, object], commands: Commands) -> dict[str, dict[str, object]]:
    """For every command the values of its parameters: keys at the top hold for all that have them, tables for one command."""
    general = {key: value for key, value in settings.items() if not isinstance(value, dict)}
    every = {key for options in commands.values() for key in options}
    for key in general:
        if _key(key) not in every:
            raise _unknown(path, key, every)
    values: dict[str, dict[str, object]] = {
        name: {
            o.parameter: _value(path, key, value, o) for key, value in general.items() if (o := options.get(_key(key)))
        }
        for name, options in commands.items()
    }
    for name, table in settings.items():
        if not isinstance(table, dict):
            continue
        if name not in commands:
            raise InputError(str(path), "", f"there is no command {name!r}", did_you_mean(name, commands).strip())
        for key, value in cast("dict[str, object]", table).items():
            option = commands[name].get(_key(key))
            if option is None:
                raise _unknown(path, key, commands[name], f" of assay {name}")
            values[name][option.parameter] = _value(path, key, value, option)
    return values


def _key(text: str) -> str:
    return text.replace("_", "-")


def _unknown(path: Path, key: str, known: Iterable[str], of: str = "") -> InputError:
    return InputError(str(path), "", f"there is no option {key!r}{of}", did_you_mean(_key(key), known).strip())


def _value(path: Path, key: str, value: object, option: Option) -> object:
    """Several values where an option may be repeated; else a list is one value with commas."""
    if isinstance(value, dict):
        raise InputError(str(path), "", f"{key} must be a value or a list, not a table")
    if option.several:
        return [str(one) for one in cast("list[Any]", value)] if isinstance(value, list) else [str(value)]
    return ",".join(map(str, cast("list[Any]", value))) if isinstance(value, list) else value
