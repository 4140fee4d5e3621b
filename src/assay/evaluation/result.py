"""The result of an evaluation: numbers first, then everything that helps to read them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from assay.core.call_checks import guarded
from assay.core.errors import UnknownNameError, did_you_mean
from assay.core.frames import Framed, FrameData
from assay.core.metric import Metric
from assay.core.monoids import Label
from assay.core.registry import METRICS
from assay.core.score import Score
from assay.core.slices import Slice
from assay.evaluation import advice, presets, render, table_layout
from assay.evaluation.matrix_tables import ClassTable
from assay.version import __version__

if TYPE_CHECKING:
    from assay.core.arrays import Floats
    from assay.metrics.classification.curves import Curve
    from assay.metrics.detection.errors import ErrorTable

Measured: TypeAlias = "Score | Floats | Curve | list[Curve] | dict[Label, Curve] | ErrorTable"


class Result(Framed):
    """What `evaluate` found. Index it by name; print it; turn it into a frame, JSON, Markdown or LaTeX.

    ``baseline`` and ``warnings`` are worked out when first read, so that a result used for its numbers alone costs nothing
    more.
    """

    def __init__(
        self,
        *,
        task: str,
        n: int,
        classes: tuple[Label, ...],
        positive: Label | None,
        groups: int | None,
        level: float | None,
        metrics: Mapping[str, Metric[Any]],
        values: Mapping[str, Any],
        slices: dict[str, dict[Any, dict[str, Slice]]],
        find_baseline: Callable[[], dict[str, float]],
        find_support: Callable[[], dict[Label, float]],
        find_advice: Callable[[], list[str]] = list,
        effective_n: float | None = None,
        unpooled: dict[str, dict[str, str]] | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        self.task, self.n, self.classes, self.positive, self.groups = task, n, classes, positive, groups
        self.metrics, self.values, self.gaps, self.level = dict(metrics), dict(values), slices, level
        self.effective_n = effective_n  # the effective number of rows under weights
        self.notes = notes  # on where the numbers come from
        self.unpooled = unpooled or {}  # by slice and metric: why its slices could not borrow from each other
        self._find_baseline, self._find_support, self._find_advice = find_baseline, find_support, find_advice

    def __getstate__(self) -> dict[str, Any]:
        """Travel with what was found, without the data: baseline, support and warnings are computed first."""
        _ = self.warnings, self.baseline, self.support
        return {k: v for k, v in self.__dict__.items() if k not in ("_find_baseline", "_find_support", "_find_advice")}

    def noted(self, *notes: str) -> Result:
        """The same with notes on where the numbers come from, which stand below the tables."""
        other = copy.copy(self)
        other.notes = (*self.notes, *notes)
        return other

    @guarded
    def named(self, names: Mapping[Any, str]) -> Result:
        """The same with classes under other names, where those of the files are numbers."""
        if not names:
            return self
        other = copy.copy(self)

        def renamed(label: Any) -> Any:
            return names.get(label, label)

        other.classes = tuple(renamed(label) for label in self.classes)
        other.values = {name: _renamed(value, renamed) for name, value in self.values.items()}
        support = {renamed(label): count for label, count in self.support.items()}
        other.__dict__ |= {"support": support}
        other.__dict__.pop("warnings", None)  # they name classes too
        return other

    @guarded
    def __getitem__(self, name: str) -> Measured:
        """The `Score` of a metric that is one number, else its array, curve, curves or table; ``scores`` has the numbers alone."""
        if name in self.values:
            return self.values[name]
        alike = [key for key, metric in self.metrics.items() if metric.key == METRICS.key_of(name)]
        if len(alike) == 1:
            return self.values[alike[0]]
        raise UnknownNameError(
            "", "", f"the result holds no {name!r}", did_you_mean(name, alike or self.values).strip()
        )

    def __contains__(self, name: object) -> bool:
        return name in self.values

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def label(self, name: str) -> str:
        """The metric as tables show it, with each parameter that differs from its default."""
        return presets.label(name, self.metrics[name])

    @property
    def slices(self) -> dict[str, dict[Any, dict[str, Score]]]:
        """The scores on every slice: ``slices["site"]["Lyon"]["f1"]``; ``gaps`` also holds the gap of each to the whole."""
        return {
            name: {label: {key: s.score for key, s in own.items()} for label, own in found.items()}
            for name, found in self.gaps.items()
        }

    @property
    def scores(self) -> dict[str, Score]:
        """The metrics that are one number."""
        return {name: value for name, value in self.values.items() if isinstance(value, Score)}

    @cached_property
    def baseline(self) -> dict[str, float]:
        """What the trivial model (mean, majority class, base rate) scores on the same rows."""
        return self._find_baseline()

    @cached_property
    def warnings(self) -> list[str]:
        """Warnings, most important first."""
        return advice.advice(self)

    @cached_property
    def data_advice(self) -> list[str]:
        """What the data themselves give cause to warn about, apart from the numbers."""
        return self._find_advice()

    @property
    def verdict(self) -> str:
        """By how many metrics the interval lies beyond the baseline, in words; empty where that cannot be said."""
        return advice.verdict(self)

    @cached_property
    def support(self) -> dict[Label, float]:
        """The weight of each class or label in the truth; empty for regression."""
        return self._find_support()

    def largest_class(self) -> tuple[float, Label]:
        """Fraction of rows and label of the most common class; (0, None) where rows do not have one class each."""
        if self.task not in ("binary", "multiclass"):
            return 0.0, None
        label = max(self.support, key=lambda c: self.support[c])
        return self.support[label] / sum(self.support.values()), label

    def per_class(self) -> dict[Label, dict[str, float]]:
        """For each class or label the value of every metric that has one, with its support."""
        with_parts = {name: score.parts for name, score in self.scores.items() if set(self.classes) & set(score.parts)}
        table = {c: {name: parts[c] for name, parts in with_parts.items() if c in parts} for c in self.classes}
        known = bool(self.support)
        return {
            c: {**row, **({"support": self.support.get(c, 0.0)} if known else {})} for c, row in table.items() if row
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return {
            "task": self.task,
            "n": self.n,
            "classes": list(self.classes),
            "positive": self.positive,
            "groups": self.groups,
            "level": self.level,
            "verdict": self.verdict,
            "scores": {
                name: {**score.to_dict(), "baseline": self.baseline.get(name)} for name, score in self.scores.items()
            },
            "other": {name: _plain(value) for name, value in self.values.items() if not isinstance(value, Score)},
            "slices": {
                name: {str(value): {key: s.to_dict() for key, s in scores.items()} for value, scores in found.items()}
                for name, found in self.gaps.items()
            },
            "unpooled": self.unpooled,
            "support": {str(label): count for label, count in self.support.items()},
            "notes": list(self.notes),
            "warnings": self.warnings,
            "assay": __version__,
        }

    def frame_data(self) -> FrameData:
        """One row per metric and slice, with its interval, its baseline and its gap to the whole."""
        return FrameData(render.records(self), render.schema())

    def to_markdown(self) -> str:
        """Tables and warnings as Markdown."""
        shown = render.grids(self)
        return table_layout.to_markdown(shown, render.footnotes(self, shown), render.opening(self))

    def to_latex(self) -> str:
        """Tables and warnings as LaTeX (booktabs)."""
        shown = render.grids(self)
        return table_layout.to_latex(shown, render.footnotes(self, shown), render.opening(self))

    def __rich__(self) -> render.Page:
        return render.page(self)

    def __str__(self) -> str:
        return render.page(self).text()

    def __repr__(self) -> str:
        return f"<Result {self.task} n={self.n}: " + ", ".join(f"{k}={s.short()}" for k, s in self.scores.items()) + ">"

    def _repr_html_(self) -> str:
        shown = render.grids(self)
        return table_layout.to_html(shown, render.footnotes(self, shown), render.opening(self))


def _renamed(value: Any, renamed: Callable[[Any], Any]) -> Any:
    """A value with its classes under other names."""
    if isinstance(value, Score):
        return value.but(parts={renamed(k): v for k, v in value.parts.items()})
    if isinstance(value, ClassTable):
        return replace(cast(Any, value), labels=tuple(map(renamed, value.labels)))
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list):
        return [_plain(v) for v in cast("list[Any]", value)]
    return value.to_dict() if hasattr(value, "to_dict") else value
