"""The examples in scikit-learn's documentation, by one small translation a function."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import assay
import fixtures

OUTPUTS = {"uniform_average": "mean", "raw_values": "each"}


def averaged(kw: dict[str, Any]) -> dict[str, Any]:
    """scikit-learn's zero_division, which is 0 unless said, as a policy."""
    zero = kw.get("zero_division", 0)
    return {"average": kw["average"], "undefined": "nan" if np.isnan(zero) else zero}


def outputs(kw: dict[str, Any]) -> dict[str, Any]:
    how = kw.get("multioutput", "uniform_average")
    return {"outputs": OUTPUTS.get(how, how) if isinstance(how, str) else tuple(how)}


def accuracy(y: Any, p: Any, kw: dict[str, Any]) -> Any:
    return assay.accuracy(y, p) * (1 if kw.get("normalize", True) else len(y))


def mape(y: Any, p: Any, kw: dict[str, Any]) -> Any:
    return assay.mape(y, p, zeros="epsilon", epsilon=float(np.finfo(float).eps), **outputs(kw))


def pinball_skill(y: Any, p: Any, kw: dict[str, Any]) -> Any:
    """D² is the skill over the constant quantile of the targets."""
    q = kw.get("alpha", 0.5)
    y, p = np.asarray(y, float), np.asarray(p, float)
    base = np.full(len(y), np.quantile(y, q, method="averaged_inverted_cdf"))
    return assay.skill_score(y, p, base, loss=assay.metrics.Pinball(quantile=q))


def log_loss(y: Any, p: Any, kw: dict[str, Any]) -> Any:
    return assay.log_loss(y, p, classes=tuple(sorted(set(y))))  # columns in the order of the sorted labels


def one_against_rest(y: Any, p: Any, kw: dict[str, Any]) -> Any:
    if "labels" not in kw:
        return assay.confusion_matrix(y, p)
    label = np.array(kw["labels"])
    hot = [(np.asarray(a)[:, None] == label).astype(int) for a in (y, p)]
    return assay.confusion_matrix(*hot)


def roc_auc(y: Any, p: Any, kw: dict[str, Any]) -> Any:
    several = np.ndim(p) == 2
    return assay.roc_auc(y, p, average=kw.get("average", "macro") if several else "binary")


def pr_curve(y: Any, p: Any, kw: dict[str, Any]) -> Any:
    """scikit-learn goes from the lowest threshold up and adds the point (1, 0)."""
    c = assay.pr_curve(y, p)
    return [np.append(c.precision[::-1], 1), np.append(c.recall[::-1], 0), c.threshold[::-1]]


def sweep(y: Any, p: Any, kw: dict[str, Any]) -> Any:
    """scikit-learn leaves out the threshold at which nobody is positive."""
    s = assay.threshold_sweep(y, p)
    return [part[1:] for part in (s.tn, s.fp, s.fn, s.tp, s.threshold)]


def det(y: Any, p: Any, kw: dict[str, Any]) -> Any:
    """From the last threshold that misses nothing up; scikit-learn also drops the point at infinity."""
    c = assay.roc_curve(y, p)
    first = int(np.argmax(c.tpr == 1))
    return [c.fpr[first:0:-1], 1 - c.tpr[first:0:-1], c.threshold[first:0:-1]]


def report(y: Any, p: Any, kw: dict[str, Any]) -> Any:
    """The numbers of the text, row by row: precision, recall and F1 of each class and of the averages."""
    labels = tuple(kw.get("labels", sorted({*y, *p})))
    hot = [(np.asarray(a)[:, None] == np.array(labels)).astype(int) for a in (y, p)]
    keys = ("precision", "recall", "f1")
    each = np.stack([getattr(assay, k)(*hot, average=None, undefined=0) for k in keys], axis=1)
    micro = [[getattr(assay, k)(*hot, average="micro", undefined=0) for k in keys]] if "labels" in kw else []
    rest = [[getattr(assay, k)(*hot, average=a, undefined=0) for k in keys] for a in ("macro", "weighted")]
    return np.round(np.array([*each.tolist(), *micro, *rest]), 2)


def numbers_of(text: str) -> Any:
    rows = [re.findall(r"\d\.\d\d", line) for line in text.splitlines()]
    return np.array([[float(v) for v in row] for row in rows if len(row) == 3])


TRANSLATIONS: dict[str, Callable[[Any, Any, dict[str, Any]], Any]] = {
    "accuracy_score": accuracy,
    "balanced_accuracy_score": lambda y, p, kw: assay.balanced_accuracy(y, p),
    "classification_report": report,
    "confusion_matrix_at_thresholds": sweep,
    "d2_pinball_score": pinball_skill,
    "det_curve": det,
    "explained_variance_score": lambda y, p, kw: assay.explained_variance(y, p, **outputs(kw)),
    "fbeta_score": lambda y, p, kw: assay.f_beta(y, p, beta=kw["beta"], **averaged(kw)),
    "log_loss": log_loss,
    "mean_absolute_percentage_error": mape,
    "mean_pinball_loss": lambda y, p, kw: assay.pinball(y, p, quantile=kw["alpha"]),
    "mean_squared_error": lambda y, p, kw: assay.mse(y, p, **outputs(kw)),
    "multilabel_confusion_matrix": one_against_rest,
    "precision_recall_curve": pr_curve,
    "precision_score": lambda y, p, kw: assay.precision(y, p, **averaged(kw)),
    "roc_auc_score": roc_auc,
    "root_mean_squared_log_error": lambda y, p, kw: assay.rmsle(y, p),
}
# Functions of the file that measure something else than this library's regression and classification metrics.
NOT_OURS = {
    "adjusted_rand_score", "calinski_harabasz_score", "completeness_score", "coverage_error", "davies_bouldin_score",
    "get_scorer_names", "hinge_loss", "homogeneity_score", "label_ranking_average_precision_score", "max_error",
    "mean_tweedie_deviance", "nan_euclidean_distances", "normalized_mutual_info_score", "pairwise_distances",
    "pairwise_distances_argmin_min", "rand_score", "silhouette_score", "v_measure_score",
}  # fmt: skip
# (function, number of the example): what assay gives there and why it is not the documented value.
DIFFERENT: dict[tuple[str, int], tuple[float, str]] = {
    ("explained_variance_score", 2): (np.nan, "a constant target has no explained variance; force_finite makes it 1"),
    ("explained_variance_score", 4): (np.nan, "a constant target has no explained variance; force_finite makes it 0"),
    ("explained_variance_score", 5): (np.nan, "force_finite=False gives minus infinity; we say undefined"),
}


def recorded() -> dict[str, list[dict[str, Any]]]:
    found = fixtures.load_json("15_doc_examples", "doc_a", "sklearn_metrics.json")["functions"]
    return {name.rsplit(".", 1)[1]: cases for name, cases in found.items()}


def test_no_function_is_forgotten() -> None:
    assert set(recorded()) == set(TRANSLATIONS) | NOT_OURS


@pytest.mark.parametrize("name", TRANSLATIONS)
def test_documented(name: str) -> None:
    for number, case in enumerate(recorded()[name]):
        expected = numbers_of(case["result"]) if isinstance(case["result"], str) else case["result"]
        expected, why = DIFFERENT.get((name, number), (expected, ""))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", assay.UndefinedWarning)
            value = TRANSLATIONS[name](*case["args"], case["kwargs"])
        for ours, theirs in zip(parts(value), parts(expected), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14, err_msg=f"{name} example {number} {why}")


def parts(value: Any) -> list[Any]:
    return value if isinstance(value, list) and np.ndim(value[0]) else [np.asarray(value)]
