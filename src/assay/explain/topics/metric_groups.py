"""Groups of metrics that are looked for by one name: what tells them apart, and which to take."""

from __future__ import annotations

from assay.explain.topics.topic import MISLEADS, USE, Topic, works

METRIC_GROUPS = [
    Topic(
        "operating_point", "Operating points",
        "The best value of one rate among the thresholds at which another is high enough, with the threshold: "
        "recall_at_precision, precision_at_recall, specificity_at_sensitivity and tpr_at_fpr.",
        ["assay.recall_at_precision(y_true, y_score, precision=0.95)",
         "assay.metrics.RecallAtPrecision(precision=0.95).point(y_true, y_score)   # the threshold with it",
         'assay.threshold_sweep(y_true, y_score).best("recall", at_least={"precision": 0.95})   # any two metrics'],
        {USE: ["A requirement fixes one rate, such as a precision of 95 %, and the other should be as high as possible."],
         MISLEADS: ["A threshold chosen on these data looks better here than on new ones: test it elsewhere.",
                    "Precision depends on how common the positive class is; sensitivity and specificity do not."]},
        works("davis2006"), "metric", "classification",
    ),
    Topic(
        "likelihood_ratios", "Likelihood ratios of a test",
        "How much a positive or a negative result changes the odds of the condition: positive_likelihood_ratio and "
        "negative_likelihood_ratio.",
        ["assay.positive_likelihood_ratio(y_true, y_pred)", "assay.negative_likelihood_ratio(y_true, y_pred)"],
        {USE: ["Diagnostic tests that will be used where the condition is more or less common than in these data."],
         MISLEADS: ["Undefined where no negative row is called positive, or no negative row is called negative."]},
        works("simel1991"), "metric", "classification",
    ),
]  # fmt: skip
