"""Where the judged documents of each query stand in its ranking, and how equal scores are put in order."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np

from assay import kernels
from assay.core.arrays import Floats, Host
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs, memo
from assay.core.ragged import Ragged
from assay.data.cells import object_column

Ties = Literal["id", "average", "input", "pessimistic", "error"]


@dataclass(frozen=True)
class Documents:
    """Judged documents: the row of the query, the grade, the score (NaN if not ranked), the place among the judgments of the row."""

    row: Any
    grade: Floats
    score: Floats
    place: Any

    def at(self, which: Host) -> Documents:
        """Some of them."""
        return Documents(self.row[which], self.grade[which], self.score[which], self.place[which])


@dataclass(frozen=True)
class Standing:
    """Judged documents that are ranked: ``above`` are ranked before them, ``size`` share their place (1 once ties are broken)."""

    row: Any
    grade: Floats
    above: Any
    size: Any

    def at(self, which: Host) -> Standing:
        """Some of them."""
        return Standing(self.row[which], self.grade[which], self.above[which], self.size[which])


@dataclass(frozen=True)
class Order:
    """How documents are put in order: the rule for equal scores, and whether scores are read in single precision."""

    ties: Ties = "id"
    single: bool = False


@memo
def documents(inputs: Inputs, *, everything: bool) -> Documents:
    """The documents with a grade above 0, or all judged ones; rows in order."""
    truth, ranking = cast(Ragged, inputs["y_true"]), cast(Ragged, inputs["y_score"])
    grade = truth["grade"]
    at = np.flatnonzero(~np.isnan(grade) if everything else grade > 0)
    row = np.searchsorted(truth.starts, at, side="right") - 1
    score = (truth if "score" in truth else ranking)["score"]
    return Documents(row, grade[at], score[at], at - truth.starts[row])


@memo
def standing(inputs: Inputs, order: Order, *, everything: bool) -> Standing:
    """Where they stand. Ties are broken by the rule; ``average`` and ``error`` leave them."""
    found, raw = _raw(inputs, order.single, everything=everything)
    tied = raw.size > 1
    if not tied.any() or order.ties == "average":
        return raw
    if order.ties == "error":
        _refuse_ties(inputs, raw)
        return raw
    above, size = raw.above.copy(), np.ones_like(raw.size)
    ranking = cast(Ragged, inputs["y_score"])
    scores = _rounded(ranking["score"], order.single)
    edges = np.flatnonzero(np.diff(raw.row[tied], prepend=-1))
    where = np.flatnonzero(tied)
    for one in np.split(where, edges[1:]):  # the documents of one query that share their score
        row = int(raw.row[one[0]])
        own = scores[ranking.starts[row] : ranking.starts[row + 1]]
        for score in np.unique(_rounded(found.score[one], order.single)):
            group = one[_rounded(found.score[one], order.single) == score]
            above[group] += _places(inputs, order.ties, row, np.flatnonzero(own == score), found.at(group))
    return replace(raw, above=above, size=size)


@memo
def tied_queries(inputs: Inputs, single: bool) -> Host:
    """For each query whether a relevant document shares its score with one of another grade: the value depends on the tie."""
    _, raw = _raw(inputs, single, everything=False)
    return _mixed(raw, inputs.n)


@memo
def _raw(inputs: Inputs, single: bool, *, everything: bool) -> tuple[Documents, Standing]:
    judged = documents(inputs, everything=everything)
    found = judged.at(~np.isnan(judged.score))
    ranking = cast(Ragged, inputs["y_score"])
    scores, wanted = _rounded(ranking["score"], single), _rounded(found.score, single)
    starts = np.searchsorted(found.row, np.arange(inputs.n + 1))
    loaded = "assay.kernels.trec_lines" in sys.modules  # the compiler is there already
    count = kernels.judged_ranks.standing if loaded or kernels.worthwhile(scores) else _plain_standing
    above, size = count(scores, ranking.starts, wanted, starts)
    return found, Standing(found.row, found.grade, above, size)


def _plain_standing(scores: Floats, starts: Any, wanted: Floats, wanted_starts: Any) -> tuple[Any, Any]:
    """The kernel's count in NumPy, for data that do not repay loading a compiler: every ranking is sorted."""
    above, equal = np.empty(len(wanted), np.int64), np.empty(len(wanted), np.int64)
    for row in np.flatnonzero(np.diff(wanted_starts)):
        ordered = np.sort(scores[starts[row] : starts[row + 1]])
        own = slice(wanted_starts[row], wanted_starts[row + 1])
        not_above = np.searchsorted(ordered, wanted[own], side="right")
        above[own] = len(ordered) - not_above
        equal[own] = not_above - np.searchsorted(ordered, wanted[own], side="left")
    return above, equal


def _rounded(scores: Floats, single: bool) -> Floats:
    return scores.astype(np.float32).astype(np.float64) if single else scores


def _mixed(raw: Standing, n: int) -> Any:
    tied = np.flatnonzero(raw.size > 1)
    flags = np.zeros(n, bool)
    if len(tied):
        kinds = np.stack([raw.row[tied], raw.above[tied], raw.grade[tied]], axis=1)
        _, inverse, counts = np.unique(kinds, axis=0, return_inverse=True, return_counts=True)
        mixed = counts[inverse.reshape(-1)] < raw.size[tied]
        flags[raw.row[tied][mixed]] = True
    return flags


def _refuse_ties(inputs: Inputs, raw: Standing) -> None:
    mixed = _mixed(raw, inputs.n)
    if mixed.any():
        row = int(np.argmax(mixed))
        raise InputError(
            inputs.who, "y_score", f"has equal scores for documents of different grades in query {query_name(inputs, row)!r} "
            f"({int(mixed.sum())} such queries)", f"Choose how to break ties: {arg('ties', 'average')} or {arg('ties', 'id')}.",
        )  # fmt: skip


def query_name(inputs: Inputs, row: int) -> object:
    """What the caller calls the query: its name, or its number."""
    names = cast(Ragged, inputs["y_true"]).facts.get("query")
    return row if names is None else names[row]


def _places(inputs: Inputs, ties: Ties, row: int, tied: Any, wanted: Documents) -> Any:
    """How many of the ``tied`` places of a ranking come before each of the wanted documents, which are among them."""
    if ties == "pessimistic":
        order = np.argsort(wanted.grade, kind="stable")
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(tied) - len(order), len(tied))
        return places
    own = _own_places(inputs, row, wanted)
    ranks = np.arange(len(tied)) if ties == "input" else _by_id(inputs, row, tied)
    return ranks[np.searchsorted(tied, own)]


def _own_places(inputs: Inputs, row: int, wanted: Documents) -> Any:
    """Places of the wanted documents in the ranking of their query."""
    ranked = cast(Ragged, inputs["y_score"]).facts.get("ids")
    if ranked is None:
        return wanted.place  # grades and scores stand in the same places
    judged = list(cast(Ragged, inputs["y_true"]).facts["ids"][row])
    index = {document: at for at, document in enumerate(ranked[row])}
    return np.array([index[judged[at]] for at in wanted.place.tolist()], np.int64)


def _by_id(inputs: Inputs, row: int, tied: Any) -> Any:
    """The rank of each tied place when documents are put in descending order of their names, byte by byte."""
    ids = cast(Ragged, inputs["y_score"]).facts.get("ids")
    ranks = np.empty(len(tied), np.int64)
    if ids is None:  # the name of a document is the number of its column
        ranks[:] = np.arange(len(tied))[::-1]
        return ranks
    listed = list(ids[row])
    names = [listed[at] for at in tied.tolist()]
    ranks[sorted(range(len(names)), key=_key(names), reverse=True)] = np.arange(len(names))
    return ranks


def _key(names: Sequence[Any]) -> Any:
    """Text by its bytes in UTF-8; numbers as numbers."""
    numbers = all(isinstance(name, int | np.integer) for name in names)

    def key(at: int) -> Any:
        plain = numbers or isinstance(names[at], bytes)
        return names[at] if plain else str(names[at]).encode("utf-8", "surrogatepass")

    return key


@memo
def all_judged(inputs: Inputs, grade: float) -> Inputs:
    """The same data with a judgment of this grade for every ranked document that has none."""
    truth, ranking = cast(Ragged, inputs["y_true"]), cast(Ragged, inputs["y_score"])
    if "score" not in truth:
        filled = np.where(np.isnan(truth["grade"]), grade, truth["grade"])
        return inputs.replaced({"y_true": replace(truth, items={"grade": filled})})
    rows: list[dict[Any, float]] = []
    scores: list[float] = []
    for row in range(inputs.n):
        own = slice(truth.starts[row], truth.starts[row + 1])
        ranked = dict(
            zip(
                ranking.facts["ids"][row],
                ranking["score"][ranking.starts[row] : ranking.starts[row + 1]].tolist(),
                strict=True,
            )
        )
        judged = dict(zip(truth.facts["ids"][row], truth["grade"][own].tolist(), strict=True))
        judged = {
            document: known if known >= 0 or document not in ranked else grade for document, known in judged.items()
        }
        rows.append({**judged, **{document: grade for document in ranked if document not in judged}})
        scores.extend(ranked.get(document, np.nan) for document in rows[-1])
    items = {"grade": np.array([g for row in rows for g in row.values()]), "score": np.array(scores)}
    facts = {**truth.facts, "ids": object_column(rows)}
    return inputs.replaced({"y_true": Ragged.of(items, [len(row) for row in rows], facts=facts)})
