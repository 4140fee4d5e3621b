"""The result of `complexity_curve`: the metric at each value of a parameter, the best, and the simplest that is as good."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.core import escaping
from assay.core.call_checks import guarded
from assay.core.errors import ParameterError
from assay.core.frames import Framed, FrameData
from assay.core.plain_data import plain_data
from assay.core.score import digits
from assay.evaluation import table_layout
from assay.evaluation.table_layout import ARROWS, Grid, Page, percent
from assay.resampling._figures import Line, Panel, draw
from assay.resampling.curves._points import Point
from assay.resampling.curves.learning_curve import SCHEMA, Scale, band, cells, lost, methods, record, seen, starred
from assay.resampling.schemes.scheme import Scheme
from assay.resampling.schemes.scheme_text import described
from assay.version import __version__

Side = Literal["best", "as good", "underfits", "overfits", "unknown"]
_WIDE = 30.0  # a ratio of values from which a log axis reads better


@dataclass(frozen=True, eq=False, kw_only=True)
class ComplexityCurve(Framed):
    """The metric of a learner against a parameter, its ``values`` from simple to complex, all on the same splits.

    ``best`` is the value with the best score, ``simplest`` the first one within a standard error of it, ``sides`` tells whether
    each value under- or overfits.
    """

    learner: str
    inner_loss: str
    task: str
    n: int
    scheme: Scheme
    level: float
    ratio: float
    scale: Scale
    parameter: str
    values: tuple[Any, ...]
    points: tuple[Point, ...]

    @property
    def metric(self) -> str:
        """The metric of the curve."""
        return self.scale.metric

    @property
    def losses(self) -> Any:
        """The loss at each value, smaller is better; NaN where a fit failed."""
        return np.array([self.scale.loss(float(point.score)) for point in self.points])

    @property
    def _best(self) -> int:
        return int(np.nanargmin(self.losses)) if np.isfinite(self.losses).any() else -1

    @property
    def best(self) -> Any:
        """The value with the best score, the simplest of several; None if no value has a score."""
        return None if self._best < 0 else self.values[self._best]

    @property
    def standard_error(self) -> float:
        """The standard error of the best score, as in its interval; NaN if unknown."""
        return math.nan if self._best < 0 else self.points[self._best].error

    @property
    def _near(self) -> Any:
        """Whether each value is within one standard error of the best."""
        known = self._best >= 0 and math.isfinite(self.standard_error)
        edge = self.losses[self._best] + self.standard_error if known else -math.inf
        return self.losses <= edge

    @property
    def simplest(self) -> Any:
        """The one-standard-error rule: the first value whose score is that close to the best; None if the error is unknown."""
        return self.values[int(np.argmax(self._near))] if self._near.any() else None

    @property
    def sides(self) -> tuple[Side, ...]:
        """For each value: simpler than the best and clearly worse is underfitting, more complex and clearly worse overfitting."""
        near = self._near
        found: list[Side] = []
        for at, loss in enumerate(self.losses):
            apart: Side = "underfits" if at < self._best else "overfits"
            found.append(
                "unknown"
                if math.isnan(loss) or self._best < 0
                else "best"
                if at == self._best
                else "as good"
                if near[at]
                else apart
            )
        return tuple(found)

    @property
    def failures(self) -> list[str]:
        """The errors of the fits that failed, with their value, repeat and fold."""
        pairs = zip(self.values, self.points, strict=True)
        return [f"{self.parameter}={value!r}, {text}" for value, point in pairs for text in point.failures]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return plain_data({
            "learner": self.learner, "task": self.task, "n": self.n, "metric": self.metric, "resampling": str(self.scheme),
            "level": self.level, "ratio": self.ratio, "inner_loss": self.inner_loss, "failures": self.failures,
            "parameter": self.parameter, "values": [_told(value) for value in self.values], "best": _told(self.best),
            "simplest": _told(self.simplest), "standard_error": self.standard_error, "sides": list(self.sides),
            "points": [point.to_dict() for point in self.points], "assay": __version__,
        })  # fmt: skip

    def frame_data(self) -> FrameData:
        """One row per value. Values that are not numbers are strings."""
        kind, told = (float, float) if self._numeric else (str, str)
        rows = [
            {"parameter": told(value), "side": side, **record(point)}
            for value, side, point in zip(self.values, self.sides, self.points, strict=True)
        ]
        return FrameData(rows, {"parameter": kind, "side": str, **SCHEMA})

    def to_markdown(self) -> str:
        """Table and notes as Markdown."""
        return table_layout.to_markdown([self._table()], self._notes())

    @property
    def _numeric(self) -> bool:
        return all(isinstance(v, int | float) and not isinstance(v, bool) for v in map(_told, self.values))

    @guarded
    def figure(self, *, log: bool | None = None) -> str:
        """Test and training values against the parameter as SVG text; ``log`` is by default as the values are spaced."""
        numbers = [float(v) for v in self.values] if self._numeric else []
        rising = bool(numbers) and numbers == sorted(set(numbers))
        falling = bool(numbers) and numbers[::-1] == sorted(set(numbers))
        numbers = numbers if rising or falling else []  # else they keep the order given
        words = "complex ← simple" if falling else "simple → complex"
        positive = bool(numbers) and min(numbers) > 0
        if log and not positive:
            raise ParameterError("figure", "log", "needs positive numbers, and some of these values are not")
        spaced = positive and max(numbers) / min(numbers) >= _WIDE if log is None else log
        x = numbers or [float(i) for i in range(len(self.values))]
        names = [] if numbers else [(float(i), str(v)) for i, v in enumerate(self.values)]
        lines = [band("test", x, self.points), Line("train", x, [point.train for point in self.points])]
        lines += [self._mark(f"best ({_short(self.best)})", self._best, x)] if self._best >= 0 else []
        if self.simplest is not None and int(np.argmax(self._near)) != self._best:
            lines.append(self._mark(f"simplest as good ({_short(self.simplest)})", int(np.argmax(self._near)), x))
        panel = Panel(
            lines=lines,
            x_label=f"{self.parameter} ({words})",
            y_label=self.metric,
            x_scale="log" if spaced else "linear",
            x_names=names,
        )
        return draw(panel, title=f"{self.learner}, {percent(self.level)} intervals", width=560, height=340)

    def _mark(self, name: str, at: int, x: list[float]) -> Line:
        """From the test to the training value, which makes the overfitting visible."""
        return Line(name, [x[at], x[at]], [float(self.points[at].score), self.points[at].train])

    # ---- for readers

    def _table(self) -> Grid:
        head = [self.parameter, f"{self.metric} {ARROWS[self.scale.better]}".strip(), percent(self.level), "train"]
        shown = [_short(value) for value in self.values]
        rows = [[name, *cells(point), side] for name, point, side in zip(shown, self.points, self.sides, strict=True)]
        title = f"{self.learner} · {self.task} · n={self.n} · {described(self.scheme)}"
        marks = [starred(p, f"{self.parameter}={name}") for name, p in zip(shown, self.points, strict=True)]
        best = frozenset({(self._best, 1)} if self._best >= 0 else ())
        return Grid(
            title, [*head, "overfitting", "side"], rows, best, stars=tuple(star for found in marks for star in found)
        )

    def _notes(self) -> list[str]:
        said = methods(self.points, self.scheme, self.ratio, "with that value")
        return [
            *said, *self.verdict, *table_layout.star_notes([self._table()]),
            *table_layout.warning_notes([*self._warnings(), *lost(self.failures, self.points)]),
        ]  # fmt: skip

    @property
    def verdict(self) -> list[str]:
        """The best value, the simplest as good, and the sides, in words."""
        if self._best < 0:
            return ["No value has a score."]
        score = self.points[self._best].score
        said = [
            f"Best: {self.parameter}={_short(self.best)} with {score.short()}; slightly optimistic, because it was selected by this score."
        ]
        if self.simplest is None:
            return [*said, "The standard error is unknown, so the simplest value that is as good is unknown too."]
        error = digits(self.standard_error)
        said.append(f"Simplest within one standard error ({error}): {self.parameter}={_short(self.simplest)}.")
        for side, what in (("underfits", "Underfitting (too simple)"), ("overfits", "Overfitting (too complex)")):
            named = [_short(v) for v, found in zip(self.values, self.sides, strict=True) if found == side]
            said += [f"{what}: {self.parameter}={table_layout.shortened(named)}."] if named else []
        return said

    def _warnings(self) -> list[str]:
        trains = self.scale.loss(np.array([point.train for point in self.points]))
        known = trains[np.isfinite(trains)]
        said: list[str] = []
        if len(known) > 1 and known[-1] > known[0]:
            said.append(
                f"On training rows the last value is worse than the first: is {self.parameter} given from simple to complex?"
            )
        if self._best in (0, len(self.values) - 1):
            end, more = ("first", "simpler") if self._best == 0 else ("last", "more complex")
            said.append(f"The best value is the {end} one: {more} ones may be better still.")
        return said

    def __rich__(self) -> Any:
        return Page(lambda _: [self._table()], lambda _: self._notes())

    def __str__(self) -> str:
        return self.__rich__().text()

    def __repr__(self) -> str:
        return escaping.visible(
            f"<ComplexityCurve {self.learner} n={self.n}: {self.metric} by {self.parameter}, best {_short(self.best)}>"
        )

    def _repr_html_(self) -> str:
        return seen(self.figure, self.points) + table_layout.to_html([self._table()], self._notes())


def _told(value: Any) -> Any:
    """A value as plain data: numbers and strings as they are, others as they print."""
    plain = value.item() if hasattr(value, "item") else value
    return plain if plain is None or isinstance(plain, str | int | float) else str(plain)


def _short(value: Any) -> str:
    told = _told(value)
    return f"{told:.6g}" if isinstance(told, float) else str(told)
