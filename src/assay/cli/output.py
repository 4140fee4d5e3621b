"""Results as text in the requested format, to the terminal or a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.settings import current
from assay.core import escaping
from assay.core.errors import InputError, ParameterError, did_you_mean
from assay.core.plain_data import plain_data

if TYPE_CHECKING:
    from assay.cli.gates import Outcome
    from assay.evaluation.comparisons import Comparisons
    from assay.evaluation.result import Result
    from assay.resampling import Estimate

SCHEMA = 1  # of the JSON of results; it rises when a name in it changes its meaning or goes
FORMATS = ("table", "json", "csv", "markdown", "latex")
_SUFFIXES = {
    "": "table", ".txt": "table", ".json": "json", ".csv": "csv", ".md": "markdown", ".markdown": "markdown",
    ".tex": "latex",
}  # fmt: skip


def chosen_format(
    name: str | None, output: Path | None = None, known: tuple[str, ...] = FORMATS, *, as_json: bool = False
) -> str:
    """The format named, else the one of the output file's suffix, else the first."""
    if as_json and name not in (None, "json"):
        raise ParameterError("", "--json", f"and --format {name} are two formats", "Specify one of them.")
    if as_json:
        return "json"
    if name is None:
        return known[0] if output is None else _by_suffix(output)
    if name not in known:
        raise ParameterError("", "", f"unknown output format {name!r}", did_you_mean(name, known).strip())
    return name


def refuse_overwriting(output: Path | None, inputs: Iterable[str]) -> None:
    """Refuse an output that would replace an input."""
    from assay.io.table_sources import expanded  # which loads polars

    if output is None or not output.exists():
        return
    for path in (Path(name) for given in inputs for name in expanded(given)):
        if path.exists() and (path.samefile(output) or (path.is_dir() and path.resolve() in output.resolve().parents)):
            raise ParameterError("", str(output), "would overwrite an input", "Name another file for the output.")


def _by_suffix(output: Path) -> str:
    suffix = output.suffix.lower()
    if suffix not in _SUFFIXES:
        fix = f"Specify --format {_either(FORMATS)}."
        raise ParameterError(str(output), "", f"unknown output format {suffix!r}", fix)
    return _SUFFIXES[suffix]


def _either(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def write_result(
    result: Result | Comparisons | Estimate, format: str, output: Path | None, outcomes: Sequence[Outcome] = ()
) -> None:
    """Print the result or write it to a file; JSON holds the outcomes of gates too."""
    if format == "table":
        show(result, output)
        return
    ways: dict[str, Callable[[], str]] = {
        "json": lambda: to_json({"schema": SCHEMA, **result.to_dict(), "gates": [one.to_dict() for one in outcomes]}),
        "csv": result.to_csv,
        "markdown": result.to_markdown,
        "latex": result.to_latex,
    }
    emit(ways[format](), output)


def show(view: object, output: Path | None = None) -> None:
    """A rich view on the terminal, or as plain text in a file."""
    from rich.console import Console

    if output is None:
        Console(highlight=False, no_color=True if current().no_color else None).print(view)
        return
    import io

    text = io.StringIO()
    Console(file=text, width=120, no_color=True, highlight=False).print(view)
    emit("\n".join(line.rstrip() for line in text.getvalue().splitlines()), output)


def emit(text: str, output: Path | None = None) -> None:
    """Text that ends with one line break."""
    text = text.rstrip("\n") + "\n"
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(str(output), "", f"cannot be written ({error.strerror})") from error


def to_json(data: Any) -> str:
    """Valid JSON: undefined values are null, infinities are the texts "inf" and "-inf"."""
    return escaping.json(json.dumps(plain_data(data), indent=2, ensure_ascii=False, allow_nan=False))
