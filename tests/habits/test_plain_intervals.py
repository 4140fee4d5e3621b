"""`interval=True` on a plain function gives the number with its interval, as the method of the metric does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import assay
from assay.core.registry import metrics
from messages import refuses

RNG = np.random.default_rng(8)
Y = RNG.integers(0, 2, 80)
P = RNG.random(80)
D = (P > 0.5).astype(int)


def test_a_score_as_the_metric_gives_it() -> None:
    score = assay.roc_auc(Y, P, interval=True)
    assert isinstance(score, assay.Score)
    assert score.to_dict() == assay.metrics.RocAuc().interval(Y, P).to_dict()
    assert assay.roc_auc(Y, P, interval=False) == assay.roc_auc(Y, P) == score
    assert type(assay.roc_auc(Y, P)) is float


def test_parameters_weights_and_options_of_intervals() -> None:
    groups, weight = np.arange(80) // 4, RNG.random(80) + 0.5
    plain = assay.f1(Y, D, average="macro", weight=weight, interval=True, level=0.9, groups=groups, seed=3)
    method = assay.metrics.F1(average="macro").interval(Y, D, weight=weight, level=0.9, groups=groups, seed=3)
    assert plain.to_dict() == method.to_dict()


def test_a_parameter_of_the_metric_comes_first() -> None:
    """The level of `interval_score` is that of the forecasts."""
    assert "level=0.8" in str(assay.interval_score.metric(level=0.8))
    score = assay.interval_score(Y, lower=P - 1, upper=P + 1, level=0.8, interval=True)
    assert score.level == 0.95
    assert score == assay.interval_score(Y, lower=P - 1, upper=P + 1, level=0.8)


def test_every_function_has_it() -> None:
    import inspect

    for cls in metrics():
        assert inspect.signature(getattr(assay, cls.key)).parameters["interval"].default is False


REFUSED: dict[str, Callable[[], object]] = {
    "a curve": lambda: assay.roc_curve(Y, P, interval=True),  # type: ignore[call-arg]
    "an array": lambda: assay.f1(Y, D, average=None, interval=True),
    "a level alone": lambda: assay.mse(Y, P, level=0.9),  # type: ignore[call-overload]
    "a level in its place": lambda: assay.mse(Y, P, interval=0.9),  # type: ignore[call-overload]
    "a misspelt option": lambda: assay.mse(Y, P, interval=True, lvl=0.9),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    refuses(REFUSED[case])
