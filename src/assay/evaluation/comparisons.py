"""What a comparison of models found: a ranking for each metric, all pairs, and the findings in words."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, ClassVar, Literal, TypeAlias

from assay.core import escaping
from assay.core.call_checks import guarded
from assay.core.comparison import POWER, Comparison
from assay.core.errors import ParameterError, UnknownNameError, did_you_mean
from assay.core.frames import Framed, FrameData
from assay.core.metric import Metric
from assay.core.monoids import Label
from assay.core.ranking import Ranking
from assay.core.value_checks import Name
from assay.evaluation import table_layout
from assay.evaluation.advice import left_out
from assay.evaluation.comparison_view import View
from assay.evaluation.side_by_side import said_of
from assay.evaluation.table_layout import Page
from assay.inference.rankings import over_metrics
from assay.version import __version__

Correction: TypeAlias = Literal["metrics", "pairs"]


class Comparisons(Framed):
    """Models on the same rows. Index it by metric for the `Ranking`; ``pairs`` and ``pair`` give the differences.

    Differences are taken in the order in which the models were given. ``findings`` says it in words, and whether they allow for the
    number of metrics: by default (``correction="metrics"``) p values are Holm's over all metrics and pairs.
    """

    what: ClassVar[str] = "models"

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
        correction: Correction = "metrics",
    ) -> None:
        self.task, self.n, self.models, self.level, self.margin = task, n, models, level, margin
        self.correction: Correction = correction
        self.rankings = over_metrics(rankings) if correction == "metrics" else dict(rankings)
        self.left_out, self.metrics = dict(left_out), dict(metrics)
        self.positive, self.groups, self.effect = positive, groups, effect
        self.notes: tuple[str, ...] = ()
        self.more: tuple[table_layout.Grid, ...] = ()  # tables below those of the differences

    def noted(self, *notes: str) -> Comparisons:
        """The same with notes on where the rows come from."""
        other = copy.copy(self)
        other.notes = (*self.notes, *notes)
        return other

    @guarded
    def __getitem__(self, metric: str) -> Ranking:
        if metric not in self.rankings:
            raise UnknownNameError(
                "", "", f"no models were compared by {metric!r}", did_you_mean(metric, self.rankings).strip()
            )
        return self.rankings[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rankings)

    def __len__(self) -> int:
        return len(self.rankings)

    @guarded
    def pairs(self, metric: str) -> dict[tuple[str, str], Comparison]:
        """Every pair by one metric: the model given first minus the one given later."""
        own = self[metric].pairs
        found = {(a, b): own[(a, b)] if (a, b) in own else turned(own[(b, a)]) for a, b in combinations(self.models, 2)}
        return {pair: c.but(margin=self.margin) for pair, c in found.items()}

    @guarded
    def pair(self, metric: str, a: Name | None = None, b: Name | None = None) -> Comparison:
        """The difference ``a - b`` by one metric; of two models there is only one."""
        if a is None and b is None and len(self.models) > 2:
            raise ParameterError(
                "pair", "", f"which two of {', '.join(self.models)}?", f"Name them: pair({metric!r}, a, b)."
            )
        wanted = (a or self.models[0], b or self.models[1])
        for name in wanted:
            if name not in self.models:
                raise UnknownNameError("", "", f"unknown model {name!r}", did_you_mean(name, self.models).strip())
        if wanted[0] == wanted[1]:
            raise ParameterError("pair", "", f"{wanted[0]!r} cannot be compared with itself")
        own = self.pairs(metric)
        return own[wanted] if wanted in own else turned(own[wanted[1], wanted[0]])

    @guarded
    def rows_for(
        self, metric: str, effect: float, a: Name | None = None, b: Name | None = None, *, power: float = POWER
    ) -> int:
        """How many rows of this kind find a true difference of ``effect`` of two models with probability ``power``."""
        return self.pair(metric, a, b).rows_for(effect, power)

    # ---- in words

    @guarded
    def best(self, metric: str) -> list[str]:
        """The models that may be best by a metric: one if that is certain, none if it has no direction or a value is missing."""
        ranking = self[metric]  # which refuses an unknown name
        if self.metrics[metric].record.better == "none" or len(self._known(metric)) < len(self.models):
            return []
        places = ranking.places
        return [name for name in self.models if places[name][0] == 1]

    def _known(self, metric: str) -> list[str]:
        return [name for name in self.models if not math.isnan(self[metric].scores[name])]

    @property
    def findings(self) -> list[str]:
        """Which model is best by which metrics, which cannot be told apart, and what this is corrected for."""
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
            *([] if len(self) == 1 else [f"Findings are {self.corrected_for}."]),
        ]

    @property
    def corrected_for(self) -> str:
        """What the p values behind the findings are corrected for, in words."""
        count = len(self.models) * (len(self.models) - 1) // 2
        pairs = f"{count} pairs of {self.what}"
        if self.correction == "metrics" and len(self) > 1:
            return f"corrected for {len(self)} metrics{f' and {pairs}' if count > 1 else ''} (Holm)"
        metrics = f"not corrected for the number of metrics looked at ({len(self)})"
        return f"corrected for {pairs} (Holm), {metrics}" if count > 1 else metrics

    @property
    def warnings(self) -> list[str]:
        """Rows and classes on which a metric is undefined, which may differ between models; and what was left out."""
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
            "correction": self.correction,
            "corrected_for": self.corrected_for,
            "metrics": {metric: self._as_dict(metric) for metric in self},
            "left_out": self.left_out,
            "warnings": self.warnings,
            "notes": list(self.notes),
            "assay": __version__,
        }

    def _as_dict(self, metric: str) -> dict[str, Any]:
        pairs = [
            {"first": a, "second": b, **c.to_dict(), "rows_for_effect": self.rows_wanted(c)}
            for (a, b), c in self.pairs(metric).items()
        ]
        better = self.metrics[metric].record.better
        return {**self[metric].to_dict(), "better": better, "best": self.best(metric), "pairs": pairs}

    def rows_wanted(self, c: Comparison) -> int | None:
        """The rows for the requested effect; None where these rows do not determine them."""
        return c.rows_for(self.effect) if self.effect is not None and c.error and c.level is not None else None

    def frame_data(self) -> FrameData:
        """One row per metric and pair, with the difference, its interval and p values."""
        import polars as pl

        texts, truths = ("metric", "a", "b", "method", "reason"), ("significant", "reliable")
        found = [
            _record(metric, a, b, c) | {"rows_for_effect": self.rows_wanted(c)}
            for metric in self
            for (a, b), c in self.pairs(metric).items()
        ]
        kinds = {
            "n": pl.Int64,
            "metrics": pl.Int64,
            "rows_for_effect": pl.Int64,
            **dict.fromkeys(texts, pl.String),
            **dict.fromkeys(truths, pl.Boolean),
        }
        return FrameData(found, {name: kinds.get(name, pl.Float64) for name in found[0]})

    def to_markdown(self) -> str:
        """Tables and findings as Markdown."""
        view = View(self)
        shown = view.tables()
        return table_layout.to_markdown(shown, view.footnotes(shown), view.opening())

    def to_latex(self) -> str:
        """Tables and findings as LaTeX (booktabs)."""
        view = View(self)
        shown = view.tables()
        return table_layout.to_latex(shown, view.footnotes(shown), view.opening())

    def __rich__(self) -> Page:
        return self._page()

    def __str__(self) -> str:
        return self._page().text()

    def __repr__(self) -> str:
        return (
            f"<Comparisons {self.task} n={self.n}: {escaping.visible(', '.join(self.models))} by {len(self)} metrics>"
        )

    def _repr_html_(self) -> str:
        view = View(self)
        shown = view.tables()
        return table_layout.to_html(shown, view.footnotes(shown), view.opening())

    def _page(self) -> Page:
        view = View(self)
        return Page(view.tables, view.footnotes, view.opening())


def turned(c: Comparison) -> Comparison:
    """The same comparison the other way round."""
    facts: dict[str, Any] = {
        **c.__dict__, "a": c.b, "b": c.a, "low": None if c.high is None else -c.high, "high": None if c.low is None else -c.low,
        "favours": {"a": "b", "b": "a"}.get(c.favours or ""),
    }  # fmt: skip
    return Comparison(-float(c), **facts)


def _record(metric: str, a: str, b: str, c: Comparison) -> dict[str, Any]:
    return {
        "metric": metric, "a": a, "b": b, "value_a": float(c.a), "value_b": float(c.b), "corrected_a": c.a.corrected,
        "corrected_b": c.b.corrected, "difference": float(c), "low": c.low,
        "high": c.high, "level": c.level, "p": c.p, "adjusted_p": c.adjusted_p, "metrics": c.metrics, "significant": c.significant,
        "detectable": c.mde, "p_noninferior": c.p_noninferior, "p_equivalent": c.p_equivalent, "n": c.n, "method": c.method,
        "reliable": c.reliable, "reason": c.reason,
    }  # fmt: skip


def _joined(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
