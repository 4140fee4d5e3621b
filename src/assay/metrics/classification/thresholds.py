"""The choice of a threshold: any metric of binary labels at every threshold, and the best of them under conditions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Floats
from assay.core.errors import ParameterError, SelectionWarning, UndefinedError, arg
from assay.core.metric import Metric
from assay.core.monoids import Counts, Sum
from assay.core.outcomes import outside
from assay.core.signatures import from_spec
from assay.metrics.classification.decisions import DEFAULT_THRESHOLD
from assay.metrics.classification.family import LabelMetric
from assay.metrics.classification.tables import Confusion, Hits

WHO = "threshold_sweep"
MetricName: TypeAlias = str | Metric[Any]
Conditions: TypeAlias = Mapping[MetricName, float]
_EXAMPLES = "f1, recall, accuracy, balanced_accuracy or matthews_correlation"


class ChosenThreshold(NamedTuple):
    """A threshold and the value of the metric there, on the data it was chosen on."""

    threshold: float
    value: float


@dataclass(frozen=True)
class Cells:
    """The four cells at every threshold, from the highest down."""

    threshold: Floats
    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats

    def values(self, metric: MetricName) -> Floats:
        """The metric at every threshold; NaN where it is undefined."""
        asked = metric_of(metric)
        total = self._total(asked)
        values = None if total is None else np.asarray(asked.finalize(total))
        if values is None or values.shape != np.shape(self.tp) or values.dtype.kind != "f":
            raise ParameterError(
                WHO,
                "",
                f"{asked.signature()} is not one number from the labels of a binary problem, such as {_EXAMPLES}",
            )
        return values

    def _total(self, metric: LabelMetric) -> Counts | Sum | None:
        """What the metric would have gathered at each threshold; None if the four cells do not tell."""
        statistic = metric.statistic()
        if isinstance(statistic, Confusion):
            cells = np.stack([self.tn, self.fp, self.fn, self.tp], axis=-1)
            return Counts((0, 1), cells.reshape(*cells.shape[:-1], 2, 2), 1)
        if isinstance(statistic, Hits):
            right, wrong = self.tp + self.tn, self.fp + self.fn
            return Sum(Hits.names, np.stack([right + wrong, right, wrong], axis=-1), 1)
        return None

    def choose(self, metric: MetricName, at_least: Conditions | None, at_most: Conditions | None) -> ChosenThreshold:
        """The best threshold of those that keep all conditions; among equals the highest."""
        values, asked = self.values(metric), metric_of(metric)
        if np.isnan(values).all():
            raise UndefinedError(
                WHO, "", f"{asked.key} is undefined at every threshold: one of the classes does not occur"
            )
        allowed = self._allowed(at_least, "at_least") & self._allowed(at_most, "at_most") & ~np.isnan(values)
        if not allowed.any():
            self._refuse_conditions(at_least or {}, at_most or {})
        if asked.record.better == "none":
            raise ParameterError(
                WHO, "", f"no value of {asked.key} is better than another, so there is no best threshold"
            )
        held = np.where(allowed, values, -np.inf if asked.record.better == "higher" else np.inf)
        at = int(np.argmax(held) if asked.record.better == "higher" else np.argmin(held))
        warn_of_selection()
        return ChosenThreshold(float(self.threshold[at]), float(values[at]))

    def _allowed(self, conditions: Conditions | None, name: str) -> NDArray[np.bool_]:
        kept = np.ones(np.shape(self.tp), dtype=np.bool_)
        for metric, limit in (conditions or {}).items():
            with np.errstate(invalid="ignore"):
                values = self.values(metric)
                kept &= (values >= limit) if name == "at_least" else (values <= limit)  # NaN keeps no condition
        return kept

    def _refuse_conditions(self, at_least: Conditions, at_most: Conditions) -> None:
        """Say how far each condition can be met alone."""
        reached = [
            f"{metric_of(metric).key} is {word} {extreme(values):.4g} and must be {sign} {limit:g}"
            for conditions, word, sign, extreme in (
                (at_least, "at most", ">=", np.nanmax),
                (at_most, "at least", "<=", np.nanmin),
            )
            for metric, limit in conditions.items()
            if not np.isnan(values := self.values(metric)).all()
        ]
        raise UndefinedError(
            WHO,
            "",
            f"no threshold keeps every condition: {'; '.join(reached) or 'they are undefined at every threshold'}",
            f"Relax {arg('at_least')} or {arg('at_most')}.",
        )


def metric_of(metric: MetricName) -> LabelMetric:
    """A metric of labels by its name or as given; the sweep itself says which class is positive, and the threshold."""
    asked: Any = from_spec(metric) if isinstance(metric, str) else metric
    if not isinstance(asked, LabelMetric):
        what = getattr(asked, "key", repr(asked))
        raise ParameterError(WHO, "", f"{what} is not a metric of binary labels, such as {_EXAMPLES}")
    if asked.classes is not None or asked.positive is not None or asked.threshold != DEFAULT_THRESHOLD:
        raise ParameterError(
            WHO,
            "",
            f"{asked.signature()} sets {arg('classes')}, {arg('positive')} or {arg('threshold')}, which the sweep does itself",
            f"Leave them out here and give {arg('positive')} to {WHO}.",
        )
    return asked


def warn_of_selection(who: str = WHO) -> None:
    """A threshold is a fitted parameter: its value on these data flatters it."""
    warnings.warn(
        f"{who}: the threshold was chosen on these data, so the value here is optimistic. Test it on other data: "
        "keep the threshold fixed and measure the metric there.",
        SelectionWarning,
        stacklevel=outside(),
    )
