"""The overall weighted average of the M4 competition: two relative errors in one number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Floats
from assay.core.monoids import Joint
from assay.core.parameters import whole
from assay.core.record import Record
from assay.core.statistic import JointStatistic
from assay.core.takes import Takes
from assay.metrics.regression._baseline import BaselineStatistic
from assay.metrics.regression.errors import SMAPE
from assay.metrics.regression.relative import MASE, ScaledMetric
from assay.ops import divide


@dataclass(frozen=True, kw_only=True)
class OWA(ScaledMetric):
    r"""Overall weighted average: the mean of sMAPE and MASE, each relative to a baseline forecast.

    .. math:: \mathrm{OWA} = \frac12 \left(\frac{\mathrm{sMAPE}}{\mathrm{sMAPE}_b} + \frac{\mathrm{MASE}}{\mathrm{MASE}_b}\right)

    1 is as good as the baseline, which in the M4 competition is Naive2, the naive forecast of the seasonally adjusted series: give its
    forecasts as ``y_baseline``. Both errors are means over all rows before they are divided, as in M4. Scales come as for `mase`: one
    ``scale`` per row where many series stand in one table, or the training series as ``y_train`` with its ``season``.

    >>> owa([5.0, 6.0], [5.0, 7.0], y_baseline=[4.0, 4.0], scale=2.0)
    0.2902...
    """

    record = Record(
        title="Overall weighted average", range=(0, np.inf), better="lower", family="ratio", transform="log",
        takes=("y_true: values", "y_pred: values", "y_baseline: values", "scale: values", "y_train: series"),
        undefined="the baseline makes no error or the training series is constant over a season",
        use="forecasts of many series, ranked as in the M4 competition",
        misleads="depends on the baseline: another naive forecast than Naive2 is another number; inherits the faults of sMAPE",
        references=("makridakis2020",), aliases=("overall_weighted_average",),
    )  # fmt: skip
    takes = Takes(("y_true", "y_pred", "y_baseline"), optional=("scale",), free=("y_train",))

    season: int = 1

    def check(self) -> None:
        """A season has at least one step."""
        whole(self.name, "season", self.season)

    @property
    def errors(self) -> tuple[SMAPE, MASE]:
        """Both errors."""
        return SMAPE(), MASE(season=self.season)

    def statistic(self) -> JointStatistic:
        """Both errors of the model, then of the baseline."""
        own = [error.statistic() for error in self.errors]
        return JointStatistic((*own, *(BaselineStatistic(one, "y_pred") for one in own)))

    def of(self, total: Joint) -> Floats:
        """The mean of both ratios."""
        values = [error.finalize(part) for error, part in zip(self.errors * 2, total.parts, strict=True)]
        return (divide(values[0], values[2]) + divide(values[1], values[3])) / 2
