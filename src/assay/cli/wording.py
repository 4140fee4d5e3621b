"""Errors of the library in the words of the command line: one table of options per command, and no search in texts.

An error names its argument, and further ones by `arg`; here each of them becomes the option that sets it.
"""

from __future__ import annotations

import ast
import shlex
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import cast

from assay.core.errors import AssayError

_ROWS = {
    "y_true": "--truth", "y_pred": "--pred", "y_prob": "--prob", "y_score": "--score", "ids": "--id", "slices": "--by",
    "extra": "--input", "metrics": "--metric",
}  # fmt: skip


def _same(names: str) -> dict[str, str]:
    """Arguments whose option has the same name."""
    return {name: f"--{name.replace('_', '-')}" for name in names.split()}


_IMAGES = _same("iou_type features ignore_index crowdpose exhaustive box_format normalized")
_EVALUATED = {
    **_ROWS, **_same("logits weight groups strata task classes positive threshold level method replicates seed"),
    **_IMAGES, "pictures": "--images", "source": "--source", **_same("images input_format id truth pred prob score by"),
}  # fmt: skip
_FLAGS = {("normalized", "False"): "--pixels"}  # options that are typed without a value
OPTIONS: dict[str, dict[str, str]] = {
    "score": {**_EVALUATED, **_same("pool missing")},
    "compare": {**_EVALUATED, **_same("margin effect correction missing names fail_if_worse")},
    "estimate": {
        "X": "--features", "y": "--truth", "metrics": "--metric", "scheme": "--resampling", "n_jobs": "--jobs",
        **_same("resampling groups task positive threshold best method level jobs store keep_train seed grid select budget"),
        **_same("ordered nested predictions splits figure"),
    },
    "plan": {
        "metric": "--metric", **_same("width effect n value discordance sd prevalence share correlation power level"),
    },
}  # fmt: skip
FUNCTIONS = (  # the command says it already
    "evaluate", "compare", "estimate", "resampling", "guideline", "plan", "objects_from_frames", "read_yolo", "read_voc",
)  # fmt: skip


def in_options(error: AssayError, options: Mapping[str, str]) -> str:
    """The sentence of an error with options in the place of arguments."""

    def wording(name: str, value: str | None) -> str:
        """An option if there is one; else the argument as a metric's spec writes it, such as average=macro."""
        option = options.get(name)
        if value is None:
            return option or name
        if option and (value == "True" or (name, value) in _FLAGS):
            return _FLAGS.get((name, value), option)
        return f"{option} {_typed(value)}" if option else f"{name}={_typed(value)}"

    who = [part for part in error.who.split(": ") if part not in FUNCTIONS]  # such as «plan: accuracy»
    return error.worded(wording, ": ".join(who))


def _typed(value: str) -> str:
    """A value as one types it in a shell: text without quotes, a list with commas, a dict as name=value."""
    try:
        found: object = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value
    if found is None or isinstance(found, bool):
        return str(found).lower()
    if isinstance(found, dict):
        return ",".join(f"{name}={one}" for name, one in cast("dict[object, object]", found).items())
    if isinstance(found, list | tuple):
        return ",".join(map(str, cast("list[object]", found)))
    if not isinstance(found, str):
        return value
    return shlex.quote(found) if "*" in found else found  # which a shell would replace by names of files


@contextmanager
def speaking_of(command: str) -> Generator[None]:
    """Errors raised inside name the options of a command."""
    try:
        yield
    except AssayError as error:
        raise type(error)("", "", in_options(error, OPTIONS[command])) from error
