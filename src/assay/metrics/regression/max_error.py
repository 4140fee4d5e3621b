"""The largest error of all rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Floats, namespace, to_host
from assay.core.inputs import Inputs
from assay.core.monoids import Extreme
from assay.core.record import Record
from assay.core.statistic import Statistic
from assay.metrics.regression.family import TAKES, PairMetric
from assay.metrics.regression.pairs import pair
from assay.ops import quiet


@dataclass(frozen=True)
class ErrorRange(Statistic[Extreme]):
    """Smallest and largest absolute error of each output."""

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return ("absolute",)

    def of(self, inputs: Inputs) -> Extreme:
        """The range; rows of weight zero do not count."""
        y, p = pair(inputs)
        xp = namespace(y, p)
        with quiet():
            errors = xp.abs(p - y)
            ends = [xp.min(errors, axis=0), xp.max(errors, axis=0)] if inputs.weight is None else []
            if inputs.weight is not None:
                kept = to_host(errors)[to_host(inputs.weight) > 0]
                ends = [kept.min(axis=0), kept.max(axis=0)]
        low, high = (to_host(end).astype(np.float64)[..., None] for end in ends)
        if not np.isfinite(high).all():
            inputs.refuse_not_finite("y_true", "y_pred")
            inputs.refuse_overflow()
        return Extreme(("absolute",), low, high, inputs.n)


@dataclass(frozen=True, kw_only=True)
class MaxError(PairMetric):
    r"""The largest absolute error.

    .. math:: \max_i |y_i - \hat y_i|

    What the worst of these rows cost, in the unit of the target. One row decides it, and it grows with the number of rows.

    >>> max_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    1.0
    """

    record = Record(
        title="Maximum error", range=(0, np.inf), better="lower", family="extreme", transform="log", takes=TAKES,
        use="where a single bad prediction is what counts, such as tolerances of parts",
        misleads="one row decides it; grows with the number of rows, so it does not compare between data sets; has no valid bootstrap",
        equals=("scikit-learn max_error",), references=("efron1993", "wilks1941"), properties=frozenset({"symmetric"}),
        aliases=("maximum_error", "maximum_absolute_error", "chebyshev"),
    )  # fmt: skip

    def gather(self) -> ErrorRange:
        """The range of absolute errors."""
        return ErrorRange()

    def each(self, total: Extreme) -> Floats:
        """Its upper end."""
        return total.high[..., 0]
