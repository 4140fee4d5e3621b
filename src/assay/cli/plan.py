"""``assay plan``: how many test rows are needed, or what a given number of them gives."""

from __future__ import annotations

import re
from typing import Any

from assay.cli.output import emit, to_json
from assay.core.errors import AssayError
from assay.inference.plan import plan

_OPTIONS = "width|effect|value|discordance|sd|prevalence|share|correlation|power|level|n"


def run(metric: str, *, as_json: bool, **arguments: Any) -> int:
    """Print the answer."""
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        found = plan(metric, **given)
    except AssayError as error:
        raise type(error)(in_options(str(error))) from error
    emit(to_json(found.to_dict()) if as_json else str(found))
    return 0


def in_options(message: str) -> str:
    """A message of the library in the words of the command line."""
    message = re.sub(rf"\b(needs|Give) ({_OPTIONS})\b", r"\1 --\2", re.sub(r"^plan: ", "", message))
    return re.sub(rf"\b({_OPTIONS})(?: (?=\()|=\s?)", r"--\1 ", message).replace("----", "--")
