"""Warnings about a result: what a careful reader of the numbers would point out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.core.score import Score, digits
from assay.evaluation.presets import unit_of
from assay.evaluation.table_layout import counted
from assay.evaluation.text_baselines import TRIVIAL_TEXTS
from assay.inference.families import family_of

if TYPE_CHECKING:
    from assay.evaluation.result import Result

FEW_ROWS = 30
FEW_CASES = 10
FEW_QUERIES = 25
MOSTLY_JUDGED = 0.8  # of the first documents
# Notes that are numbers to read, not counts of rows to warn about.
_VALUES = ("debiased calibration error", "real rows", "fake rows")


def advice(result: Result) -> list[str]:
    """Warnings, most important first."""
    return [
        *_federated(result),
        *_unjudged(result),
        *_undefined(result),
        *_biased(result),
        *_imbalance(result),
        *_percentages(result),
        *_baseline(result),
        *_calibration(result),
        *result.data_advice,
        *_small(result),
        *_weights(result),
    ]


def _scores(result: Result) -> Iterator[tuple[str, Score]]:
    yield from result.scores.items()


def _federated(result: Result) -> Iterator[str]:
    """Which rules were chosen for a truth that could be taken for COCO's."""
    if any(metric.key in ("lvis", "lvis_recall") for metric in result.metrics.values()):
        yield (
            "images of this truth are labelled with some classes only, so LVIS's rules apply, not COCO's: detections of classes that were "
            "not looked for in their image are left out."
        )


def _unjudged(result: Result) -> Iterator[str]:
    """Documents on top that nobody judged count as nonrelevant; few queries say little about others."""
    judged = result.scores.get("judged_at_k")
    if judged is not None and judged < MOSTLY_JUDGED:
        yield (
            f"{1 - judged:.0%} of the first {getattr(result.metrics['judged_at_k'], 'k', 10)} documents are not judged and count as "
            "nonrelevant: the values are lower bounds (unjudged='relevant' gives upper ones)."
        )
    if unit_of(result.task) == "query" and result.n < FEW_QUERIES:
        yield f"only {counted(result.n, 'query')}: other topics may put the systems in another order."


def _undefined(result: Result) -> Iterator[str]:
    said: dict[str, list[str]] = {}
    for name, score in _scores(result):
        for sentence in left_out(name, score, result.metrics[name].record.undefined):
            about = [name] if sentence.startswith(name) else []
            said.setdefault(sentence.removeprefix(name), []).extend(about)
    for what, names in said.items():
        yield (", ".join(names) if len(names) < 4 else f"{names[0]} and {len(names) - 1} more") + what


def left_out(name: str, score: Score, reason: str) -> Iterator[str]:
    """What a score says of rows and classes on which it is undefined; ``reason`` is why."""
    for note, count in _counts(score).items():
        yield note if math.isnan(score) else f"{name}: {count:g} {note}."
    if score.undefined and not (math.isnan(score) and _counts(score)):
        left = [str(label) for label, value in score.parts.items() if math.isnan(value)]
        excluded = f" for {', '.join(left[:5])} ({reason}); excluded from the mean." if left else f" here: {reason}."
        yield f"{name} is undefined{excluded}"


def _counts(score: Score) -> dict[str, float]:
    return {note: count for note, count in score.notes.items() if note not in _VALUES}


def _biased(result: Result) -> Iterator[str]:
    """Values whose bias is more than a tenth of the width of their interval."""
    shifted: dict[str, list[str]] = {}
    for name, score in _scores(result):
        words = family_of(result.metrics[name]).bias_words
        if words and score.corrected is not None and score - score.corrected > 0.1 * _width(score):
            shifted.setdefault(words, []).append(f"{name} by about {digits(score - score.corrected)}")
    for words, biased in shifted.items():
        more = f" and {len(biased) - 3} more" if len(biased) > 3 else ""
        yield f"{words}: {', '.join(biased[:3])}{more}. Their intervals allow for it."


def _width(score: Score) -> float:
    return math.inf if score.low is None or score.high is None else score.high - score.low


def _imbalance(result: Result) -> Iterator[str]:
    share, label = result.largest_class()
    if "accuracy" in result.scores and share >= 0.9:
        yield (
            f"{share:.1%} of the rows are {label!r}, so always predicting that class gives an accuracy of {digits(share)}. Read "
            "balanced_accuracy, matthews_correlation or average_precision instead."
        )
    total = sum(result.support.values())
    rows = total if result.task == "detection" else result.n
    few = [label for label, weight in result.support.items() if 0 < weight / total * rows < FEW_CASES]
    if few:
        which = ", ".join(repr(label) for label in few[:5]) + (f" and {len(few) - 5} more" if len(few) > 5 else "")
        if result.task == "detection":
            yield f"fewer than {FEW_CASES} objects are {which}: what is reported about them rests on very little."
            return
        yield f"fewer than {FEW_CASES} rows are {which}: what is reported about them rests on very little."


def _percentages(result: Result) -> Iterator[str]:
    mape = result.scores.get("mape")
    if mape is not None and mape > 10:
        yield f"mape is {digits(mape)}: some targets are close to zero and dominate it. Read mae or smape instead."


def verdict(result: Result) -> str:
    """By how many metrics the interval lies beyond the baseline; empty without intervals or a baseline."""
    records = {name: metric.record for name, metric in result.metrics.items()}
    known = {
        name: nearest
        for name, score in _telling(result).items()
        if (nearest := score.low if records[name].better == "higher" else score.high) is not None
    }
    if not known:
        return ""
    better = [name for name, nearest in known.items() if records[name].is_better(nearest, result.baseline[name])]
    rest = [name for name in known if name not in better]
    trivial = _trivial(result.task)
    if not better:
        return f"Not shown to be better than {trivial} by any metric."
    if rest:
        return f"Better than {trivial} by {len(better)} of {len(known)} metrics; not shown for {', '.join(rest)}."
    count = better[0] if len(better) == 1 else f"all {len(better)} metrics that can tell"
    return f"Better than {trivial} by {count}."


def _telling(result: Result) -> dict[str, Score]:
    """The scores that can be held against the baseline.

    One-sided rates and calibration errors are perfect for some trivial model: losing to it there means nothing.
    """
    return {
        name: score
        for name, score in _scores(result)
        if result.metrics[name].record.better != "none"
        and not math.isnan(score)
        and not math.isnan(result.baseline.get(name, math.nan))
        and (name == "accuracy" or not family_of(result.metrics[name]).one_sided)
    }


def _trivial(task: str) -> str:
    if task in TRIVIAL_TEXTS:
        return TRIVIAL_TEXTS[task]
    constants = {"regression": "the mean of the targets", "binary": "the base rate", "retrieval": "a random order",
                 "recommendation": "the most popular items first"}  # fmt: skip
    return f"always predicting {constants.get(task, 'the base rates')}"


def _baseline(result: Result) -> Iterator[str]:
    worse = [
        name for name, score in _telling(result).items()
        if result.metrics[name].record.is_better(result.baseline[name], score)
    ]  # fmt: skip
    if worse:
        yield f"worse than {_trivial(result.task)}: {', '.join(worse)}."


def _calibration(result: Result) -> Iterator[str]:
    """The debiased gap of a calibrated model has a standard error of about sqrt(2 bins) p(1-p) / n around 0, squared."""
    gap = next((s for n, s in _scores(result) if n.startswith("calibration_error:") and "debiased=true" in n), None)
    if gap is not None and gap > 0.02 and gap * math.sqrt(result.n) > 1.5:
        yield (
            f"the probabilities are not calibrated: they are off by about {digits(gap)} beyond sampling noise. Recalibrate on "
            "held-out data before reading them as probabilities; see reliability_curve."
        )


def _small(result: Result) -> Iterator[str]:
    for name, values in result.slices.items():
        tiny = [f"{value} ({_size(scores)})" for value, scores in values.items() if _size(scores) < FEW_ROWS]
        if tiny:
            more = f" and {len(tiny) - 5} more" if len(tiny) > 5 else ""
            yield f"slices of {name} with fewer than {FEW_ROWS} rows: {', '.join(tiny[:5])}{more}. Their values vary widely."
    if result.n < FEW_ROWS:
        yield f"only {counted(result.n, unit_of(result.task))} in all: every number here varies widely."


def _size(scores: dict[str, Any]) -> int:
    return next((s.n for s in scores.values()), 0)


def _weights(result: Result) -> Iterator[str]:
    if result.effective_n is not None and result.effective_n < result.n / 2:
        yield f"the weights are very unequal: {result.n} rows are worth {result.effective_n:.0f} of equal weight."
    if result.groups is not None and result.groups < result.n:
        yield f"the rows come from {result.groups} groups: the independent unit is the group, not the row."
