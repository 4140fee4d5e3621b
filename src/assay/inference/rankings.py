"""Several models or metrics at once: p values by Holm, intervals by Šidák, so that all of them are valid together."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

from assay.core.comparison import Comparison
from assay.core.inference_options import InferenceOptions
from assay.core.metric import Metric
from assay.core.ranking import Ranking
from assay.core.score import Score
from assay.inference import formulas
from assay.inference.draws import Progress
from assay.inference.interval import scored
from assay.inference.paired import compared, single
from assay.inference.sample import Sample


def ranked(samples: Mapping[str, Sample], options: InferenceOptions, progress: Progress | None = None) -> Ranking:
    """All pairs of models on the same rows, and their order."""
    metric = next(iter(samples.values())).metric
    scores = {name: scored(sample, single(options)) for name, sample in samples.items()}

    def pair(a: str, b: str, together: InferenceOptions) -> Comparison:
        return compared(samples[a], samples[b], together, scores=(scores[a], scores[b]), progress=progress)

    return assembled(metric, scores, pair, options)


def assembled(
    metric: Metric[Any],
    scores: Mapping[str, Score],
    compare: Callable[[str, str, InferenceOptions], Comparison],
    options: InferenceOptions,
) -> Ranking:
    """A ranking from scores and a way to compare two of them, which is given the level that holds for all pairs together."""
    sign = -1 if metric.record.better == "higher" else 1
    order = sorted(scores, key=lambda name: (math.isnan(scores[name]), sign * float(scores[name])))
    pairs = list(combinations(order, 2))
    together = replace(options, level=formulas.sidak(options.level, len(pairs)))
    found = {(a, b): compare(a, b, together) for a, b in pairs}
    adjusted = formulas.holm([math.nan if c.p is None else c.p for c in found.values()])
    held = {
        pair: _adjusted(c, p, options.level, len(pairs)) for (pair, c), p in zip(found.items(), adjusted, strict=True)
    }
    return Ranking(metric.signature(), {name: scores[name] for name in order}, held, options.level)


def _adjusted(comparison: Comparison, p: float, level: float, count: int) -> Comparison:
    """The comparison with its corrected p value, to be read against the level of the family."""
    return comparison.but(adjusted_p=None if math.isnan(p) else p, level=level, among=count)


def over_metrics(rankings: Mapping[str, Ranking]) -> dict[str, Ranking]:
    """The rankings with p values that allow for the number of metrics as well as of pairs: Holm over all of them."""
    flat = [(metric, pair, c) for metric, ranking in rankings.items() for pair, c in ranking.pairs.items()]
    adjusted = formulas.holm([math.nan if c.p is None else c.p for _, _, c in flat])
    pairs: dict[str, dict[tuple[str, str], Comparison]] = {metric: {} for metric in rankings}
    for (metric, pair, c), p in zip(flat, adjusted, strict=True):
        pairs[metric][pair] = c.but(adjusted_p=None if math.isnan(p) else p, metrics=len(rankings))
    return {metric: replace(ranking, pairs=pairs[metric]) for metric, ranking in rankings.items()}
