"""What core asks of the inference layer, which stands to its right: a protocol, and the place where an engine is handed in.

`assay/__init__.py` knows both sides and provides the engine, loaded when it is first needed; core never imports it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from assay.core.arrays import ArrayLike
    from assay.core.comparison import Comparison
    from assay.core.inference_options import InferenceOptions
    from assay.core.inputs import Inputs
    from assay.core.metric import Metric
    from assay.core.ranking import Ranking
    from assay.core.score import Score
    from assay.core.slices import Slices
    from assay.core.state import State
    from assay.core.uncertainty import PairedData


class InferenceEngine(Protocol):
    """Intervals, comparisons, rankings and slices of metrics."""

    def interval(
        self,
        metric: Metric[Any],
        inputs: Inputs,
        groups: ArrayLike | None,
        strata: ArrayLike | None,
        options: InferenceOptions,
    ) -> Score:
        """The value on data with its interval."""
        ...

    def state_interval(self, state: State[Any], options: InferenceOptions) -> Score:
        """The value of a state with its interval."""
        ...

    def compare(
        self, metric: Metric[Any], models: PairedData, options: InferenceOptions, margin: float | None
    ) -> Comparison:
        """The difference of two models."""
        ...

    def rank(self, metric: Metric[Any], models: PairedData, options: InferenceOptions) -> Ranking:
        """Several models, all pairs tested."""
        ...

    def slices(
        self,
        metric: Metric[Any],
        inputs: Inputs,
        labels: ArrayLike,
        groups: ArrayLike | None,
        options: InferenceOptions,
        *,
        pool: bool,
    ) -> Slices:
        """The value on every slice."""
        ...

    def powers(self, metric: Metric[Any]) -> int:
        """The highest power of influence values that a state must keep for the default interval; 0 if it keeps none."""
        ...


_providers: list[Callable[[], InferenceEngine]] = []
_loaded: list[InferenceEngine] = []


def provide(load: Callable[[], InferenceEngine]) -> None:
    """Hand in what loads the engine; the last one provided counts."""
    _providers[:] = [load]
    _loaded.clear()


def engine() -> InferenceEngine:
    """The engine, loaded when it is first needed."""
    if not _loaded:
        _loaded.append(_providers[0]())
    return _loaded[0]
