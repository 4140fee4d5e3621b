"""Edits: kernels and plain code against RapidFuzz and jiwer, and the alignments with the most and the fewest hits."""

from __future__ import annotations

import functools
import itertools

import jiwer
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

import assay
from assay import kernels
from assay.metrics.text import edits as module

FEW = settings(max_examples=150, deadline=None, derandomize=True)
SYMBOLS = st.lists(st.integers(0, 3), max_size=12)


def theirs(a: list[int], b: list[int]) -> list[int]:
    tags = [op.tag for op in Levenshtein.editops(a, b)]
    counts = [tags.count(tag) for tag in ("replace", "delete", "insert")]
    return [len(a) - counts[0] - counts[1], *counts]


def compiled(function: object, a: list[int], b: list[int], *more: object) -> list[int]:
    ids = np.array([*a, *b], dtype=np.int32)
    starts = np.array([0, len(a), len(a) + len(b)], dtype=np.int64)
    pair = np.array([0], dtype=np.int64), np.array([1], dtype=np.int64)
    return function(ids, starts, *pair, *more)[0].tolist()


@FEW
@given(SYMBOLS, SYMBOLS)
@example([0] * 70 + [1] + [2] * 70, [2] * 65 + [1] + [0] * 80)
@example(list(range(4)) * 40, list(range(3)) * 50)
def test_counts_are_those_of_rapidfuzz(a: list[int], b: list[int]) -> None:
    wanted = theirs(a, b)
    assert compiled(kernels.edit_distance.edits, a, b, 4) == wanted
    kinds = [kind for kind, _, _ in module.shortest(a, b)]
    assert [kinds.count(kind) for kind in ("hit", "substitution", "deletion", "insertion")] == wanted


def test_long_sequences() -> None:
    rng = np.random.default_rng(2)
    for size in (63, 64, 65, 128, 700):
        a, b = (rng.integers(0, 5, n).tolist() for n in (size, size + int(rng.integers(-9, 9))))
        assert compiled(kernels.edit_distance.edits, a, b, 5) == theirs(a, b)


def every_alignment(a: tuple[int, ...], b: tuple[int, ...]) -> set[tuple[int, ...]]:
    """(cost, hits) of all alignments, by recursion."""

    @functools.cache
    def ways(i: int, j: int) -> frozenset[tuple[int, int]]:
        if not i and not j:
            return frozenset({(0, 0)})
        found = set()
        if i:
            found |= {(c + 1, h) for c, h in ways(i - 1, j)}
        if j:
            found |= {(c + 1, h) for c, h in ways(i, j - 1)}
        if i and j:
            same = a[i - 1] == b[j - 1]
            found |= {(c + (not same), h + same) for c, h in ways(i - 1, j - 1)}
        return frozenset(found)

    return set(ways(len(a), len(b)))


@FEW
@given(st.lists(st.integers(0, 2), max_size=7), st.lists(st.integers(0, 2), max_size=7))
def test_most_and_fewest_hits_of_all_shortest_alignments(a: list[int], b: list[int]) -> None:
    ways = every_alignment(tuple(a), tuple(b))
    cost = min(c for c, _ in ways)
    hits = [h for c, h in ways if c == cost]
    for most, wanted in ((True, max(hits)), (False, min(hits))):
        fast = compiled(kernels.edit_distance.extreme_edits, a, b, most)
        assert list(module._extreme(a, b, 1 if most else -1)) == fast
        assert fast[0] == wanted
        assert sum(fast[1:]) == cost
        assert fast[0] + fast[1] + fast[2] == len(a)
        assert fast[0] + fast[1] + fast[3] == len(b)


WORDS = st.lists(st.sampled_from(["a", "b", "c", "\u00a0", "\t", " ", "  ", "d\ne"]), min_size=1, max_size=8).map(
    " ".join
)


@FEW
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4))
def test_rates_are_those_of_jiwer(pairs: list[tuple[str, str]]) -> None:
    truth, found = (list(side) for side in zip(*pairs, strict=True))
    if not all(jiwer.transformations.wer_default(text)[0] for text in truth):
        return  # jiwer refuses an empty reference
    theirs = jiwer.process_words(truth, found)
    assert assay.word_error_rate(truth, found, tokenizer="jiwer") == pytest.approx(theirs.wer, abs=1e-14)
    assert assay.match_error_rate(truth, found, tokenizer="jiwer") == pytest.approx(theirs.mer, abs=1e-14)
    if theirs.hits + theirs.substitutions + theirs.insertions:
        assert assay.word_information_lost(truth, found, tokenizer="jiwer") == pytest.approx(theirs.wil, abs=1e-14)


def test_both_routes_give_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    truth, found = ([" ".join(rng.choice(list("abcd"), rng.integers(0, 9))) for _ in range(40)] for _ in range(2))
    for metric in (assay.metrics.WordErrorRate(), assay.metrics.WordInformationLost(alignment="fewest_hits")):
        rows = []
        for border in (0, 1 << 60):
            monkeypatch.setattr(module, "compiled_pays", lambda n, border=border: n >= border)
            rows.append(metric.statistic().unit_rows(metric.inputs(truth, found)))
        np.testing.assert_array_equal(*rows)


def test_the_alignment_is_shown() -> None:
    alignment = assay.align("the cat sat", "the hat sat down")
    assert [edit.kind for edit in alignment] == ["hit", "substitution", "hit", "insertion"]
    assert alignment.counts == {"hits": 2, "substitutions": 1, "deletions": 0, "insertions": 1}
    assert str(alignment) == "the  cat  sat  ****\nthe  hat  sat  down\n     S         I"
    assert [edit.text for edit in assay.align("a", "")] == [None]


def test_empty_sides() -> None:
    assert assay.word_error_rate(["a b", "c"], ["", "c d"]) == 1
    with pytest.warns(assay.UndefinedWarning):
        assert np.isnan(assay.word_error_rate([""], ["a"]))
    assert list(itertools.chain(assay.align("", ""))) == []
