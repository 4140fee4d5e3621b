"""How well will a learner do on new data: schemes that split, estimates and their intervals."""

from assay.resampling.ordered import TimeOrdered
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

__all__ = [
    "Bootstrap",
    "CrossValidation",
    "Holdout",
    "LeaveOneObjectOut",
    "LeaveOneOut",
    "Scheme",
    "Split",
    "Subsampling",
    "TimeOrdered",
]
