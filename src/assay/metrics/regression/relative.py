"""Errors relative to something: MAPE to the target, MASE to the naive forecast, NRMSE to the target's spread, skill to a baseline."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, cast

import numpy as np

from assay.core.arrays import ArrayLike, Floats, namespace, to_host
from assay.core.errors import InputError, ParameterError, UndefinedError, arg
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Joint, Sum
from assay.core.parameters import choice, number, whole
from assay.core.record import Record
from assay.core.sources import RESAMPLING_NOTES, SURVEY
from assay.core.statistic import JointStatistic, Linear, Statistic
from assay.core.takes import Takes
from assay.core.value_checks import scalar
from assay.metrics.regression._baseline import BaselineStatistic
from assay.metrics.regression.errors import MSE
from assay.metrics.regression.family import TAKES, PairMetric, mean_of
from assay.metrics.regression.pairs import Atom, PairMoments, PairSums, TargetRange, pair
from assay.metrics.regression.quantiles import weighted_quantile
from assay.metrics.regression.ranks import TargetRows
from assay.ops import divide, real, total


@dataclass(frozen=True, kw_only=True)
class MAPE(PairMetric):
    r"""Mean absolute percentage error, as a fraction.

    .. math:: \mathrm{MAPE} = \frac{1}{n} \sum_i \frac{|y_i - \hat y_i|}{|y_i|}

    Undefined where a target is zero: an error by default; ``zeros="skip"`` leaves those rows out and ``zeros="epsilon"``
    divides by at least ``epsilon``. ``percent=True`` multiplies by 100.

    >>> mape([1.0, 2.0], [1.5, 2.0])
    0.25
    """

    record = Record(
        title="Mean absolute percentage error", range=(0, np.inf), better="lower", family="mean", transform="log", takes=TAKES,
        undefined="a target is zero", use="targets far from zero whose relative error is what matters",
        misleads="rewards predicting too low; explodes near zero targets: prefer WAPE, MASE or MAE there",
        equals=('scikit-learn mean_absolute_percentage_error: zeros="epsilon", epsilon=2.2e-16',
                'yardstick mape: zeros="skip", percent=True'),
        references=("hyndman2006",),
        traps=(23,),
        aliases=("mean_absolute_percentage_error",),
        erratum=f"{SURVEY}, eq. 13, divides by y and warns of large denominators; the denominator is |y|, and small ones are "
        "the danger.",
    )  # fmt: skip

    zeros: Literal["error", "skip", "epsilon"] = "error"
    epsilon: float = 1e-8
    percent: bool = False

    def check(self) -> None:
        """A known way with zeros, a positive epsilon."""
        choice(self.name, "zeros", self.zeros, ("error", "skip", "epsilon"))
        number(self.name, "epsilon", self.epsilon, low=0, open_low=True)

    @property
    def _atom(self) -> Atom:
        return Atom("percentage", self.epsilon if self.zeros == "epsilon" else 0.0)

    def gather(self) -> PairSums:
        """Percentage errors and how many targets are zero, and how many are not if they alone count."""
        return PairSums((self._atom, Atom("zero"), *([Atom("nonzero")] if self.zeros == "skip" else [])))

    def each(self, total: Sum) -> Floats:
        """Their mean over the rows that count."""
        rows = total["nonzero" if self.zeros == "skip" else "weight"]
        zeros = real(total["zero"])
        if self.zeros == "error" and np.any(zeros > 0):
            raise UndefinedError(
                self.name,
                "",
                f"targets that are zero (weight {float(zeros.max()):g} in all) leave it undefined",
                f"Choose {arg('zeros', 'skip')} or {arg('zeros', 'epsilon')}, or a metric that allows zeros: mae, mase, smape.",
            )
        return divide(total[self._atom.label], rows) * self._unit

    @property
    def _unit(self) -> int:
        """One, or a hundred for per cent."""
        return 100 if self.percent else 1

    def remarks(self, total: Any) -> dict[str, float]:
        """Targets that are zero."""
        own: Any = self.own(total)
        what = {"skip": "left out", "epsilon": "divided by epsilon"}.get(self.zeros, "")
        return {f"targets are zero and were {what}": float(own["zero"].sum())}


@dataclass(frozen=True)
class _Scaled(Statistic[Sum]):
    """Absolute errors over the scale of the naive forecast."""

    season: int

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return ("weight", "scaled")

    def of(self, inputs: Inputs) -> Sum:
        rows = self.unit_rows(inputs)
        sums = total(namespace(rows), rows, inputs.weight).reshape(-1, 2)
        if not np.isfinite(sums).all():
            inputs.refuse_not_finite("y_true", "y_pred")
        return Sum(("weight", "scaled"), sums, inputs.n)

    def linear(self, inputs: Inputs) -> Linear:
        rows = to_host(self.unit_rows(inputs))
        outputs = rows.shape[1] // 2
        return Linear(
            lambda t: Sum(("weight", "scaled"), t.reshape(*t.shape[:-1], outputs, 2), inputs.n), 2 * outputs, rows=rows
        )

    def unit_rows(self, inputs: Inputs) -> Any:
        rows = self._rows(inputs)
        xp = namespace(rows)
        return xp.reshape(xp.stack([xp.ones_like(rows), rows], axis=-1), (inputs.n, -1))

    def _rows(self, inputs: Inputs) -> Any:
        y, p = pair(inputs)
        xp = namespace(y, p)
        given = [name for name in ("y_train", "scale") if name in inputs or name in inputs.free]
        if len(given) != 1:
            raise InputError(
                inputs.who,
                "",
                "give y_train (the training series) or scale (its naive error); got "
                f"{' and '.join(given) or 'neither'}",
            )
        scale = _row_scale(inputs) if given == ["scale"] else self._series_scale(inputs)
        # A naive forecast that makes no error leaves it undefined; a row without weight does not.
        gone = xp.zeros_like(scale, dtype=xp.bool) if inputs.weight is None else inputs.weight == 0
        none = xp.where(gone, xp.ones_like(scale), xp.full_like(scale, xp.nan))
        return xp.abs(p - y) / xp.astype(xp.where(scale == 0, none, scale), y.dtype)[:, None]

    def _series_scale(self, inputs: Inputs) -> Any:
        series = Inputs({"y_train": inputs.free["y_train"]}, who=inputs.who)
        scale = naive_scale(to_host(series.numbers("y_train")), self.season, inputs.who)
        if not np.isfinite(scale).all():
            series.refuse_not_finite("y_train")
            series.refuse_overflow()
        like = inputs.numbers("y_true", ranks=(1, 2))
        xp = namespace(like)
        return xp.full_like(like if like.ndim == 1 else like[:, 0], float(scale[0]))


def _row_scale(inputs: Inputs) -> Any:
    scale = inputs.numbers("scale")
    xp = namespace(scale)
    if not bool(xp.all(xp.isfinite(scale) & (scale >= 0))):
        values = to_host(scale)
        row = int(np.argmin(np.isfinite(values) & (values >= 0)))
        raise InputError(inputs.who, "scale", f"must be finite and non-negative, got {values[row]} in row {row}")
    return scale


def naive_scale(series: Any, season: int = 1, who: str = "naive_scale") -> Any:
    """Mean absolute error of the seasonal naive forecast on the training series: the denominator of MASE."""
    series = np.asarray(series, dtype=np.float64)
    if series.size <= season:
        raise InputError(who, "y_train", f"must be longer than the season ({season}), got {series.size} values")
    return np.atleast_1d(np.abs(series[season:] - series[:-season]).mean())


@dataclass(frozen=True, kw_only=True)
class ScaledMetric(Metric[Any]):
    """A metric of errors over the ``scale`` of each row, or that of the training series."""

    def inputs(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Inputs:
        """A single number for a scale is that of every row."""
        bound = self.takes.bind(self.name, args, named)
        scale: Any = bound.get("scale")
        alone = (
            isinstance(scale, list | tuple | np.ndarray)
            and getattr(cast(Any, scale), "ndim", 1) == 1
            and len(cast(Any, scale)) == 1
        )
        single = scalar(cast(Any, scale)[0] if alone else scale)
        if isinstance(single, int | float):
            rows = super().inputs(**{**bound, "scale": None}).n  # checked together: both may be without rows
            bound["scale"] = np.full(rows, float(single))
        return super().inputs(weight=weight, **bound)


@dataclass(frozen=True, kw_only=True)
class MASE(PairMetric, ScaledMetric):
    r"""Mean absolute scaled error: the error in units of the seasonal naive forecast's error on the training series.

    .. math:: \mathrm{MASE} = \frac{\frac1n \sum_i |y_i - \hat y_i|}{\frac{1}{T-m} \sum_{t>m} |x_t - x_{t-m}|}

    Below 1 beats the naive forecast's in-sample error. Give the training series as ``y_train``, or ``scale`` (a number, or
    one per row when many series stand in one table). A scale of zero leaves it undefined.

    >>> mase([5.0, 6.0], [5.0, 8.0], y_train=[1.0, 2.0, 4.0])
    0.6666...
    """

    record = Record(
        title="Mean absolute scaled error", range=(0, np.inf), better="lower", family="mean", transform="log",
        takes=(*TAKES, "scale: values", "y_train: series"),
        undefined="the training series is constant over a season", use="forecasts compared over series of different scale",
        misleads="depends on the training series and the season: state both", references=("hyndman2006", "makridakis2020"),
        aliases=("mean_absolute_scaled_error",),
        erratum=f"{RESAMPLING_NOTES} sum from i = 1, where y(0) is undefined, and scale on the test set; the scale is the "
        "naive error of the training series.",
    )  # fmt: skip
    takes = Takes(("y_true", "y_pred"), optional=("scale",), free=("y_train",))

    season: int = 1

    def check(self) -> None:
        """A season has at least one step."""
        whole(self.name, "season", self.season)

    def gather(self) -> Statistic[Any]:
        """Scaled absolute errors."""
        return _Scaled(self.season)

    def each(self, total: Sum) -> Floats:
        """Their mean."""
        return mean_of(total, "scaled")


@dataclass(frozen=True, kw_only=True)
class NRMSE(PairMetric):
    r"""RMSE over a size of the target: its standard deviation, range, mean or interquartile range.

    .. math:: \mathrm{NRMSE} = \frac{\mathrm{RMSE}}{\mathrm{sd}(y)}

    ``divisor="sd"`` divides by the population standard deviation of the target, so that 1 is the error of predicting its mean.
    ``divisor="mean"`` divides by the size of the mean, so that targets below zero leave the value positive. Quartiles
    (``divisor="iqr"``) lie between rows; under weights they follow Akinshin (2023), whatever the weights add up to.

    >>> nrmse([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 2.0], divisor="range")
    0.1666...
    """

    record = Record(
        title="Normalised root mean squared error", range=(0, np.inf), better="lower", family="bootstrap", transform="log",
        takes=TAKES, undefined="the target's spread or mean that it is divided by is zero", use="targets of different scale",
        misleads="four divisors are in use under this name; divisor='mean' is meaningless for targets around zero",
        equals=("torchmetrics normalized_root_mean_squared_error: divisor='mean' by default, negative where the mean is; "
                "normalization='std' is divisor='sd'",),
        references=("hyndman2006", "akinshin2023"),
        aliases=("normalized_root_mean_squared_error",),
    )  # fmt: skip

    divisor: Literal["sd", "range", "mean", "iqr"] = "sd"

    def check(self) -> None:
        """A known divisor."""
        choice(self.name, "divisor", self.divisor, ("sd", "range", "mean", "iqr"))

    @property
    def weights_are_copies(self) -> bool:
        """Quartiles lie between rows: k copies of a row leave no gap among them, a row of weight k does."""
        return self.divisor != "iqr"

    def gather(self) -> JointStatistic:
        """Squared errors beside what the divisor needs."""
        divisor = {"range": TargetRange(), "iqr": TargetRows()}.get(self.divisor, PairMoments(("target",)))
        return JointStatistic((PairSums((Atom("squared"),)), divisor))

    def each(self, total: Joint) -> Floats:
        """The ratio."""
        root = np.sqrt(mean_of(total[0], "squared"))
        if self.divisor == "sd":
            return divide(root, np.sqrt(total[1].second("target") / total[1].weight))
        if self.divisor == "mean":
            mean = total[1].average("target")
            return divide(root, np.where(real(mean) < 0, -mean, mean))
        if self.divisor == "range":
            return divide(root, total[1].width("target"))
        low, high = (weighted_quantile(total[1]["target"], total[1].weight, q) for q in (0.25, 0.75))
        return divide(root, high - low)


@dataclass(frozen=True, kw_only=True)
class SkillScore(Metric[Joint]):
    r"""How much of a baseline's loss the model saves.

    .. math:: \mathrm{skill} = 1 - \frac{L(y, \hat y)}{L(y, b)}

    1 is perfect, 0 is as good as the baseline, below 0 is worse. With the mean of the targets as baseline and the squared
    error as loss it is R². ``loss`` is any metric of y_true and one prediction whose best value is 0; the prediction comes under
    the name that the loss knows, ``y_pred`` for `MAE`, ``y_prob`` for `Brier`, ``y_score`` for `EqualErrorRate`, and the baseline in
    the same form. A baseline without loss leaves it undefined.

    >>> skill_score([1.0, 2.0, 3.0], [1.0, 2.0, 4.0], y_baseline=[2.0, 2.0, 2.0])
    0.5
    """

    record = Record(
        title="Skill score", range=(-np.inf, 1), better="higher", family="r2", transform="log_one_minus",
        takes=(
            "y_true: values", "y_pred: values", "y_baseline: values", "y_prob: probabilities, for a loss of them",
            "y_score: scores, for a loss of them", "scale: values, for MASE", "y_train: series, for MASE",
        ),
        undefined="the baseline makes no error",
        use="progress over the model in place today", misleads="a weak baseline makes any model look skilled",
        references=("murphy1988",),
    )  # fmt: skip
    takes = Takes(("y_true",), ("y_pred", "y_baseline", "y_prob", "y_score", "scale"), free=("y_train",))

    loss: Metric[Any] = field(default_factory=MSE)

    def __post_init__(self) -> None:
        """Take what the loss takes, with the baseline behind the prediction."""
        super().__post_init__()
        own = self.loss.takes
        more = () if own.one_of else own.optional
        object.__setattr__(self, "takes", Takes(("y_true", self._prediction, "y_baseline"), more, own.free))

    def check(self) -> None:
        """The loss is better when lower and best at zero."""
        if not isinstance(cast(Any, self.loss), Metric):
            raise ParameterError(self.name, "loss", f"must be a metric, such as assay.metrics.MAE(), got {self.loss!r}")
        if self.loss.record.better != "lower" or self.loss.record.range[0] != 0:
            raise ParameterError(self.name, "loss", f"must be a metric whose best value is 0, got {self.loss.name}")
        takes, own_inputs = self.loss.takes, type(self.loss).inputs not in (Metric[Any].inputs, MASE.inputs)
        if own_inputs or not (
            takes.required == ("y_true", "y_pred") or (takes.required == ("y_true",) and takes.one_of)
        ):
            raise ParameterError(
                self.name,
                "loss",
                f"must be a metric of {arg('y_true')} and one prediction per row, got {self.loss.name}, which takes "
                f"{takes.text()}",
            )

    @property
    def _prediction(self) -> str:
        """The name of what the loss compares with the truth."""
        names = (*self.loss.takes.required, *self.loss.takes.optional)
        return "y_pred" if "y_pred" in names else names[1]

    @property
    def corrects_for_rows(self) -> bool:
        """If the loss does."""
        return self.loss.corrects_for_rows

    def statistic(self) -> JointStatistic:
        """The loss's statistic of model and baseline."""
        return JointStatistic((self.loss.statistic(), BaselineStatistic(self.loss.statistic(), self._prediction)))

    def of(self, total: Joint) -> Floats:
        """One minus the ratio of losses."""
        model, baseline = (self.loss.finalize(part) for part in total.parts)
        return 1 - divide(model, baseline)
