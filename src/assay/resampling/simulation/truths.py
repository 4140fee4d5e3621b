"""Simulated truths: known distributions, for which a learner's error and the error of its estimate are known too.

Every draw is a function of (seed, column, row) alone: the same on every platform up to the last bits, and the first rows of
a long draw are those of a short one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.core.arrays import Floats, Host
from assay.core.call_checks import Parameters, check_fields, guarded
from assay.core.distributions import special
from assay.core.parameters import number, whole
from assay.resampling.estimate.learners import Fitted
from assay.resampling.schemes._sampling_units import keys

Loss = Literal["squared", "zero_one"]
_TARGETS, _GROUPS = 1 << 20, 1 << 21  # streams of a seed that no column uses
_GRID = 2.0**32


def uniforms(seed: int, stream: int, count: int) -> Floats:
    """Numbers strictly between 0 and 1."""
    return ((keys(seed, stream, count) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def normals(seed: int, stream: int, count: int) -> Floats:
    """Standard normal numbers: the quantiles of uniforms, rounded to a fine grid that hides differences between platforms."""
    quantiles: Any = special("ndtri")(uniforms(seed, stream, count))
    return np.rint(quantiles * _GRID) / _GRID


def seeds(seed: int, stream: int, count: int) -> list[int]:
    """Seeds for ``count`` draws or fits, small enough for every generator."""
    drawn: Any = keys(seed, _GROUPS + 1 + stream, count) >> np.uint64(33)
    return [int(one) for one in drawn]


@dataclass(frozen=True, kw_only=True)
class Truth(Parameters, ABC):
    """A known distribution of rows and targets. A subclass defines `points`, `mean`, ``noise`` and, if it has classes, ``task``.

    ``noise`` is the irreducible loss: the variance of the target given the row (regression, squared loss), or the
    error rate of Bayes' rule (binary, zero-one loss).
    """

    def __post_init__(self) -> None:
        """Check the types of all parameters."""
        check_fields(self)

    @property
    def name(self) -> str:
        """The name, as used in tables."""
        return type(self).__name__.removesuffix("Truth").lower()

    @property
    def task(self) -> Literal["regression", "binary"]:
        """The kind of target; binary targets are 0 and 1."""
        return "regression"

    @property
    @abstractmethod
    def noise(self) -> float:
        """The irreducible loss."""

    @abstractmethod
    def points(self, n: int, seed: int) -> Floats:
        """Independent rows."""

    @abstractmethod
    def mean(self, X: Floats) -> Floats:
        """The expected target of each row: the best prediction, or the probability of class 1."""

    def variance(self, X: Floats) -> Floats:
        """The variance of the target of each row."""
        p = self.mean(X)
        return p * (1 - p) if self.task == "binary" else np.full(len(p), self.noise)

    def targets(self, X: Floats, seed: int, stream: int = 0) -> Host:
        """Fresh targets for these rows, independent of each other."""
        mean, stream = self.mean(X), _TARGETS + stream
        if self.task == "binary":
            return (uniforms(seed, stream, len(mean)) < mean).astype(np.int64)
        return mean + np.sqrt(self.variance(X)) * normals(seed, stream, len(mean))

    @guarded
    def draw(self, n: int, seed: int) -> tuple[Floats, Host]:
        """A data set of ``n`` rows: X and y."""
        whole(type(self).__name__, "n", n)
        X = self.points(n, seed)
        return X, self.targets(X, seed)

    def groups(self, n: int) -> Host | None:
        """Which rows of a data set belong together; None where all are independent."""
        return None

    def exact(self, model: Fitted, loss: Loss) -> float | None:
        """The true risk of a fitted model in closed form, where there is one."""
        return None


def _columns(draw: Callable[[int, int, int], Any], n: int, seed: int, count: int) -> Any:
    return np.stack([draw(seed, column, n) for column in range(count)], axis=1)


@dataclass(frozen=True, kw_only=True)
class LinearTruth(Truth):
    """A linear mean, 1 + x1 + x2/2 + x3/3 + ..., of independent standard normal features, with normal noise.

    >>> LinearTruth(features=2).mean(np.array([[1.0, 2.0]]))
    array([3.])
    """

    features: int = 5
    sd: float = 1.0

    def __post_init__(self) -> None:
        """Refuse parameters that cannot be drawn from."""
        super().__post_init__()
        whole(type(self).__name__, "features", self.features)
        number(type(self).__name__, "sd", self.sd, low=0)

    @property
    def slopes(self) -> Floats:
        """The coefficient of each feature."""
        return 1 / np.arange(1, self.features + 1)

    @property
    def noise(self) -> float:
        """The variance around the line."""
        return self.sd**2

    def points(self, n: int, seed: int) -> Floats:
        """Independent standard normal features."""
        return _columns(normals, n, seed, self.features)

    def mean(self, X: Floats) -> Floats:
        """The line."""
        return 1 + np.asarray(X) @ self.slopes

    def exact(self, model: Fitted, loss: Loss) -> float | None:
        """Noise and squared distance of the coefficients, if the model is linear."""
        rows = _probes(self.points(256, 0))
        line = _line(np.asarray(model(rows)["y_pred"]), rows, self.features) if loss == "squared" else None
        if line is None:
            return None
        return self.noise + float((line[0] - 1) ** 2 + ((line[1] - self.slopes) ** 2).sum())


@dataclass(frozen=True, kw_only=True)
class GroupedTruth(LinearTruth):
    """The linear truth for groups of rows: each group has an effect of its own that all its rows share.

    Rows ``0..size-1`` are the first group, and so on. The first ``shared`` features are the same for all rows of a group, so that
    a flexible learner can recognise it. The target is the error on unseen groups, so ``noise`` has both parts.
    """

    size: int = 10
    between: float = 1.0
    shared: int = 2

    def __post_init__(self) -> None:
        """Refuse parameters that cannot be drawn from."""
        super().__post_init__()
        whole(type(self).__name__, "size", self.size)
        whole(type(self).__name__, "shared", self.shared, low=0, high=self.features)
        number(type(self).__name__, "between", self.between, low=0)

    @property
    def noise(self) -> float:
        """The variance between and within groups."""
        return self.sd**2 + self.between**2

    def groups(self, n: int) -> Host:
        """The group of each row."""
        return np.arange(n) // self.size

    def draw(self, n: int, seed: int) -> tuple[Floats, Host]:
        """Rows of ``n / size`` groups, one after the other."""
        whole(type(self).__name__, "n", n)
        X, of = self.points(n, seed), self.groups(n)
        X[:, : self.shared] = X[of * self.size, : self.shared]
        effects = self.between * normals(seed, _GROUPS, int(of[-1]) + 1)
        return X, self.mean(X) + effects[of] + self.sd * normals(seed, _TARGETS, n)


@dataclass(frozen=True, kw_only=True)
class FriedmanTruth(Truth):
    """Friedman's first function (1991) of uniform features, of which only five matter.

    .. math:: 10 \\sin(\\pi x_1 x_2) + 20 (x_3 - 1/2)^2 + 10 x_4 + 5 x_5
    """

    features: int = 10
    sd: float = 1.0

    def __post_init__(self) -> None:
        """Refuse parameters that cannot be drawn from."""
        super().__post_init__()
        whole(type(self).__name__, "features", self.features, low=5)
        number(type(self).__name__, "sd", self.sd, low=0)

    @property
    def noise(self) -> float:
        """The variance around the function."""
        return self.sd**2

    def points(self, n: int, seed: int) -> Floats:
        """Independent uniform features."""
        return _columns(uniforms, n, seed, self.features)

    def mean(self, X: Floats) -> Floats:
        """The function."""
        x: Any = np.asarray(X).T
        return 10 * np.sin(np.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4]


@dataclass(frozen=True, kw_only=True)
class SineTruth(Truth):
    """One period of a sine on [0, 1], for learners whose flexibility is one number: degrees, neighbours, depth."""

    sd: float = 0.3

    def __post_init__(self) -> None:
        """Refuse parameters that cannot be drawn from."""
        super().__post_init__()
        number(type(self).__name__, "sd", self.sd, low=0)

    @property
    def noise(self) -> float:
        """The variance around the sine."""
        return self.sd**2

    def points(self, n: int, seed: int) -> Floats:
        """One uniform feature."""
        return _columns(uniforms, n, seed, 1)

    def mean(self, X: Floats) -> Floats:
        """The sine."""
        return np.sin(2 * np.pi * np.asarray(X)[:, 0])


@dataclass(frozen=True, kw_only=True)
class GaussianTruth(Truth):
    """Two classes of spherical normal features whose means are ``distance`` apart; ``share`` is the fraction of class 1.

    Bayes' rule is linear, and its error rate is known: with equal fractions it is the normal tail beyond half the distance.

    >>> round(GaussianTruth(distance=2.0).noise, 6)
    0.158655
    """

    features: int = 2
    distance: float = 2.0
    share: float = 0.5

    def __post_init__(self) -> None:
        """Refuse parameters that cannot be drawn from."""
        super().__post_init__()
        whole(type(self).__name__, "features", self.features)
        number(type(self).__name__, "distance", self.distance, low=0, open_low=True)
        number(type(self).__name__, "share", self.share, low=0, high=1, open_low=True, open_high=True)

    @property
    def task(self) -> Literal["regression", "binary"]:
        """Two classes."""
        return "binary"

    @property
    def noise(self) -> float:
        """The error rate of Bayes' rule."""
        return self._missed(self._way * self.distance, self._odds)

    @property
    def _way(self) -> Any:
        """The direction from class 0 to class 1, spread evenly over the features."""
        return np.full(self.features, self.features**-0.5)

    @property
    def _odds(self) -> float:
        return math.log(self.share / (1 - self.share))

    def _missed(self, weights: Any, offset: float) -> float:
        """The error rate of «class 1 where weights · x + offset > 0»; the means lie at plus and minus half the distance."""
        length = float(np.sqrt((weights**2).sum()))
        if length == 0:
            return 1 - self.share if offset > 0 else self.share
        along = float(weights @ self._way) * self.distance / 2
        tail = special("ndtr")
        return float(self.share * tail(-(along + offset) / length) + (1 - self.share) * tail((offset - along) / length))

    def points(self, n: int, seed: int) -> Floats:
        """Rows of both classes, mixed."""
        side = np.where(uniforms(seed, _GROUPS, n) < self.share, 0.5, -0.5)
        return _columns(normals, n, seed, self.features) + side[:, None] * self.distance * self._way

    def mean(self, X: Floats) -> Floats:
        """The probability of class 1."""
        return special("expit")(np.asarray(X) @ self._way * self.distance + self._odds)

    def exact(self, model: Fitted, loss: Loss) -> float | None:
        """The tails beyond the boundary, if the model decides by a linear score or by linear log odds."""
        rows = _probes(self.points(256, 0))
        answers = model(rows) if loss == "zero_one" else {}
        score = _score(answers)
        if score is None or "y_pred" not in answers:
            return None
        line = _line(
            score, rows, self.features, np.abs(score) < 20
        )  # probabilities close to 0 and 1 have lost their odds
        if line is None or not np.array_equal(line[0] + rows @ line[1] > 0, answers["y_pred"] == 1):
            return None
        return self._missed(line[1], float(line[0]))


def _score(answers: dict[str, Any]) -> Any:
    """Scores, or the log odds of probabilities; None if there are neither."""
    if np.ndim(answers.get("y_score", 0)) == 1:
        return answers["y_score"]
    chances: Any = np.asarray(answers.get("y_prob", 0), dtype=np.float64)
    return special("logit")(chances[:, 1]) if chances.ndim == 2 and chances.shape[1] == 2 else None


def _probes(at: Any) -> Any:
    """The origin, a step along each axis, rows of the distribution, and rows far out, where the first split of a tree shows."""
    width = at.shape[1]
    axes = np.eye(width)
    return np.concatenate([np.zeros((1, width)), axes, at, -axes, 1e3 * axes, -1e3 * axes])


def _line(values: Any, rows: Any, width: int, asked: Any = True) -> tuple[Any, Any] | None:
    """Intercept and slopes of a model that is linear at all probes where it is ``asked``."""
    if not np.isfinite(values[: width + 1]).all():
        return None
    slopes: Any = values[1 : width + 1] - values[0]
    line: Any = values[0] + rows @ slopes
    scale: Any = 1 + np.abs(values[0]) + np.abs(rows) @ np.abs(slopes)
    linear = (np.abs(line - values) <= 1e-7 * scale) | ~np.broadcast_to(asked, line.shape)
    return (values[0], slopes) if linear.all() else None
