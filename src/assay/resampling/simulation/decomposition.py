"""Noise, bias and variance of a learner on a simulated truth, also as curves over a parameter."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from assay.core.call_checks import guarded
from assay.core.errors import InputError, ParameterError, arg
from assay.core.frames import Framed, FrameData
from assay.core.parameters import whole
from assay.core.score import digits
from assay.inference.draws import Progress, tell
from assay.resampling._figures import Line, Panel, draw
from assay.resampling.estimate.learners import Learner, LearnerLike, as_learner
from assay.resampling.simulation.risks import default_loss, predictions, trained
from assay.resampling.simulation.truths import Loss, Truth, seeds

_BLOCKS = 20  # of repeats, left out in turn for the standard errors
_PARTS = ("net_noise", "squared_bias", "net_variance")


@dataclass(frozen=True, kw_only=True)
class Decomposition:
    r"""The expected loss of a learner at ``n`` rows, and its parts.

    Squared loss: ``noise + squared_bias + variance``. The bias enters squared; the lecture notes «Performance Evaluation»
    (no author given) write it unsquared, which is wrong in units and in value (an erratum).

    Zero-one loss, after Domingos (2000): the main prediction is the one most often given to a row over training sets. ``noise``
    is the error of Bayes' rule, ``squared_bias`` the fraction of rows whose main prediction is not Bayes' (0 or 1 at each row, so
    its own square), ``variance`` the fraction of predictions that differ from the main one. Where the main prediction is wrong,
    variance helps, and where predictions deviate from Bayes' rule, noise does: ``net_variance`` and ``net_noise`` count that, and
    ``net_noise + squared_bias + net_variance`` is the expected loss. Under squared loss net and plain are the same.

    ``expected`` is measured independently, with noisy targets, and ``gap`` is its difference from the sum: of the order of
    ``gap_error`` (its standard error) if the sum is right. ``errors`` holds standard errors of the parts, over training sets
    and points.
    """

    learner: str
    truth: str
    loss: Loss
    n: int
    repeats: int
    points: int
    seed: int
    noise: float
    squared_bias: float
    variance: float
    net_noise: float
    net_variance: float
    expected: float
    gap: float
    gap_error: float
    errors: dict[str, float]

    @property
    def total(self) -> float:
        """The sum of the parts."""
        return self.net_noise + self.squared_bias + self.net_variance

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return {**dataclasses.asdict(self), "total": self.total}

    def __str__(self) -> str:
        net = "" if self.loss == "squared" else "net "
        parts = f"{net}noise {digits(self.net_noise)} + {'squared ' if not net else ''}bias {digits(self.squared_bias)}"
        return (
            f"{self.learner} on {self.truth}, n={self.n}: {self.loss} loss {digits(self.total)} = {parts} + {net}variance "
            f"{digits(self.net_variance)} · measured {digits(self.expected)}, gap {self.gap:.2g} ± {self.gap_error:.2g}"
        )


@guarded
def bias_variance(
    learner: LearnerLike,
    truth: Truth,
    *,
    n: int = 100,
    repeats: int = 200,
    points: int = 1000,
    loss: Loss | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Decomposition:
    """Noise, bias and variance of a learner: ``repeats`` training sets of ``n`` rows, judged at the same ``points``.

    ``loss`` is ``"squared"`` (of a binary truth: of the probability of class 1) or ``"zero_one"`` (Domingos' decomposition, see
    `Decomposition`); by default that of the truth's task. Squared bias and variance are corrected for the finite
    number of repeats. ``progress`` is called for every model trained.
    """
    who = "bias_variance"
    for name, value, least in (("n", n, 1), ("repeats", repeats, _BLOCKS), ("points", points, 2)):
        whole(who, name, value, low=least)
    loss = default_loss(who, truth, loss)
    made = as_learner(learner)
    X = truth.points(points, seeds(seed, 2, 1)[0])
    given = np.empty((repeats, points))
    for i, (data, fit) in enumerate(zip(seeds(seed, 0, repeats), seeds(seed, 1, repeats), strict=True)):
        given[i] = predictions(who, trained(made, truth, n, data, fit)(X), truth, loss, points)
        tell(progress, 1)
    split = _squared if loss == "squared" else _zero_one
    known = (truth.mean(X), truth.variance(X))
    parts = {name: float(values.mean()) for name, values in split(given, *known).items()}
    measured, gap_error = _measured(given, X, truth, loss, seed)
    return Decomposition(
        learner=made.name, truth=truth.name, loss=loss, n=n, repeats=repeats, points=points, seed=seed, **parts,
        expected=measured, gap=measured - sum(parts[name] for name in _PARTS), gap_error=gap_error,
        errors=_errors(split, given, known),
    )  # fmt: skip


def _squared(given: Any, mean: Any, variance: Any) -> dict[str, Any]:
    """The parts at each point; the squared bias is corrected for the variance of the mean of a few models."""
    spread: Any = given.var(axis=0, ddof=1)
    bias: Any = (given.mean(axis=0) - mean) ** 2 - spread / len(given)
    return {"noise": variance, "squared_bias": bias, "variance": spread, "net_noise": variance, "net_variance": spread}


def _zero_one(given: Any, mean: Any, variance: Any) -> dict[str, Any]:
    """Domingos' parts at each point, for two classes."""
    ones: Any = (given == 1).mean(axis=0)
    main, best = ones > 0.5, mean > 0.5
    noise = np.minimum(mean, 1 - mean)
    agree: Any = np.abs(ones - ~best)  # how often Bayes' prediction is given
    wrong = (main != best).astype(np.float64)
    spread: Any = np.abs(ones - main)
    return {
        "noise": noise, "squared_bias": wrong, "variance": spread,
        "net_noise": (2 * agree - 1) * noise, "net_variance": (1 - 2 * wrong) * spread,
    }  # fmt: skip


def _measured(given: Any, X: Any, truth: Truth, loss: Loss, seed: int) -> tuple[float, float]:
    """The mean loss against noisy targets, fresh for every model, and the standard error due to noise alone."""
    y: Any = np.stack([truth.targets(X, seeds(seed, 3, 1)[0], stream) for stream in range(len(given))])
    mean, variance = truth.mean(X), truth.variance(X)
    if loss == "zero_one":
        losses: Any = ((given == 1) != (y == 1)).astype(np.float64)
        known: Any = np.abs((given == 1) - mean)
    else:
        losses, known = (y - given) ** 2, variance + (mean - given) ** 2
    return float(losses.mean()), float((losses - known).std()) / math.sqrt(losses.size)


def _errors(split: Callable[..., dict[str, Any]], given: Any, known: tuple[Any, Any]) -> dict[str, float]:
    """Standard errors: the jackknife over blocks of training sets, and the spread over points, as if independent."""
    whole_parts = split(given, *known)
    blocks: Any = np.array_split(np.arange(len(given)), _BLOCKS)
    left = [{k: float(v.mean()) for k, v in split(np.delete(given, block, axis=0), *known).items()} for block in blocks]
    found: dict[str, float] = {}
    for name, values in whole_parts.items():
        over = np.array([one[name] for one in left])
        sets = (_BLOCKS - 1) / _BLOCKS * float(((over - over.mean()) ** 2).sum())
        found[name] = math.sqrt(sets + float(values.var(ddof=1)) / len(values))
    return found


@dataclass(frozen=True, kw_only=True)
class DecompositionCurve(Framed):
    """Decompositions over the values of one parameter: bias falls and variance grows with flexibility, their sum is U-shaped."""

    parameter: str
    values: tuple[Any, ...]
    parts: tuple[Decomposition, ...]

    @property
    def best(self) -> Any:
        """The value with the smallest expected loss."""
        return min(zip(self.values, self.parts, strict=True), key=lambda pair: pair[1].total)[0]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return {
            "parameter": self.parameter,
            "values": list(self.values),
            "best": self.best,
            "parts": [one.to_dict() for one in self.parts],
        }

    def frame_data(self) -> FrameData:
        """One row per value."""
        import polars as pl

        names = [
            "noise",
            "squared_bias",
            "variance",
            "net_noise",
            "net_variance",
            "total",
            "expected",
            "gap",
            "gap_error",
        ]
        rows = [
            {self.parameter: value, **{name: getattr(one, name) for name in names}}
            for value, one in zip(self.values, self.parts, strict=True)
        ]
        kind = pl.Float64 if self._numeric else pl.String
        for row in rows:
            row[self.parameter] = float(row[self.parameter]) if self._numeric else str(row[self.parameter])
        return FrameData(rows, {self.parameter: kind, **dict.fromkeys(names, pl.Float64)})

    @property
    def _numeric(self) -> bool:
        return all(isinstance(v, int | float) and not isinstance(v, bool) for v in self.values)

    def __str__(self) -> str:
        first = self.parts[0]
        net = "net " if first.loss == "zero_one" else ""
        lines = [
            f"{first.learner} on {first.truth}, n={first.n}, {first.loss} loss by {self.parameter} (least at {self.best}):"
        ]
        head = f"{net}noise", "bias" if net else "squared bias", f"{net}variance", "sum", "measured"
        lines.append("".join([f"{self.parameter:>16}", *(f"{name:>14}" for name in head)]))
        for value, one in zip(self.values, self.parts, strict=True):
            cells = one.net_noise, one.squared_bias, one.net_variance, one.total, one.expected
            lines.append("".join([f"{value!s:>16}", *(f"{digits(cell):>14}" for cell in cells)]))
        return "\n".join(lines)

    @guarded
    def figure(self, *, log: bool = False) -> str:
        """The parts against the parameter, as SVG text; ``log`` spaces the values by their logarithm."""
        if log and not self._numeric:
            raise ParameterError("figure", "log", "needs numbers, and these values are not")
        x: list[float] = [float(v) for v in self.values] if self._numeric else list(range(len(self.values)))
        names = [] if self._numeric else [(float(i), str(v)) for i, v in enumerate(self.values)]
        net = self.parts[0].loss == "zero_one"
        shown = {
            "expected loss": "total", "bias" if net else "squared bias": "squared_bias",
            "net variance" if net else "variance": "net_variance", "net noise" if net else "noise": "net_noise",
        }  # fmt: skip
        lines = [Line(title, x, [getattr(one, name) for one in self.parts]) for title, name in shown.items()]
        title = f"{self.parts[0].learner} on {self.parts[0].truth}, n={self.parts[0].n}"
        return draw(
            Panel(
                lines=lines, x_label=self.parameter, y_label=f"{self.parts[0].loss.replace('_', '-')} loss",
                x_scale="log" if log else "linear", x_names=names, zero=True,
            ),
            title=title, width=560, height=340,
        )  # fmt: skip


@guarded
def bias_variance_curve(
    learner: LearnerLike,
    truth: Truth,
    values: Sequence[object],
    *,
    parameter: str | None = None,
    n: int = 100,
    repeats: int = 200,
    points: int = 1000,
    loss: Loss | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> DecompositionCurve:
    """`bias_variance` for each value of a parameter, on the same training sets and points.

    With ``parameter`` the learner is an estimator and the parameter is set by its ``set_params``. Without it ``learner`` is a
    function that returns the learner for a value: ``lambda degree: Polynomial(degree)``.
    """
    if len(values) == 0:
        raise InputError("bias_variance_curve", "values", "must hold at least one value of the parameter")
    make = _maker(learner, parameter)
    parts = [
        bias_variance(make(v), truth, n=n, repeats=repeats, points=points, loss=loss, seed=seed, progress=progress)
        for v in values
    ]
    return DecompositionCurve(parameter=parameter or "value", values=tuple(values), parts=tuple(parts))


def _maker(learner: Any, parameter: str | None) -> Callable[[Any], Learner]:
    """A function from a value to the learner; all learners have the same name."""
    if parameter is None:
        if callable(learner) and not hasattr(learner, "fit"):
            return lambda value: as_learner(cast(LearnerLike, learner(value)), name=_named(learner))
        fix = "Name it, or give a function from values to learners."
        raise ParameterError("bias_variance_curve", "parameter", "is needed with an estimator", fix)
    if not hasattr(learner, "set_params"):
        why = f"{type(learner).__name__} has no set_params to set {parameter!r}"
        fix = f"Give a function from values to learners and leave {arg('parameter')} out."
        raise ParameterError("bias_variance_curve", "learner", why, fix)
    return lambda value: as_learner(copy.deepcopy(learner).set_params(**{parameter: value}))


def _named(make: Any) -> str | None:
    """The name of a function, unless it is a lambda."""
    name = getattr(make, "__name__", "<")
    return None if name.startswith("<") else name
