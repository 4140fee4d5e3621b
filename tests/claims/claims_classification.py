"""Claims of metrics of classes, probabilities and scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

import assay
from claims import claim, same

SK = "sklearn.metrics"
TM = "torchmetrics.functional.classification"


def labels(rng: Any, k: int = 4, n: int = 300) -> tuple[Any, Any]:
    y = rng.integers(0, k, n)
    return y, np.where(rng.random(n) < 0.6, y, rng.integers(0, k, n))


def multilabel(rng: Any, k: int = 4, n: int = 300) -> tuple[Any, Any]:
    y = rng.integers(0, 2, (n, k))
    return y, np.where(rng.random((n, k)) < 0.7, y, 1 - y)


def scores(rng: Any, n: int = 300) -> tuple[Any, Any]:
    """Binary truth and probabilities on a grid, so that some tie."""
    y = rng.integers(0, 2, n)
    return y, np.round(1 / (1 + np.exp(-rng.normal(2 * y - 1, 1.5))), 2).clip(0.01, 0.99)


def shares(rng: Any, k: int = 4, n: int = 300) -> tuple[Any, Any]:
    y = rng.integers(0, k, n)
    z = rng.normal(size=(n, k)) + np.eye(k)[y]
    return y, np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)


def tensors(*arrays: Any) -> list[Any]:
    return [torch.tensor(a) for a in arrays]


# ---- decisions


def table_claim(key: str, name: str) -> None:
    """A function of scikit-learn of true and predicted classes, two and several."""

    @claim(f"metric.{key}", f"scikit-learn {name}", peer=SK)
    def _(sk: Any, rng: Any) -> None:
        for k in (2, 5):
            y, p = labels(rng, k)
            w = rng.gamma(1.0, 1.0, len(y))
            same(getattr(assay, key)(y, p, weight=w), getattr(sk, name)(y, p, sample_weight=w))


table_claim("accuracy", "accuracy_score")
table_claim("balanced_accuracy", "balanced_accuracy_score")
table_claim("cohen_kappa", "cohen_kappa_score")
table_claim("misclassification", "zero_one_loss")


@claim("metric.matthews_correlation", "scikit-learn matthews_corrcoef, which gives 0 where it is undefined", peer=SK)
def _(sk: Any, rng: Any) -> None:
    for k in (2, 5):
        y, p = labels(rng, k)
        same(assay.matthews_correlation(y, p), sk.matthews_corrcoef(y, p))
    assert sk.matthews_corrcoef(y, np.zeros_like(y)) == 0
    assert np.isnan(assay.matthews_correlation(y, np.zeros_like(y)))


def averaged_claim(key: str, name: str, text: str, **options: Any) -> None:
    """A rate of scikit-learn: of the positive class, of several by every average, of label sets; undefined where it is 0/0."""

    @claim(f"metric.{key}", text, peer=SK)
    def _(sk: Any, rng: Any) -> None:
        theirs, beta = getattr(sk, name), {"beta": 0.5} if key == "f_beta" else {}
        y, p = labels(rng, 2)
        same(getattr(assay, key)(y, p, **beta), theirs(y, p, **beta, **options))
        for make in (labels, multilabel):
            y, p = make(rng, 5)
            for average in ("macro", "micro", "weighted"):
                ours = getattr(assay, key)(y, p, average=average, **beta)
                same(ours, theirs(y, p, average=average, **beta, **options))
        if "zero_division" in options:
            never = np.zeros(9, int), np.zeros(9, int)
            same(getattr(assay, key)(*never, positive=1, classes=(0, 1), **beta), theirs(*never, **beta, **options))


averaged_claim("precision", "precision_score", "scikit-learn precision_score (zero_division=nan)", zero_division=np.nan)
averaged_claim("recall", "recall_score", "scikit-learn recall_score (zero_division=nan)", zero_division=np.nan)
averaged_claim("f1", "f1_score", "scikit-learn f1_score (zero_division=nan)", zero_division=np.nan)
averaged_claim("f_beta", "fbeta_score", "scikit-learn fbeta_score (zero_division=nan)", zero_division=np.nan)
averaged_claim("jaccard", "jaccard_score", "scikit-learn jaccard_score")


def torchmetrics_claim(key: str, name: str) -> None:
    """A rate of torchmetrics, of two classes and of several, by the averages that both have."""

    @claim(f"metric.{key}", f"torchmetrics {name}", peer=TM)
    def _(tm: Any, rng: Any) -> None:
        beta, first = ({"beta": 0.5}, (0.5,)) if key == "f_beta" else ({}, ())
        y, p = labels(rng, 2)
        yt, pt = tensors(y, p)
        theirs = getattr(tm, f"binary_{name}")
        same(getattr(assay, key)(y, p, **beta), theirs(pt, yt, *first), 1e-5)
        y, p = labels(rng, 4)
        yt, pt = tensors(y, p)
        for average in ("macro", "micro", "weighted"):
            theirs = getattr(tm, f"multiclass_{name}")(pt, yt, *first, num_classes=4, average=average)
            same(getattr(assay, key)(y, p, average=average, **beta), theirs, 1e-5)


torchmetrics_claim("specificity", "specificity")
torchmetrics_claim("negative_predictive_value", "negative_predictive_value")
torchmetrics_claim("f1", "f1_score")
torchmetrics_claim("f_beta", "fbeta_score")
torchmetrics_claim("jaccard", "jaccard_index")


@claim("metric.accuracy", 'torchmetrics multiclass accuracy with average="micro"', peer=TM)
def _(tm: Any, rng: Any) -> None:
    y, p = labels(rng)
    yt, pt = tensors(y, p)
    same(assay.accuracy(y, p), tm.multiclass_accuracy(pt, yt, num_classes=4, average="micro"), 1e-6)


@claim("metric.cohen_kappa", "torchmetrics cohen_kappa", peer=TM)
def _(tm: Any, rng: Any) -> None:
    y, p = labels(rng)
    yt, pt = tensors(y, p)
    for weights in (None, "linear", "quadratic"):
        same(assay.cohen_kappa(y, p, weights=weights), tm.multiclass_cohen_kappa(pt, yt, 4, weights=weights), 1e-5)


@claim("metric.hamming", "scikit-learn hamming_loss", peer=SK)
def _(sk: Any, rng: Any) -> None:
    for y, p in (labels(rng), multilabel(rng)):
        same(assay.hamming(y, p), sk.hamming_loss(y, p))


@claim("metric.hamming", "torchmetrics multilabel hamming_distance (micro)", peer=TM)
def _(tm: Any, rng: Any) -> None:
    y, p = multilabel(rng)
    yt, pt = tensors(y, p)
    same(assay.hamming(y, p), tm.multilabel_hamming_distance(pt, yt, num_labels=4, average="micro"), 1e-5)


@claim("metric.confusion_matrix", "scikit-learn confusion_matrix, multilabel_confusion_matrix", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = labels(rng)
    same(assay.confusion_matrix(y, p), sk.confusion_matrix(y, p))
    y, p = multilabel(rng)
    same(assay.confusion_matrix(y, p), sk.multilabel_confusion_matrix(y, p))


@claim("metric.expected_cost", "misclassification for cost 0 on and 1 off the diagonal", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = labels(rng)
    found = assay.expected_cost(y, p, cost=1 - np.eye(4))
    same(found, assay.misclassification(y, p))
    same(found, sk.zero_one_loss(y, p))


@claim("metric.f1", "Dice coefficient", peer="scipy.spatial.distance")
def _(distance: Any, rng: Any) -> None:
    y, p = labels(rng, 2)
    same(assay.f1(y, p), 1 - distance.dice(y == 1, p == 1))


# ---- probabilities


EACH = "; of several labels the mean of its values for each"


def label_sets(rng: Any) -> tuple[Any, Any]:
    y, _ = multilabel(rng)
    return y, rng.beta(1 + 2 * y, 3 - 2 * y)


@claim("metric.brier", f"scikit-learn brier_score_loss{EACH}", peer=SK)
def _(sk: Any, rng: Any) -> None:
    for make in (scores, shares):
        y, p = make(rng)
        same(assay.brier(y, p), sk.brier_score_loss(y, p))
    y, p = label_sets(rng)
    same(assay.brier(y, p), np.mean([sk.brier_score_loss(y[:, k], p[:, k]) for k in range(4)]))


@claim(
    "metric.brier", "yardstick brier_class: halve=True with several classes",
    formula="yardstick's reference of brier_class(): the sum over rows and classes of squared differences, over 2n",
)  # fmt: skip
def _(rng: Any) -> None:
    y, p = shares(rng)
    same(assay.brier(y, p, halve=True), ((np.eye(4)[y] - p) ** 2).sum() / (2 * len(y)))


@claim(
    "metric.calibration_error",
    "torchmetrics multiclass_calibration_error, binary_calibration_error", peer=TM,
)  # fmt: skip
def _(tm: Any, rng: Any) -> None:
    y, p = shares(rng)
    same(assay.calibration_error(y, p), tm.multiclass_calibration_error(*tensors(p, y), num_classes=4), 1e-5, 1e-6)
    y, p = scores(rng)
    p = (p + rng.uniform(-0.004, 0.004, len(p))).clip(0, 1)  # an edge of a bin in float32 is not one in float64
    theirs = tm.binary_calibration_error(*tensors(p, y))
    same(assay.calibration_error(y, p), theirs, 1e-5, 1e-6)


@claim("metric.calibration_error", "netcal ECE", peer="netcal.metrics")
def _(netcal: Any, rng: Any) -> None:
    y, p = shares(rng)
    same(assay.calibration_error(y, p, bins=10), netcal.ECE(10).measure(p, y), 1e-7)


@claim("metric.log_loss", f'scikit-learn log_loss: clip="eps"{EACH}', peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = scores(rng)
    p[:5] = 1 - y[:5]
    same(assay.log_loss(y, p, clip="eps"), sk.log_loss(y, p))
    y, p = label_sets(rng)
    same(assay.log_loss(y, p, clip="eps"), np.mean([sk.log_loss(y[:, k], p[:, k]) for k in range(4)]))


@claim("metric.log_loss", "torch cross_entropy, nll_loss", peer="torch.nn.functional")
def _(functional: Any, rng: Any) -> None:
    y, p = shares(rng)
    z = np.log(p) + 3
    same(assay.log_loss(y, logits=z), functional.cross_entropy(*tensors(z, y)))
    same(assay.log_loss(y, p), functional.nll_loss(*tensors(np.log(p), y)))


@claim("metric.log_loss", "permetrics CEL: clip=1e-10", peer="permetrics")
def _(permetrics: Any, rng: Any) -> None:
    y, p = shares(rng)
    p[:3] = np.eye(4)[(y[:3] + 1) % 4]
    same(assay.log_loss(y, p, clip=1e-10), permetrics.ClassificationMetric(y, p).CEL())


# ---- scores


@claim("metric.roc_auc", "scikit-learn roc_auc_score", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = scores(rng)
    same(assay.roc_auc(y, p), sk.roc_auc_score(y, p))
    y, p = shares(rng)
    same(assay.roc_auc(y, p, average="macro"), sk.roc_auc_score(y, p, multi_class="ovr"))


@claim(
    "metric.roc_auc", "pROC auc",
    formula="pROC's reference of auc(): the trapezoidal rule under the empirical curve (Robin et al. 2011)",
)  # fmt: skip
def _(rng: Any) -> None:
    y, p = scores(rng)
    at = np.concatenate([[np.inf], np.unique(p)[::-1]])
    tpr, fpr = (np.array([(p[y == c] >= t).mean() for t in at]) for c in (1, 0))
    same(assay.roc_auc(y, p), np.trapezoid(tpr, fpr))


@claim("metric.roc_auc", "Mann-Whitney U / (n+ n-)", peer="scipy.stats")
def _(stats: Any, rng: Any) -> None:
    y, p = scores(rng)
    u = stats.mannwhitneyu(p[y == 1], p[y == 0]).statistic
    same(assay.roc_auc(y, p), u / ((y == 1).sum() * (y == 0).sum()))


@claim("metric.average_precision", "scikit-learn average_precision_score", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = scores(rng)
    same(assay.average_precision(y, p), sk.average_precision_score(y, p))


@claim("metric.average_precision", "torchmetrics average_precision", peer=TM)
def _(tm: Any, rng: Any) -> None:
    y, p = scores(rng)
    same(assay.average_precision(y, p), tm.binary_average_precision(*tensors(p, y)), 1e-5)
    y, p = shares(rng)
    theirs = tm.multiclass_average_precision(*tensors(p, y), num_classes=4, average="macro")
    same(assay.average_precision(y, y_prob=p, average="macro"), theirs, 1e-5)


@claim("metric.roc_curve", "scikit-learn roc_curve(drop_intermediate=False)", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = scores(rng)
    ours = assay.roc_curve(y, p)
    for a, b in zip((ours.fpr, ours.tpr, ours.threshold), sk.roc_curve(y, p, drop_intermediate=False), strict=True):
        same(a, b)


@claim("metric.pr_curve", "scikit-learn precision_recall_curve, reversed and without its end point (1, 0)", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = scores(rng)
    ours, (precision, recall, threshold) = assay.pr_curve(y, p), sk.precision_recall_curve(y, p)
    same(ours.precision, precision[-2::-1])
    same(ours.recall, recall[-2::-1])
    same(ours.threshold, threshold[::-1])
    assert (precision[-1], recall[-1]) == (1, 0)


@claim("metric.top_k_accuracy", "scikit-learn top_k_accuracy_score where scores do not tie", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = shares(rng)
    for k in (1, 2, 3):
        same(assay.top_k_accuracy(y, p, k=k), sk.top_k_accuracy_score(y, p, k=k))


for _key, _text, _at in (("positive", "first", 0), ("negative", "second", 1)):

    @claim(f"metric.{_key}_likelihood_ratio", f"scikit-learn class_likelihood_ratios (the {_text} value)", peer=SK)
    def _(sk: Any, rng: Any, key: str = _key, at: int = _at) -> None:
        y, p = rng.integers(0, 2, 200), rng.integers(0, 2, 200)
        w = rng.gamma(1.0, 1.0, 200)
        ours = getattr(assay, f"{key}_likelihood_ratio")(y, p, weight=w)
        same(ours, sk.class_likelihood_ratios(y, p, sample_weight=w)[at])


@claim("metric.youden", "scikit-learn balanced_accuracy_score(adjusted=True) of two classes", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = rng.integers(0, 2, 200), rng.integers(0, 2, 200)
    same(assay.youden(y, p), sk.balanced_accuracy_score(y, p, adjusted=True))


@claim(
    "metric.net_benefit", "dcurves dca(thresholds=[threshold])",
    formula="dcurves' reference of net_benefit: tp_rate - threshold / (1 - threshold) * fp_rate, as fractions of all rows",
)  # fmt: skip
def _(rng: Any) -> None:
    y, p = rng.integers(0, 2, 300), rng.random(300)
    for t in (0.1, 0.45):
        expected = np.mean((p >= t) & (y == 1)) - t / (1 - t) * np.mean((p >= t) & (y == 0))
        same(assay.net_benefit(y, y_prob=p, threshold=t), expected)


@claim("metric.recall_at_precision", "torchmetrics binary_recall_at_fixed_precision(min_precision=precision)", peer=TM)
def _(tm: Any, rng: Any) -> None:
    y, p = scores(rng)
    for least in (0.6, 0.9):
        theirs, at = tm.binary_recall_at_fixed_precision(*tensors(p, y), min_precision=least)
        same(assay.recall_at_precision(y, p, precision=least), theirs, 1e-6)
        point = assay.metrics.RecallAtPrecision(precision=least).point(y, p)
        same(point.threshold, at, 1e-6)


@claim("metric.precision_at_recall", "torchmetrics binary_precision_at_fixed_recall(min_recall=recall)", peer=TM)
def _(tm: Any, rng: Any) -> None:
    y, p = scores(rng)
    for least in (0.6, 0.9):
        theirs, _ = tm.binary_precision_at_fixed_recall(*tensors(p, y), min_recall=least)
        same(assay.precision_at_recall(y, p, recall=least), theirs, 1e-6)


@claim(
    "metric.specificity_at_sensitivity", "torchmetrics binary_specificity_at_sensitivity(min_sensitivity=sensitivity)", peer=TM
)  # fmt: skip
def _(tm: Any, rng: Any) -> None:
    y, p = scores(rng)
    for least in (0.6, 0.9):
        theirs, _ = tm.binary_specificity_at_sensitivity(*tensors(p, y), min_sensitivity=least)
        same(assay.specificity_at_sensitivity(y, p, sensitivity=least), theirs, 1e-6)


@claim("metric.tpr_at_fpr", "torchmetrics sensitivity_at_specificity(min_specificity=1-fpr)", peer=TM)
def _(tm: Any, rng: Any) -> None:
    y, p = scores(rng)
    for fpr in (0.071, 0.3):
        theirs, _ = tm.binary_sensitivity_at_specificity(*tensors(p, y), min_specificity=1 - fpr)
        same(assay.tpr_at_fpr(y, p, fpr=fpr), theirs, 1e-6)


@claim(
    "metric.equal_error_rate", "torchmetrics eer where a step of the curve lies on the diagonal; elsewhere it takes the nearest step",
    peer=TM,
)  # fmt: skip
def _(tm: Any, rng: Any) -> None:
    """Elsewhere theirs is the mean of both rates at the nearest step."""
    y = np.repeat([0, 1], 40)
    mirrored = rng.random(40)
    p = np.concatenate([mirrored, 1.2 - mirrored]) / 1.3  # both classes err alike at the middle
    same(assay.equal_error_rate(y, p), tm.binary_eer(*tensors(p, y)), 1e-5)
    y, p = scores(rng)
    curve = assay.roc_curve(y, p)
    at = np.argmin(np.abs(1 - curve.tpr - curve.fpr))
    same((curve.fpr[at] + 1 - curve.tpr[at]) / 2, tm.binary_eer(*tensors(p, y)), 1e-5)
