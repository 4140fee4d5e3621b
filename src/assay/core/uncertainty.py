"""What every metric can say about how sure it is. The work is done by the inference layer, loaded when first asked."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, cast

from assay.core.arrays import ArrayLike
from assay.core.call_checks import guarded
from assay.core.comparison import Comparison
from assay.core.score import Score
from assay.core.value_checks import MODELS

if TYPE_CHECKING:
    from assay.core.ranking import Ranking
    from assay.core.slices import Slices


def inference(module: str) -> Any:
    """A module of the inference layer, by name: it stands to the right of the core and may not be imported by it."""
    return importlib.import_module(f"assay.inference.{module}")


class Uncertain:
    """Intervals, comparisons, rankings and slices of a metric.

    Common options: ``level`` of the intervals; ``method``, by default the best known for the family of the metric; ``groups``,
    the independent unit of each row (patient, user, document), where rows are not independent; ``strata``, where units were
    drawn within strata; ``replicates`` and ``seed`` of resampling. The same seed gives the same limits everywhere.
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
        **named: Any,
    ) -> Score:
        """The value with an interval that holds its level: a `Score` that names its method and whether to trust it.

        ``method`` is ``"auto"``, ``"bootstrap"``, ``"percentile"``, ``"bca"``, ``"delta"``, and for some families ``"exact"``,
        ``"wilson"``, ``"hall"``, ``"delong"``. A method that does not hold for the metric is refused with the reason.
        """
        metric = cast(Any, self)
        options = inference("options").Options(level, method, replicates, seed).checked(metric.name)
        inputs = metric.inputs(*args, weight=weight, **named)
        design = inference("design").Design.of(inputs.n, groups, strata, metric.name, inputs.host_weight())
        return inference("interval").scored(inference("sample").Sample(metric, inputs, design), options)

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
        **named: Any,
    ) -> Comparison:
        """The difference ``a - b`` of two models on the same rows, with interval, p value and what could have been seen.

        ``method`` is ``"auto"`` (paired DeLong, Bonett-Price with mid-p McNemar, paired Hall t, influence differences or a paired
        bootstrap, by family; an exact randomisation test where few rows make the difference), ``"delta"``, ``"bootstrap"``,
        ``"permutation"`` or ``"randomisation"``. ``margin`` adds the tests of non-inferiority and equivalence within that margin.
        The p value is that of this one comparison, not corrected for others that you look at.
        """
        metric = cast(Any, self)
        options = inference("options").Options(level, method, replicates, seed).checked(metric.name)
        samples = inference("paired").pair(metric, y_true, {"a": a, "b": b}, weight, groups, strata, named)
        return inference("paired").compared(*samples.values(), options, margin=margin)

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
        **named: Any,
    ) -> Ranking:
        """Several models on the same rows: all pairs, corrected for their number, and a ranking with ties."""
        metric = cast(Any, self)
        options = inference("options").Options(level, method, replicates, seed).checked(metric.name)
        samples = inference("paired").pair(metric, y_true, models, weight, groups, strata, named)
        return inference("many").ranked(samples, options)

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
        **named: Any,
    ) -> Slices:
        """The value on every slice with its interval, and its gap to the whole, corrected for the number of slices.

        ``slices`` is one label a row. ``pool=True`` adds estimates that small slices borrow from the others (partial pooling).
        """
        metric = cast(Any, self)
        options = inference("options").Options(level, method, replicates, seed).checked(metric.name)
        inputs = metric.inputs(*args, weight=weight, **named)
        return inference("slices").sliced(metric, inputs, slices, groups, options, pool=pool)
