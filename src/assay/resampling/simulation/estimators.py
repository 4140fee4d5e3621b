"""How good the estimators of a learner's error are: their bias, variance and mean squared error, by simulation on a known truth.

What is estimated is the expected error of the learner when it is trained on all ``n`` rows. A scheme trains on fewer, so its
estimate is too high by what the missing rows would have gained: the smaller the training share, the more. What it tests on is
few, so the estimate varies: the fewer the test rows, the more. Repeating a hold-out leaves its bias as it is and takes away
variance, so subsampling can afford a larger training share.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.core.call_checks import guarded
from assay.core.errors import InputError, ParameterError
from assay.core.parameters import choice, number, whole
from assay.core.score import digits
from assay.core.value_checks import Backend
from assay.evaluation import grids
from assay.inference.draws import Progress, tell
from assay.resampling._figures import Line, Panel, draw
from assay.resampling.estimate._interval_formulas import plus_632, weighted_632
from assay.resampling.estimate.learners import Fitted, Learner, as_learner
from assay.resampling.schemes.scheme import Bootstrap, CrossValidation, Holdout, Scheme, Subsampling
from assay.resampling.simulation.risks import Risk, default_loss, learner_risk, predictions
from assay.resampling.simulation.truths import Loss, Truth, seeds

RATES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
_WHO = "estimator_quality"
_BOOTSTRAPS = ("bootstrap out-of-bag", "bootstrap .632", "bootstrap .632+")
_UNIQUE = 1 - math.exp(-1)  # of the rows are in a bootstrap draw
_QUANTITIES = {"bias": "bias", "variance": "variance", "mse": "mean squared error"}


@dataclass(frozen=True, kw_only=True)
class Quality:
    """One estimator at one training share: ``bias``, ``variance`` and ``mse`` of its estimates, with their standard errors.

    ``mse`` is the mean squared distance to the truth, so ``bias`` squared and ``variance`` (of divisor ``replicates - 1``) add
    up to it but for one part in ``replicates``.
    """

    estimator: str
    rate: float
    fits: int
    mean: float
    bias: float
    variance: float
    mse: float
    bias_error: float
    variance_error: float
    mse_error: float


@dataclass(frozen=True, kw_only=True)
class EstimatorQuality:
    """The quality of estimators of a learner's error at ``n`` rows, one entry for each estimator and training share.

    ``risk`` is what they estimate, the learner's true expected loss at ``n``. ``asked`` is how many replicates there were to
    be; fewer ``replicates`` were done if it was stopped.
    """

    learner: str
    truth: str
    loss: Loss
    n: int
    seed: int
    replicates: int
    asked: int
    risk: Risk
    rows: tuple[Quality, ...]

    @guarded
    def of(self, estimator: str) -> tuple[Quality, ...]:
        """The entries of one estimator, by training share."""
        found = tuple(row for row in self.rows if row.estimator == estimator)
        if not found:
            names = ", ".join(dict.fromkeys(repr(row.estimator) for row in self.rows))
            raise ParameterError(f"of: there is no estimator {estimator!r}. There are: {names}.")
        return found

    @guarded
    def best(self, estimator: str) -> Quality:
        """The entry of one estimator whose mean squared error is least."""
        return min(self.of(estimator), key=lambda row: row.mse)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return dataclasses.asdict(self)

    @guarded
    def to_frame(self, backend: Backend = "polars") -> Any:
        """One row an estimator and training share, as a polars, pandas or pyarrow table."""
        import polars as pl

        kinds: dict[str, Any] = {"estimator": pl.String, "fits": pl.Int64}
        names = [field.name for field in dataclasses.fields(Quality)]
        records = [dataclasses.asdict(row) for row in self.rows]
        return grids.to_frame(records, {name: kinds.get(name, pl.Float64) for name in names}, backend)

    def __str__(self) -> str:
        done = f"{self.replicates}" + (f" of {self.asked} (stopped)" if self.replicates < self.asked else "")
        lines = [
            f"{self.learner} on {self.truth}, n={self.n}: true {self.loss} loss {digits(self.risk.value)} "
            f"± {self.risk.error:.1g} · {done} replicates",
            f"{'estimator':<24}{'train':>7}{'fits':>6}{'mean':>10}{'bias':>18}{'variance':>20}{'MSE':>12}",
        ]
        for row in self.rows:
            bias = f"{row.bias:+.4f} ±{row.bias_error:.4f}"
            variance = f"{row.variance:.3g} ±{row.variance_error:.1g}"
            lines.append(
                f"{row.estimator:<24}{row.rate:>7.3f}{row.fits:>6}{digits(row.mean):>10}{bias:>18}{variance:>20}{row.mse:>12.3g}"
            )
        return "\n".join(lines)

    @guarded
    def figure(self, by: Literal["quantity", "estimator"] = "quantity") -> str:
        """Curves against the training share, as SVG text: a panel for bias, variance and error each, or one an estimator."""
        choice("figure", "by", by, ("quantity", "estimator"))
        names = list(dict.fromkeys(row.estimator for row in self.rows))
        if by == "quantity":
            panels = [
                _panel([self._line(e, q, e) for e in names], title, log=q != "bias") for q, title in _QUANTITIES.items()
            ]
        else:
            curves = {"squared bias": "squared", "variance": "variance", "mean squared error": "mse"}
            several = [e for e in names if len(self.of(e)) > 1]
            panels = [_panel([self._line(e, q, t) for t, q in curves.items()], e) for e in several]
            if not panels:
                raise InputError("figure: no estimator has more than one training share. Take by='quantity'.")
        return draw(panels, title=f"Estimates of the error of {self.learner} on {self.truth}, n={self.n}", width=380)

    def _line(self, estimator: str, quantity: str, name: str) -> Line:
        rows = self.of(estimator)
        x = [row.rate for row in rows]
        if quantity == "squared":
            return Line(name, x, [row.bias**2 for row in rows])
        y, errors = ([getattr(row, field) for row in rows] for field in (quantity, f"{quantity}_error"))
        bands = [_band(a, b, positive=quantity != "bias") for a, b in zip(y, errors, strict=True)]
        return Line(name, x, y, [low for low, _ in bands], [high for _, high in bands])


def _band(value: float, error: float, *, positive: bool) -> tuple[float, float]:
    """Two standard errors either way; what is positive stays so, by taking them of its logarithm."""
    if not positive:
        return value - 2 * error, value + 2 * error
    factor = math.exp(2 * error / value) if value > 0 else 1.0
    return value / factor, value * factor


def _panel(lines: list[Line], title: str, *, log: bool = False) -> Panel:
    """A log scale where asked for, unless some estimate never varied."""
    scale = "log" if log and all(y > 0 for line in lines for y in line.y) else "linear"
    return Panel(lines=lines, title=title, x_label="training share", y_scale=scale, zero=scale == "linear")


@guarded
def estimator_quality(
    learner: Any,
    truth: Truth,
    *,
    n: int = 100,
    rates: Sequence[float] | None = None,
    schemes: Mapping[str, Scheme] | None = None,
    replicates: int = 200,
    repeats: int = 20,
    loss: Loss | None = None,
    stratify: bool | None = None,
    risk: Risk | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
) -> EstimatorQuality:
    """Bias, variance and mean squared error of estimators of a learner's error, against the training share.

    At every training share in ``rates`` there are a hold-out, subsampling with as many ``repeats``, and cross-validation where
    the share is that of a number of folds (0.5, 0.8, 0.9, ...); a bootstrap of as many repeats gives its out-of-bag, .632 and
    .632+ estimates at the share of distinct rows, 0.632. ``schemes`` names others, in the place of all these unless ``rates``
    are given too. All see the same ``replicates`` data sets of ``n`` rows; classes are stratified unless told not to, and
    groups of the truth are kept whole. Splits are averaged, each with the same weight.

    ``risk`` is the learner's true risk at ``n``, if it is known; it is simulated otherwise, by at least 1000 models.
    ``progress`` is told of every replicate. ``stop`` is asked after each: when it says yes, the result is that of the replicates
    done, and says so. A replicate depends on the seed and its number only.
    """
    for name, value in (("n", n), ("replicates", replicates)):
        whole(_WHO, name, value, low=2)
    whole(_WHO, "repeats", repeats)
    loss = default_loss(_WHO, truth, loss)
    made = as_learner(learner)
    strata = truth.task == "binary" if stratify is None else stratify
    plan = [*_planned(rates, schemes, repeats, strata), *_others(schemes or {}, truth, n)]
    found: list[list[float]] = []
    for data, fit in zip(seeds(seed, 10, replicates), seeds(seed, 11, replicates), strict=True):
        sample = _Sample(made, truth, loss, *truth.draw(n, data), fit)
        found.append([value for scheme in plan for value in scheme.estimates(sample)])
        tell(progress, 1)
        if len(found) > 1 and stop is not None and stop():
            break
    known = risk or learner_risk(made, truth, n, loss=loss, repeats=max(1000, replicates), seed=seed + 1)
    values = np.array(found)
    titles = [(name, one) for one in plan for name in one.names]
    rows = [_quality(name, one, values[:, i], known) for i, (name, one) in enumerate(titles)]
    return EstimatorQuality(
        learner=made.name, truth=truth.name, loss=loss, n=n, seed=seed, replicates=len(found), asked=replicates, risk=known,
        rows=tuple(rows),
    )  # fmt: skip


def _quality(name: str, plan: _QualityPlan, values: Any, risk: Risk) -> Quality:
    """Moments of the estimates; the truth's own uncertainty goes into that of the bias and of the squared error."""
    count = len(values)
    variance, bias = float(values.var(ddof=1)), float(values.mean()) - risk.value
    squares = (values - risk.value) ** 2
    fourth = float(((values - values.mean()) ** 4).mean())
    return Quality(
        estimator=name, rate=plan.rate, fits=plan.fits + ("632" in name), mean=float(values.mean()), bias=bias, variance=variance,
        mse=float(squares.mean()), bias_error=math.sqrt(variance / count + risk.error**2),
        variance_error=math.sqrt(max(0.0, fourth - variance**2 * (count - 3) / (count - 1)) / count),
        mse_error=math.hypot(float(squares.std(ddof=1)) / math.sqrt(count), 2 * bias * risk.error),
    )  # fmt: skip


# ---- what is run


@dataclass(frozen=True)
class _Sample:
    """One data set, and what a learner makes of parts of it."""

    learner: Learner
    truth: Truth
    loss: Loss
    X: Any
    y: Any
    seed: int

    def fitted(self, rows: Any, number: int = 0) -> Fitted:
        groups = self.truth.groups(len(self.y)) if self.learner.grouped else None
        more = {"groups": groups if groups is None else groups[rows]} if self.learner.grouped else {}
        try:
            return self.learner.train(self.X[rows], self.y[rows], (self.seed + number) % 2**31, **more)
        except Exception as error:
            raise InputError(
                f"{_WHO}: {self.learner.name} could not be trained on {len(rows)} rows ({error}). Take larger training shares "
                "or a larger n."
            ) from error

    def given(self, model: Fitted, rows: Any) -> Any:
        return predictions(_WHO, model(self.X[rows]), self.truth, self.loss, len(rows))

    def losses(self, given: Any, rows: Any) -> float:
        y = self.y[rows]
        return float((given != y).mean() if self.loss == "zero_one" else ((given - y) ** 2).mean())

    def split_means(self, scheme: Scheme) -> float:
        """The mean test loss of each split, averaged."""
        groups = self.truth.groups(len(self.y))
        splits = dataclasses.replace(scheme, seed=self.seed).splits(len(self.y), self.y, groups)
        means: list[float] = []
        for i, one in enumerate(splits):
            means.append(self.losses(self.given(self.fitted(one.train, i), one.test), one.test))
        return float(np.mean(means))


@dataclass(frozen=True)
class _QualityPlan:
    """A scheme, the share it trains on, how many fits that takes, and the names of what it estimates."""

    scheme: Scheme
    rate: float
    fits: int
    names: tuple[str, ...]

    def estimates(self, sample: _Sample) -> list[float]:
        """One estimate a name."""
        left_out = sample.split_means(self.scheme)
        if len(self.names) == 1:
            return [left_out]
        every = np.arange(len(sample.y))
        given = sample.given(sample.fitted(every), every)
        seen = sample.losses(given, every)
        return [left_out, weighted_632(seen, left_out), plus_632(seen, left_out, _no_information(sample, given))]


def _no_information(sample: _Sample, given: Any) -> float:
    """The loss if rows and targets had nothing to do with each other: every target against every prediction."""
    if sample.loss == "squared":
        return float(given.var() + sample.y.var() + (given.mean() - sample.y.mean()) ** 2)
    ones, said = float((sample.y == 1).mean()), float((given == 1).mean())
    return ones * (1 - said) + (1 - ones) * said


def _planned(
    rates: Sequence[float] | None, schemes: Mapping[str, Scheme] | None, repeats: int, strata: bool
) -> Iterator[_QualityPlan]:
    """Estimator after estimator, each by training share."""
    shares = sorted(RATES if rates is None and schemes is None else rates or ())
    for share in shares:
        number(_WHO, "rates", share, low=0, high=1, open_low=True, open_high=True)
    for share in shares:
        yield _QualityPlan(Holdout(test=1 - share, stratify=strata), share, 1, ("hold-out",))
    for share in shares:
        yield _QualityPlan(
            Subsampling(test=1 - share, repeats=repeats, stratify=strata), share, repeats, ("subsampling",)
        )
    for share in shares:
        folds = round(1 / (1 - share))
        if folds > 1 and math.isclose(1 - 1 / folds, share, abs_tol=0.004):
            yield _QualityPlan(CrossValidation(folds=folds, stratify=strata), share, folds, ("cross-validation",))
    if shares:
        yield _QualityPlan(Bootstrap(repeats=repeats, stratify=strata), _UNIQUE, repeats, _BOOTSTRAPS)


def _others(schemes: Mapping[str, Scheme], truth: Truth, n: int) -> Iterator[_QualityPlan]:
    """Schemes of the caller; what share they train on shows in their splits of one data set."""
    _, y = truth.draw(n, 0)
    for name, scheme in schemes.items():
        shares = [len(np.unique(one.train)) / n for one in scheme.splits(n, y, truth.groups(n))]
        yield _QualityPlan(scheme, float(np.mean(shares)), len(shares), (name,))
