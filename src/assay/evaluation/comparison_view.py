"""The tables of a comparison: models beside each other, their differences, with notes below them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from assay.core.comparison import Comparison
from assay.core.score import digits
from assay.evaluation.presets import label, unit_of
from assay.evaluation.table_layout import (
    ARROWS,
    Fits,
    Grid,
    Star,
    corrected_note,
    counted,
    interval_text,
    limits_text,
    method_note,
    percent,
    stacked,
    star_notes,
    stars_of,
    value_text,
    warning_notes,
    with_interval,
)

if TYPE_CHECKING:
    from assay.evaluation.comparisons import Comparisons

_MOST_ROWS, _MOST_COLUMNS = 45, 5


class View:
    """What a comparison looks like."""

    def __init__(self, of: Comparisons) -> None:
        self.of = of

    def tables(self, fits: Fits | None = None) -> list[Grid]:
        """Models across while there is room for them, else down."""
        across = self._across()
        wide = len(self.of.models) > _MOST_COLUMNS if fits is None else not (fits(across) or fits(stacked(across)))
        return [self._down() if wide else across, self._differences(), *self._margins(), *self.of.more]

    def _across(self) -> Grid:
        rows, sure = list[list[str]](), set[tuple[int, int]]()
        for metric, ranking in self.of.rankings.items():
            best = self.of.best(metric)
            if len(best) == 1:
                sure.add((len(rows), 2 + self.of.models.index(best[0])))
            cells = [with_interval(ranking.scores[m]) for m in self.of.models]
            rows.append([self._label(metric), self._arrow(metric), *cells, self._verdict(best)])
        head = ["metric", "", *self.of.models, "best"]
        return Grid(self._title(), head, rows, frozenset(sure), stars=self._score_stars())

    def _down(self) -> Grid:
        rows, sure = list[list[str]](), set[tuple[int, int]]()
        for metric, ranking in self.of.rankings.items():
            rows.append([f"{self._label(metric)} {self._arrow(metric)}", "", "", ""])
            best = self.of.best(metric)
            for name, score in ranking.scores.items():
                if [name] == best:
                    sure.add((len(rows), 1))
                place = "-".join(dict.fromkeys(str(place) for place in ranking.places[name]))
                rows.append([f"  {name}", value_text(score), interval_text(score), place])
        head = ["metric", "value", f"{percent(self.of.level)} interval", "place"]
        return Grid(self._title(), head, rows, frozenset(sure), stars=self._score_stars())

    def _score_stars(self) -> tuple[Star, ...]:
        return tuple(
            star
            for model in self.of.models
            for star in stars_of(model, {metric: ranking.scores[model] for metric, ranking in self.of.rankings.items()})
        )

    def _pair_stars(self) -> list[Star]:
        """The marks of differences, all of them: the findings carry them too."""
        two = len(self.of.models) == 2
        return [
            Star(metric, "difference" if two else f"{a} − {b}", c.reason)
            for metric in self.of
            for (a, b), c in self.of.pairs(metric).items()
            if c.reason and not c.reliable
        ]

    def _title(self) -> str:
        return f"{self.of.task}, {len(self.of.models)} {self.of.what}"

    def _label(self, metric: str) -> str:
        return label(metric, self.of.metrics[metric])

    def _arrow(self, metric: str) -> str:
        return ARROWS[self.of.metrics[metric].record.better]

    def _verdict(self, best: list[str]) -> str:
        return "undecided" if len(best) == len(self.of.models) else " or ".join(best)

    def _differences(self) -> Grid:
        head = [f"difference [{percent(self.of.level)}]", "p (Holm)" if self._corrected else "p", "detectable"]
        title = f"{self.of.models[0]} − {self.of.models[1]}" if len(self.of.models) == 2 else "all pairs"
        if self.of.effect is None:
            return self._of_pairs(title, head, _cells)
        return self._of_pairs(
            title, [*head, f"rows for {self.of.effect:g}"], lambda c: [*_cells(c), self._rows_text(c)]
        )

    @property
    def _corrected(self) -> bool:
        """Whether p values are corrected for other comparisons."""
        return len(self.of.models) > 2 or (self.of.correction == "metrics" and len(self.of) > 1)

    def _rows_text(self, c: Comparison) -> str:
        rows = self.of.rows_wanted(c)
        return "–" if rows is None else f"{rows:,}"

    def _margins(self) -> list[Grid]:
        if self.of.margin is None:
            return []
        head = ["p not worse", "p equal"]
        return [
            self._of_pairs(
                f"within a margin of {self.of.margin:g}",
                head,
                lambda c: [_p_text(c.p_noninferior), _p_text(c.p_equivalent)],
            )
        ]

    def _of_pairs(self, title: str, head: list[str], cells: Callable[[Comparison], list[str]]) -> Grid:
        """A row for every pair; where there are too many to read, those of the first metric."""
        two, count = len(self.of.models) == 2, len(self.of.models) * (len(self.of.models) - 1) // 2
        shown = list(self.of) if len(self.of) * count <= _MOST_ROWS else list(self.of)[:1]
        rows: list[list[str]] = []
        for metric in shown:
            rows += [] if two else [[self._label(metric), *[""] * len(head)]]
            rows += [
                [self._label(metric) if two else f"  {a} − {b}", *cells(c)]
                for (a, b), c in self.of.pairs(metric).items()
            ]
        hidden = len(self.of) - len(shown)
        below = f"The pairs of {hidden} more metrics are in the other formats (json, csv)." if hidden else ""
        return Grid(title, ["metric", *head], rows, below=below)

    def opening(self) -> list[str]:
        """What comes first: what the numbers are about, the findings, and the warnings."""
        facts = [counted(self.of.n, unit_of(self.of.task))]
        facts += [counted(self.of.groups, "group")] if self.of.groups is not None else []
        facts += [f"{percent(self.of.level)} intervals"]
        facts += [f"positive class {self.of.positive!r}"] if self.of.positive is not None else []
        return [" · ".join([*facts, *self.of.notes]), *self.of.findings, *warning_notes(self.of.warnings)]

    def footnotes(self, shown: Sequence[Grid]) -> list[str]:
        """What the marks of the tables shown mean, and last by which methods the numbers were made."""
        said = corrected_note(score for ranking in self.of.rankings.values() for score in ranking.scores.values())
        said += star_notes(shown, self._pair_stars())
        said.append("detectable: the smallest true difference that these rows detect with 80 % power")
        if self.of.effect is not None:
            said.append(
                f"rows for {self.of.effect:g}: as many rows of this kind detect such a true difference with 80 % power"
            )
        if self.of.margin is not None:
            said.append(
                f"p not worse: of the claim that the model given first is not worse by {self.of.margin:g}; p equal: that both are "
                "within the margin. Small values support the claim"
            )
        if self._corrected:
            alone = (
                "allow for the pairs of their metric" if len(self.of.models) > 2 else "are those of each metric alone"
            )
            said.append(f"p values: {self.of.corrected_for}; intervals of differences and what is detectable {alone}")
        return [*said, *self._methods()]

    def _methods(self) -> list[str]:
        scores = ((m, s.method) for m, ranking in self.of.rankings.items() for s in ranking.scores.values())
        pairs = ((m, c.method) for m, ranking in self.of.rankings.items() for c in ranking.pairs.values())
        return [*method_note("intervals", scores), *method_note("differences", pairs)]


def _cells(c: Comparison) -> list[str]:
    shown = "–" if math.isnan(c) else ("+" if c >= 0 else "-") + digits(abs(c), c.low, c.high)
    p = c.p if c.adjusted_p is None else c.adjusted_p
    limits = limits_text(c.low, c.high, sure=c.reliable)
    mde = "–" if c.mde is None else digits(c.mde, c.low, c.high)
    return [f"{shown} {limits}".strip(), _p_text(p), mde]


def _p_text(p: float | None) -> str:
    if p is None or math.isnan(p):
        return "–"
    return "<0.001" if p < 0.001 else f"{p:.3f}"
