"""How well will a learner do on new data: schemes that split, estimates and their intervals."""

from assay.resampling.compare import LearnerComparisons, compare_learners, compare_on_datasets
from assay.resampling.contests import Contest, Posterior
from assay.resampling.estimate import estimate
from assay.resampling.guidelines import Guideline, guideline
from assay.resampling.learners import Learner, as_learner
from assay.resampling.nested import Nested
from assay.resampling.ordered import TimeOrdered
from assay.resampling.ranks import Ranks, friedman, signed_rank
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
    "Contest",
    "CrossValidation",
    "Estimate",
    "Guideline",
    "Holdout",
    "Learner",
    "LearnerComparisons",
    "LeaveOneObjectOut",
    "LeaveOneOut",
    "Nested",
    "Performance",
    "Posterior",
    "Ranks",
    "Scheme",
    "Split",
    "Subsampling",
    "TimeOrdered",
    "as_learner",
    "compare_learners",
    "compare_on_datasets",
    "estimate",
    "friedman",
    "guideline",
    "scheme_of",
    "signed_rank",
]
