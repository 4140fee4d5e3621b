"""Signatures and paired tests of sacrebleu, exactly as it prints and computes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay.testing.text_cases import sentences
from messages import refusal

sacrebleu = pytest.importorskip("sacrebleu.metrics")
significance = pytest.importorskip("sacrebleu.significance")

PAIRS = [
    (assay.metrics.BLEU(), "BLEU", {}),
    (assay.metrics.BLEU(lowercase=True, tokenizer="intl", smoothing="floor"), "BLEU",
     {"lowercase": True, "tokenize": "intl", "smooth_method": "floor"}),
    (assay.metrics.BLEU(smoothing="add-k", smoothing_value=2.0, effective_order=True), "BLEU",
     {"smooth_method": "add-k", "smooth_value": 2, "effective_order": True}),
    (assay.metrics.ChrF(), "CHRF", {}),
    (assay.metrics.ChrF(word_order=2, whitespace=True, eps_smoothing=True), "CHRF",
     {"word_order": 2, "whitespace": True, "eps_smoothing": True}),
    (assay.metrics.TER(), "TER", {}),
    (assay.metrics.TER(normalized=True, no_punct=True, case_sensitive=True, compat="sacrebleu"), "TER",
     {"normalized": True, "no_punct": True, "case_sensitive": True}),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "name", "options"), PAIRS)
@pytest.mark.parametrize("ragged", [False, True])
def test_signatures(metric: Any, name: str, options: Any, ragged: bool) -> None:
    rows = [["a b", "c"], ["d", None if ragged else "e"]]
    peer = getattr(sacrebleu, name)(**options)
    peer.corpus_score(["a", "b"], list(zip(*rows, strict=True)))
    text = str(peer.get_signature()).rpartition("|")[0]
    assert assay.sacrebleu_signature(metric, rows) == f"{text}|version:2.6.0"
    back = assay.from_sacrebleu_signature(text)
    assert assay.sacrebleu_signature(back, rows) == f"{text}|version:2.6.0"


@pytest.mark.parametrize(
    "text", ["", "bleu|n:3", "nrefs:1|smooth:other", "c:mixed|e:no|tok:13a|s:exp", "case:lc|norm:maybe"]
)
def test_no_signature(text: str) -> None:
    with refusal(assay.ParameterError):
        assay.from_sacrebleu_signature(text)


def systems(seed: int, rows: int, references: int) -> tuple[Any, dict[str, list[str]]]:
    rng = np.random.default_rng(seed)
    truth, _, first = sentences(rng, rows, references=references)
    made = {"first": first.tolist()}
    for name, rate in (("second", 0.1), ("third", 0.3), ("same", 0.0)):
        made[name] = [" ".join(w for w in text.split() if rng.random() >= rate) for text in first]
    made["first"] = [text if rng.random() > 0.2 else "nothing" for text in first]
    return truth.tolist(), made


def streams(truth: Any) -> list[Any]:
    rows = [[one] if isinstance(one, str) else list(one) for one in truth]
    width = max(map(len, rows))
    return list(zip(*([*row, *[None] * (width - len(row))] for row in rows), strict=True))


@pytest.mark.parametrize("references", [1, 3])
@pytest.mark.parametrize(("method", "kind", "trials"), [("bootstrap", "bs", 200), ("randomisation", "ar", 300)])
@pytest.mark.parametrize(("metric", "name", "options"), PAIRS)
def test_p_to_the_last_digit(
    metric: Any, name: str, options: Any, method: Any, kind: str, trials: int, references: int
) -> None:
    truth, made = systems(11, 60, references)
    peer = getattr(sacrebleu, name)(**options)
    test = significance.PairedTest(list(made.items()), {"it": peer}, streams(truth), test_type=kind, n_samples=trials)
    _, table = test()
    expected = next(rows for title, rows in table.items() if title != "System")
    found = assay.sacrebleu_test(truth, made, metric=metric, method=method, trials=trials)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.p_value == theirs.p_value
        assert ours.score == pytest.approx(theirs.score, rel=1e-12, abs=1e-12)
        if method == "bootstrap":
            assert (ours.mean, ours.half_width) == pytest.approx((float(theirs.mean), float(theirs.ci)), rel=1e-6)


def test_refused() -> None:
    with refusal(assay.ParameterError):
        assay.sacrebleu_test(["a"], {"x": ["a"]}, metric="exact_match")
    with refusal(assay.ParameterError):
        assay.sacrebleu_test(["a"], {})
