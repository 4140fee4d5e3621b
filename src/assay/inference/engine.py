"""The engine that core asks for intervals, comparisons, rankings and slices (see `assay.core.engine`)."""

from __future__ import annotations

from typing import Any

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
from assay.inference.design import Design
from assay.inference.families import family_of
from assay.inference.interval import scored
from assay.inference.paired import compared, pair
from assay.inference.rankings import ranked
from assay.inference.sample import Sample
from assay.inference.slices import sliced
from assay.inference.state_sample import StateSample


class Inference:
    """The `InferenceEngine` of this layer."""

    def interval(
        self,
        metric: Metric[Any],
        inputs: Inputs,
        groups: ArrayLike | None,
        strata: ArrayLike | None,
        options: InferenceOptions,
    ) -> Score:
        """The value on data with its interval."""
        design = Design.of_inputs(inputs, groups, strata, metric.name)
        return scored(Sample(metric, inputs, design), options)

    def state_interval(self, state: State[Any], options: InferenceOptions) -> Score:
        """The value of a state with its interval."""
        return scored(StateSample(state.metric, state.total, state.kept), options)

    def compare(
        self, metric: Metric[Any], models: PairedData, options: InferenceOptions, margin: float | None
    ) -> Comparison:
        """The difference of two models."""
        a, b = pair(metric, models).values()
        return compared(a, b, options, margin=margin)

    def rank(self, metric: Metric[Any], models: PairedData, options: InferenceOptions) -> Ranking:
        """Several models, all pairs tested."""
        return ranked(pair(metric, models), options)

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
        return sliced(metric, inputs, labels, groups, options, pool=pool)

    def powers(self, metric: Metric[Any]) -> int:
        """The highest power of influence values that a state must keep for the default interval; 0 if it keeps none."""
        return family_of(metric).powers
