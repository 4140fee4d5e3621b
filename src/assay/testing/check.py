"""`check_metric` and `check_loss`: all laws on all cases.

Example data are made from what a metric takes (`assay.core.takes.Takes` and ``record.takes``); a metric with inputs of its own
kind brings its own cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.core.errors import InputError
from assay.core.metric import Metric
from assay.testing.examples import Example, examples_of
from assay.testing.loss_laws import LOSS_LAWS, LossFunction
from assay.testing.metric_cases import MetricCase, cases_for, variants
from assay.testing.metric_laws import LAWS


def check_metric(
    metric: Metric[Any] | type[Metric[Any]],
    cases: Iterable[MetricCase | Mapping[str, Any]] | None = None,
    *,
    laws: Sequence[str] | None = None,
) -> None:
    """Check every law on every case; the first that fails raises `LawError`.

    ``metric`` is a metric, or a class to check with each value of its parameters. ``cases`` are inputs by name, such as
    ``[{"y_true": y, "y_pred": p}]``; without them examples are made. ``laws`` picks some of `LAWS` by name.

    >>> import assay
    >>> check_metric(assay.metrics.MSE())
    """
    chosen = [LAWS[name] for name in laws or LAWS]
    own = None if cases is None else [_as_case(i, case) for i, case in enumerate(cases)]
    for one in variants(metric) if isinstance(metric, type) else [metric]:
        for case in own or cases_for(one):
            for law in chosen:
                law(one, case)


def check_loss(
    loss: LossFunction, examples: Iterable[Example] | None = None, *, laws: Sequence[str] | None = None
) -> None:
    """Check every law of losses on every example; the first that fails raises `LawError`.

    Our own losses bring their examples. A loss of yours takes arrays of any library; say what it is called with:

    >>> import numpy as np
    >>> from assay.losses import mse
    >>> def doubled(prediction, target, **options):
    ...     return 2 * mse(prediction, target, **options)
    >>> pair = {"prediction": np.array([1.0, 2.0, 4.0]), "target": np.array([1.5, 2.0, 3.0])}
    >>> check_loss(doubled, [Example(pair, vary=("prediction",), rows=("prediction", "target"))])
    """
    own = list(examples_of(loss) if examples is None else examples)
    if not own:
        raise InputError(
            "check_loss",
            "examples",
            "is required for a loss without examples of its own",
            "Say how to call it: examples=[assay.testing.Example(inputs, vary=...)].",
        )
    for example in own:
        for name in laws or LOSS_LAWS:
            LOSS_LAWS[name](loss, example)


def _as_case(at: int, case: MetricCase | Mapping[str, Any]) -> MetricCase:
    return case if isinstance(case, MetricCase) else MetricCase(f"case {at}", dict(case))
