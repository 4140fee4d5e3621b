"""``assay plan``: how many test rows are needed, or what a given number of them gives."""

from __future__ import annotations

import re
from typing import Any

from assay.cli.output import chosen_format, emit, to_json
from assay.core.errors import AssayError, ParameterError
from assay.inference.plan import plan

_NAMES = "width|effect|value|discordance|sd|prevalence|share|correlation|power|level|n"
_BEFORE = "needs|[Gg]ive|Leave|Lower|check|use for|planned from|; or"


def run(metrics: list[str], *, format: str | None, as_json: bool, **arguments: Any) -> int:
    """Print the answer."""
    format = chosen_format(format, None, ("text", "json"), as_json=as_json)
    if len(metrics) != 1:
        raise ParameterError(f"one metric at a time is planned, got {', '.join(metrics)}. Ask for each on its own.")
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        found = plan(metrics[0], **given)
    except AssayError as error:
        raise type(error)(in_options(str(error))) from error
    emit(to_json(found.to_dict()) if format == "json" else str(found))
    return 0


def in_options(message: str) -> str:
    """A message of the library in the words of the command line."""
    message = re.sub(r"^plan: ", "", message).replace("compare(...).rows_for(effect)", "`assay compare --effect`")
    message = re.sub(rf"({_BEFORE}) ({_NAMES})\b", r"\1 --\2", message)
    message = re.sub(rf"(^|: )({_NAMES})(?= (?:must|cannot|has|and)\b)", r"\1--\2", message)
    message = re.sub(rf"(?<!-)\b({_NAMES})(?: (?=\()|=\s?)", r"--\1 ", message)
    listed = re.compile(rf"(--(?:{_NAMES})(?:,| and| or)) ({_NAMES})\b")
    while listed.search(message):
        message = listed.sub(r"\1 --\2", message)
    return message
