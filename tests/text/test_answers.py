"""Answers to questions: both routes against SQuAD's scoring, and thresholds of questions without an answer."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import assay
import squad_oracle as squad
from assay.data.texts import joined
from assay.metrics.text import answers, words
from messages import refusal

FEW = settings(max_examples=150, deadline=None, derandomize=True)
PIECES = [
    "a", "an", "the", "The", "A", "cat", "猫", "é", "e\u0301", "٣", "_", "-", "—", "…", ".", "$", " ", "\t", "\xa0", "\u200d", "İ", "ß",
]  # fmt: skip
TEXT = st.lists(st.sampled_from(PIECES), max_size=9).map("".join)
FOUND = st.sampled_from(["", "a", "cat", "cat dog"])
ROWS = st.lists(st.tuples(st.lists(TEXT, min_size=1, max_size=3), TEXT), min_size=1, max_size=5)


@FEW
@given(st.lists(TEXT, max_size=6))
@example(["the—cat", "a.n apple", "_a_ an", "theA", "Ａ the", "a", ""])
def test_both_tokenizers_are_that_of_the_script(texts: list[str]) -> None:
    wanted = [squad.normalize(text).split() for text in texts]
    lowered = [text.lower() for text in texts]
    assert [answers.SQUAD.split(text) for text in lowered] == wanted
    codes, begins, ends, starts = answers.SQUAD.compiled(*joined(lowered))
    found = [codes[a:b].tobytes().decode("utf-32-le") for a, b in zip(begins, ends, strict=True)]
    assert [found[a:b] for a, b in itertools.pairwise(starts)] == wanted


@pytest.mark.parametrize("version", ["1.1", "2.0"])
@pytest.mark.parametrize("compiled", [False, True])
@FEW
@given(ROWS)
@example([(["", "cat"], ""), (["the"], "a"), ([""], ""), (["a", "cat"], "the")])
def test_rows_are_those_of_the_script(version: str, compiled: bool, rows: list[tuple[list[str], str]]) -> None:
    truth, found = (list(side) for side in zip(*rows, strict=True))
    exact, f1 = squad.scores(truth, found, version)
    with pytest.MonkeyPatch.context() as patch:
        for module in (answers, words):
            patch.setattr(module, "compiled_pays", lambda _: compiled)
        for metric, wanted in (
            (assay.metrics.ExactMatch(normalization="squad", version=version), exact),
            (assay.metrics.TokenF1(version=version), f1),
        ):
            ours = metric.statistic().unit_rows(metric.inputs(truth, found))[:, 1]
            np.testing.assert_array_equal(ours, wanted)


def test_raw_words_keep_case_and_punctuation() -> None:
    assert assay.token_f1(["The cat."], ["the cat."], normalization="raw") == 0.5
    assert assay.token_f1(["The cat."], ["a cat"]) == 1


def test_a_version_means_nothing_to_raw_texts() -> None:
    refusal(lambda: assay.exact_match(["a"], ["a"], version="1.1"))


def threshold(*args: object, **options: object) -> tuple[float, float]:
    with pytest.warns(assay.SelectionWarning):
        return assay.no_answer_threshold(*args, **options)


@FEW
@given(st.lists(st.tuples(st.sampled_from([[""], ["cat"], ["the"]]), FOUND, st.floats(0, 1)), min_size=1, max_size=8))
def test_thresholds_are_those_of_the_script(rows: list[tuple[list[str], str, float]]) -> None:
    truth, found, scores = (list(side) for side in zip(*rows, strict=True))
    answerable = [any(own) for own in truth]
    for name, scored in zip(("exact", "f1"), squad.scores(truth, found, "2.0"), strict=True):
        value, at = squad.best_threshold(found, scored, scores, answerable)
        ours = threshold(truth, found, scores, metric=name, compat="squad")
        assert ours.value == pytest.approx(value / 100, abs=1e-14)
        assert ours.threshold == at


@FEW
@given(
    st.lists(st.tuples(st.sampled_from(["", "cat"]), FOUND, st.sampled_from([0.0, 0.2, 0.7])), min_size=1, max_size=8)
)
def test_the_value_is_reached_with_ties(rows: list[tuple[str, str, float]]) -> None:
    truth, found, scores = (list(side) for side in zip(*rows, strict=True))
    reached = {
        t: assay.token_f1(truth, [text if s <= t else "" for text, s in zip(found, scores, strict=True)])
        for t in (-np.inf, *scores)
    }
    ours = threshold(truth, found, scores)
    assert ours.value == pytest.approx(max(reached.values()), abs=1e-14)
    at = -np.inf if ours.threshold == 0 and 0.0 not in scores else ours.threshold
    assert reached[at] == pytest.approx(ours.value, abs=1e-14)


def test_scores_that_are_refused() -> None:
    refusal(lambda: assay.no_answer_threshold(["a"], ["a"], [0.1, 0.2]))
    refusal(lambda: assay.no_answer_threshold(["a"], ["a"], [np.nan]))
    refusal(lambda: assay.no_answer_threshold(["a"], ["a"], [0.5], metric="bleu"))
