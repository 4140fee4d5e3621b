"""How well will a learner do on new data: schemes that split, estimates and their intervals."""

from assay.resampling.estimate import estimate
from assay.resampling.guidelines import Guideline, guideline
from assay.resampling.learners import Learner, as_learner
from assay.resampling.nested import Nested
from assay.resampling.ordered import TimeOrdered
from assay.resampling.result import Estimate, Performance
from assay.resampling.schemes import (
    Bootstrap,
    CrossValidation,
    Holdout,
    LeaveOneObjectOut,
    LeaveOneOut,
    Scheme,
    Split,
    Subsampling,
)
from assay.resampling.texts import scheme_of

__all__ = [
    "Bootstrap",
    "CrossValidation",
    "Estimate",
    "Guideline",
    "Holdout",
    "Learner",
    "LeaveOneObjectOut",
    "LeaveOneOut",
    "Nested",
    "Performance",
    "Scheme",
    "Split",
    "Subsampling",
    "TimeOrdered",
    "as_learner",
    "estimate",
    "guideline",
    "scheme_of",
]
