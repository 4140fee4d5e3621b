"""What `assay explain` says about inference, resampling and groups of metrics: one file per group of topics, one table of all of them."""

from __future__ import annotations

from assay.explain.topics.estimates import ESTIMATES, LEARNER_INTERVAL
from assay.explain.topics.inference import INFERENCE
from assay.explain.topics.methods import METHODS
from assay.explain.topics.metric_groups import METRIC_GROUPS
from assay.explain.topics.schemes import SCHEMES
from assay.explain.topics.topic import Topic

TOPICS: dict[str, Topic] = {
    topic.key: topic for topic in (*INFERENCE, *METHODS, *SCHEMES, *ESTIMATES, LEARNER_INTERVAL, *METRIC_GROUPS)
}
ALIASES = {
    "ppi": "prediction_powered",
    "cv": "cross_validation",
    "repeated_cv": "repeated_cross_validation",
    "loo": "leave_one_out",
    "objects": "leave_one_group_out",
    "groups": "leave_one_group_out",
    "leave_one_object_out": "leave_one_group_out",
    "monte_carlo_cv": "subsampling",
    "oob": "bootstrap",
    "632": "bootstrap",
    "632+": "bootstrap",
    "time": "time_ordered",
    "stratify": "stratified",
    "estimate": "generalization_error",
    "corrected_t": "learner_interval",
    "nested_cv": "learner_interval",
    "bayle": "learner_interval",
    "conservative_z": "learner_interval",
    "cluster_t": "learner_interval",
    "5x2cv": "learner_interval",
    "estimator_quality": "bias_variance",
    "compare_learners": "compare",
    "exact": "clopper_pearson",
    "hall": "hall_t",
    "delta": "delta_method",
    "influence": "delta_method",
    "bca": "bca_bootstrap",
    "percentile": "percentile_bootstrap",
    "permutation": "randomisation",
    "exact_randomisation": "randomisation",
    "boyd": "boyd_logit",
    "pooling": "partial_pooling",
    "compare_on_datasets": "compare",
}
FORMER = {"leave_one_object_out": "leave_one_group_out"}  # names that entries had, which are listed too

__all__ = ["ALIASES", "FORMER", "TOPICS", "Topic"]
