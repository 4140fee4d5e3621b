"""What a comparison of models found: a ranking for each metric, all pairs, and the sentences that people need."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from assay.core.comparison import POWER, Comparison
from assay.core.errors import ParameterError, UnknownNameError, did_you_mean
from assay.core.metric import Metric
from assay.core.monoids import Label
from assay.core.ranking import Ranking
from assay.core.score import digits
from assay.evaluation import grids
from assay.evaluation.advice import left_out
from assay.evaluation.beside import said_of
from assay.evaluation.grids import (
    ARROWS,
    Fits,
    Grid,
    Page,
    Star,
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
from assay.version import __version__

_MOST_ROWS, _MOST_COLUMNS = 45, 5


class Comparisons:
    """Models on the same rows. Index it by metric for the `Ranking`; ``pairs`` and ``pair`` give the differences.

    Differences are taken in the order in which the models were given. ``findings`` says it in words.
    """

    def __init__(
        self,
        *,
        task: str,
        n: int,
        models: list[str],
        level: float,
        margin: float | None,
        rankings: Mapping[str, Ranking],
        left_out: Mapping[str, str],
        metrics: Mapping[str, Metric[Any]],
        positive: Label | None,
        groups: int | None,
        effect: float | None = None,
    ) -> None:
        self.task, self.n, self.models, self.level, self.margin = task, n, models, level, margin
        self.rankings, self.left_out, self.metrics = dict(rankings), dict(left_out), dict(metrics)
        self.positive, self.groups, self.effect = positive, groups, effect
        self.notes: tuple[str, ...] = ()

    def noted(self, *notes: str) -> Comparisons:
        """The same with more to say about where the rows come from."""
        other = copy.copy(self)
        other.notes = (*self.notes, *notes)
        return other

    def __getitem__(self, metric: str) -> Ranking:
        if metric not in self.rankings:
            raise UnknownNameError(f"no models were compared by {metric!r}.{did_you_mean(metric, self.rankings)}")
        return self.rankings[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rankings)

    def __len__(self) -> int:
        return len(self.rankings)

    def pairs(self, metric: str) -> dict[tuple[str, str], Comparison]:
        """Every pair by one metric: the model given first minus the one given later."""
        own = self[metric].pairs
        found = {(a, b): own[(a, b)] if (a, b) in own else turned(own[(b, a)]) for a, b in combinations(self.models, 2)}
        return {pair: c.but(margin=self.margin) for pair, c in found.items()}

    def pair(self, metric: str, a: str | None = None, b: str | None = None) -> Comparison:
        """The difference ``a - b`` by one metric; of two models there is only one."""
        if a is None and b is None and len(self.models) > 2:
            raise ParameterError(f"pair: which two of {', '.join(self.models)}? Name them: pair({metric!r}, a, b).")
        wanted = (a or self.models[0], b or self.models[1])
        for name in wanted:
            if name not in self.models:
                raise UnknownNameError(f"there is no model {name!r}.{did_you_mean(name, self.models)}")
        if wanted[0] == wanted[1]:
            raise ParameterError(f"pair: {wanted[0]!r} cannot be compared with itself.")
        own = self.pairs(metric)
        return own[wanted] if wanted in own else turned(own[wanted[1], wanted[0]])

    def rows_for(
        self, metric: str, effect: float, a: str | None = None, b: str | None = None, *, power: float = POWER
    ) -> int:
        """How many rows of this kind find a true difference of ``effect`` of two models with the chance ``power``."""
        return self.pair(metric, a, b).rows_for(effect, power)

    # ---- in words

    def best(self, metric: str) -> list[str]:
        """The models that may be best by a metric: one if that is sure, none if it has no direction or a value is missing."""
        if self.metrics[metric].record.better == "none" or len(self._known(metric)) < len(self.models):
            return []
        places = self[metric].places
        return [name for name in self.models if places[name][0] == 1]

    def _known(self, metric: str) -> list[str]:
        return [name for name in self.models if not math.isnan(self[metric].scores[name])]

    @property
    def findings(self) -> list[str]:
        """Who is best by which metrics, and who cannot be told apart."""
        best, alike = dict[str, list[str]](), dict[str, list[str]]()
        for metric, ranking in self.rankings.items():
            if len(self.best(metric)) == 1:
                best.setdefault(self.best(metric)[0], []).append(metric)
            for run in ranking.ties:
                names = [name for name in self._known(metric) if name in run]
                if len(names) > 1:
                    alike.setdefault(_joined(names), []).append(metric)
        return [
            *(f"{name} is best by {self._by(metrics, 'every')}." for name, metrics in best.items()),
            *(f"{names} cannot be told apart by {self._by(metrics, 'any')}." for names, metrics in alike.items()),
        ]

    @property
    def warnings(self) -> list[str]:
        """Rows and classes on which a metric does not exist, which each model may leave out for itself; and what was left out."""
        undefined = {
            model: [
                text
                for metric, ranking in self.rankings.items()
                for text in left_out(metric, ranking.scores[model], self.metrics[metric].record.undefined)
            ]
            for model in self.models
        }
        alike: dict[str, list[str]] = {}
        for metric, reason in self.left_out.items():
            alike.setdefault(reason, []).append(metric)
        left = [f"Left out: {', '.join(metrics)} ({reason.rstrip('.')})" for reason, metrics in alike.items()]
        return [*said_of(undefined), *left]

    def _by(self, metrics: list[str], all_of_them: str) -> str:
        if 1 < len(metrics) == len(self):
            return f"{all_of_them} metric{self._star(*metrics)}"
        return ", ".join(metric + self._star(metric) for metric in metrics)

    def _star(self, *metrics: str) -> str:
        """A mark where a difference that counts here is not to be trusted; the footnotes say why."""
        return "" if all(c.reliable for metric in metrics for c in self[metric].pairs.values()) else " *"

    # ---- forms

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return {
            "task": self.task,
            "n": self.n,
            "models": self.models,
            "positive": self.positive,
            "groups": self.groups,
            "level": self.level,
            "margin": self.margin,
            "wanted_effect": self.effect,
            "findings": self.findings,
            "metrics": {metric: self._as_dict(metric) for metric in self},
            "left_out": self.left_out,
            "warnings": self.warnings,
            "notes": list(self.notes),
            "assay": __version__,
        }

    def _as_dict(self, metric: str) -> dict[str, Any]:
        pairs = [
            {"first": a, "second": b, **c.to_dict(), "rows_for_effect": self._rows(c)}
            for (a, b), c in self.pairs(metric).items()
        ]
        better = self.metrics[metric].record.better
        return {**self[metric].to_dict(), "better": better, "best": self.best(metric), "pairs": pairs}

    def _rows(self, c: Comparison) -> int | None:
        """The rows for the effect that was asked for; None where the rows there are do not tell."""
        return c.rows_for(self.effect) if self.effect is not None and c.error and c.level is not None else None

    def to_frame(self, backend: str = "polars") -> Any:
        """One row a metric and pair, with the difference, its interval and p values; polars, pandas or pyarrow."""
        import polars as pl

        texts, truths = ("metric", "a", "b", "method", "reason"), ("significant", "reliable")
        found = [
            _record(metric, a, b, c) | {"rows_for_effect": self._rows(c)}
            for metric in self
            for (a, b), c in self.pairs(metric).items()
        ]
        kinds = {
            "n": pl.Int64,
            "rows_for_effect": pl.Int64,
            **dict.fromkeys(texts, pl.String),
            **dict.fromkeys(truths, pl.Boolean),
        }
        return grids.to_frame(found, {name: kinds.get(name, pl.Float64) for name in found[0]}, backend)

    def to_csv(self) -> str:
        """The frame as CSV."""
        return str(self.to_frame().write_csv())

    def to_markdown(self) -> str:
        """Tables and findings as Markdown."""
        shown = self._tables()
        return grids.to_markdown(shown, self._footnotes(shown))

    def to_latex(self) -> str:
        """Tables as LaTeX (booktabs)."""
        return grids.to_latex(self._tables())

    def __rich__(self) -> Any:
        return self._page()

    def __str__(self) -> str:
        return self._page().text()

    def __repr__(self) -> str:
        return f"<Comparisons {self.task} n={self.n}: {', '.join(self.models)} by {len(self)} metrics>"

    def _repr_html_(self) -> str:
        shown = self._tables()
        return grids.to_html(shown, self._footnotes(shown))

    def _page(self) -> Page:
        return Page(self._tables, self._footnotes)

    # ---- tables

    def _tables(self, fits: Fits | None = None) -> list[Grid]:
        """Models across while there is room for them, else down."""
        across = self._across()
        wide = len(self.models) > _MOST_COLUMNS if fits is None else not (fits(across) or fits(stacked(across)))
        return [self._down() if wide else across, self._differences(), *self._margins()]

    def _across(self) -> Grid:
        rows, sure = list[list[str]](), set[tuple[int, int]]()
        for metric, ranking in self.rankings.items():
            best = self.best(metric)
            if len(best) == 1:
                sure.add((len(rows), 2 + self.models.index(best[0])))
            cells = [with_interval(ranking.scores[m]) for m in self.models]
            rows.append([metric, self._arrow(metric), *cells, self._verdict(best)])
        head = ["metric", "", *self.models, "best"]
        return Grid(self._title(), head, rows, frozenset(sure), stars=self._score_stars())

    def _down(self) -> Grid:
        rows, sure = list[list[str]](), set[tuple[int, int]]()
        for metric, ranking in self.rankings.items():
            rows.append([f"{metric} {self._arrow(metric)}", "", "", ""])
            best = self.best(metric)
            for name, score in ranking.scores.items():
                if [name] == best:
                    sure.add((len(rows), 1))
                place = "-".join(dict.fromkeys(str(place) for place in ranking.places[name]))
                rows.append([f"  {name}", value_text(score), interval_text(score), place])
        head = ["metric", "value", f"{percent(self.level)} interval", "place"]
        return Grid(self._title(), head, rows, frozenset(sure), stars=self._score_stars())

    def _score_stars(self) -> tuple[Star, ...]:
        return tuple(
            star
            for model in self.models
            for star in stars_of(model, {metric: ranking.scores[model] for metric, ranking in self.rankings.items()})
        )

    def _pair_stars(self) -> list[Star]:
        """The marks of differences, all of them: the findings carry them too."""
        two = len(self.models) == 2
        return [
            Star(metric, "difference" if two else f"{a} − {b}", c.reason)
            for metric in self
            for (a, b), c in self.pairs(metric).items()
            if c.reason and not c.reliable
        ]

    def _title(self) -> str:
        return f"{self.task}, {len(self.models)} models"

    def _arrow(self, metric: str) -> str:
        return ARROWS[self.metrics[metric].record.better]

    def _verdict(self, best: list[str]) -> str:
        return "not sure" if len(best) == len(self.models) else " or ".join(best)

    def _differences(self) -> Grid:
        head = [f"difference [{percent(self.level)}]", "p" if len(self.models) == 2 else "p (Holm)", "detectable"]
        title = f"{self.models[0]} − {self.models[1]}" if len(self.models) == 2 else "all pairs"
        if self.effect is None:
            return self._of_pairs(title, head, _cells)
        return self._of_pairs(title, [*head, f"rows for {self.effect:g}"], lambda c: [*_cells(c), self._rows_text(c)])

    def _rows_text(self, c: Comparison) -> str:
        rows = self._rows(c)
        return "–" if rows is None else f"{rows:,}"

    def _margins(self) -> list[Grid]:
        if self.margin is None:
            return []
        head = ["p not worse", "p equal"]
        return [
            self._of_pairs(
                f"within a margin of {self.margin:g}",
                head,
                lambda c: [_p_text(c.p_noninferior), _p_text(c.p_equivalent)],
            )
        ]

    def _of_pairs(self, title: str, head: list[str], cells: Callable[[Comparison], list[str]]) -> Grid:
        """A row for every pair; where there are too many to read, those of the first metric."""
        two, count = len(self.models) == 2, len(self.models) * (len(self.models) - 1) // 2
        shown = list(self) if len(self) * count <= _MOST_ROWS else list(self)[:1]
        rows: list[list[str]] = []
        for metric in shown:
            rows += [] if two else [[metric, *[""] * len(head)]]
            rows += [[metric if two else f"  {a} − {b}", *cells(c)] for (a, b), c in self.pairs(metric).items()]
        hidden = len(self) - len(shown)
        below = f"The pairs of {hidden} more metrics are in the other formats (json, csv)." if hidden else ""
        return Grid(title, ["metric", *head], rows, below=below)

    def _footnotes(self, shown: Sequence[Grid]) -> list[str]:
        facts = [counted(self.n, "row"), *([counted(self.groups, "group")] if self.groups is not None else [])]
        facts += [f"{percent(self.level)} intervals"]
        facts += [f"positive class {self.positive!r}"] if self.positive is not None else []
        said = [*self.findings, " · ".join([*facts, *self.notes]), *self._methods()]
        said += star_notes(shown, self._pair_stars())
        said.append("detectable: the smallest true difference that these rows find four times out of five")
        if self.effect is not None:
            said.append(
                f"rows for {self.effect:g}: as many rows of this kind find a true difference of {self.effect:g} four times out of five"
            )
        if self.margin is not None:
            said.append(
                f"p not worse: of the claim that the model given first is not worse by {self.margin:g}; p equal: that both are "
                "within the margin. Small values support the claim"
            )
        if len(self.models) > 2:
            said.append(
                "p values and intervals of differences allow for the number of pairs, not for the number of metrics"
            )
        return [*said, *warning_notes(self.warnings)]

    def _methods(self) -> list[str]:
        scores = ((m, s.method) for m, ranking in self.rankings.items() for s in ranking.scores.values())
        pairs = ((m, c.method) for m, ranking in self.rankings.items() for c in ranking.pairs.values())
        return [*method_note("intervals", scores), *method_note("differences", pairs)]


def turned(c: Comparison) -> Comparison:
    """The same comparison the other way round."""
    facts: dict[str, Any] = {
        **c.__dict__, "a": c.b, "b": c.a, "low": None if c.high is None else -c.high, "high": None if c.low is None else -c.low,
        "favours": {"a": "b", "b": "a"}.get(c.favours or ""),
    }  # fmt: skip
    return Comparison(-float(c), **facts)


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


def _record(metric: str, a: str, b: str, c: Comparison) -> dict[str, Any]:
    return {
        "metric": metric, "a": a, "b": b, "value_a": float(c.a), "value_b": float(c.b), "difference": float(c), "low": c.low,
        "high": c.high, "level": c.level, "p": c.p, "adjusted_p": c.adjusted_p, "significant": c.significant,
        "detectable": c.mde, "p_noninferior": c.p_noninferior, "p_equivalent": c.p_equivalent, "n": c.n, "method": c.method,
        "reliable": c.reliable, "reason": c.reason,
    }  # fmt: skip


def _joined(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
