"""What regression metrics share: (target, prediction) in, one value per output, averaged as requested."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from assay.core.arrays import Floats
from assay.core.errors import InputError, ParameterError
from assay.core.metric import Metric
from assay.core.monoids import Element, Joint
from assay.core.statistic import JointStatistic, Statistic
from assay.metrics.averages import mean_defined
from assay.metrics.regression.pairs import PairMoments
from assay.ops import divide

TAKES = ("y_true: values", "y_pred: values")


@dataclass(frozen=True, kw_only=True)
class PairMetric(Metric[Any]):
    """A regression metric; ``outputs`` says how several outputs become one number.

    ``"mean"`` averages them, ``"each"`` returns one value per output, ``"variance"`` weighs each output by the variance
    of its targets, and a tuple of numbers gives the weights.
    """

    outputs: Literal["mean", "each", "variance"] | tuple[float, ...] = "mean"

    @abstractmethod
    def gather(self) -> Statistic[Any]:
        """The statistic of the metric itself."""

    @abstractmethod
    def each(self, total: Any) -> Floats:
        """One raw value an output, with any leading axes."""

    def __post_init__(self) -> None:
        """Check ``outputs`` beside everything else."""
        super().__post_init__()
        if self.outputs not in ("mean", "each", "variance") and not _are_weights(self.outputs):
            raise ParameterError(
                self.name, "outputs", f"must be 'mean', 'each', 'variance' or a tuple of weights, got {self.outputs!r}"
            )

    @property
    def properties(self) -> frozenset[str]:
        """Weights by the variance of the targets tell target and prediction apart."""
        return self.record.properties - ({"symmetric"} if self.outputs == "variance" else set[str]())

    def statistic(self) -> Statistic[Any]:
        """The metric's own statistic, and the targets' variance where outputs are weighed by it."""
        own = self.gather()
        return JointStatistic((own, PairMoments(("target",)))) if self.outputs == "variance" else own

    def own(self, total: Any) -> Element:
        """The metric's own element."""
        return total[0] if self.outputs == "variance" else total

    def of(self, total: Any) -> Floats:
        """One raw value an output."""
        return self.each(self.own(total))

    def combine(self, values: Any, total: Any) -> Any:
        """One number from the outputs, or all of them."""
        if self.outputs == "each":
            return values
        return mean_defined(values, self._shares(total, values.shape[-1]))

    def _shares(self, total: Any, m: int) -> Any:
        if self.outputs == "mean":
            return None
        if self.outputs == "variance":
            variance = total[1].second("target")
            # Constant targets everywhere leave nothing to weigh by: then every output counts the same.
            return np.where(variance.sum(axis=-1, keepdims=True) == 0, 1.0, variance)
        if len(self.outputs) != m:
            raise InputError(self.name, "outputs", f"holds {len(self.outputs)} weights, the data have {m} outputs")
        return np.asarray(self.outputs, dtype=np.float64)

    def part_names(self, total: Any) -> tuple[Any, ...]:
        """``output 0`` and so on, if there are several."""
        first: Any = self.own(total)
        first = first[0] if isinstance(first, Joint) else first
        m = output_count(first)
        return tuple(f"output {j}" for j in range(m)) if m > 1 else ()


def _are_weights(outputs: Any) -> bool:
    if not isinstance(outputs, tuple):
        return False
    weights = cast("tuple[Any, ...]", outputs)
    return all(isinstance(w, int | float) and w >= 0 for w in weights) and 0 < sum(weights) < np.inf


def output_count(element: Any) -> int:
    """How many outputs an unbatched element describes."""
    for name in ("totals", "mean", "low"):
        if hasattr(element, name):
            return int(getattr(element, name).shape[0])
    return int(next(iter(element.columns.values())).shape[1])


def mean_of(total: Any, name: str) -> Any:
    """Weighted mean of a summed loss."""
    return divide(total[name], total["weight"])
