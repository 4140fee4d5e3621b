"""``assay score``: read, evaluate, print, and hold the result against its limits."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.cli import complain, limits
from assay.cli.columns import Call, Request, gather
from assay.cli.output import chosen_format, named_options, refuse_overwriting, write_result
from assay.cli.progress import resampling
from assay.core.errors import AssayError, ParameterError
from assay.core.signatures import from_spec
from assay.evaluation.evaluate import evaluate
from assay.evaluation.result import Result
from assay.io import read_columns

LIMIT_MISSED = 1
LEVEL, METHOD = 0.95, "auto"
# The library speaks of arguments, the command line of options.
_OPTIONS = {"y_true": "--truth", "y_pred": "--pred", "y_prob": "--prob", "y_score": "--score"}
_NAMED = "positive|classes|task|threshold|logits|method|level|replicates|seed|margin|effect|pool"


@dataclass(frozen=True)
class Intervals:
    """What the command line said about intervals."""

    level: float = LEVEL
    method: str = METHOD
    replicates: int = 2000
    seed: int = 0
    pool: bool = False
    none: bool = False

    def check(self, request: Request) -> None:
        """Refuse what would be passed over in silence."""
        said = {"--level": self.level != LEVEL, "--method": self.method != METHOD, "--pool": self.pool}
        idle = [option for option, given in said.items() if given]
        if self.none and idle:
            raise ParameterError(f"--no-intervals leaves nothing for {' and '.join(idle)} to do. Drop one of them.")
        if self.pool and not request.by:
            raise ParameterError(
                "--pool lets slices borrow from each other. Name the column that divides the rows: --by."
            )

    def arguments(self) -> dict[str, Any]:
        """What `evaluate` takes."""
        level = None if self.none else self.level
        return {
            "level": level, "method": self.method, "replicates": self.replicates, "seed": self.seed, "pool": self.pool
        }  # fmt: skip


def run(
    file: str, request: Request, *, metrics: list[str] | None, limits: list[str], format: str | None,
    as_json: bool, output: Path | None, input_format: str | None, intervals: Intervals,
) -> int:  # fmt: skip
    """Score a file; the exit code is 1 if a limit was missed."""
    format = chosen_format(format, output, as_json=as_json)
    refuse_overwriting(output, [file])
    request.check()
    intervals.check(request)
    wanted = _parsed(limits)
    for spec in metrics or ():
        from_spec(spec)  # a misspelt metric is told before a large file is read
    [call] = gather([read_columns(file, input_format)], [request])
    specs = None if metrics is None else [*metrics, *(w.spec for w in wanted if w.spec not in metrics)]
    with resampling(intervals.replicates, 1 + len(request.by)) as progress:
        result = _evaluated(call, specs, progress=progress, **intervals.arguments())
    missed = _missed(result, call, wanted)
    write_result(result, format, output)
    _mention_others(result, format)
    tell_task(call)
    for sentence in missed:
        complain(sentence)
    return LIMIT_MISSED if missed else 0


def tell_task(call: Call) -> None:
    """Which task this was taken for, and why; said only after the result, so that bad input is one line."""
    if call.told:
        print(f"assay: taking this as a {call.arguments['task']} task: {call.told}.", file=sys.stderr)  # noqa: T201


def _parsed(texts: list[str]) -> list[limits.Limit]:
    return [limits.parse(text) for text in texts]


def _evaluated(call: Call, specs: list[str] | None, **other: Any) -> Result:
    arguments: dict[str, Any] = {**call.arguments, "metrics": specs, **other}
    with speaking_options():
        return evaluate(**arguments)


@contextmanager
def speaking_options() -> Generator[None]:
    """Errors of the library in the words of the command line; its warnings stand below the tables."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except AssayError as error:
        raise type(error)(in_options(str(error))) from error


def in_options(message: str) -> str:
    """A message of the library in the words of the command line."""
    message = re.sub(r"^(evaluate|compare): ", "", message)
    message = named_options(message, _NAMED)
    for name, option in _OPTIONS.items():
        message = re.sub(rf"\b{name}\b=?", option, message)
    return message


def missed_of(result: Result, texts: list[str]) -> list[str]:
    """One sentence for every limit that a result misses; limits are of metrics that were measured."""
    sentences: list[str] = []
    for limit in _parsed(texts):
        found = limits.find(limit, result)
        if found is None:
            raise ParameterError(f"--fail-under {limit.spec}: was not measured. Name it with --metric too.")
        sentence = limit.missed(found)
        sentences += [sentence] if sentence else []
    return sentences


def _missed(result: Result, call: Call, wanted: list[limits.Limit]) -> list[str]:
    """One sentence for every limit that was missed."""
    sentences: list[str] = []
    for limit in wanted:
        score = limits.find(limit, result)
        if score is None:  # not among the usual metrics: measured for the limit alone
            score = limits.find(limit, _evaluated(call, [limit.spec], slices={}, level=None))
        if score is None:
            raise ParameterError(
                f"--fail-under {limit.spec}: gives one value a class, a limit needs one number. Choose an average."
            )
        sentence = limit.missed(score)
        sentences += [sentence] if sentence else []
    return sentences


def _mention_others(result: Result, format: str) -> None:
    """Curves and matrices have no place in a table; JSON holds them."""
    others = [name for name in result.values if name not in result.scores]
    if others and format != "json":
        verb = "is" if len(others) == 1 else "are"
        kind = "a table or curve" if len(others) == 1 else "tables or curves"
        complain(
            f"{', '.join(others)} {verb} {kind}, not one number, and {verb} left out here; --json shows everything."
        )
