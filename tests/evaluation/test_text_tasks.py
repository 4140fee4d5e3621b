"""Tasks of texts in `evaluate` and `compare`: units, baselines, and the warnings that the texts call for."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import assay
from assay.core.errors import AssayError
from messages import refusal

CAT = ["the cat sat on the mat", "a dog barks at the moon", "hello there, world", "two of them left today"]
SOURCE = ["die Katze sass", "ein Hund bellt", "hallo Welt", "zwei gingen"]


def translation(hypotheses: list[str], references: Any = CAT, **more: Any) -> assay.Result:
    return assay.evaluate(references, hypotheses, task="translation", level=None, **more)


def warned(result: assay.Result, words: str) -> bool:
    return any(words in warning for warning in result.warnings)


def test_a_row_is_a_sentence() -> None:
    result = translation(CAT)
    assert result.scores["bleu"] == 100
    assert "4 sentences" in str(result)
    assert warned(result, "only 4 sentences in all")


def test_the_baseline_copies_the_source() -> None:
    result = translation(CAT, extra={"source": CAT[:1] + SOURCE[1:]})
    assert result.baseline["bleu"] == pytest.approx(float(assay.bleu(CAT, CAT[:1] + SOURCE[1:])))
    assert not translation(CAT).baseline
    more: dict[str, Any] = {"extra": {"source": SOURCE * 10}, "metrics": "bleu", "replicates": 100}
    level = assay.evaluate(CAT * 10, CAT * 10, task="translation", **more)
    assert level.verdict == "Better than copying the source by bleu."


def test_warnings_about_lengths_scripts_and_references() -> None:
    assert warned(translation([text[:5] for text in CAT]), "times the characters of their references")
    assert not warned(translation(CAT), "times the characters")
    assert warned(translation(CAT), "each sentence has one reference")
    assert not warned(translation(CAT, [[text, text.upper()] for text in CAT]), "one reference")
    assert warned(translation(["", *CAT[1:]]), "1 sentence has an empty text")
    japanese = ["猫がマットの上に座った", "犬が月に吠える", "こんにちは世界", "二人は今日去った"]
    assert warned(translation(japanese, japanese), "bleu: the references are written without spaces")
    assert not warned(translation(japanese, japanese, metrics="bleu:tokenizer=char"), "without spaces")
    assert warned(translation(SOURCE, extra={"source": SOURCE}), "4 sentences equal their source")


def test_case_and_punctuation_in_transcripts() -> None:
    result = assay.evaluate(CAT, [t.upper() for t in CAT], task="speech", level=None)
    assert result.scores["word_error_rate"] == 1
    assert warned(result, "the word error rate is 1.000, and 0.000 without case and punctuation")
    assert not warned(assay.evaluate(CAT, CAT, task="speech", level=None), "punctuation")


def test_questions_beside_the_most_common_answer() -> None:
    truth = [["Paris", "paris"], "Rome", ["the Paris"], ""]
    result = assay.evaluate(truth, ["Paris", "rome", "Oslo", ""], task="question_answering", level=None)
    assert "4 questions" in str(result)
    assert [float(value) for value in result.scores.values()] == [0.75, 0.75]
    assert list(result.baseline.values()) == [0.5, 0.5]


def test_summaries_beside_the_first_sentences() -> None:
    source = ["A cat sat. It slept! Then it ate? It left.", "One line\nanother\nthird\nfourth"]
    lead = ["A cat sat.\nIt slept!\nThen it ate?", "One line\nanother\nthird"]
    result = assay.evaluate(lead, ["A cat sat.", "One"], task="summarization", extra={"source": source}, level=None)
    assert set(result.baseline.values()) == {1.0}
    assert "2 documents" in str(result)


def test_captions_have_several_references() -> None:
    result = assay.evaluate(
        [["a cat sits", "one cat"], ["a dog"]] * 3, ["a cat", "a dog"] * 3, task="captioning", level=None
    )
    assert len(result.scores) == 5
    assert "6 captions" in str(result)


def test_columns_of_a_frame() -> None:
    frame = pd.DataFrame({"a": CAT, "b": SOURCE, "hyp": CAT, "site": ["x", "y"] * 2})
    more: dict[str, Any] = {"by": "site", "extra": {"source": "b"}, "level": None}
    result = assay.evaluate(frame, truth=["a", "b"], pred="hyp", task="translation", **more)
    assert result.scores["bleu"] == 100
    assert result.slices["site"]["x"]["bleu"] == 100
    assert result.baseline["bleu"] == pytest.approx(float(assay.bleu(list(zip(CAT, SOURCE, strict=True)), SOURCE)))


def test_compare_pairs_sentences() -> None:
    worse = [text.replace("the", "a") for text in CAT]
    found = assay.compare(CAT * 10, {"good": CAT * 10, "worse": worse * 10}, task="translation", replicates=200)
    assert found["bleu"].order == ["good", "worse"]


def test_a_result_travels_with_its_warnings() -> None:
    result = translation([text[:5] for text in CAT])
    assert pickle.loads(pickle.dumps(result)).warnings == result.warnings


@pytest.mark.parametrize(
    "given",
    [
        {"task": "translation", "y_true": CAT, "y_pred": CAT[:3]},
        {"task": "translation", "y_true": CAT, "y_pred": None},
        {"task": "translation", "y_true": CAT, "y_pred": CAT, "positive": "a"},
        {"task": "translation", "y_true": CAT, "y_pred": CAT, "classes": ["a"]},
        {"task": "translation", "y_true": CAT, "y_pred": CAT, "extra": {"source": SOURCE[:2]}},
        {"task": "translation", "y_true": CAT, "y_pred": CAT, "extra": {"sources": SOURCE}},
        {"task": "speech", "y_true": CAT, "y_pred": CAT, "extra": {"source": SOURCE}},
        {"task": "speech", "y_true": [[t, t] for t in CAT], "y_pred": CAT},
        {"task": "speech", "y_true": [[t, t] for t in CAT], "y_pred": CAT, "metrics": "bleu, word_error_rate"},
        {"task": "translation", "y_true": CAT, "y_pred": np.arange(4)},
        {"task": "translation", "y_true": CAT, "y_pred": [None, *CAT[1:]]},
        {"task": "translation", "y_true": [[None], *CAT[1:]], "y_pred": CAT},
        {"task": "translation", "y_true": list(zip(*[CAT, CAT], strict=True))[:2], "y_pred": CAT},
        {"task": "translation", "y_true": "one text", "y_pred": CAT},
        {"task": "translation", "y_true": CAT, "y_pred": CAT, "metrics": "accuracy"},
        {"task": "translation", "y_true": CAT, "y_pred": CAT, "parameters": {"tokeniser": "13a"}},
    ],
)
def test_refused(given: dict[str, Any]) -> None:
    with refusal(AssayError):
        assay.evaluate(**given)
