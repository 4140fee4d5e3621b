"""Metrics of translation beside sacrebleu, whose caches are emptied before every call; generated text, and WMT17 where it is at hand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchmarks.harness import Workload

LINES, SHORT = 3000, 1000
WMT17 = ("04_mt", "wmt17_en_de_shared")


def workloads() -> Iterator[Workload]:
    yield from _of("generated", *_generated())
    folder = Path(os.environ.get("ASSAY_FIXTURES", "")).joinpath(*WMT17)
    if folder.exists():
        names = ("ref.txt", "LIUM-NMT.4900.en-de.txt", "FBK.4870.en-de.txt", "online-A.0.en-de.txt")
        reference, *systems = ((folder / name).read_text(encoding="utf-8").split("\n")[:-1] for name in names)
        yield from _of("WMT17", reference, systems)


def _generated() -> tuple[list[str], list[list[str]]]:
    """Sentences of words with Zipf's frequencies, and three systems that get some of them wrong."""
    rng = np.random.default_rng(0)
    words = np.array(["".join(chr(97 + c) for c in rng.integers(0, 26, rng.integers(2, 11))) for _ in range(20_000)])
    lines = [words[np.minimum(rng.zipf(1.3, rng.integers(5, 35)), len(words)) - 1].tolist() for _ in range(LINES)]

    def garbled(line: list[str], rate: float) -> str:
        changed = [word if rng.random() > rate else str(words[rng.integers(len(words))]) for word in line]
        at = int(rng.integers(len(changed)))
        return ", ".join([" ".join(changed[at:]), " ".join(changed[:at])]) + "."

    systems = [[garbled(line, rate) for line in lines] for rate in (0.2, 0.25, 0.3)]
    return [" ".join(line) + "." for line in lines], systems


def _cleared(call: Callable[[], Any]) -> Callable[[], Any]:
    """A call of sacrebleu that finds nothing in its caches."""
    from sacrebleu.tokenizers import (
        tokenizer_13a,
        tokenizer_char,
        tokenizer_intl,
        tokenizer_re,
        tokenizer_ter,
        tokenizer_zh,
    )

    kinds: list[Any] = [
        tokenizer_13a.Tokenizer13a, tokenizer_re.TokenizerRegexp, tokenizer_char.TokenizerChar, tokenizer_ter.TercomTokenizer,
        tokenizer_intl.TokenizerV14International, tokenizer_zh.TokenizerZh,
    ]  # fmt: skip

    def cold() -> Any:
        for kind in kinds:
            kind.__call__.cache_clear()
        return call()

    return cold


def _of(data: str, reference: list[str], systems: list[list[str]]) -> Iterator[Workload]:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER
    from sacrebleu.significance import PairedTest

    import assay

    text = systems[0]
    for tokenizer, wanted in (("13a", 20.0), ("intl", 10.0), ("zh", 10.0), ("char", 10.0), ("none", 10.0)):

        def ours(tokenizer: str = tokenizer) -> float:
            return assay.bleu(reference, text, tokenizer=tokenizer)

        peer = _cleared(lambda tokenizer=tokenizer: BLEU(tokenize=tokenizer).corpus_score(text, [reference]))
        yield Workload(f"BLEU {tokenizer}, {data}", ours, {"sacrebleu": (peer, wanted)}, rounds=3)
    for order, name in ((0, "chrF"), (2, "chrF++")):
        peer = _cleared(lambda order=order: CHRF(word_order=order).corpus_score(text, [reference]))
        yield Workload(
            f"{name}, {data}",
            lambda order=order: assay.chrf(reference, text, word_order=order),
            {"sacrebleu": (peer, 40.0)},
            rounds=3,
        )
    few, found = reference[:SHORT], text[:SHORT]
    peer = _cleared(lambda: TER().corpus_score(found, [few]))
    yield Workload(f"TER of {SHORT}, {data}", lambda: assay.ter(few, found), {"sacrebleu": (peer, 50.0)}, rounds=3)
    metric = assay.metrics.BLEU()
    yield Workload(
        f"BLEU with 1000 bootstrap samples, {data}", lambda: metric.interval(reference, text, method="bootstrap", replicates=1000),
        {"one score of sacrebleu": (_cleared(lambda: BLEU().corpus_score(text, [reference])), 1.0)}, rounds=3,
    )  # fmt: skip
    named: list[tuple[str, Sequence[str]]] = [(str(at), system) for at, system in enumerate(systems)]
    kinds: list[tuple[str, Literal["bootstrap", "randomisation"]]] = [("bs", "bootstrap"), ("ar", "randomisation")]
    for kind, method in kinds:
        test = _cleared(lambda kind=kind: PairedTest(named, {"BLEU": BLEU()}, [reference], test_type=kind)())
        yield Workload(
            f"paired {method} of three systems, {data}",
            lambda method=method: assay.sacrebleu_test(reference, dict(named), method=method), {"sacrebleu": (test, 50.0)}, rounds=1,
        )  # fmt: skip
