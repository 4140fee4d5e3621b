"""Metrics of text against other implementations."""

from __future__ import annotations

import numpy as np
import pytest

import assay
import fixtures
import squad_oracle as squad


def test_exact_match_is_accuracy_of_texts() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(5)
    truth, found = (rng.choice(["a b", "a  b", "A b", ""], 200).tolist() for _ in range(2))
    assert assay.exact_match(truth, found) == pytest.approx(metrics.accuracy_score(truth, found), abs=1e-15)


def test_error_rates_are_those_of_jiwer() -> None:
    jiwer = pytest.importorskip("jiwer")
    rng = np.random.default_rng(6)
    truth, found = ([" ".join(rng.choice(list("abcdef"), rng.integers(1, 20))) for _ in range(300)] for _ in range(2))
    theirs = jiwer.process_words(truth, found)
    pairs = {
        "word_error_rate": "wer",
        "match_error_rate": "mer",
        "word_information_lost": "wil",
        "word_information_preserved": "wip",
    }
    for ours, name in pairs.items():
        assert getattr(assay, ours)(truth, found) == pytest.approx(getattr(theirs, name), abs=1e-14), ours
    assert assay.character_error_rate(truth, found) == pytest.approx(jiwer.cer(truth, found), abs=1e-14)


def published_answers(version: str, name: str) -> tuple[dict, list[list[str]], list[str]]:
    """The published numbers of a system, references, and its answers; version 1.1 has answerable questions only."""
    folder = ("08_qa", "squad_shared")
    wanted = fixtures.load_json(*folder, "expected.json")[f"v{version}/{name}"]
    found = fixtures.load_json(*folder, f"pred_v{version.removesuffix('.0')}_{name}.json")
    asked = [
        qa
        for article in fixtures.load_json(*folder, "data_v2.json")["data"]
        for paragraph in article["paragraphs"]
        for qa in paragraph["qas"]
        if version == "2.0" or qa["answers"]
    ]
    truth = [[answer["text"] for answer in qa["answers"]] or [""] for qa in asked]
    return wanted, truth, [found[qa["id"]] for qa in asked]


@pytest.mark.parametrize("name", ["BERT_single", "nlnet"])
def test_answers_score_what_squad_2_published(name: str) -> None:
    wanted, truth, found = published_answers("2.0", name)
    exact, f1 = assay.metrics.ExactMatch(normalization="squad"), assay.metrics.TokenF1()
    for metric, key in ((exact, "exact"), (f1, "f1")):
        rows = metric.statistic().unit_rows(metric.inputs(truth, found))[:, 1]
        has = np.array([own != [""] for own in truth])
        assert 100 * metric(truth, found) == pytest.approx(wanted[key], abs=1e-11)
        assert 100 * rows[has].mean() == pytest.approx(wanted[f"HasAns_{key}"], abs=1e-11)
        assert 100 * rows[~has].mean() == pytest.approx(wanted[f"NoAns_{key}"], abs=1e-11)


@pytest.mark.parametrize("name", ["BERT_ensemble", "LogisticRegression"])
def test_answers_score_what_squad_1_published(name: str) -> None:
    wanted, truth, found = published_answers("1.1", name)
    options = {"normalization": "squad", "version": "1.1"}
    assert 100 * assay.exact_match(truth, found, **options) == pytest.approx(wanted["exact_match"], abs=1e-11)
    assert 100 * assay.token_f1(truth, found, **options) == pytest.approx(wanted["f1"], abs=1e-11)


def test_many_answers_score_what_the_scripts_say() -> None:
    """Enough text for the compiled route."""
    rng = np.random.default_rng(9)
    words = ["the", "A", "cat", "dog.", "(3.5)", "Über", "Tower", "—", "日本"]
    truth, found = ([" ".join(rng.choice(words, rng.integers(0, 6))) for _ in range(60_000)] for _ in range(2))
    for version in ("1.1", "2.0"):
        exact, f1 = squad.scores([[text] for text in truth], found, version)
        options = {"normalization": "squad", "version": version}
        assert assay.exact_match(truth, found, **options) == pytest.approx(np.mean(exact), abs=1e-12)
        assert assay.token_f1(truth, found, **options) == pytest.approx(np.mean(f1), abs=1e-12)


PERL = "single [target.txt/prediction.txt, line 0 and 1] (R,P,F from perl ROUGE-1.5.5)"


@pytest.mark.parametrize("name", ["rouge1", "rouge1_stem", "rouge2", "rouge2_stem", "rougeL"])
def test_rouge_is_what_the_perl_script_published(name: str) -> None:
    folder = ("05_rouge", "google_rouge")
    wanted = fixtures.load_json(*folder, "expected.json")[PERL][name]
    truth, found = (fixtures.path(*folder, f"{file}.txt").read_text().splitlines() for file in ("target", "prediction"))
    options = {"variant": name[5], "stemming": name.endswith("stem"), "definition": "1.5.5", "tokenizer": "rouge-score"}
    for at, component in enumerate(("recall", "precision", "f")):
        metric = assay.metrics.Rouge(component=component, **options)
        rows = metric.statistic().unit_rows(metric.inputs(truth, found))[:, 1]
        np.testing.assert_allclose(rows, [line[at] for line in wanted], atol=1.01e-5)


def test_rouge_means_are_near_those_of_the_perl_script() -> None:
    folder = ("05_rouge", "google_rouge")
    wanted = fixtures.load_json(*folder, "expected.json")[
        "aggregate large lines (low,mid,high) 95% CI from perl ROUGE-1.5.5"
    ]
    truth, found = (
        fixtures.path(*folder, f"{file}_large.txt").read_text().splitlines() for file in ("target", "prediction")
    )
    for name, published in wanted.items():
        for letter, component in {"P": "precision", "R": "recall", "F": "f"}.items():
            options = {"variant": name[5], "stemming": name.endswith("stem"), "tokenizer": "rouge-score"}
            ours = assay.rouge(truth, found, component=component, **options)
            assert ours == pytest.approx(published[letter][1], abs=0.002), (name, letter)
