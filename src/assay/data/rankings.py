"""Judged documents beside rankings, one row per query, from what users pass: score matrices, lists, nested dicts, long frames.

The truth becomes a column of judged documents (``grade``, and ``score``: what the ranking gives them, NaN if it lacks them), the ranking a
column of scores. Where every document has a grade, as in a matrix, the two columns are aligned and the truth holds grades only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any, TypeGuard, cast

import numpy as np

from assay.core.arrays import ArrayLike, describe, to_host
from assay.core.errors import InputError, arg
from assay.core.ingestion import ingest
from assay.core.ragged import Ragged
from assay.data.cells import object_column
from assay.data.ranking_frames import from_frame, is_frame

_GRADE_FIX = "NaN marks a document without a judgment."
_SCORE_FIX = "Mask documents that are not ranked: np.ma.masked_invalid(scores)."
UNKNOWN = "unjudged_queries"  # in the pools of a ranking: queries that it has and the truth lacks


@dataclass(frozen=True, eq=False)
class Joined:
    """Judgments and one ranking that a reader has joined: it is passed as the ranking, beside whatever truth."""

    truth: Ragged
    ranking: Ragged

    def __len__(self) -> int:
        return self.truth.n


def rankings(y_true: object, y_score: object, *, ordered: bool, who: str) -> tuple[Ragged, Ragged]:
    """The two columns. ``ordered`` rankings are documents from best to worst, others are scores."""
    name = "y_pred" if ordered else "y_score"
    if isinstance(y_score, Joined):
        return y_score.truth, y_score.ranking
    if isinstance(y_true, Ragged) and isinstance(y_score, Ragged):
        return y_true, y_score
    y_true = from_frame(y_true, "grade", who, "y_true") if is_frame(y_true) else y_true
    y_score = from_frame(y_score, "score", who, name) if is_frame(y_score) else y_score
    if is_keyed(y_true) or ordered:
        return _keyed(y_true, y_score, ordered=ordered, who=who, name=name)
    if is_keyed(y_score):
        raise InputError(
            who,
            "y_true",
            f"must name documents as {name} does, got {_kind(y_true)}",
            "Give the judgments of each query as {document: grade}.",
        )
    return _aligned(_numbers(y_true, "y_true", who), _numbers(y_score, name, who), who, name)


def is_keyed(value: object) -> TypeGuard[Mapping[Any, Any] | Sequence[Any]]:
    """Whether documents have names: a mapping by query, or a list with a mapping or set of documents per query."""
    if isinstance(value, Mapping):
        return True
    if not isinstance(value, list | tuple):
        rows = cast(Any, value) if isinstance(value, np.ndarray) else np.zeros(1)
        return rows.dtype == object and (not rows.size or any(map(_is_named, rows.ravel().tolist())))
    return any(map(_is_named, cast("Sequence[object]", value)))


def _is_named(row: object) -> bool:
    if isinstance(row, list | tuple):
        return any(isinstance(item, str | bytes) for item in cast("Sequence[object]", row))
    return isinstance(row, Mapping | set | frozenset)


def _kind(value: object) -> str:
    return describe(value) if isinstance(value, np.ndarray) else type(value).__name__


# ---- scores and grades of the same documents, in the same places


class _Numbers:
    """Numbers per query in one flat array; ``there`` marks those that a mask leaves, None for all."""

    def __init__(self, flat: Any, counts: Any, there: Any = None) -> None:
        self.flat, self.counts, self.there = flat, counts, there


def _numbers(value: Any, name: str, who: str) -> _Numbers:
    if isinstance(value, np.ma.MaskedArray):
        masked = cast("np.ma.MaskedArray[Any, Any]", value)
        _refuse_rank(masked, name, who)
        there = ~np.ma.getmaskarray(masked).reshape(-1)
        return _Numbers(_floats(masked.filled(0).reshape(-1), name, who), _widths(masked), there)
    if isinstance(value, list | tuple) and not _is_rectangular(cast("Sequence[object]", value)):
        rows = cast("Sequence[Any]", value)
        arrays = [to_host(ingest(row, name=f"{name}[{at}]", who=who)) for at, row in enumerate(rows) if len(row)]
        flat = np.concatenate([np.ravel(a) for a in arrays]) if arrays else np.zeros(0)
        return _Numbers(_floats(flat, name, who), np.array([len(row) for row in rows], np.int64))
    array = to_host(ingest(cast("ArrayLike", value), name=name, who=who))
    _refuse_rank(array, name, who)
    return _Numbers(_floats(array.reshape(-1), name, who), _widths(array))


def _is_rectangular(rows: Sequence[object]) -> bool:
    sizes = {len(row) if isinstance(row, Sized) else -1 for row in rows}
    return len(sizes) == 1 and (not rows or 0 not in sizes)


def _refuse_rank(array: Any, name: str, who: str) -> None:
    if array.ndim != 2:
        raise InputError(
            who,
            name,
            f"must have one row per query and one column per document, got {describe(np.asarray(array))}",
            f"Pass {name}[None, :] for a single query." if array.ndim == 1 else "",
        )


def _widths(array: Any) -> Any:
    return np.full(array.shape[0], array.shape[1], np.int64)


def _floats(flat: Any, name: str, who: str) -> Any:
    if flat.dtype.kind not in "biuf":
        raise InputError(who, name, f"must hold numbers, got {describe(flat)}")
    return flat.astype(np.float64, copy=False)


def _aligned(truth: _Numbers, scores: _Numbers, who: str, name: str) -> tuple[Ragged, Ragged]:
    """Grades and scores of the same documents: sizes must agree, nothing is cut off."""
    if len(truth.counts) != len(scores.counts):
        raise InputError(
            who,
            "y_true",
            f"has {len(truth.counts)} queries, but {name} has {len(scores.counts)}",
            "Give both the same.",
        )
    unequal = truth.counts != scores.counts
    if unequal.any():
        at = int(np.argmax(unequal))
        raise InputError(
            who, "y_true", f"has {truth.counts[at]} documents in query {at}, but {name} has {scores.counts[at]}",
            f"Give every document a grade and a score; a masked array leaves scores out, NaN in {arg('y_true')} leaves judgments out.",
        )  # fmt: skip
    _refuse_infinite(scores.flat, scores.counts, who, name)
    if truth.there is not None:
        truth.flat = np.where(truth.there, truth.flat, np.nan)
    if np.isinf(truth.flat.min(initial=0.0)) or np.isinf(truth.flat.max(initial=0.0)):
        _refuse_infinite(np.nan_to_num(truth.flat, nan=0.0, posinf=np.inf, neginf=-np.inf), truth.counts, who, "y_true")
    if scores.there is None:
        return Ragged.of({"grade": truth.flat}, truth.counts), Ragged.of({"score": scores.flat}, scores.counts)
    judged = ~np.isnan(truth.flat)
    whole = Ragged.of({"grade": truth.flat, "score": np.where(scores.there, scores.flat, np.nan)}, truth.counts)
    places = np.arange(len(truth.flat)) - np.repeat(whole.starts[:-1], whole.counts)
    columns = object_column(np.split(places[judged], np.cumsum(np.bincount(whole.row[judged], minlength=whole.n))[:-1]))
    kept = Ragged.of({"score": scores.flat}, scores.counts).keep(scores.there)
    found = object_column(np.split(places[scores.there], kept.starts[1:-1]))
    truth_column = whole.keep(judged)
    return (
        Ragged(truth_column.items, truth_column.starts, facts={"ids": columns}),
        Ragged(kept.items, kept.starts, facts={"ids": found}),
    )


def _refuse_infinite(flat: Any, counts: Any, who: str, name: str) -> None:
    """Optimistic: one sum tells whether there is a score that is not finite; only then it is looked for."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(flat.sum()):
            return
    bad = ~np.isfinite(flat)
    if bad.any():
        at = int(np.argmax(bad))
        row = int(np.searchsorted(np.cumsum(counts), at, side="right"))
        place = at - int(np.cumsum(counts)[row] - counts[row])
        raise InputError(
            who, name, f"must be finite, got {flat[at]} for document {place} of query {row} ({int(bad.sum())} such values)",
            _GRADE_FIX if name == "y_true" else _SCORE_FIX,
        )  # fmt: skip


# ---- documents with names


def _keyed(y_true: Any, y_score: Any, *, ordered: bool, who: str, name: str) -> tuple[Ragged, Ragged]:
    """Join by query and document; only judged documents are looked up."""
    queries, judged = _by_query(y_true, "y_true", who)
    if isinstance(y_true, Mapping) != isinstance(y_score, Mapping):
        named, other = ("y_true", name) if isinstance(y_true, Mapping) else (name, "y_true")
        raise InputError(
            who, other, f"must name its queries as {named} does", "Give both as {query: ...}, or both as lists."
        )
    ran, found = _by_query(y_score, name, who)
    if isinstance(y_true, Mapping):
        runs = dict(zip(ran, found, strict=True))
        rows = [runs.get(query) for query in queries]
        _refuse_strangers(queries, ran, rows, who, name)
    elif len(judged) != len(found):
        raise InputError(
            who, "y_true", f"has {len(judged)} queries, but {name} has {len(found)}", "Give both the same."
        )
    else:
        rows = list(found)
    grades = [_graded(row, query, who) for query, row in zip(queries, judged, strict=True)]
    if ordered:
        ranked = [_ranks(row, query, who) for query, row in zip(queries, rows, strict=True)]
    else:
        ranked = [_scored(row, query, who) for query, row in zip(queries, rows, strict=True)]
    truth = _column(grades, "grade", queries, who, "y_true")
    scores = _column(ranked, "score", queries, who, name)
    looked_up = chain.from_iterable(map(run.get, row, repeat(np.nan)) for run, row in zip(ranked, grades, strict=True))
    truth = Ragged(
        {**truth.items, "score": np.fromiter(looked_up, np.float64, len(truth["grade"]))},
        truth.starts,
        facts=truth.facts,
    )
    _refuse_kinds(truth, grades, ranked, who, name)
    missing = np.array([row is None for row in rows], bool)
    more = len(ran) - int((~missing).sum()) if isinstance(y_true, Mapping) else 0
    return truth, Ragged(scores.items, scores.starts, {UNKNOWN: more}, {**scores.facts, "missing": missing})


def _by_query(value: Any, name: str, who: str) -> tuple[list[Any], list[Any]]:
    if isinstance(value, Mapping):
        return list(cast("Mapping[Any, Any]", value)), list(cast("Mapping[Any, Any]", value).values())
    if not isinstance(value, list | tuple | np.ndarray) and not hasattr(value, "__array__"):
        raise InputError(who, name, f"must hold one entry per query, got {type(value).__name__}")
    rows: list[Any] = list(cast("Iterable[Any]", value))
    return list(range(len(rows))), rows


def _refuse_strangers(queries: list[Any], ran: list[Any], rows: list[Any], who: str, name: str) -> None:
    """Refuse truth and ranking that have no query in common: their names are spelt in two ways."""
    if queries and ran and all(row is None for row in rows):
        raise InputError(
            who, name, f"has none of the queries of y_true, which has {queries[0]!r}, while {name} has {ran[0]!r}",
            "Write the queries of both alike.",
        )  # fmt: skip


def _graded(row: Any, query: object, who: str) -> Mapping[Any, float]:
    """Documents of a query with their grades; a list or set of documents means that these are relevant."""
    if isinstance(row, Mapping):
        return cast("Mapping[Any, float]", row)
    if isinstance(row, str | bytes) or not isinstance(row, Collection):
        raise InputError(
            who,
            "y_true",
            f"must hold {{document: grade}}, or the relevant documents, for query {query!r}; got {row!r:.60}",
        )
    return _once(cast("Collection[Any]", row), query, "y_true", who, _one)


def _ranks(row: Any, query: object, who: str) -> Mapping[Any, float]:
    if row is None:
        return {}
    if isinstance(row, str | bytes | Mapping | set | frozenset) or not isinstance(row, Iterable):
        raise InputError(
            who, "y_pred", f"must list documents from best to worst for query {query!r}, got {type(cast(object, row)).__name__}",
            f"Documents with scores are {arg('y_score')}.",
        )  # fmt: skip
    return _once(list(cast("Iterable[Any]", row)), query, "y_pred", who, _behind)


def _one(place: int) -> float:
    return 1.0


def _behind(place: int) -> float:
    """A score that is lower for every further place."""
    return -float(place)


def _once(
    row: Collection[Any], query: object, name: str, who: str, value: Callable[[int], float]
) -> Mapping[Any, float]:
    """Each document with a value by its place; refuses one that occurs twice."""
    plain: list[Any] = [cast(Any, item).item() if isinstance(item, np.generic) else item for item in row]
    wrong = next((item for item in plain if not isinstance(item, Hashable)), None)
    if wrong is not None:
        raise InputError(
            who, name, f"must name documents by text or integers, got {type(wrong).__name__} in query {query!r}"
        )
    found = {document: value(place) for place, document in enumerate(plain)}
    if len(found) < len(plain):
        again = next(document for at, document in enumerate(plain) if document in plain[:at])
        raise InputError(who, name, f"has document {again!r} twice in query {query!r}", "Keep one of them.")
    return found


def _scored(row: Any, query: object, who: str) -> Mapping[Any, float]:
    if row is None:
        return {}
    if not isinstance(row, Mapping):
        raise InputError(
            who, "y_score", f"must hold {{document: score}} for query {query!r}, got {type(row).__name__}",
            f"Documents in order, without scores, are {arg('y_pred')}.",
        )  # fmt: skip
    return cast("Mapping[Any, float]", row)


def _column(rows: Sequence[Mapping[Any, float]], item: str, queries: list[Any], who: str, name: str) -> Ragged:
    counts = np.fromiter(map(len, rows), np.int64, len(rows))
    try:
        values = np.fromiter(chain.from_iterable(row.values() for row in rows), np.float64, int(counts.sum()))
        with np.errstate(over="ignore", invalid="ignore"):
            fits = bool(np.isfinite(values.sum()) or np.isfinite(values).all())
    except (TypeError, ValueError):
        fits, values = False, np.zeros(0)
    if not fits:
        _refuse_value(rows, item, queries, who, name)
    return Ragged.of({item: values}, counts, facts={"query": object_column(queries), "ids": object_column(rows)})


def _refuse_value(rows: Sequence[Mapping[Any, Any]], item: str, queries: list[Any], who: str, name: str) -> None:
    for query, row in zip(queries, rows, strict=True):
        for document, value in row.items():
            try:
                fits = not isinstance(value, str | bytes) and bool(np.isfinite(float(value)))
            except (TypeError, ValueError, OverflowError):
                fits = False
            if not fits:
                raise InputError(
                    who, name, f"must have a finite {item} for every document, got {value!r:.40} for document {document!r} of "
                    f"query {query!r}", "Drop it: a document without a judgment or a score is not listed.",
                )  # fmt: skip


def _refuse_kinds(truth: Ragged, grades: Sequence[Any], ranked: Sequence[Any], who: str, name: str) -> None:
    """Documents that are text on one side and numbers on the other never match."""
    if not np.isnan(truth["score"]).all():
        return
    ids = [next(chain.from_iterable(rows), None) for rows in (grades, ranked)]
    if None not in ids and isinstance(ids[0], str) != isinstance(ids[1], str):
        raise InputError(
            who, name, f"names documents such as {ids[1]!r}, but y_true names them such as {ids[0]!r}",
            "Make both text, or both numbers.",
        )  # fmt: skip
