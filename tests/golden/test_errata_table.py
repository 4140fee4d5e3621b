"""Every row of the list of errata stands in the record of its entry, with the source named by author and title; and no other."""

from __future__ import annotations

import pytest

from assay.core.loss import losses
from assay.core.registry import metrics
from assay.core.sources import METRICS_LIST, RESAMPLING_NOTES, SEGMENTATION_TUTORIAL, SOURCES, SURVEY
from assay.explain.topics import TOPICS
from assay.explain.topics.topic import ERRATUM

# What is wrong in which source, the entry that says so, and words that it says it with.
TABLE = {
    "survey 1.2, convexity and minima": (SURVEY, {"loss.mse": "strict convexity", "loss.mae": "any median"}),
    "survey, Huber's delta": (SURVEY, {"loss.huber": "small delta that is robust"}),
    "survey, log-cosh": (SURVEY, {"loss.log_cosh": "below e²/2"}),
    "survey eq. 5": (SURVEY, {"loss.quantile": "half of it", "metric.pinball": "half of it"}),
    "survey, RMSE": (SURVEY, {"metric.rmse": "square root of n"}),
    "survey eq. 13": (SURVEY, {"metric.mape": "|y|"}),
    "survey, sMAPE": (SURVEY, {"metric.smape": "0.1053"}),
    "survey, R² and adjusted R²": (SURVEY, {"metric.r2": "no lower bound", "metric.adjusted_r2": "-0.22"}),
    "survey, sparse cross-entropy": (SURVEY, {"loss.cross_entropy": "ignores their order"}),
    "survey eq. 27": (SURVEY, {"loss.poly": "from n = 1"}),
    "survey, accuracy": (SURVEY, {"metric.accuracy": "all rows equally"}),
    "survey, micro recall": (SURVEY, {"metric.recall": "macro averages"}),
    "survey, NPV": (SURVEY, {"metric.negative_predictive_value": "negative calls"}),
    "survey table 7": (
        SURVEY,
        {
            "metric.false_positive_rate": "FP+TN",
            "metric.false_omission_rate": "false omission rate",
            "metric.false_negative_rate": "type II",
        },
    ),
    "survey eq. 47, 48 and the RPN": (SURVEY, {"loss.smooth_l1": "1/beta", "loss.balanced_l1": "not continuous"}),
    "survey, where smooth L1 is used": (SURVEY, {"loss.smooth_l1": "Faster R-CNN"}),
    "survey eq. 56-58": (SURVEY, {"loss.yolo": "square roots"}),
    "survey, detection": (
        SURVEY,
        {
            "metric.coco": "duplicates",
            "metric.mask_ap": "duplicates",
            "metric.average_recall": "100 is the maximum number",
        },
    ),
    "survey eq. 62-64": (
        SURVEY,
        {
            "loss.jaccard": "whole mask",
            "loss.tversky": "false positives, beta",
            "loss.lovasz_softmax": "piecewise linear",
            "loss.lovasz_hinge": "piecewise linear",
        },
    ),
    "survey eq. 67-68": (
        SURVEY,
        {"metric.boundary_f1": "there are two", "metric.panoptic_quality": "strictly above 0.5"},
    ),
    "survey eq. 71-86": (
        SURVEY,
        {
            "loss.sphereface": "cos(m theta)",
            "loss.center": "1 + n_j",
            "loss.contrastive": "over pairs",
            "loss.circle": "margins Delta",
        },
    ),
    "survey eq. 93-94": (SURVEY, {"loss.reconstruction": "a probability", "loss.kl_divergence": "q = 0"}),
    "survey eq. 95-97": (SURVEY, {"loss.adversarial": "discriminator's"}),
    "survey eq. 103-105": (SURVEY, {"loss.contrastive_divergence": "sign of the step"}),
    "survey eq. 108-110": (SURVEY, {"metric.ssim": "inverted structure", "metric.inception_score": "p(y) is in it"}),
    "survey, cosine": (SURVEY, {"loss.cosine": "same direction"}),
    "survey, RankNet": (SURVEY, {"loss.ranknet": "logistic loss"}),
    "survey eq. 124": (SURVEY, {"metric.rouge": "minimum of the counts"}),
    "survey eq. 128": (SURVEY, {"metric.exact_match": "articles and punctuation"}),
    "notes, MASE": (RESAMPLING_NOTES, {"metric.mase": "training series"}),
    "notes, log loss": (RESAMPLING_NOTES, {"metric.log_loss": "minus sign"}),
    "notes, unique rows of a bootstrap sample": (RESAMPLING_NOTES, {"topic.bootstrap": "63.2 %"}),
    "notes, 1 - P(in train)": (RESAMPLING_NOTES, {"topic.bootstrap": "the right side is"}),
    "notes, MSE = Var + Bias": (RESAMPLING_NOTES, {"topic.bias_variance": "SQUARED bias"}),
    "notes, subsampling": (RESAMPLING_NOTES, {"topic.subsampling": "9/10 or 8/10"}),
    "notes, GE of model and learner": (
        RESAMPLING_NOTES,
        {
            "topic.generalization_error": "conditional on the training rows",
            "topic.bias_variance": "risk of predictions",
        },
    ),
    "notes, confusion matrix": (
        RESAMPLING_NOTES,
        {"metric.confusion_matrix": "truth is in rows", "metric.expected_cost": "tr(Confᵀ Cost)"},
    ),
    "tutorial, Dice, F1, focal": (
        SEGMENTATION_TUTORIAL,
        {"loss.dice": "sum of their sizes", "metric.f1": "2/F1", "loss.focal": "1 - alpha for negatives"},
    ),
    "tutorial, |T| and |P|, smoothing, m": (
        SEGMENTATION_TUTORIAL,
        {"loss.dice": "against 0/0", "loss.lovasz_softmax": "[0, 1]^p"},
    ),
    "tutorial, Lovász code": (SEGMENTATION_TUTORIAL, {"loss.lovasz_softmax": "one valid pixel"}),
    "list, AP": (METRICS_LIST, {"metric.average_precision": "recall 0"}),
    "list, unmatched box": (METRICS_LIST, {"metric.average_precision_voc": "if that one is taken"}),
}
# Entries that are still to come take their rows with them: the record of each must have an erratum when it is there.
TO_COME = {
    "metric.perplexity": "survey eq. 127",
    "metric.answer_semantic_similarity": "survey 5.2.1",
    "metric.answer_relevance": "survey 5.2.3",
    "metric.summarization_score": "survey eq. 138",
    "metric.context_entities_recall": "survey eq. 140",
    "metric.aspect_critique": "survey 5.2.9",
    "metric.context_relevance": "survey 5.2.10-12",
    "metric.average_precision_at_k": "list, mAP lacks 1/C",
    "metric.spice": "list, SPICE",
}
ERRATA = {
    **{f"metric.{cls.key}": cls.record.erratum for cls in metrics() if cls.record.erratum},
    **{f"loss.{entry.key}": entry.record.erratum for entry in losses() if entry.record.erratum},
    **{
        f"topic.{topic.key}": " ".join(topic.sections[ERRATUM])
        for topic in TOPICS.values()
        if ERRATUM in topic.sections
    },
}


@pytest.mark.parametrize("row", TABLE)
def test_a_row_stands_in_the_records(row: str) -> None:
    source, entries = TABLE[row]
    for entry, words in entries.items():
        assert words in ERRATA[entry], entry
        assert source in ERRATA[entry], entry


def test_no_record_has_an_erratum_beyond_the_table() -> None:
    assert set(ERRATA) == {entry for _, entries in TABLE.values() for entry in entries} | (set(TO_COME) & set(ERRATA))


def test_entries_to_come_bring_their_errata() -> None:
    keys = {f"metric.{cls.key}" for cls in metrics()}
    assert keys & set(TO_COME) <= set(ERRATA)


@pytest.mark.parametrize("entry", ERRATA)
def test_an_erratum_names_author_and_title(entry: str) -> None:
    assert ERRATA[entry].startswith(SOURCES)
    assert ERRATA[entry].endswith(".")
