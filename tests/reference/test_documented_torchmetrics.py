"""The examples in torchmetrics' documentation (predictions first there), by one small translation a function."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import assay
import fixtures

Call = Callable[[Any, Any, dict[str, Any]], Any]


def task_of(name: str, kw: dict[str, Any]) -> str:
    first = name.split("_", 1)[0]
    return first if first in ("binary", "multiclass", "multilabel") else kw["task"]


def decisions(p: Any, task: str) -> dict[str, Any]:
    """Whole numbers are labels, floats probabilities; of a matrix of classes the largest column is taken by hand."""
    if not np.issubdtype(p.dtype, np.floating):
        return {"y_pred": p}
    return {"y_pred": p.argmax(axis=1)} if task == "multiclass" else {"y_prob": p}


def flat(a: Any, task: str) -> Any:
    """Extra dimensions are more rows; the labels of a multilabel problem stay columns."""
    return np.moveaxis(a, 1, -1).reshape(-1, a.shape[1]) if task == "multilabel" else a.reshape(-1)


def labels(key: str, **more: Any) -> Callable[[str], Call]:
    """A rate of decisions: 0/0 is 0, ``samplewise`` is one call a sample, and the average where none is said is macro
    in ``multiclass_f1_score`` but micro in ``f1_score(task="multiclass")``."""

    def of(name: str) -> Call:
        def call(p: Any, y: Any, kw: dict[str, Any]) -> Any:
            task = task_of(name, kw)
            if kw.get("multidim_average") == "samplewise":
                rest = {k: v for k, v in kw.items() if k != "multidim_average"}
                both = [(flat(a[None], task), flat(b[None], task)) for a, b in zip(p, y, strict=True)]
                return np.array([call(a, b, rest) for a, b in both])
            options = {"undefined": 0, **more}
            if task != "binary":
                options |= {"average": kw.get("average", "macro" if name.startswith(task) else "micro")}
            if task == "multiclass":
                options |= {"classes": tuple(range(kw["num_classes"]))}
            return getattr(assay, key)(y, **decisions(p, task), **options)

        return call

    return of


def whole(key: str, **more: Any) -> Callable[[str], Call]:
    """A metric of the whole table."""
    return lambda name: lambda p, y, kw: getattr(assay, key)(y, **decisions(p, task_of(name, kw)), **more)


def hamming(complement: bool) -> Callable[[str], Call]:
    """Hamming distance or, as torchmetrics calls it, multilabel accuracy: label by label, then the mean."""

    def of(name: str) -> Call:
        def call(p: Any, y: Any, kw: dict[str, Any]) -> Any:
            task = task_of(name, kw)
            if kw.get("multidim_average") == "samplewise":
                rest = {k: v for k, v in kw.items() if k != "multidim_average"}
                return np.array(
                    [call(flat(a[None], task), flat(b[None], task), rest) for a, b in zip(p, y, strict=True)]
                )
            if task == "binary":
                p, y = p.reshape(-1), y.reshape(-1)
            columns = [(p[:, j], y[:, j]) for j in range(p.shape[1])] if task == "multilabel" else [(p, y)]
            each = [assay.hamming(b, **decisions(a, "binary")) for a, b in columns]
            each = np.array([1 - v if complement else v for v in each])
            return each if kw.get("average", "macro") is None else each.mean()

        return call

    return of


def binned(p: Any, thresholds: int | None) -> Any:
    """A curve over evenly spaced thresholds is the exact curve of scores rounded down to them."""
    return p if thresholds is None else np.floor(p.astype(float) * (thresholds - 1) + 1e-9) / (thresholds - 1)


def ranked(key: str, **more: Any) -> Callable[[str], Call]:
    def of(name: str) -> Call:
        def call(p: Any, y: Any, kw: dict[str, Any]) -> Any:
            average = {} if p.ndim == 1 else {"average": kw.get("average", "macro")}
            return getattr(assay, key)(y, binned(p, kw.get("thresholds")), **average, **more)

        return call

    return of


def each_curve(function: Callable[[Any, Any, dict[str, Any]], Any]) -> Callable[[str], Call]:
    """A number read off the curve of each column."""

    def of(name: str) -> Call:
        def call(p: Any, y: Any, kw: dict[str, Any]) -> Any:
            s = binned(p, kw.get("thresholds"))
            if s.ndim == 1:
                return function(y, s, kw)
            truth = y if y.ndim == 2 else (y[:, None] == np.arange(s.shape[1])).astype(int)
            return np.array([function(truth[:, j], s[:, j], kw) for j in range(s.shape[1])])

        return call

    return of


def best_precision(y: Any, s: Any, kw: dict[str, Any]) -> float:
    c = assay.pr_curve(y, s)
    return max(c.precision[c.recall >= kw["min_recall"]])


def best_recall(y: Any, s: Any, kw: dict[str, Any]) -> float:
    c = assay.pr_curve(y, s)
    return max(c.recall[c.precision >= kw["min_precision"]])


def best_specificity(y: Any, s: Any, kw: dict[str, Any]) -> float:
    c = assay.roc_curve(y, s)
    return max(1 - c.fpr[c.tpr >= kw["min_sensitivity"]])


def sensitivity(y: Any, s: Any, kw: dict[str, Any]) -> float:
    return assay.tpr_at_fpr(y, s, fpr=1 - kw["min_specificity"], undefined=0)


def nearest_eer(y: Any, s: Any, kw: dict[str, Any]) -> float:
    """The mean of both rates at the first step where they are nearest; ours is where the curve crosses."""
    c = assay.roc_curve(y, s)
    at = int(np.argmin(np.round(np.abs(c.fpr - (1 - c.tpr)), 6)))
    value = (c.fpr[at] + 1 - c.tpr[at]) / 2
    assert abs(assay.equal_error_rate(y, s) - value) <= abs(c.fpr[at] - (1 - c.tpr[at])) / 2 + 1e-12
    return value


def curves(which: str) -> Callable[[str], Call]:
    """Exact curves only. A class that never occurs has recall and TPR 0 there and NaN here."""

    def one(y: Any, s: Any) -> list[Any]:
        if which == "roc":
            c = assay.roc_curve(y, s, undefined=0)
            return [c.fpr, c.tpr, np.append(1.0, c.threshold[1:])]  # the first threshold is 1 there, infinite here
        c = assay.pr_curve(y, s)
        return [np.append(c.precision[::-1], 1), np.append(c.recall[::-1], 0), c.threshold[::-1]]

    def of(name: str) -> Call:
        def call(p: Any, y: Any, kw: dict[str, Any]) -> Any:
            if p.ndim == 1:
                return one(y, 1 / (1 + np.exp(-p)) if p.max() > 1 else p)  # values above 1 are taken for logits there
            truth = y if y.ndim == 2 else (y[:, None] == np.arange(p.shape[1])).astype(int)
            found = [one(truth[:, j], p[:, j]) for j in range(p.shape[1])]
            return [[curve[i] for curve in found] for i in range(3)]

        return call

    return of


def cells(name: str) -> Call:
    """tp, fp, tn, fn and support of each class, from the confusion matrix of one class against the rest."""

    def call(p: Any, y: Any, kw: dict[str, Any]) -> Any:
        if kw.get("multidim_average") == "samplewise":
            rest = {k: v for k, v in kw.items() if k != "multidim_average"}
            return np.array([call(a.reshape(-1), b.reshape(-1), rest) for a, b in zip(p, y, strict=True)])
        chosen = decisions(p, "multiclass")["y_pred"]
        hot = [(a[:, None] == np.arange(kw["num_classes"])).astype(int) for a in (y, chosen)]
        t = assay.confusion_matrix(*hot)
        each = np.stack([t[:, 1, 1], t[:, 0, 1], t[:, 0, 0], t[:, 1, 0], t[:, 1, 1] + t[:, 1, 0]], axis=1)
        return each.sum(axis=0) if kw["average"] == "micro" else each

    return call


def pair(key: str, **more: Any) -> Callable[[str], Call]:
    """A regression metric; two columns give two values."""
    return lambda name: (
        lambda p, y, kw: getattr(assay, key)(y, p, **({"outputs": "each"} if p.ndim == 2 else {}), **more)
    )


def kendall(name: str) -> Call:
    """The p-value of a t-test beside it is not ours."""

    def call(p: Any, y: Any, kw: dict[str, Any]) -> Any:
        value = assay.kendall(y, p, **({"outputs": "each"} if p.ndim == 2 else {}))
        return [value] if kw.get("t_test") else value

    return call


def nrmse(name: str) -> Call:
    """std, mean and range as ours; l2 divides by the root of the sum of squares of the targets."""

    def call(p: Any, y: Any, kw: dict[str, Any]) -> Any:
        each = {"outputs": "each"} if p.ndim == 2 else {}
        if kw["normalization"] == "l2":
            return assay.rmse(y, p) / np.linalg.norm(y)
        return assay.nrmse(y, p, divisor={"std": "sd"}.get(kw["normalization"], kw["normalization"]), **each)

    return call


TRANSLATIONS: dict[str, Callable[[str], Call]] = {
    "binary_accuracy": hamming(complement=True),
    "multilabel_accuracy": hamming(complement=True),
    "hamming_distance": hamming(complement=False),
    "multilabel_hamming_distance": hamming(complement=False),
    "binary_auroc": ranked("roc_auc"),
    "multilabel_auroc": ranked("roc_auc"),
    "binary_average_precision": ranked("average_precision"),
    "multilabel_average_precision": ranked("average_precision"),
    "multiclass_calibration_error": lambda name: (
        lambda p, y, kw: assay.calibration_error(y, p, bins=kw["n_bins"], norm=kw["norm"])
    ),
    "cohen_kappa": whole("cohen_kappa"),
    "binary_confusion_matrix": whole("confusion_matrix"),
    "multilabel_confusion_matrix": whole("confusion_matrix"),
    "binary_matthews_corrcoef": whole("matthews_correlation"),
    "multiclass_matthews_corrcoef": whole("matthews_correlation"),
    **{f"{t}f1_score": labels("f1") for t in ("", "binary_", "multiclass_", "multilabel_")},
    **{f"{t}recall": labels("recall") for t in ("", "binary_", "multiclass_", "multilabel_")},
    **{f"{t}_jaccard_index": labels("jaccard") for t in ("binary", "multilabel")},
    **{f"{t}_negative_predictive_value": labels("negative_predictive_value") for t in ("binary", "multilabel")},
    **{f"{t}_specificity": labels("specificity") for t in ("binary", "multilabel")},
    **{f"{t}_precision_at_fixed_recall": each_curve(best_precision) for t in ("binary", "multilabel")},
    **{f"{t}_recall_at_fixed_precision": each_curve(best_recall) for t in ("binary", "multilabel")},
    **{f"{t}_specificity_at_sensitivity": each_curve(best_specificity) for t in ("binary", "multilabel")},
    "multiclass_sensitivity_at_specificity": each_curve(sensitivity),
    "eer": each_curve(nearest_eer),
    "multilabel_eer": each_curve(nearest_eer),
    "multiclass_precision_recall_curve": curves("pr"),
    "precision_recall_curve": curves("pr"),
    "multiclass_roc": curves("roc"),
    "roc": curves("roc"),
    "multiclass_stat_scores": cells,
    "stat_scores": cells,
    "continuous_ranked_probability_score": lambda name: lambda p, y, kw: assay.crps(y, members=p),
    "explained_variance": pair("explained_variance"),
    "kendall_rank_corrcoef": kendall,
    "mean_absolute_error": pair("mae"),
    "normalized_root_mean_squared_error": nrmse,
    "r2_score": pair("r2"),
    "spearman_corrcoef": pair("spearman"),
}
# Functions of the file that measure something else.
NOT_OURS = {
    "multiclass_exact_match", "binary_groups_stat_rates", "equal_opportunity", "hinge_loss", "multiclass_logauc",
    "multilabel_ranking_average_precision", "concordance_corrcoef", "log_cosh_error", "minkowski_distance",
    "tweedie_deviance_score",
}  # fmt: skip
# (function, number of the example): what assay gives there, or None where it is not asked, and why.
FIXED = "a binned curve has a point at each of its thresholds, however often the same; ours has each point once"
DIFFERENT: dict[tuple[str, int], tuple[Any, str]] = {
    ("multiclass_precision_recall_curve", 1): (None, FIXED),
    ("multiclass_roc", 1): (None, FIXED),
    # Ranks in a perfect order; float32 noise of their division keeps the documented value below 1.
    ("spearman_corrcoef", 0): (np.float64(1.0), "exactly 1"),
    ("spearman_corrcoef", 1): (np.array([1.0, 1.0]), "exactly 1"),
}


def recorded() -> dict[str, list[dict[str, Any]]]:
    found = fixtures.load_json("15_doc_examples", "doc_a", "torchmetrics_functional.json")["functions"]
    return {k.rsplit(".", 1)[1]: v for k, v in found.items() if k.split(".")[0] in ("classification", "regression")}


def test_no_function_is_forgotten() -> None:
    assert set(recorded()) == set(TRANSLATIONS) | NOT_OURS


@pytest.mark.parametrize("name", TRANSLATIONS)
def test_documented(name: str) -> None:
    for number, case in enumerate(recorded()[name]):
        expected, why = DIFFERENT.get((name, number), (case["result"], ""))
        if expected is None:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", assay.UndefinedWarning)
            value = TRANSLATIONS[name](name)(*case["args"], case["kwargs"])
        compare(value, expected, f"{name} example {number} {why}")


def compare(value: Any, expected: Any, where: str) -> None:
    """Arrays, or lists of them; of a tuple (value, threshold) the value, where the choice of a threshold is theirs."""
    if isinstance(expected, list) and isinstance(value, list):
        for ours, theirs in zip(value, expected, strict=False):
            compare(ours, theirs, where)
        return
    theirs = expected[0] if isinstance(expected, list) else expected
    np.testing.assert_allclose(value, theirs, rtol=1e-5, atol=1e-6, err_msg=where)
