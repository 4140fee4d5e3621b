"""``assay score``: read, evaluate, print, and check the result against its limits."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.cli import complain, gates, trec_format
from assay.cli.option_values import specs_of
from assay.cli.output import chosen_format, refuse_overwriting, write_result
from assay.cli.progress import resampling
from assay.cli.readers import CompareInput, DataOptions, ScoreInput, reader_of
from assay.cli.settings import detail, note
from assay.cli.wording import speaking_of
from assay.core.errors import ParameterError
from assay.evaluation.evaluate import evaluate
from assay.evaluation.matrix_tables import is_table
from assay.evaluation.result import Result

LEVEL, METHOD = 0.95, "auto"


@dataclass(frozen=True)
class IntervalOptions:
    """What the command line says about intervals."""

    level: float = LEVEL
    method: str = METHOD
    replicates: int = 2000
    seed: int = 0
    pool: bool = False
    none: bool = False

    def check(self, data: DataOptions) -> None:
        """Refuse what would be passed over in silence."""
        given = {"--level": self.level != LEVEL, "--method": self.method != METHOD, "--pool": self.pool}
        idle = [option for option, there in given.items() if there]
        if self.none and idle:
            words = f"leaves nothing for {' and '.join(idle)} to do"
            raise ParameterError("", "--no-intervals", words, "Drop one of them.")
        if self.pool and not data.by:
            words = "lets slices borrow from each other"
            raise ParameterError("", "--pool", words, "Name the column that divides the rows: --by.")

    def arguments(self) -> dict[str, Any]:
        """The arguments of `evaluate`."""
        level = None if self.none else self.level
        return {
            "level": level, "method": self.method, "replicates": self.replicates, "seed": self.seed, "pool": self.pool
        }  # fmt: skip


def run(
    data: DataOptions, *, metrics: list[str], limits: list[str], format: str | None, as_json: bool,
    output: Path | None, intervals: IntervalOptions,
) -> int:  # fmt: skip
    """Score one model; the exit code is 1 if a limit was missed."""
    if format == trec_format.FORMAT:
        refuse_overwriting(output, data.files)
        return trec_format.run(data, metrics, output)
    format = chosen_format(format, output, as_json=as_json)
    refuse_overwriting(output, data.files)
    reader = reader_of(data, "score")
    intervals.check(data)
    wanted = [gates.parse(text, intervals=not intervals.none) for text in limits]
    chosen = specs_of(metrics)
    with speaking_of("score"):
        given = reader.score(data)
        specs = [*chosen, *(w.spec for w in wanted if w.spec not in chosen)] if chosen else None
        with resampling(intervals.replicates, 1 + len(data.by)) as progress:
            result = _evaluated(given, specs, progress=progress, **intervals.arguments())
        outcomes = _outcomes(result, given, wanted, intervals)
    write_result(result.named(given.class_names).noted(*given.notes), format, output, outcomes)
    _mention_others(result, format)
    tell_task(given)
    return judged(outcomes)


def tell_task(given: ScoreInput | CompareInput) -> None:
    """Which task this was taken for, and why; printed only after the result, so that bad input is one line."""
    if given.inferred:
        note(f"taking this as a {given.arguments['task']} task: {given.inferred}.")


def _evaluated(given: ScoreInput, specs: list[str] | None, **other: Any) -> Result:
    arguments: dict[str, Any] = {**given.call(specs), **other}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they stand below the tables
        return evaluate(**arguments)


def _outcomes(
    result: Result, given: ScoreInput, wanted: list[gates.Limit], intervals: IntervalOptions
) -> list[gates.Outcome]:
    """How every limit was met."""
    found: list[gates.Outcome] = []
    for limit in wanted:
        own, name = result, limit.name_in(result.metrics, result.scores)
        if name is None:  # not among the usual metrics: measured for the limit alone
            level = None if limit.of == "value" else intervals.level
            own = _evaluated(given, [limit.spec], slices={}, **{**intervals.arguments(), "level": level, "pool": False})
            name = limit.name_in(own.metrics, own.scores)
        if name is None:
            words = "returns one value per class, and a limit needs one number"
            raise ParameterError(gates.FAIL_UNDER, limit.spec, words, "Choose an average.")
        found.append(limit.outcome(own.scores[name]))
    return found


def judged(outcomes: Sequence[gates.Outcome], *, sure: bool = False) -> int:
    """Say which gates failed or could not be decided; the exit code is 1 if any failed, or with ``sure`` if any did not pass."""
    for one in outcomes:
        {"fail": complain, "undecided": note, "pass": detail}[one.outcome](one.message)
    failing = ("fail", "undecided") if sure else ("fail",)
    return gates.LIMIT_MISSED if any(one.outcome in failing for one in outcomes) else 0


def _mention_others(result: Result, format: str) -> None:
    """Curves have no place in a table, and matrices none in csv; JSON holds them."""
    others = [
        name for name in result.values
        if name not in result.scores and (format == "csv" or not is_table(result, name))
    ]  # fmt: skip
    if others and format != "json":
        verb = "is" if len(others) == 1 else "are"
        kind = "a table or curve" if len(others) == 1 else "tables or curves"
        note(f"{', '.join(others)} {verb} {kind}, not one number, and {verb} left out here; --json shows everything.")
