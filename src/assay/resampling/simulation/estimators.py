"""The quality of estimators of a learner's error: their bias, variance and mean squared error, simulated on a known truth.

The target is the expected error of the learner when trained on all ``n`` rows. A scheme trains on fewer, so its estimate is too
high by what the missing rows would have gained: the smaller the training fraction, the more. It tests on few rows, so the
estimate varies: the fewer the test rows, the more. Repeating a hold-out does not change its bias but reduces its variance, so
subsampling can afford a larger training fraction.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.core.call_checks import guarded
from assay.core.errors import InputError, ParameterError, arg
from assay.core.frames import Framed, FrameData
from assay.core.parameters import choice, number, whole
from assay.core.score import digits
from assay.inference.draws import Progress, tell
from assay.resampling._figures import Line, Panel, draw
from assay.resampling.estimate._interval_formulas import plus_632, weighted_632
from assay.resampling.estimate.learners import Fitted, Learner, LearnerLike, as_learner
from assay.resampling.schemes.scheme import Bootstrap, CrossValidation, Holdout, Scheme, Subsampling
from assay.resampling.simulation.risks import Risk, default_loss, learner_risk, predictions
from assay.resampling.simulation.truths import Loss, Truth, seeds

RATES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
_WHO = "estimator_quality"
_BOOTSTRAPS = ("bootstrap out-of-bag", "bootstrap .632", "bootstrap .632+")
_UNIQUE = 1 - math.exp(-1)  # fraction of the rows that are in a bootstrap sample
_QUANTITIES = {"bias": "bias", "variance": "variance", "mse": "mean squared error"}


@dataclass(frozen=True, kw_only=True)
class Quality:
    """One estimator at one training fraction: ``bias``, ``variance`` and ``mse`` of its estimates, with their standard errors.

    ``mse`` is the mean squared distance from the truth, so ``bias`` squared and ``variance`` (with divisor ``replicates - 1``)
    add up to it up to one part in ``replicates``.
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
class EstimatorQuality(Framed):
    """The quality of estimators of a learner's error at ``n`` rows, one entry per estimator and training fraction.

    ``risk`` is their target, the learner's true expected loss at ``n``. ``asked`` is the number of replicates requested; fewer
    ``replicates`` were done if the simulation was stopped.
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
        """The entries of one estimator, by training fraction."""
        found = tuple(row for row in self.rows if row.estimator == estimator)
        if not found:
            names = ", ".join(dict.fromkeys(repr(row.estimator) for row in self.rows))
            raise ParameterError("of", "estimator", f"is unknown: {estimator!r}", f"Choose one of: {names}.")
        return found

    @guarded
    def best(self, estimator: str) -> Quality:
        """The entry of one estimator with the smallest mean squared error."""
        return min(self.of(estimator), key=lambda row: row.mse)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return dataclasses.asdict(self)

    def frame_data(self) -> FrameData:
        """One row per estimator and training fraction."""
        import polars as pl

        kinds: dict[str, Any] = {"estimator": pl.String, "fits": pl.Int64}
        names = [field.name for field in dataclasses.fields(Quality)]
        records = [dataclasses.asdict(row) for row in self.rows]
        return FrameData(records, {name: kinds.get(name, pl.Float64) for name in names})

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
        """Curves against the training fraction, as SVG text: one panel each for bias, variance and error, or one per estimator."""
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
                why = "'estimator' needs an estimator with more than one training fraction"
                raise InputError("figure", "by", why, f"Use {arg('by', 'quantity')}.")
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
    """Two standard errors either way; on the log scale for what is positive."""
    if not positive:
        return value - 2 * error, value + 2 * error
    factor = math.exp(2 * error / value) if value > 0 else 1.0
    return value / factor, value * factor


def _panel(lines: list[Line], title: str, *, log: bool = False) -> Panel:
    """A log scale where requested, unless some estimate never varied."""
    scale = "log" if log and all(y > 0 for line in lines for y in line.y) else "linear"
    return Panel(lines=lines, title=title, x_label="training fraction", y_scale=scale, zero=scale == "linear")


@guarded
def estimator_quality(
    learner: LearnerLike,
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
    """Bias, variance and mean squared error of estimators of a learner's error, against the training fraction.

    For every training fraction in ``rates`` there are a hold-out, subsampling with ``repeats`` repeats, and cross-validation where
    the fraction is that of a number of folds (0.5, 0.8, 0.9, ...); a bootstrap with as many repeats gives its out-of-bag, .632
    and .632+ estimates at the fraction of distinct rows, 0.632. ``schemes`` names others, in place of all these unless ``rates``
    are given too. All see the same ``replicates`` data sets of ``n`` rows; classes are stratified unless ``stratify=False``, and
    groups of the truth are kept whole. Splits are averaged with equal weight.

    ``risk`` is the learner's true risk at ``n``, if known; otherwise it is simulated, with at least 1000 models. ``progress`` is
    called for every replicate. ``stop`` is called after each: when it returns True, the result is that of the replicates done, and
    says so. A replicate depends only on the seed and its number.
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
    """Moments of the estimates; the uncertainty of the true risk is added to that of the bias and of the squared error."""
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
    """One data set, and models trained on parts of it."""

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
            why = f"{self.learner.name} could not be trained on {len(rows)} rows ({error})"
            fix = f"Use larger training fractions or a larger {arg('n')}."
            raise InputError(_WHO, "learner", why, fix) from error

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
    """A scheme, its training fraction, its number of fits, and the names of its estimates."""

    scheme: Scheme
    rate: float
    fits: int
    names: tuple[str, ...]

    def estimates(self, sample: _Sample) -> list[float]:
        """One estimate per name."""
        left_out = sample.split_means(self.scheme)
        if len(self.names) == 1:
            return [left_out]
        every = np.arange(len(sample.y))
        given = sample.given(sample.fitted(every), every)
        seen = sample.losses(given, every)
        return [left_out, weighted_632(seen, left_out), plus_632(seen, left_out, _no_information(sample, given))]


def _no_information(sample: _Sample, given: Any) -> float:
    """The loss if rows and targets were independent: every target against every prediction."""
    if sample.loss == "squared":
        return float(given.var() + sample.y.var() + (given.mean() - sample.y.mean()) ** 2)
    ones, said = float((sample.y == 1).mean()), float((given == 1).mean())
    return ones * (1 - said) + (1 - ones) * said


def _planned(
    rates: Sequence[float] | None, schemes: Mapping[str, Scheme] | None, repeats: int, strata: bool
) -> Iterator[_QualityPlan]:
    """Estimator after estimator, each by training fraction."""
    fractions = sorted(RATES if rates is None and schemes is None else rates or ())
    for fraction in fractions:
        number(_WHO, "rates", fraction, low=0, high=1, open_low=True, open_high=True)
    for fraction in fractions:
        yield _QualityPlan(Holdout(test=1 - fraction, stratify=strata), fraction, 1, ("hold-out",))
    for fraction in fractions:
        yield _QualityPlan(
            Subsampling(test=1 - fraction, repeats=repeats, stratify=strata), fraction, repeats, ("subsampling",)
        )
    for fraction in fractions:
        folds = round(1 / (1 - fraction))
        if folds > 1 and math.isclose(1 - 1 / folds, fraction, abs_tol=0.004):
            yield _QualityPlan(CrossValidation(folds=folds, stratify=strata), fraction, folds, ("cross-validation",))
    if fractions:
        yield _QualityPlan(Bootstrap(repeats=repeats, stratify=strata), _UNIQUE, repeats, _BOOTSTRAPS)


def _others(schemes: Mapping[str, Scheme], truth: Truth, n: int) -> Iterator[_QualityPlan]:
    """Schemes of the caller; their training fraction is that of their splits of one data set."""
    _, y = truth.draw(n, 0)
    for name, scheme in schemes.items():
        fractions = [len(np.unique(one.train)) / n for one in scheme.splits(n, y, truth.groups(n))]
        yield _QualityPlan(scheme, float(np.mean(fractions)), len(fractions), (name,))
