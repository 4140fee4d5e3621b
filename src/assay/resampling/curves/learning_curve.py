"""The result of `learning_curve`: the metric at each size, a power law, and what more rows would gain."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core import escaping
from assay.core.call_checks import guarded
from assay.core.errors import InputError, ParameterError
from assay.core.frames import Framed, FrameData
from assay.core.plain_data import plain_data
from assay.core.score import Score, digits
from assay.evaluation import table_layout
from assay.evaluation.table_layout import ARROWS, Grid, Page, Star, interval_text, limits_text, percent, value_text
from assay.resampling._figures import Line, Panel, draw
from assay.resampling.curves._points import Point
from assay.resampling.curves.power_law import PowerLaw
from assay.resampling.schemes.scheme import Holdout, Scheme
from assay.resampling.schemes.scheme_text import described
from assay.version import __version__

METHOD = "power law, splits resampled"
SCHEMA: dict[str, Any] = {
    "rows": float, "value": float, "low": float, "high": float, "level": float, "method": str, "reliable": bool, "reason": str,
    "error": float, "form": str, "train": float, "overfitting": float, "fits": int, "failures": int,
}  # fmt: skip


@dataclass(frozen=True)
class Scale:
    """Converts a metric to the loss of the power law and back: ``value = origin + sign * loss``; ``words`` names the loss."""

    metric: str
    better: str
    bounds: tuple[float, float]
    origin: float
    sign: float
    words: str

    @classmethod
    def of(cls, name: str, better: str, bounds: tuple[float, float], optimum: float | None) -> Scale:
        """Errors as they are; where higher is better, the distance from the best, or the negative where there is no best."""
        if better != "higher":
            return cls(name, better, bounds, 0.0, 1.0, name)
        if optimum is None:
            return cls(name, better, bounds, 0.0, -1.0, f"-{name}")
        return cls(name, better, bounds, optimum, -1.0, f"{optimum:g} - {name}")

    @property
    def floor(self) -> float:
        """The smallest possible loss."""
        return min(self.loss(edge) for edge in self.bounds)

    def loss(self, value: Any) -> Any:
        """The loss of a value."""
        return self.sign * (value - self.origin)

    def value(self, loss: Any) -> Any:
        """The value of a loss."""
        return self.origin + self.sign * loss

    def limits(self, low: float, high: float) -> tuple[float | None, float | None]:
        """The limits of a value from those of its loss, clipped to the possible range; None where there are none."""
        if math.isnan(low) or math.isnan(high):
            return None, None
        a, b = sorted((float(self.value(low)), float(self.value(high))))
        return max(a, self.bounds[0]), min(b, self.bounds[1])


@dataclass(frozen=True, eq=False)
class Gain:
    """What more rows gain: the metric ``before`` and ``after``, and how much better that is (``gain``, with its limits)."""

    rows: tuple[int, int]
    before: Score
    after: Score
    gain: Score

    def __str__(self) -> str:
        star = "" if self.after.reliable else " *"
        after = f"{value_text(self.after)} {limits_text(self.after.low, self.after.high)}".strip()
        better = f"{value_text(self.gain)} {limits_text(self.gain.low, self.gain.high)}".strip()
        return f"{self.rows[0]} → {self.rows[1]} rows: {value_text(self.before)} → {after}, better by {better}{star}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        scores = {name: getattr(self, name).to_dict() for name in ("before", "after", "gain")}
        return {"rows": list(self.rows), **scores}


@dataclass(frozen=True, eq=False, kw_only=True)
class LearningCurve(Framed):
    """The metric of a learner against the number of training rows.

    ``points`` go from small to large. ``law`` is the power law a + b n^-c of the loss that ``scale`` names, or None with the
    reason in ``lawless``. `predict`, `gain` and ``asymptote`` extrapolate to other numbers of rows.
    """

    learner: str
    inner_loss: str
    task: str
    n: int
    scheme: Scheme
    level: float
    ratio: float
    scale: Scale
    points: tuple[Point, ...]
    law: PowerLaw | None
    lawless: str

    @property
    def metric(self) -> str:
        """The metric of the curve."""
        return self.scale.metric

    @property
    def sizes(self) -> list[float]:
        """Training rows at each point; a mean where splits differ."""
        return [point.rows for point in self.points]

    @property
    def failures(self) -> list[str]:
        """The errors of the fits that failed, with their size, repeat and fold."""
        return [f"{point.rows:.0f} rows, {text}" for point in self.points for text in point.failures]

    def _law(self, who: str) -> PowerLaw:
        if self.law is None:
            raise InputError(who, "", f"there is no power law to extrapolate by: {self.lawless.rstrip('.')}")
        return self.law

    @guarded
    def predict(self, n: float) -> Score:
        """The metric that the power law predicts at n training rows, with its interval; n may be infinite."""
        law = self._law("predict")
        if n < 1:
            raise ParameterError("predict", "n", f"must be a number of rows of at least 1, got {n!r}")
        low, high = self.scale.limits(*law.limits(n))
        return self._score(float(self.scale.value(law(n))), low, high, law.doubted(n), f"rows:{n:g}")

    def _score(self, value: float, low: float | None, high: float | None, doubt: str, what: str) -> Score:
        return Score(
            value, metric=self.metric, n=self.n, low=low, high=high, level=self.level, method=METHOD, reliable=not doubt,
            reason=doubt, signature=f"{self.points[-1].score.signature}|law:{what}",
        )  # fmt: skip

    @property
    def asymptote(self) -> Score:
        """The metric in the limit of infinitely many rows."""
        return self.predict(math.inf)

    @guarded
    def gain(self, factor: float = 2.0) -> Gain:
        """What ``factor`` times the rows of the data would gain, by the power law at both ends."""
        law = self._law("gain")
        if isinstance(factor, bool) or not (factor > 1 and math.isfinite(factor)):
            raise ParameterError("gain", "factor", f"must be a multiple of the present rows, above 1, got {factor!r}")
        more = round(factor * self.n)
        low, high = law.range(law.drawn(self.n) - law.drawn(more))
        known = not math.isnan(low)
        value = float(law(self.n) - law(more))
        gain = self._score(
            value, low if known else None, high if known else None, law.doubted(more), f"gain:{factor:g}"
        )
        return Gain((self.n, more), self.predict(self.n), self.predict(more), gain)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        known = self.law is not None
        return plain_data({
            "learner": self.learner, "task": self.task, "n": self.n, "metric": self.metric, "resampling": str(self.scheme),
            "level": self.level, "ratio": self.ratio, "inner_loss": self.inner_loss, "failures": self.failures,
            "points": [point.to_dict() for point in self.points],
            "law": None if self.law is None else {"of": self.scale.words, **self.law.to_dict()}, "lawless": self.lawless,
            "asymptote": self.asymptote.to_dict() if known else None, "gain": self.gain().to_dict() if known else None,
            "assay": __version__,
        })  # fmt: skip

    def frame_data(self) -> FrameData:
        """One row per size."""
        return FrameData([record(point) for point in self.points], SCHEMA)

    def to_markdown(self) -> str:
        """Table and notes as Markdown."""
        return table_layout.to_markdown([self._table()], self._notes())

    @guarded
    def figure(self, *, factor: float = 2.0) -> str:
        """Test and training values against the rows, and the power law up to ``factor`` times the present rows, as SVG text."""
        lines = [band("test", self.sizes, self.points), Line("train", self.sizes, [p.train for p in self.points])]
        if self.law is not None:
            lines.append(self._drawn(self.law, factor))
        panel = Panel(lines=lines, x_label="training rows", y_label=self.metric, x_scale="log")
        return draw(panel, title=f"{self.learner}, {percent(self.level)} intervals", width=560, height=340)

    def _drawn(self, law: PowerLaw, factor: float) -> Line:
        """The power law as a line, with a band beyond the largest size measured."""
        end = max(factor * self.n, law.largest)
        parts = np.geomspace(self.sizes[0], law.largest, 31), np.geomspace(law.largest, end, 31)
        x: Any = np.unique(np.concatenate(parts))
        limits = [law.limits(n) if n >= law.largest * (1 - 1e-9) else (math.nan, math.nan) for n in x.tolist()]
        edges: Any = np.sort(self.scale.value(np.array(limits)), axis=1)
        return Line(
            "power law", x.tolist(), self.scale.value(law(x)).tolist(), edges[:, 0].tolist(), edges[:, 1].tolist()
        )

    # ---- for readers

    def _table(self) -> Grid:
        head = [
            "rows",
            f"{self.metric} {ARROWS[self.scale.better]}".strip(),
            percent(self.level),
            "train",
            "overfitting",
        ]
        rows = [[f"{point.rows:.0f}", *cells(point)] for point in self.points]
        title = f"{self.learner} · {self.task} · n={self.n} · {described(self.scheme)}"
        stars = tuple(star for point in self.points for star in starred(point, f"{point.rows:.0f} rows"))
        return Grid(title, head, rows, stars=stars)

    def _notes(self) -> list[str]:
        said = methods(self.points, self.scheme, self.ratio, "trained on that many rows")
        said += [f"No power law: {self.lawless}"] if self.law is None else self._told(self.law)
        return [
            *said,
            *table_layout.star_notes([self._table()]),
            *table_layout.warning_notes(lost(self.failures, self.points)),
        ]

    def _told(self, law: PowerLaw) -> list[str]:
        low, high = law.range(law.draws[:, 2]) if law.draws is not None else (None, None)
        end = self.asymptote
        said = [
            f"Power law of {self.scale.words}: {digits(law.a)} + {law.b:.4g} n^-c, c = {digits(law.c)} {limits_text(low, high)}".rstrip(),
            f"Infinitely many rows: {value_text(end)} {limits_text(end.low, end.high)}".rstrip(),
            f"Twice the rows: {self.gain()}",
        ]
        if self.lawless:
            said.append(f"! {self.lawless}")
        return said + [f"! The power law is doubtful: {text}." for text in law.doubts]

    def __rich__(self) -> Any:
        return Page(lambda _: [self._table()], lambda _: self._notes())

    def __str__(self) -> str:
        return self.__rich__().text()

    def __repr__(self) -> str:
        return escaping.visible(f"<LearningCurve {self.learner} n={self.n}: {self.metric} at {len(self.points)} sizes>")

    def _repr_html_(self) -> str:
        return seen(self.figure, self.points) + table_layout.to_html([self._table()], self._notes())


# ---- shared by both kinds of curves


def record(point: Point) -> dict[str, Any]:
    """A point as a row of a frame."""
    score = point.score
    return {
        "rows": point.rows, "value": float(score), "low": score.low, "high": score.high, "level": score.level,
        "method": score.method, "reliable": score.reliable, "reason": score.reason, "error": point.error, "form": point.form,
        "train": point.train, "overfitting": point.overfitting, "fits": point.fits, "failures": len(point.failures),
    }  # fmt: skip


def cells(point: Point) -> list[str]:
    """A point as cells of a table."""
    return [value_text(point.score), interval_text(point.score), value_text(point.train), value_text(point.overfitting)]


def starred(point: Point, where: str) -> tuple[Star, ...]:
    """The mark of a point whose interval is not reliable."""
    return table_layout.stars_of(where, {point.score.metric: point.score})


def methods(points: tuple[Point, ...], scheme: Scheme, ratio: float, what: str) -> list[str]:
    """What the intervals cover, how they were computed, and what the correction rests on; empty if there are none."""
    known = dict.fromkeys(p.score.method for p in points if p.score.method not in (None, "none"))
    if not known:
        return []
    one = isinstance(scheme, Holdout)
    about = f"the model {what} of this one split" if one else f"the learner {what}, averaged over training sets"
    more = f", n_test / n_train = {ratio:.3g} as the scheme splits"
    made = "; ".join(f"{m}{more if m == 'corrected resampled t' else ''}" for m in known)
    return [f"The interval at each point is about {about}.", f"Intervals: {made}"]


def lost(failures: list[str], points: tuple[Point, ...]) -> list[str]:
    """The number of failed fits, in words."""
    if not failures:
        return []
    total = sum(point.fits for point in points)
    return [
        f"{len(failures)} of {total} fits failed; points with a failed fit have no value. The first: {failures[0]}."
    ]


def band(name: str, x: list[float], points: tuple[Point, ...]) -> Line:
    """Scores with their intervals as a line with a band."""
    low, high = (
        [math.nan if edge is None else edge for edge in (getattr(p.score, side) for p in points)]
        for side in ("low", "high")
    )
    return Line(name, x, [float(p.score) for p in points], low, high)


def seen(figure: Callable[[], str], points: tuple[Point, ...]) -> str:
    """The figure, if there is anything to draw."""
    return figure() if any(math.isfinite(v) for p in points for v in (p.score, p.train)) else ""
