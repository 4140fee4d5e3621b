"""The performance of learners on new data: schemes that split, estimates with intervals, comparisons, curves, simulations.

The public names are those of this package; modules that start with an underscore are internal.
"""

from assay.resampling.compare.compare import LearnerComparisons, compare_learners, compare_on_datasets
from assay.resampling.compare.paired_tests import (
    Contest,
    PairedTest,
    Posterior,
    corrected_paired_t,
    correlated_t,
    five_by_two_f,
    five_by_two_t,
    sign_flips,
)
from assay.resampling.compare.rank_tests import Ranks, friedman, signed_rank
from assay.resampling.curves.complexity_curve import ComplexityCurve
from assay.resampling.curves.curves import complexity_curve, learning_curve
from assay.resampling.curves.learning_curve import LearningCurve
from assay.resampling.estimate.estimate import estimate
from assay.resampling.estimate.fold_scores import corrected_t
from assay.resampling.estimate.learners import EstimatorLike, Learner, LearnerLike, as_learner
from assay.resampling.estimate.result import Estimate, Performance
from assay.resampling.schemes.guidelines import Guideline, guideline
from assay.resampling.schemes.nested import Nested
from assay.resampling.schemes.scheme import (
    Bootstrap,
    CrossValidation,
    Holdout,
    LeaveOneGroupOut,
    LeaveOneObjectOut,
    LeaveOneOut,
    Scheme,
    Split,
    Subsampling,
)
from assay.resampling.schemes.scheme_text import scheme_of
from assay.resampling.schemes.time_ordered import TimeOrdered
from assay.resampling.simulation.decomposition import bias_variance, bias_variance_curve
from assay.resampling.simulation.estimators import estimator_quality
from assay.resampling.simulation.risks import learner_risk, true_risk
from assay.resampling.simulation.truths import FriedmanTruth, GaussianTruth, GroupedTruth, LinearTruth, SineTruth, Truth

__all__ = [
    "Bootstrap",
    "ComplexityCurve",
    "Contest",
    "CrossValidation",
    "Estimate",
    "EstimatorLike",
    "FriedmanTruth",
    "GaussianTruth",
    "GroupedTruth",
    "Guideline",
    "Holdout",
    "Learner",
    "LearnerComparisons",
    "LearnerLike",
    "LearningCurve",
    "LeaveOneGroupOut",
    "LeaveOneObjectOut",
    "LeaveOneOut",
    "LinearTruth",
    "Nested",
    "PairedTest",
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
    "corrected_paired_t",
    "corrected_t",
    "correlated_t",
    "estimate",
    "estimator_quality",
    "five_by_two_f",
    "five_by_two_t",
    "friedman",
    "guideline",
    "learner_risk",
    "learning_curve",
    "scheme_of",
    "sign_flips",
    "signed_rank",
    "true_risk",
]
