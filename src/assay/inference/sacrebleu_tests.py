"""sacrebleu's paired tests, to the last digit of p at the same seed, for numbers that must be compared with published ones.

Our own comparisons (`assay.compare`, `Metric.compare`) are the better tests: sacrebleu adds in single precision, centres the bootstrap
by the mean of absolute differences, and its "confidence interval" is half the distance of two quantiles.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import ArrayLike, Floats
from assay.core.call_checks import guarded
from assay.core.errors import ParameterError
from assay.core.signatures import from_spec
from assay.core.value_checks import Count, Seed
from assay.metrics.text.bleu import BLEU, SMOOTHING_VALUES
from assay.metrics.text.chrf import ChrF, f_score
from assay.metrics.text.corpus import CorpusMetric
from assay.metrics.text.ter import TER
from assay.metrics.unit_sums import UnitSums

Stats = NDArray[np.number]
_EXACT = 2**24  # sums of integers below this are exact in single precision
_BLOCK = 512  # trials at once, which bounds memory


class SacrebleuResult(NamedTuple):
    """A row of sacrebleu's table: score, p against the first system, and the mean and half-width of the bootstrap."""

    system: str
    score: float
    p_value: float | None
    mean: float | None
    half_width: float | None


@guarded
def sacrebleu_test(
    y_true: ArrayLike,
    models: Mapping[str, ArrayLike],
    *,
    metric: CorpusMetric | str = "bleu",
    method: Literal["bootstrap", "randomisation"] = "bootstrap",
    trials: Count | None = None,
    seed: Seed = 12345,
) -> list[SacrebleuResult]:
    """Compare systems with the first one exactly as sacrebleu does: ``--paired-bs``, or ``--paired-ar`` with ``method="randomisation"``.

    ``trials`` is 1000 or 10,000 by default, as there. Use `assay.compare` unless a number must equal sacrebleu's.

    >>> [row.p_value for row in sacrebleu_test(["a b c d"], {"x": ["a b c d"], "y": ["a b c e"]}, trials=9)]
    [None, 0.1]
    """
    asked = from_spec(metric) if isinstance(metric, str) else metric
    if not isinstance(asked, BLEU | ChrF | TER) or asked.unit != "corpus":
        raise ParameterError("sacrebleu_test", "metric", "must be bleu, chrf or ter of a corpus")
    if not models:
        raise ParameterError("sacrebleu_test", "models", "must name at least one system")
    test = _Test(asked, trials or (1000 if method == "bootstrap" else 10_000), seed)
    rows = {name: test.rows(y_true, texts) for name, texts in models.items()}
    return test.bootstrap(rows) if method == "bootstrap" else test.randomisation(rows)


@dataclass(frozen=True)
class _Test:
    metric: CorpusMetric
    trials: int
    seed: int

    def rows(self, y_true: ArrayLike, texts: ArrayLike) -> Floats:
        """The counts of sentences in sacrebleu's order."""
        rows = UnitSums(self.metric.counts()).unit_rows(self.metric.inputs(y_true, texts))[:, 1:]
        if not isinstance(self.metric, BLEU):
            return rows
        matches, own, reference = np.split(rows, 3, axis=1)
        return np.concatenate([own[:, :1], reference[:, :1], matches, own], axis=1)

    def score(self, rows: Floats) -> float:
        """The score of a system, its counts added from the first sentence to the last."""
        return float(scores(self.metric, np.cumsum(rows, axis=0)[-1:])[0])

    def resampled(self, *systems: Floats) -> list[Floats]:
        """The scores of all bootstrap samples of each system, in the precision in which sacrebleu computes them."""
        n = len(systems[0])
        drawn = np.random.default_rng(self.seed).choice(n, size=(self.trials, n), replace=True)
        return [scores(self.metric, part) for part in _sums(systems, drawn)]

    def bootstrap(self, rows: Mapping[str, Floats]) -> list[SacrebleuResult]:
        """The paired bootstrap; all systems see the same samples."""
        drawn = dict(zip(rows, self.resampled(*rows.values()), strict=True))
        first = next(iter(rows))
        found = list[SacrebleuResult]()
        for name, own in drawn.items():
            gaps = np.abs(own - drawn[first])
            p = None if name == first else self._p(gaps - gaps.mean(), rows[first], rows[name])
            found.append(SacrebleuResult(name, self.score(rows[name]), p, *_interval(own)))
        return found

    def randomisation(self, rows: Mapping[str, Floats]) -> list[SacrebleuResult]:
        """Paired approximate randomisation; all systems are swapped in the same sentences."""
        first = next(iter(rows))
        size = (self.trials, len(rows[first]))
        chosen = np.random.default_rng(self.seed).integers(2, size=size, dtype=np.bool_)
        found = [SacrebleuResult(first, self.score(rows[first]), None, None, None)]
        for name in list(rows)[1:]:
            a, b = _swapped(chosen, rows[first], rows[name])
            p = self._p(np.abs(scores(self.metric, a) - scores(self.metric, b)), rows[first], rows[name])
            found.append(SacrebleuResult(name, self.score(rows[name]), p, None, None))
        return found

    def _p(self, gaps: Floats, first: Floats, rows: Floats) -> float:
        gap = abs(self.score(first) - self.score(rows))
        return (int(np.sum(gaps > gap)) + 1) / (len(gaps) + 1)


def _whole(*rows: Floats) -> bool:
    return all(bool((part == np.floor(part)).all()) for part in rows)


def _sums(systems: Sequence[Floats], drawn: NDArray[np.int64]) -> list[Stats]:
    """Sums of drawn rows in single precision; by counts where no rounding can occur, else in sacrebleu's order."""
    n = len(systems[0])
    if not _whole(*systems) or n * max(float(rows.max(initial=0)) for rows in systems) >= _EXACT:
        narrow = [rows.astype(np.float32) for rows in systems]
        return [np.stack([rows[at].sum(0) for at in drawn]) for rows in narrow]
    side = np.concatenate(systems, axis=1)
    sums = np.stack([np.bincount(at, minlength=n).astype(np.float64) for at in drawn]) @ side
    return [part.astype(np.float32) for part in np.split(sums, len(systems), axis=1)]


def _swapped(chosen: NDArray[np.bool_], first: Floats, rows: Floats) -> tuple[Stats, Stats]:
    """Sums of both systems after their sentences changed places."""
    if not _whole(first, rows):
        return chosen @ first + ~chosen @ rows, ~chosen @ first + chosen @ rows
    blocks = [chosen[at : at + _BLOCK].astype(np.float64) @ (first - rows) for at in range(0, len(chosen), _BLOCK)]
    moved = np.concatenate(blocks)  # of integers, so that no order of adding matters
    return (moved + rows.sum(axis=0)).astype(np.int64), (first.sum(axis=0) - moved).astype(np.int64)


def _interval(values: Floats) -> tuple[float, float]:
    """Mean, and half the distance between the values that leave a fortieth on each side."""
    values = np.sort(values)
    low = len(values) // 40
    return float(values.mean()), float(0.5 * (values[len(values) - low - 1] - values[low]))


def scores(metric: CorpusMetric, stats: Stats) -> Floats:
    """Scores of sums of counts in the arithmetic of sacrebleu, in single precision where the sums are."""
    if isinstance(metric, BLEU):
        return _bleu(metric, stats)
    if isinstance(metric, ChrF):
        return cast(Floats, f_score(stats.reshape(len(stats), -1, 3), metric.beta, metric.eps_smoothing))
    edits, length = stats[:, 0], stats[:, 1]
    return cast(
        Floats, 100 * np.where(length > 0, edits / np.where(length > 0, length, 1), np.where(edits > 0, 1.0, 0.0))
    )


def _bleu(metric: BLEU, stats: Stats) -> Floats:
    order = metric.max_order
    kind = stats.dtype if stats.dtype == np.float32 else np.float64
    correct, total = (stats[:, at : at + order].astype(kind) for at in (2, 2 + order))
    some = np.any(correct > 0, axis=1)
    value = metric.smoothing_value or SMOOTHING_VALUES.get(metric.smoothing, 0.0)
    if metric.smoothing == "add-k":
        correct[:, 1:] += value
        total[:, 1:] += value
    there = np.logical_and.accumulate(total != 0, axis=1)
    empty, below = there & (correct == 0), np.where(there, total, 1)
    precisions = np.where(there, (100.0 * correct) / below, 0)
    if metric.smoothing == "exp":
        halves = (2.0 ** np.cumsum(empty, axis=1)).astype(precisions.dtype)
        precisions = np.where(empty, 100.0 / (halves * below), precisions)
    elif metric.smoothing == "floor":
        precisions = np.where(empty, (100.0 * value) / below, precisions)
    used = there.sum(axis=1) if metric.leaves_out_orders else np.full(len(stats), order)
    found = np.zeros(len(stats))
    for at in np.flatnonzero(some).tolist():
        own, reference = int(stats[at, 0]), int(stats[at, 1])
        found[at] = _geometric(precisions[at, : used[at]].tolist(), own, reference)
    return found


def _geometric(precisions: list[float], own: int, reference: int) -> float:
    """By the functions of Python, whose last digit NumPy's do not always share."""
    penalty = math.exp(1 - reference / own) if own < reference else 1.0
    return penalty * math.exp(sum(math.log(p) if p else -9999999999 for p in precisions) / len(precisions))
