"""Signatures of sacrebleu, printed and read: ``nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, cast

import numpy as np

from assay.core.arrays import ArrayLike
from assay.core.call_checks import guarded
from assay.core.errors import ParameterError
from assay.data.texts import text_column
from assay.metrics.text.bleu import BLEU, SMOOTHING_VALUES
from assay.metrics.text.chrf import ChrF
from assay.metrics.text.corpus import CorpusMetric
from assay.metrics.text.ter import TER

VERSION = "2.6.0"  # of sacrebleu, whose counts and scores these are
_SMOOTHING = re.compile(r"(none|floor|add-k|exp)(?:\[([0-9.]+)\])?")


@guarded
def sacrebleu_signature(metric: CorpusMetric, y_true: ArrayLike) -> str:
    """The signature that sacrebleu prints for a metric and these references.

    >>> sacrebleu_signature(assay.metrics.BLEU(), ["a reference", "another"])
    'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0'
    """
    counts = np.unique(text_column(y_true, name="y_true", who="sacrebleu_signature", several=True).counts)
    facts = {"nrefs": str(counts[0]) if len(counts) == 1 else "var", **_facts(metric), "version": VERSION}
    return "|".join(f"{name}:{value}" for name, value in facts.items())


def _word(flag: bool) -> str:
    return "yes" if flag else "no"


def _facts(metric: CorpusMetric) -> dict[str, str]:
    if isinstance(metric, BLEU):
        return {
            "case": "lc" if metric.lowercase else "mixed", "eff": _word(metric.leaves_out_orders),
            "tok": metric.counts().tokenizer.name, "smooth": _smoothing(metric),
        }  # fmt: skip
    if isinstance(metric, ChrF):
        return {
            "case": "lc" if metric.lowercase else "mixed", "eff": _word(not metric.eps_smoothing), "nc": str(metric.char_order),
            "nw": str(metric.word_order), "space": _word(metric.whitespace),
        }  # fmt: skip
    if isinstance(metric, TER):
        return {
            "case": "mixed" if metric.case_sensitive else "lc", "tok": "tercom", "norm": _word(metric.normalized),
            "punct": _word(not metric.no_punct), "asian": _word(metric.asian_support),
        }  # fmt: skip
    raise ParameterError("sacrebleu_signature", "metric", f"must be BLEU, ChrF or TER, got {metric.name}")


def _smoothing(metric: BLEU) -> str:
    if metric.smoothing not in SMOOTHING_VALUES:
        return metric.smoothing
    return f"{metric.smoothing}[{metric.smoothing_value or SMOOTHING_VALUES[metric.smoothing]:.2f}]"


@guarded
def from_sacrebleu_signature(text: str) -> CorpusMetric:
    """The metric that a signature of sacrebleu describes; what a signature does not say, such as the highest order of BLEU, is the default.

    >>> from_sacrebleu_signature("nrefs:1|case:lc|eff:no|tok:intl|smooth:exp|version:2.6.0").signature()
    'bleu|tokenizer:intl|lowercase:true|effective_order:false'
    """
    facts = {name: value for name, _, value in (part.partition(":") for part in text.split("|"))}
    try:
        if "smooth" in facts:
            return _bleu(facts)
        if "nc" in facts:
            return ChrF(
                char_order=int(facts["nc"]), word_order=int(facts["nw"]), lowercase=facts["case"] == "lc",
                whitespace=_flag(facts, "space"), eps_smoothing=not _flag(facts, "eff"),
            )  # fmt: skip
        return TER(
            normalized=_flag(facts, "norm"), no_punct=not _flag(facts, "punct"), asian_support=_flag(facts, "asian"),
            case_sensitive=facts["case"] == "mixed", compat="sacrebleu",
        )  # fmt: skip
    except (KeyError, ValueError) as error:
        problem = f"is not a signature of sacrebleu: {text!r}"
        raise ParameterError(
            "from_sacrebleu_signature", "text", problem, "Give the full form, not the short one."
        ) from error


def _flag(facts: Mapping[str, str], name: str) -> bool:
    return {"yes": True, "no": False}[facts[name]]


def _bleu(facts: Mapping[str, str]) -> BLEU:
    match = _SMOOTHING.fullmatch(facts["smooth"])
    if match is None:
        raise ValueError(facts["smooth"])
    method = cast(Literal["exp", "floor", "add-k", "none"], match[1])
    return BLEU(
        tokenizer=facts["tok"], smoothing=method, smoothing_value=None if match[2] is None else float(match[2]),
        lowercase=facts["case"] == "lc", effective_order=_flag(facts, "eff"),
    )  # fmt: skip
