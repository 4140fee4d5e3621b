"""What the user wants to hear and see: notes and progress, details, colours. Every command has the options that set it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.cli import complain
from assay.core.errors import ParameterError

_PANEL = "This run"


@dataclass(frozen=True)
class Settings:
    """One run."""

    quiet: bool = False
    verbose: bool = False
    no_color: bool = False
    config: Path | None = None


_OPTIONS: dict[str, tuple[object, object]] = {  # name: annotation, default
    "quiet": (
        Annotated[bool, typer.Option("--quiet", "-q", rich_help_panel=_PANEL, help="No notes, no progress: the result and errors alone.")],
        False,
    ),
    "verbose": (
        Annotated[bool, typer.Option("--verbose", "-v", rich_help_panel=_PANEL, help="Also say what was read and which gates passed.")],
        False,
    ),
    "no_color": (
        Annotated[bool, typer.Option("--no-color", rich_help_panel=_PANEL, help="No colours; the variable NO_COLOR says the same.")],
        False,
    ),
    "config": (
        Annotated[
            Path | None,
            typer.Option(
                "--config", metavar="FILE", rich_help_panel=_PANEL,
                help="Options from this file; by default from assay.toml or [tool.assay] of pyproject.toml in the current folder.",
            ),
        ],
        None,
    ),
}  # fmt: skip
_current = [Settings()]


def current() -> Settings:
    """The settings of this run."""
    return _current[0]


def reset() -> None:
    """Those of a run that says nothing."""
    _current[0] = Settings()


def note(message: str) -> None:
    """One line on standard error, unless nobody wants to hear it."""
    if not current().quiet:
        complain(message)


def detail(message: str) -> None:
    """One line on standard error for those who ask."""
    if current().verbose:
        complain(message)


def with_settings(command: Callable[..., int]) -> Callable[..., int]:
    """The command with the options of this module, which are the same for all."""
    own = inspect.signature(command, eval_str=True)

    def run(**given: Any) -> int:
        found = Settings(**{field.name: given.pop(field.name) for field in fields(Settings)})
        if found.quiet and found.verbose:
            raise ParameterError("", "--quiet", "and --verbose contradict each other", "Drop one of them.")
        _current[0] = found
        return command(**given)

    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in _OPTIONS.items()
    ]
    before = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own.parameters.values()]
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {one.name: one.annotation for one in (*before, *more)}
    vars(run)["__signature__"] = inspect.Signature([*before, *more])
    return run
