"""Metrics as one line of text and back: signatures (``f_beta|beta:2.0``) and command-line specs (``f_beta:beta=2``)."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from assay.core.errors import ParameterError
from assay.core.parameters import check_names
from assay.core.registry import find

_WORDS: dict[str, Any] = {"none": None, "true": True, "false": False}
_SPECIAL = set("|:;,=(){}[]\"' \\")


def as_text(value: object) -> str:
    """A parameter value as it stands in a signature."""
    if isinstance(value, tuple):
        return "(" + ";".join(as_text(v) for v in cast("tuple[Any, ...]", value)) + ")"
    if isinstance(value, str):
        plain = value and not _SPECIAL & set(value) and isinstance(from_text(value), str)
        return value if plain else json.dumps(value)
    if dataclasses.is_dataclass(value):
        return "{" + cast(Any, value).signature() + "}"
    if callable(value):  # a function of the caller's: its name tells readers, and nobody can read it back
        return str(getattr(value, "__name__", type(value).__name__))
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)  # 2 and 2.0 are one parameter
    return str(value).lower() if isinstance(value, bool) or value is None else repr(value)


def from_text(text: str) -> Any:
    """The value that `as_text` wrote; also lists in brackets, for cost matrices on the command line."""
    text = text.strip()
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if text.startswith("(") and text.endswith(")"):
        mark = ";" if len(split(text[1:-1], ";")) > 1 else ","  # signatures have semicolons, Python has commas
        return tuple(from_text(part) for part in split(text[1:-1], mark) if part.strip())
    if text.startswith("{") and text.endswith("}"):
        return from_signature(text[1:-1])
    if text.startswith("[") and text.endswith("]"):
        return _listed(text)
    if text.startswith(('"', "[")):
        try:
            return json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ParameterError("", "", f"cannot read the value {text!r}: {error}") from error
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _listed(text: str) -> list[Any]:
    """The list of ``[.1,.2]``, ``[cat,dog]`` or ``[[0,1],[5,0]]``: as JSON, and as one types it."""
    parts = split(text[1:-1], ",")
    if parts == [""]:
        return []
    if not all(part.strip() for part in parts):
        raise ParameterError("", "", f"cannot read the value {text!r}: an element is missing between its commas")
    try:
        return [from_text(part) for part in parts]
    except RecursionError as error:
        raise ParameterError("", "", f"cannot read the value {text[:40]!r}...: too many brackets") from error


def split(text: str, mark: str) -> list[str]:
    """Parts between marks that stand outside quotes and brackets."""
    parts, depth, quoted, start, i = list[str](), 0, False, 0, 0
    while i < len(text):
        letter = text[i]
        if quoted:
            i += letter == "\\"
            quoted = letter != '"'
        elif letter == '"':
            quoted = True
        elif letter in "({[":
            depth += 1
        elif letter in ")}]":
            depth -= 1
        elif letter == mark and depth == 0:
            parts.append(text[start:i])
            start = i + 1
        i += 1
    return [*parts, text[start:]]


def _build(key: str, pairs: list[tuple[str, str]], more: Mapping[str, Any] | None = None) -> Any:
    cls = find(key.strip())
    names = [f.name for f in dataclasses.fields(cls)]
    values = _values(cls, pairs)
    check_names(cls.__name__, values, names)
    return cls(**{**{name: value for name, value in (more or {}).items() if name in names}, **values})


def _values(cls: Any, pairs: Iterable[Sequence[str]]) -> dict[str, Any]:
    """The values of parameters; a word that is one of the choices stays a word, such as ``normalize=true``."""
    kinds = {f.name: str(f.type) for f in dataclasses.fields(cls)}
    found: dict[str, Any] = {}
    for name, value in ((name.strip(), value.strip()) for name, value in pairs):
        word = any(f"{quote}{value}{quote}" in kinds.get(name, "") for quote in "\"'")
        found[name] = value if word else from_text(value)
    return found


def from_signature(text: str) -> Any:
    """The metric of a signature; what only describes a result (n, ci, assay) is passed over."""
    key, *rest = split(text, "|")
    pairs = [(name, value) for name, value in (tuple(split_once(part, ":")) for part in rest)]
    return _build(key, [(name, value) for name, value in pairs if name not in ("n", "ci", "assay")])


def spec_fields(text: str) -> set[str]:
    """The parameters that the metric of a spec has."""
    return {field.name for field in dataclasses.fields(find(text.partition(":")[0].strip()))}


def spec_parameters(text: str) -> dict[str, Any]:
    """The parameters that a spec names, whatever their defaults."""
    key, _, rest = text.partition(":")
    pairs = (split_once(part, "=") for part in split(rest, ",") if part.strip())
    return _values(find(key.strip()), [pair for pair in pairs if len(pair) == 2])


def split_specs(text: str) -> list[str]:
    """The specs of a text with commas between them; ``f_beta:beta=2,average=macro,mae`` is two, for a parameter has an equals sign."""
    specs: list[str] = []
    for part in (part.strip() for part in split(text, ",")):
        if specs and ":" in specs[-1] and len(split_once(part, "=")) == 2 and ":" not in split_once(part, "=")[0]:
            specs[-1] += f",{part}"
        elif part:
            specs.append(part)
    return specs


def from_spec(text: str, more: Mapping[str, Any] | None = None) -> Any:
    """The metric of a spec: ``f1``, ``f_beta:beta=2,average=macro``; ``more`` fills what the metric has and the spec leaves open."""
    key, _, rest = text.partition(":")
    pairs = [split_once(part, "=") for part in split(rest, ",") if part.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise ParameterError("", "", f"cannot read the metric {text!r}", "Write name:parameter=value,parameter=value.")
    return _build(key, [(name, value) for name, value in pairs], more)


def specs_in(text: str) -> list[str]:
    """The specs of a list with commas: ``accuracy,f_beta:beta=2,average=macro`` are two.

    A comma inside brackets or quotes separates nothing, and ``name=value`` behind a comma belongs to the spec before it.

    >>> specs_in("accuracy, f_beta:beta=2,average=macro, expected_cost:cost=[[0,1],[5,0]]")
    ['accuracy', 'f_beta:beta=2,average=macro', 'expected_cost:cost=[[0,1],[5,0]]']
    """
    found: list[str] = []
    for part in (part.strip() for part in split(text, ",")):
        head = split_once(part, "=")[0]
        parameter = len(head) < len(part) and ":" not in head
        if not part:
            raise ParameterError("", "", f"a metric is missing between the commas of {text!r}")
        if parameter and found and ":" in found[-1]:
            found[-1] += f",{part}"
        elif parameter:
            before = found[-1] if found else "METRIC"
            fix = f"The first parameter of a metric follows a colon: {before}:{part}."
            raise ParameterError("", "", f"{part!r} in {text!r} is a parameter without a metric", fix)
        else:
            found.append(part)
    return found


def split_once(text: str, mark: str) -> list[str]:
    """The text before and after the first mark outside quotes and brackets."""
    parts = split(text, mark)
    return [parts[0], mark.join(parts[1:])] if len(parts) > 1 else parts
