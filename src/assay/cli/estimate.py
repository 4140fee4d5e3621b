"""``assay estimate``: train a learner repeatedly, and estimate how well it will perform on new data."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.cli import complain, gates
from assay.cli.estimate_settings import FitOptions, MeasureOptions, OutputFiles, SplitOptions
from assay.cli.learner_loading import importing_from_here, load
from assay.cli.learner_table import LearnerColumns, LearnerTable, read_learner_table
from assay.cli.option_values import text_of
from assay.cli.output import emit, to_json
from assay.cli.progress import each_minute
from assay.cli.score import judged
from assay.cli.settings import current, note
from assay.cli.wording import speaking_of
from assay.core.errors import InputError, ParameterError
from assay.resampling import Estimate, Guideline, Learner, estimate
from assay.resampling.estimate._learning_data import inferred_task

LONG = 300  # characters of somebody else's message
NOT_DONE = 1  # fits failed
FORMATS, GUIDELINE_FORMATS = ("table", "json", "csv", "markdown", "latex"), ("text", "json")


@dataclass(frozen=True)
class EstimateRequest:
    """What the command line says."""

    learner: str
    file: str
    input_format: str | None
    wanted: LearnerColumns
    design: SplitOptions
    measures: MeasureOptions
    fits: FitOptions


@dataclass(frozen=True, eq=False)
class _Ready:
    """The learner and the rows it is trained and tested on."""

    given: Any
    learner: Learner
    rows: LearnerTable
    task: str


def run(request: EstimateRequest, outputs: OutputFiles) -> int:
    """Estimate; the exit code is 1 if a limit was missed or a fit failed."""
    outputs.refuse([request.file, request.learner.rpartition(":")[0]])
    with importing_from_here(), options_and_warnings() as warned:
        ready = _ready(request)
        found = _estimated(request, ready)
        outcomes = _outcomes(found, request.measures.limits)
    outputs.write(found, ready.rows.targets, outcomes)
    _add_notes(found, request, ready, warned)
    return judged(outcomes) or (NOT_DONE if found.failures else 0)


def guide(request: EstimateRequest, outputs: OutputFiles) -> int:
    """Only print which scheme suits the data, and why."""
    outputs.refuse([request.file, request.learner.rpartition(":")[0]])
    with importing_from_here(), options_and_warnings():
        ready = _ready(request)
        found = request.design.guide(ready.rows, ready.task)
    text = text_of(found.scheme)
    if outputs.format == "json":
        data = {"resampling": text, "scheme": str(found.scheme), "method": found.method, "reasons": found.reasons}
        emit(to_json(data), outputs.output)
    else:
        emit("\n".join([_first(found, text), *(f"- {reason}" for reason in found.reasons)]), outputs.output)
    return 0


def _first(found: Guideline, text: str) -> str:
    return f"--resampling {text}" + ("" if found.method == "none" else f" --method {found.method}")


def _ready(request: EstimateRequest) -> _Ready:
    given, learner = load(request.learner)
    rows = read_learner_table(request.file, request.input_format, request.wanted)
    return _Ready(given, learner, rows, request.measures.task or _task(rows, learner, request.wanted.truth))


def _task(rows: LearnerTable, learner: Learner, truth: str) -> str:
    """The task, if target and learner determine it; two integers and a learner without probabilities do not."""
    task = inferred_task(rows.y, learns_classes=learner.classes)
    if task == "regression" and rows.y.ndim == 1 and len(np.unique(rows.y)) == 2:
        words = f"holds two values, and {learner.name} does not tell whether they are classes"
        raise ParameterError("", repr(truth), words, "Specify --task binary or regression.")
    return task


def _positive(rows: LearnerTable, task: str, label: str | None, truth: str) -> Any:
    if label is not None and task != "binary":
        raise ParameterError("", "--positive", f"applies to --task binary, not {task}")
    if label is None and task == "binary" and rows.y.dtype.kind in "UT":
        names = [str(name) for name in np.unique(rows.y)]
        fix = f"Specify --positive {' or --positive '.join(names[:2])}."
        raise ParameterError("", "", f"which class of {truth!r} is positive?", fix)
    return rows.positive(label)


def _estimated(request: EstimateRequest, ready: _Ready) -> Estimate:
    rows, design = ready.rows, request.design
    arguments: dict[str, Any] = {
        "resampling": design.scheme(rows, ready.task), "groups": rows.groups, "task": ready.task, "level": design.level,
        "method": design.method, "positive": _positive(rows, ready.task, request.measures.positive, request.wanted.truth),
        "name": ready.learner.name, "progress": _watched(), **request.measures.arguments(), **request.fits.arguments(),
    }  # fmt: skip
    try:
        return estimate(ready.given, rows.X, rows.y, **arguments)
    except InputError as error:
        raise error.but(problem=_cut(error.args[2]), fix=_cut(error.args[3])) from error
    except KeyboardInterrupt:
        if request.fits.store is not None:
            complain(f"the finished fits are in {request.fits.store}: the same command resumes from there.")
        raise


def _watched() -> bool | Callable[[int], None] | None:
    """A bar on a terminal, else a line a minute; nothing where nobody wants to hear it."""
    if current().quiet:
        return None
    return True if sys.stderr.isatty() else each_minute("fits")


# ---- words


@contextmanager
def options_and_warnings() -> Generator[Counter[str]]:
    """Errors name options; what learners print goes to standard error, and their warnings are counted.

    Fifty fits that warn of the same thing are then one line.
    """
    warned: Counter[str] = Counter()

    def note(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
        warned[f"{category.__name__}: {' '.join(str(message).split())}"] += 1

    with speaking_of("estimate"), warnings.catch_warnings(), redirect_stdout(sys.stderr):
        warnings.simplefilter("always")
        warnings.showwarning = note
        yield warned


def _outcomes(found: Estimate, wanted: list[gates.Limit]) -> list[gates.Outcome]:
    """How every limit was met."""
    outcomes: list[gates.Outcome] = []
    for limit in wanted:
        name = limit.name_in(found.run.scorer.metrics, found)
        own = found if name is not None else found.measure([limit.spec])
        name = name or limit.name_in(own.run.scorer.metrics, own) or limit.spec
        outcomes.append(limit.outcome(own[name]))
    return outcomes


def _add_notes(found: Estimate, request: EstimateRequest, ready: _Ready, warned: Counter[str]) -> None:
    """Notes beside the numbers; on standard error, so that results can be piped."""
    if request.measures.task is None:
        note(
            f"taking this as a {found.task} task: {_why(ready, request.wanted.truth)}. Specify --task if it is another."
        )
    if warned:
        first, count = warned.most_common(1)[0]
        most = "" if len(warned) == 1 else f", {count} times this one"
        note(f"the learner warned {sum(warned.values())} times{most}: {_cut(first)}")
    if found.failures:
        complain(f"{len(found.failures)} of {len(found.run.folds)} fits failed. The first: {_cut(found.failures[0])}.")
    elif lost := [name for name, one in found.performance.items() if np.isnan(one.train).all()]:
        note(
            f"training values of {', '.join(lost)} are unknown: the fits in the store were measured with other metrics. --keep-train "
            "stores what later metrics need, from the first run on."
        )


def _why(ready: _Ready, truth: str) -> str:
    """Why the task is what it was taken for."""
    if ready.rows.y.ndim == 2:
        return f"{truth} are several columns"
    if ready.rows.y.dtype.kind not in "iuf":
        return f"{truth!r} holds names of classes"
    if ready.learner.classes:
        return f"{ready.learner.name} predicts probabilities or scores of classes"
    return f"{truth!r} holds numbers, and {ready.learner.name} predicts no probabilities"


def _cut(text: str) -> str:
    """The beginning of what may be a whole page."""
    text = " ".join(text.split())
    return text if len(text) <= LONG else f"{text[:LONG]} ..."
