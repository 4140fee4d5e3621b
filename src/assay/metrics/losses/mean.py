"""The mean of a loss over rows is a metric: intervals, comparisons, slices and streams for every loss that has rows."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np

from assay.core.arrays import Array, as_float, kind_of, namespace
from assay.core.call_checks import check_fields, guarded
from assay.core.errors import InputError, ParameterError, arg, did_you_mean
from assay.core.inputs import Inputs
from assay.core.loss import find_loss
from assay.core.metric import Metric
from assay.core.monoids import Sum
from assay.core.parameters import Undefined, frozen
from assay.core.record import Record
from assay.core.takes import Takes
from assay.metrics.rows import RowMeans
from assay.ops import divide

_DIVISORS = ("class_weight", "normalize")
_NAMES = {"y_pred": "prediction", "logits": "logits", "y_prob": "probabilities"}


@dataclass(frozen=True)
class _RowLoss:
    """The loss of each row, averaged over its trailing axes (outputs, pixels)."""

    loss: str
    options: tuple[tuple[str, Any], ...]

    def __call__(self, inputs: Inputs) -> Array:
        function = find_loss(self.loss)
        given = [name for name in _NAMES if name in inputs]
        target = inputs["y_true"]
        if kind_of(target) in ("text", "object"):
            raise InputError(
                "MeanLoss", "y_true", f"must hold what {self.loss} takes as its target: numbers, or class numbers"
            )
        names = inspect.signature(function).parameters
        if _NAMES[given[0]] not in names:
            fits = " or ".join(kind for kind, name in _NAMES.items() if name in names)
            raise InputError("MeanLoss", "", f"{self.loss} is computed from {fits}, got {given[0]}")
        scores = inputs[given[0]]
        scores = inputs.numbers(given[0], ranks=(1, 2)) if kind_of(scores) in ("text", "object") else as_float(scores)
        values = function(**{_NAMES[given[0]]: scores, "target": target}, reduction="none", **dict(self.options))
        return _row_means(values)


@dataclass(frozen=True)
class _RowSizes:
    """The fraction of each row that counts: all of it, or what is not ignored."""

    ignore_index: int | None

    def __call__(self, inputs: Inputs) -> Array:
        target = inputs["y_true"]
        xp = namespace(target)
        if self.ignore_index is None or kind_of(target) == "float":
            return xp.ones(target.shape[0], dtype=xp.float32)
        return _row_means(xp.astype(target != self.ignore_index, xp.float32))


def _row_means(values: Array) -> Array:
    xp = namespace(values)
    return values if values.ndim == 1 else xp.mean(xp.reshape(values, (values.shape[0], -1)), axis=1)


@dataclass(frozen=True, kw_only=True, init=False)
class MeanLoss(Metric[Sum]):
    r"""Mean of a loss over rows: ``MeanLoss("huber", delta=1.0)``.

    .. math:: \frac1n \sum_i \ell(\hat y_i, y_i)

    ``loss`` is a name of `assay.losses`. Its own parameters follow, or stand in ``options`` as pairs. The truth is what
    that loss takes as its target; its prediction comes as ``y_pred``, its logits or probabilities under their own names. What
    ``ignore_index`` marks counts nowhere. Class weights are refused: they change what the mean divides by.

    >>> mean_loss([3.0, -0.5], [2.5, 2.5], loss="huber")
    1.3125
    """

    record = Record(
        title="Mean of a loss", range=(-np.inf, np.inf), better="lower", family="mean", transform="identity",
        takes=("y_true: values, labels or distributions", "y_pred: values", "y_prob: probabilities", "logits: logits"),
        use="to judge a model by what it was trained on, with an interval", undefined="no rows",
        misleads="its size says little without a baseline; regularisation terms are not in it", references=("vapnik1992",),
    )  # fmt: skip
    takes = Takes(("y_true",), ("y_pred", "y_prob", "logits"), one_of=True)

    loss: str = "mse"
    options: tuple[tuple[str, Any], ...] = ()

    def __new__(cls, *args: Any, **parameters: Any) -> Self:
        """Take the name of the loss as a positional argument, and its parameters beside our own."""
        return object.__new__(cls)

    @guarded
    def __init__(
        self,
        loss: str = "mse",
        *,
        options: Mapping[str, Any] | Sequence[tuple[str, Any]] = (),
        undefined: Undefined = "nan",
        **parameters: object,
    ) -> None:
        function = find_loss(loss)
        pairs = {**dict(options), **parameters}
        known = inspect.signature(function).parameters
        if not function.record.rows:
            raise ParameterError("MeanLoss", "", f"{loss} is one number for a whole batch, not a mean over rows")
        for name in pairs:
            if name in _DIVISORS:
                raise ParameterError(
                    "MeanLoss", name, "changes what the mean divides by", f"Give {arg('weight')} to the call instead."
                )
            if name not in known or name == "options":
                raise ParameterError("MeanLoss", "", f"{loss} has no parameter {name!r}", did_you_mean(name, known))
        object.__setattr__(self, "loss", loss)
        object.__setattr__(self, "options", tuple((name, frozen(pairs[name])) for name in sorted(pairs)))
        object.__setattr__(self, "undefined", undefined)
        check_fields(self)

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of the loss."""
        return cast("tuple[float, float]", find_loss(self.loss).record.range)

    def statistic(self) -> RowMeans:
        """The losses of the rows."""
        known = inspect.signature(find_loss(self.loss)).parameters
        sizes = None
        if "ignore_index" in known:
            sizes = _RowSizes(dict(self.options).get("ignore_index", known["ignore_index"].default))
        return RowMeans(self.loss, ("y_true", *_NAMES), _RowLoss(self.loss, self.options), sizes)

    def of(self, total: Sum) -> Any:
        """Their mean."""
        return divide(total[self.loss], total["weight"])
