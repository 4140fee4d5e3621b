"""``assay plan``: how many test rows are needed, or what a given number of them achieves."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from assay.cli.output import chosen_format, emit, to_json
from assay.cli.wording import speaking_of
from assay.core.errors import ParameterError
from assay.inference.plan import plan
from assay.inference.plan_subject import PILOT


def run(metrics: list[str], *, format: str | None, as_json: bool, **arguments: Any) -> int:
    """Print the answer."""
    format = chosen_format(format, None, ("text", "json"), as_json=as_json)
    if len(metrics) != 1:
        words = f"one metric at a time is planned, got {', '.join(metrics)}"
        raise ParameterError("", "", words, "Plan each on its own.")
    given = {name: value for name, value in arguments.items() if value is not None}
    with speaking_of("plan"), _pilot_data_by_commands():
        found = plan(metrics[0], **given)
    emit(to_json(found.to_dict()) if format == "json" else str(found))
    return 0


@contextmanager
def _pilot_data_by_commands() -> Generator[None]:
    """What no formula plans is found from pilot data, here by a command."""
    try:
        yield
    except ParameterError as error:
        if not error.fix.startswith(PILOT):
            raise
        raise error.but(fix=f"{PILOT} `assay compare` with --effect reports the number of rows.") from error
