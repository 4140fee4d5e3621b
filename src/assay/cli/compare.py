"""``assay compare``: several models on the same rows."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from assay.cli import gates
from assay.cli.option_values import specs_of
from assay.cli.output import chosen_format, refuse_overwriting, write_result
from assay.cli.progress import resampling
from assay.cli.readers import CompareInput, DataOptions, reader_of
from assay.cli.score import judged, tell_task
from assay.cli.wording import speaking_of
from assay.core.errors import ParameterError
from assay.evaluation.compare import compare
from assay.evaluation.comparisons import Comparisons


def run(
    data: DataOptions, *, metrics: list[str], margins: list[str], sure: bool, format: str | None, as_json: bool,
    output: Path | None, **inference: Any,
) -> int:  # fmt: skip
    """Compare the models and print what was found; the exit code is 1 if a gate failed."""
    format = chosen_format(format, output, as_json=as_json)
    refuse_overwriting(output, data.files)
    reader = reader_of(data, "compare")
    chosen = specs_of(metrics)
    wanted = [gates.regression_of(text) for text in margins]
    if sure and not wanted:
        words = "decides what an undecided --fail-if-worse means, and there is none"
        raise ParameterError("", "--fail-if-unsure", words, "Add one, or drop it.")
    specs = [*chosen, *(w.spec for w in wanted if w.spec not in chosen)] if chosen else None
    with speaking_of("compare"):
        given = reader.compare(data)
        with resampling(inference["replicates"]) as progress:
            found = _compared(given, specs, progress=progress, **inference)
        outcomes = _outcomes(found, given, wanted, inference)
    write_result(found.noted(given.matched) if given.matched else found, format, output, outcomes)
    tell_task(given)
    return judged(outcomes, sure=sure)


def _compared(given: CompareInput, specs: list[str] | None, **inference: Any) -> Comparisons:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they stand beside the tables
        return compare(**given.call(specs), **inference)


def _outcomes(
    found: Comparisons, given: CompareInput, wanted: list[gates.Limit], inference: dict[str, Any]
) -> list[gates.Outcome]:
    """Every model but the first against the first, by every metric that has a margin."""
    outcomes: list[gates.Outcome] = []
    for limit in wanted:
        own, name = found, limit.name_in(found.metrics, found)
        if name is None:  # not among the usual metrics: compared for the margin alone
            own = _compared(given, [limit.spec], **inference)
            name = limit.name_in(own.metrics, own)
        if name is None:
            words = f"cannot be compared: {own.left_out.get(limit.spec, 'it is not one number')}"
            raise ParameterError(gates.FAIL_IF_WORSE, limit.spec, words)
        first, *others = own.models
        outcomes += [gates.worse(limit, first, model, own.pair(name, first, model)) for model in others]
    return outcomes
