"""TREC's files: judgments (qrels) and runs, joined in one pass over their bytes.

Fields are separated by any run of spaces and tabs, lines end in any way, ``#`` begins a comment. The rank column of a run is ignored, as
trec_eval does; a document that occurs twice in a query is an error that names the line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay import kernels
from assay.core.errors import InputError
from assay.core.ragged import Ragged
from assay.data.cells import object_column
from assay.data.rankings import UNKNOWN, Joined


class _Form(NamedTuple):
    """What a line holds: the number of fields, which of them is the number, and what it is called."""

    fields: int
    value: int
    number: str
    example: str


QRELS = _Form(4, 3, "grade", "query iteration document grade")
RUN = _Form(6, 4, "score", "query Q0 document rank score tag")


@dataclass(frozen=True, eq=False)
class _Names:
    """Documents of a query, read from the text when ties are broken by them."""

    text: Any
    spans: Any

    def __iter__(self) -> Iterator[bytes]:
        return (bytes(self.text[a:b]) for a, b in self.spans[:, 2:4].tolist())


@dataclass(frozen=True, eq=False)
class _Lines:
    """The lines of a file, those of one query together: text, spans, numbers, and the edges of each query."""

    path: str
    text: Any
    spans: Any
    numbers: Any
    queries: dict[bytes, tuple[int, int]]

    def line(self, at: int) -> int:
        """The number of a line in the file, from 1."""
        return int(self.spans[at, 6]) + 1


def read_trec(qrels: str | os.PathLike[str], run: str | os.PathLike[str]) -> Joined:
    """Judgments and a run, joined by query and document: pass it as ``y_score`` to metrics and `evaluate`."""
    return joined(read_lines(qrels, QRELS), read_lines(run, RUN))


def read_lines(path: str | os.PathLike[str], form: _Form) -> _Lines:
    """The lines of one file, checked."""
    name = str(path)
    try:
        text = np.fromfile(Path(path), np.uint8)
    except OSError as error:
        raise InputError(name, "", f"cannot be read ({error.strerror})") from error
    kept, spans, numbers, simple = kernels.trec_lines.scan(text, form.fields, form.value, form.fields)
    if kept < 0:
        fix = f"A line is: {form.example}."
        raise InputError(name, "", f"line {-kept} does not have {form.fields} fields", fix)
    if not kept:
        raise InputError(name, "", "is empty", f"A line is: {form.example}.")
    for at in np.flatnonzero(~simple).tolist():
        numbers[at] = _parsed(name, text, spans[at], form)
    return _together(name, text, spans, numbers)


def _parsed(name: str, text: Any, span: Any, form: _Form) -> float:
    written = bytes(text[span[4] : span[5]]).decode("utf-8", "replace")
    try:
        value = float(written)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise InputError(
            name, "", f"line {span[6] + 1} must have a finite {form.number} as field {form.value + 1}, got {written!r:.40}",
            f"A line is: {form.example}.",
        )  # fmt: skip
    return value


def _together(name: str, text: Any, spans: Any, numbers: Any) -> _Lines:
    """Lines of one query side by side: most files have them so, others are put in order."""
    starts = np.flatnonzero(kernels.trec_lines.first_of_query(text, spans))
    stops = np.append(starts[1:], len(spans))
    queries: dict[bytes, tuple[int, int]] = {}
    blocks: dict[bytes, list[int]] = {}
    for block, start in enumerate(starts.tolist()):
        blocks.setdefault(bytes(text[spans[start, 0] : spans[start, 1]]), []).append(block)
    if len(blocks) < len(starts):
        order = _ranges([(int(starts[b]), int(stops[b])) for own in blocks.values() for b in own])
        spans, numbers = spans[order], numbers[order]
    at = 0
    for query, own in blocks.items():
        size = int(sum(stops[b] - starts[b] for b in own))
        queries[query] = (at, at + size)
        at += size
    return _Lines(name, text, spans, numbers, queries)


def joined(judged: _Lines, run: _Lines) -> Joined:
    """The columns of rankings; queries in the order of the judgments."""
    bounds = np.array(list(judged.queries.values()), np.int64)
    ranked = np.array([run.queries.get(query, (0, 0)) for query in judged.queries], np.int64)
    missing = np.array([query not in run.queries for query in judged.queries], bool)
    if missing.all():
        theirs, ours = (next(iter(side.queries)).decode("utf-8", "replace") for side in (run, judged))
        problem = f"has none of the queries of {judged.path}, which has {ours!r}, while it has {theirs!r}"
        raise InputError(run.path, "", problem, "Are these the judgments of this run?")
    problem, found = kernels.trec_lines.join(
        run.text, run.spans, (_column(ranked, 0), _column(ranked, 1)), judged.text, judged.spans,
        (_column(bounds, 0), _column(bounds, 1)),
    )  # fmt: skip
    if problem < 0:
        _refuse_twice(judged, run, -1 - problem)
    rows = np.repeat(np.arange(len(bounds)), bounds[:, 1] - bounds[:, 0])
    score = np.where(
        found >= 0, run.numbers[np.minimum(ranked[rows, 0] + np.maximum(found, 0), len(run.numbers) - 1)], np.nan
    )
    taken = _ranges(ranked.tolist())
    names = [query.decode("utf-8", "replace") for query in judged.queries]
    truth = Ragged.of(
        {"grade": judged.numbers, "score": score}, bounds[:, 1] - bounds[:, 0],
        facts={"query": object_column(names), "ids": _ids(judged, bounds)},
    )  # fmt: skip
    pools = {UNKNOWN: len(run.queries) - int((~missing).sum())}
    facts = {"missing": missing, "ids": _ids(run, ranked)}
    return Joined(
        truth, Ragged.of({"score": run.numbers[taken]}, ranked[:, 1] - ranked[:, 0], pools=pools, facts=facts)
    )


def _ranges(edges: list[tuple[int, int]]) -> Any:
    """Positions of several ranges one after the other."""
    return np.concatenate([np.arange(a, b, dtype=np.int64) for a, b in edges]) if edges else np.zeros(0, np.int64)


def _column(edges: Any, at: int) -> Any:
    return np.ascontiguousarray(edges[:, at])


def _ids(side: _Lines, edges: Any) -> Any:
    return object_column([_Names(side.text, side.spans[a:b]) for a, b in edges.tolist()])


def _refuse_twice(judged: _Lines, run: _Lines, at: int) -> None:
    side, at = (run, at) if at < len(run.spans) else (judged, at - len(run.spans))
    a, b = side.spans[at, 2:4]
    query = bytes(side.text[side.spans[at, 0] : side.spans[at, 1]]).decode("utf-8", "replace")
    document = bytes(side.text[a:b]).decode("utf-8", "replace")
    raise InputError(
        side.path,
        "",
        f"line {side.line(at)} has document {document!r} of query {query!r} a second time",
        "Keep one of them.",
    )
