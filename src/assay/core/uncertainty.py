"""The uncertainty of every metric. The inference layer does the work; it is loaded when first needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, cast

from assay.core.arrays import ArrayLike
from assay.core.call_checks import guarded
from assay.core.comparison import Comparison
from assay.core.engine import engine
from assay.core.inference_options import InferenceOptions
from assay.core.score import Score
from assay.core.value_checks import MODELS

if TYPE_CHECKING:
    from assay.core.metric import Metric
    from assay.core.ranking import Ranking
    from assay.core.slices import Slices


@dataclass(frozen=True)
class PairedData:
    """Predictions by model (an array, or a mapping that names the inputs) and what all models share."""

    y_true: ArrayLike
    models: Mapping[str, ArrayLike | Mapping[str, ArrayLike]]
    weight: ArrayLike | None = None
    groups: ArrayLike | None = None
    strata: ArrayLike | None = None
    named: Mapping[str, ArrayLike | None] = field(default_factory=lambda: dict[str, ArrayLike | None]())


class Uncertain:
    """Intervals, comparisons, rankings and slices of a metric.

    Common options: ``level`` of the intervals; ``method``, by default the best known for the family of the metric; ``groups``,
    the independent unit of each row (patient, user, document), where rows are not independent; ``strata``, where units were
    drawn within strata; ``replicates`` and ``seed`` of resampling. The same seed gives the same limits on every backend.
    """

    @guarded
    def interval(
        self,
        *args: ArrayLike,
        weight: ArrayLike | None = None,
        level: float = 0.95,
        method: str = "auto",
        groups: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        replicates: int = 2000,
        seed: int = 0,
        **named: ArrayLike | None,
    ) -> Score:
        """The value with an interval of nominal coverage: a `Score` that names its method and whether to trust it.

        ``method`` is ``"auto"``, ``"bootstrap"``, ``"percentile"``, ``"bca"``, ``"delta"``, and for some families ``"exact"``,
        ``"wilson"``, ``"hall"``, ``"delong"``. A method that is not valid for the metric is refused with the reason.
        """
        metric = cast("Metric[Any]", self)
        options = InferenceOptions(level, method, replicates, seed).checked(metric.name)
        inputs = metric.inputs(*args, weight=weight, **named)
        return engine().interval(metric, inputs, groups, strata, options)

    @guarded
    def compare(
        self,
        y_true: ArrayLike,
        a: ArrayLike,
        b: ArrayLike,
        *,
        weight: ArrayLike | None = None,
        level: float = 0.95,
        method: str = "auto",
        groups: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        replicates: int = 2000,
        seed: int = 0,
        margin: float | None = None,
        **named: ArrayLike | None,
    ) -> Comparison:
        """The difference ``a - b`` of two models on the same rows, with interval, p value and minimum detectable effect.

        ``method`` is ``"auto"`` (paired DeLong, Bonett-Price with mid-p McNemar, paired Hall t, influence differences or a paired
        bootstrap, by family; an exact randomisation test where few rows make the difference), ``"delta"``, ``"bootstrap"``,
        ``"permutation"`` or ``"randomisation"``. ``margin`` adds the tests of non-inferiority and equivalence within that margin.
        The p value is that of this one comparison, not corrected for any others.
        """
        metric = cast("Metric[Any]", self)
        options = InferenceOptions(level, method, replicates, seed).checked(metric.name)
        data = PairedData(y_true, {"a": a, "b": b}, weight, groups, strata, named)
        return engine().compare(metric, data, options, margin)

    @guarded
    def rank(
        self,
        y_true: ArrayLike,
        models: Annotated[Mapping[str, ArrayLike], MODELS],
        *,
        weight: ArrayLike | None = None,
        level: float = 0.95,
        method: str = "auto",
        groups: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        replicates: int = 2000,
        seed: int = 0,
        **named: ArrayLike | None,
    ) -> Ranking:
        """Several models on the same rows: all pairs, corrected for their number, and a ranking with ties."""
        metric = cast("Metric[Any]", self)
        options = InferenceOptions(level, method, replicates, seed).checked(metric.name)
        return engine().rank(metric, PairedData(y_true, models, weight, groups, strata, named), options)

    @guarded
    def by(
        self,
        slices: ArrayLike,
        *args: ArrayLike,
        weight: ArrayLike | None = None,
        level: float = 0.95,
        method: str = "auto",
        groups: ArrayLike | None = None,
        replicates: int = 2000,
        seed: int = 0,
        pool: bool = False,
        **named: ArrayLike | None,
    ) -> Slices:
        """The value on every slice with its interval, and its gap to the whole, corrected for the number of slices.

        ``slices`` is one label per row. ``pool=True`` adds estimates that small slices borrow from the others (partial pooling).
        """
        metric = cast("Metric[Any]", self)
        options = InferenceOptions(level, method, replicates, seed).checked(metric.name)
        inputs = metric.inputs(*args, weight=weight, **named)
        return engine().slices(metric, inputs, slices, groups, options, pool=pool)
