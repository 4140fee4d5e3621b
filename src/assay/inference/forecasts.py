"""Two forecasts of the same series: the test of Diebold and Mariano, which allows for errors that follow each other."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from assay.core.arrays import ArrayLike, Floats
from assay.core.call_checks import guarded
from assay.core.comparison import Comparison
from assay.core.distributions import t_quantile, two_sided
from assay.core.errors import ParameterError, arg
from assay.core.inference_options import InferenceOptions
from assay.core.parameters import choice, number, whole
from assay.core.signatures import from_spec
from assay.core.uncertainty import PairedData
from assay.inference.paired import pair
from assay.inference.sample import NotSmoothError

WHO = "diebold_mariano"
FEW = 30  # steps below which the correction of Harvey, Leybourne and Newbold no longer brings the test to its level at long horizons


@guarded
def diebold_mariano(
    y_true: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    metric: str = "mse",
    horizon: int = 1,
    variance: Literal["truncated", "bartlett"] = "truncated",
    correction: bool = True,
    level: float = 0.95,
    margin: float | None = None,
    **named: ArrayLike | None,
) -> Comparison:
    """The difference in accuracy of two forecasts of one series, rows in the order of time (Diebold and Mariano 1995).

    Forecasts ``horizon`` steps ahead have errors that overlap for horizon - 1 steps: the variance of the mean difference adds up its
    autocovariances up to there, plain (``"truncated"``) or with falling weights (``"bartlett"``, which cannot turn negative and takes
    the place of the other where that does). ``correction=True`` is that of Harvey, Leybourne and Newbold (1997) for short series.
    ``metric`` is any metric of single rows and its like, such as ``"mae"``, ``"smape"`` or ``"pinball:quantile=0.9"``.

    >>> print(diebold_mariano([1.0, 2.0, 3.0, 4.0, 5.0], [1.5, 2.0, 3.5, 4.0, 4.5], [0.0, 3.0, 1.5, 4.5, 7.0], metric="mae"))
    -0.900 [-1.419, -0.381] 95 % * p=0.00858 · n=5 · Diebold-Mariano, horizon 1, paired
    """
    choice(WHO, "variance", variance, ("truncated", "bartlett"))
    InferenceOptions(level).checked(WHO)
    if margin is not None:
        number(WHO, "margin", margin, low=0, open_low=True)
    chosen = from_spec(metric)
    first, second = pair(chosen, PairedData(y_true, {"a": a, "b": b}, named=named)).values()
    n = first.n
    whole(WHO, "horizon", horizon, low=1, high=n - 1)
    scores = [chosen.as_score(sample.outcome, n) for sample in (first, second)]
    effect = float(scores[0]) - float(scores[1])
    try:
        moved = first.influence - second.influence
    except NotSmoothError as error:
        fix = "Choose a mean of losses per row, such as mse or mae."
        raise ParameterError(WHO, "metric", f"{metric} does not change smoothly with the rows", fix) from error
    square, how = _variance(moved, horizon, variance)
    if square <= 0:
        raise ParameterError(
            WHO,
            "",
            "the forecasts differ by the same loss at every step, which leaves nothing to test",
            f"Compare other forecasts than {arg('a')} and {arg('b')}.",
        )
    short = (n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n if correction else 1.0
    if short <= 0:
        raise ParameterError(
            WHO, "horizon", f"is {horizon}, too long for the correction on {n} steps", "Give a longer series."
        )
    error, df = math.sqrt(square / short), float(n - 1)
    half = t_quantile(level, df) * error
    better = chosen.record.better
    return Comparison(
        effect, a=scores[0], b=scores[1], n=n, better=better, level=level, margin=margin, low=effect - half, high=effect + half,
        p=two_sided(effect / error, df), error=error, df=df, method=f"Diebold-Mariano, horizon {horizon}{how}",
        favours=("a" if chosen.record.is_better(*scores) else "b") if effect and better != "none" else None,
        reason=f"only {n} steps" if n < FEW else "",
    )  # fmt: skip


def _variance(moved: Floats, horizon: int, variance: str) -> tuple[float, str]:
    """The variance of the sum of ``moved``, whose terms up to ``horizon`` - 1 steps apart vary together, and how it was found."""
    lags = np.array([float(moved[k:] @ moved[: len(moved) - k]) for k in range(horizon)])
    plain = float(2 * lags.sum() - lags[0])
    if variance == "truncated" and plain > 0:
        return plain, ""
    falling = 1 - np.arange(horizon) / horizon
    how = "Bartlett weights" if variance == "bartlett" else "Bartlett weights as the truncated variance is negative"
    return float(2 * (falling @ lags) - lags[0]), f", {how}"
