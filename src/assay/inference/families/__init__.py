"""The one table of families: the key that a metric names in its record, and the object that knows all about it.

To add a family, write a file beside these, add its line here, and its key to `assay.core.record.FamilyKey`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.core.errors import ParameterError, did_you_mean
from assay.core.metric import Metric
from assay.core.record import FamilyKey
from assay.inference.families.agreement import AgreementFamily
from assay.inference.families.auc import AucFamily
from assay.inference.families.average_precision import AveragePrecisionFamily
from assay.inference.families.balanced import BalancedFamily
from assay.inference.families.bootstrap import BootstrapFamily
from assay.inference.families.bounded_mean import BoundedMeanFamily
from assay.inference.families.calibration import CalibrationErrorFamily
from assay.inference.families.confusion import ConfusionFamily
from assay.inference.families.corpus import CorpusFamily
from assay.inference.families.correlation import CorrelationFamily
from assay.inference.families.curve import CurveFamily
from assay.inference.families.envelope import EnvelopeFamily
from assay.inference.families.extreme import ExtremeFamily
from assay.inference.families.family import Family, NamedInterval, NamedTest
from assay.inference.families.frechet import FrechetFamily
from assay.inference.families.kernel_distance import KernelDistanceFamily
from assay.inference.families.manifold import ManifoldFamily
from assay.inference.families.mean import MeanFamily
from assay.inference.families.overlap import OverlapFamily
from assay.inference.families.proportion import ProportionFamily
from assay.inference.families.quantile import QuantileFamily
from assay.inference.families.query_mean import QueryMeanFamily
from assay.inference.families.r2 import R2Family
from assay.inference.families.rank_correlation import RankCorrelationFamily
from assay.inference.families.ratio import RatioFamily
from assay.inference.families.root_mean import RootMeanFamily
from assay.inference.families.total import TotalFamily
from assay.inference.families.training_fit import TrainingFitFamily
from assay.inference.families.youden import YoudenFamily

FAMILIES: Mapping[FamilyKey, Family] = {
    "mean": MeanFamily(),
    "bounded_mean": BoundedMeanFamily(),
    "root_mean": RootMeanFamily(),
    "total": TotalFamily(),
    "proportion": ProportionFamily(),
    "overlap": OverlapFamily(),
    "confusion": ConfusionFamily(),
    "agreement": AgreementFamily(),
    "balanced": BalancedFamily(),
    "auc": AucFamily(),
    "average_precision": AveragePrecisionFamily(),
    "calibration": CalibrationErrorFamily(),
    "correlation": CorrelationFamily(),
    "rank_correlation": RankCorrelationFamily(),
    "r2": R2Family(),
    "quantile": QuantileFamily(),
    "bootstrap": BootstrapFamily(),
    "envelope": EnvelopeFamily(),
    "curve": CurveFamily(),
    "frechet": FrechetFamily(),
    "kernel_distance": KernelDistanceFamily(),
    "manifold": ManifoldFamily(),
    "ratio": RatioFamily(),
    "extreme": ExtremeFamily(),
    "youden": YoudenFamily(),
    "corpus": CorpusFamily(),
    "training_fit": TrainingFitFamily(),
    "query_mean": QueryMeanFamily(),
}


def family_of(metric: Metric[Any] | type[Metric[Any]]) -> Family:
    """The family that a metric, or a class of metrics, names in its record."""
    key = metric.record.family
    if key not in FAMILIES:
        who = metric.__name__ if isinstance(metric, type) else metric.name
        raise ParameterError(who, "", f"names an unknown family {key!r}", did_you_mean(key, FAMILIES).strip())
    return FAMILIES[key]


def named_intervals() -> dict[str, NamedInterval]:
    """The intervals of single families that callers can request by name."""
    return {named.name: named for family in FAMILIES.values() for named in family.named_intervals}


def named_tests() -> dict[str, NamedTest]:
    """The paired tests of single families that callers can request by name."""
    return {named.name: named for family in FAMILIES.values() for named in family.named_tests}
