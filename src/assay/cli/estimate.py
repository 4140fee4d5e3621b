"""``assay estimate``: train a learner again and again, and say how well it will do on new data."""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.cli import complain, limits
from assay.cli.choices import text_of
from assay.cli.designs import Design, Fits, Measures, Outputs
from assay.cli.loading import importing_from_here, load
from assay.cli.output import emit, named_options, to_json
from assay.cli.rows import Rows, Wanted, gathered
from assay.core.errors import AssayError, InputError, ParameterError
from assay.resampling import Estimate, Guideline, Learner, estimate
from assay.resampling.estimate._learning_data import inferred_task

LONG = 300  # letters of somebody else's message
NOT_DONE = 1  # a limit was missed, or fits failed
FORMATS, GUIDELINE_FORMATS = ("table", "json", "csv", "markdown", "latex"), ("text", "json")
_NAMED = "positive|classes|task|threshold|level|store|jobs|groups|best|grid"


@dataclass(frozen=True)
class Request:
    """What the command line said."""

    learner: str
    file: str
    input_format: str | None
    wanted: Wanted
    design: Design
    measures: Measures
    fits: Fits


@dataclass(frozen=True, eq=False)
class _Ready:
    """The learner and the rows it is tried on."""

    given: Any
    learner: Learner
    rows: Rows
    task: str


def run(request: Request, outputs: Outputs) -> int:
    """Estimate; the exit code is 1 if a limit was missed or a fit failed."""
    outputs.refuse([request.file, request.learner.rpartition(":")[0]])
    with importing_from_here(), speaking_options() as told:
        ready = _ready(request)
        found = _estimated(request, ready)
        missed = _missed(found, request.measures.limits)
    outputs.write(found, ready.rows.targets)
    _tell(found, request, ready, told)
    for sentence in missed:
        complain(sentence)
    return NOT_DONE if missed or found.failures else 0


def guide(request: Request, outputs: Outputs) -> int:
    """Only say which scheme the data call for, and why."""
    outputs.refuse([request.file, request.learner.rpartition(":")[0]])
    with importing_from_here(), speaking_options():
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


def _ready(request: Request) -> _Ready:
    given, learner = load(request.learner)
    rows = gathered(request.file, request.input_format, request.wanted)
    return _Ready(given, learner, rows, request.measures.task or _task(rows, learner, request.wanted.truth))


def _task(rows: Rows, learner: Learner, truth: str) -> str:
    """The task, where the target and the learner tell it; two whole numbers and a learner without probabilities do not."""
    told = inferred_task(rows.y, learns_classes=learner.classes)
    if told == "regression" and rows.y.ndim == 1 and len(np.unique(rows.y)) == 2:
        raise ParameterError(
            f"{truth!r} holds two values, and {learner.name} does not tell whether they are classes. Say --task binary or regression."
        )
    return told


def _positive(rows: Rows, task: str, label: str | None, truth: str) -> Any:
    if label is not None and task != "binary":
        raise ParameterError(f"--positive goes with --task binary, not {task}.")
    if label is None and task == "binary" and rows.y.dtype.kind in "UT":
        names = [str(name) for name in np.unique(rows.y)]
        raise ParameterError(
            f"which class of {truth!r} is positive? Say --positive {' or --positive '.join(names[:2])}."
        )
    return rows.positive(label)


def _estimated(request: Request, ready: _Ready) -> Estimate:
    rows, design = ready.rows, request.design
    arguments: dict[str, Any] = {
        "resampling": design.scheme(rows, ready.task), "groups": rows.groups, "task": ready.task, "level": design.level,
        "method": design.method, "positive": _positive(rows, ready.task, request.measures.positive, request.wanted.truth),
        "name": ready.learner.name, "progress": sys.stderr.isatty() or None, **request.measures.arguments(), **request.fits.arguments(),
    }  # fmt: skip
    try:
        return estimate(ready.given, rows.X, rows.y, **arguments)
    except InputError as error:
        raise InputError(_cut(str(error))) from error
    except KeyboardInterrupt:
        if request.fits.store is not None:
            complain(f"the finished fits are in {request.fits.store}: the same command goes on from there.")
        raise


# ---- words


@contextmanager
def speaking_options() -> Generator[Counter[str]]:
    """Errors of the library in the words of the command line; what learners print goes to standard error.

    Their warnings are counted, so that fifty fits say once what each of them says.
    """
    told: Counter[str] = Counter()

    def note(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
        told[f"{category.__name__}: {' '.join(str(message).split())}"] += 1

    try:
        with warnings.catch_warnings(), redirect_stdout(sys.stderr):
            warnings.simplefilter("always")
            warnings.showwarning = note
            yield told
    except AssayError as error:
        raise type(error)(in_options(str(error))) from error


def in_options(message: str) -> str:
    """A message of the library in the words of the command line."""
    message = re.sub(r"^(estimate|resampling|guideline): ", "", message)
    message = re.sub(r"method=((?:'[\w+]+'(?: or )?)+)", lambda m: "--method " + m[1].replace("'", ""), message)
    message = message.replace("give best as a dict, such as {'accuracy': 0.95}", "name it, as in --best accuracy=0.95")
    message = message.replace("give groups.", "give --groups.").replace("leave method out", "leave --method out")
    message = re.sub(rf"^({_NAMED}) (?=is|must)", r"--\1 ", message)
    return named_options(message, _NAMED)


def _missed(found: Estimate, wanted: list[limits.Limit]) -> list[str]:
    """One sentence for every limit that was missed."""
    sentences: list[str] = []
    for limit in wanted:
        own = found if _names(found, limit) else found.measure([limit.spec])
        names = _names(own, limit)
        if len(names) > 1:
            raise ParameterError(f"--fail-under {limit.spec}: could be {' or '.join(names)}. Say which.")
        sentence = limit.missed(own[names[0]])
        sentences += [sentence] if sentence else []
    return sentences


def _names(found: Estimate, limit: limits.Limit) -> list[str]:
    metrics = found.run.scorer.metrics
    return [limit.spec] if limit.spec in found else [name for name in found if limit.fits(metrics[name])]


def _tell(found: Estimate, request: Request, ready: _Ready, told: Counter[str]) -> None:
    """What went on beside the numbers; on standard error, so that results can be piped."""
    if request.measures.task is None:
        complain(f"taking this as a {found.task} task: {_why(ready, request.wanted.truth)}. --task says otherwise.")
    if told:
        first, count = told.most_common(1)[0]
        most = "" if len(told) == 1 else f", {count} times of this"
        complain(f"the learner warned {sum(told.values())} times{most}: {_cut(first)}")
    if found.failures:
        complain(f"{len(found.failures)} of {len(found.run.folds)} fits failed. The first: {_cut(found.failures[0])}.")
    elif lost := [name for name, one in found.performance.items() if np.isnan(one.train).all()]:
        complain(
            f"training values of {', '.join(lost)} are unknown: the fits in the store were measured by other metrics. --keep-train "
            "keeps what later metrics need, from the first run on."
        )


def _why(ready: _Ready, truth: str) -> str:
    """Why the task is what it was taken for."""
    if ready.rows.y.ndim == 2:
        return f"{truth} are several columns"
    if ready.rows.y.dtype.kind not in "iuf":
        return f"{truth!r} holds names of classes"
    if ready.learner.classes:
        return f"{ready.learner.name} gives probabilities or scores of classes"
    return f"{truth!r} holds numbers, and {ready.learner.name} gives no probabilities"


def _cut(text: str) -> str:
    """The beginning of what may be a whole page."""
    text = " ".join(text.split())
    return text if len(text) <= LONG else f"{text[:LONG]} ..."
