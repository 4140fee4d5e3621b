"""``assay compare``: several models on the same rows."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from assay.cli.option_values import specs_of
from assay.cli.output import chosen_format, refuse_overwriting, write_result
from assay.cli.progress import resampling
from assay.cli.readers import DataOptions, reader_of
from assay.cli.score import tell_task
from assay.cli.wording import speaking_of
from assay.evaluation.compare import compare


def run(
    data: DataOptions, *, metrics: list[str], format: str | None, as_json: bool, output: Path | None,
    **inference: Any,
) -> int:  # fmt: skip
    """Compare the models and print what was found."""
    format = chosen_format(format, output, as_json=as_json)
    refuse_overwriting(output, data.files)
    reader = reader_of(data, "compare")
    chosen = specs_of(metrics)
    with speaking_of("compare"):
        given = reader.compare(data)
        with resampling(inference["replicates"]) as progress, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they stand below the tables
            found = compare(**given.call(chosen or None), progress=progress, **inference)
    write_result(found.noted(given.matched) if given.matched else found, format, output)
    tell_task(given)
    return 0
