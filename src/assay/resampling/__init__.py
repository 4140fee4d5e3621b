"""How well will a learner do on new data: schemes that split, estimates and their intervals."""

from assay.resampling.compare import LearnerComparisons, compare_learners, compare_on_datasets
from assay.resampling.complexity import ComplexityCurve
from assay.resampling.contests import Contest, Posterior
from assay.resampling.curve_result import LearningCurve
from assay.resampling.curves import complexity_curve, learning_curve
from assay.resampling.decomposition import bias_variance, bias_variance_curve
from assay.resampling.estimate import estimate
from assay.resampling.estimators import estimator_quality
from assay.resampling.guidelines import Guideline, guideline
from assay.resampling.learners import Learner, as_learner
from assay.resampling.nested import Nested
from assay.resampling.ordered import TimeOrdered
from assay.resampling.ranks import Ranks, friedman, signed_rank
from assay.resampling.result import Estimate, Performance
from assay.resampling.risks import learner_risk, true_risk
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
from assay.resampling.truths import FriedmanTruth, GaussianTruth, GroupedTruth, LinearTruth, SineTruth, Truth

__all__ = [
    "Bootstrap",
    "ComplexityCurve",
    "Contest",
    "CrossValidation",
    "Estimate",
    "FriedmanTruth",
    "GaussianTruth",
    "GroupedTruth",
    "Guideline",
    "Holdout",
    "Learner",
    "LearnerComparisons",
    "LearningCurve",
    "LeaveOneObjectOut",
    "LeaveOneOut",
    "LinearTruth",
    "Nested",
    "Performance",
    "Posterior",
    "Ranks",
    "Scheme",
    "SineTruth",
    "Split",
    "Subsampling",
    "TimeOrdered",
    "Truth",
    "as_learner",
    "bias_variance",
    "bias_variance_curve",
    "compare_learners",
    "compare_on_datasets",
    "complexity_curve",
    "estimate",
    "estimator_quality",
    "friedman",
    "guideline",
    "learner_risk",
    "learning_curve",
    "scheme_of",
    "signed_rank",
    "true_risk",
]
