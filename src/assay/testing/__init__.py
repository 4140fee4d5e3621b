"""The laws that every metric and every loss keeps, for ours and for yours: ``check_metric(MyMetric())``, ``check_loss(f)``."""

from assay.core.errors import LawError
from assay.testing.check import check_loss, check_metric
from assay.testing.examples import Example
from assay.testing.loss_laws import LOSS_LAWS
from assay.testing.metric_cases import MetricCase, cases_for, problems, variants
from assay.testing.metric_laws import LAWS

__all__ = [
    "LAWS",
    "LOSS_LAWS",
    "Example",
    "LawError",
    "MetricCase",
    "cases_for",
    "check_loss",
    "check_metric",
    "problems",
    "variants",
]
