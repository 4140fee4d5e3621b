"""yardstick's data with values from scikit-learn and R: two classes, four classes, regression, with case weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
import facts
import fixtures
from messages import warned

HOME = ("12_tabular", "yardstick")
CLASSES = ("VF", "F", "M", "L")
TWO = {"positive": "Class1"}


def expected(*path: str) -> float:
    value = fixtures.load_json(*HOME, "expected_sklearn_py-data.json")
    for name in path:
        value = value[name]
    return value


def two(kind: str, weighted: bool) -> dict[str, Any]:
    table = fixtures.load_csv(*HOME, "two_class_example.csv")
    data: dict[str, Any] = {"y_true": table["truth"], "weight": weights("two_class_example") if weighted else None}
    return {**data, kind: table["predicted"] if kind == "y_pred" else np.array(table["Class1"], dtype=float)}


def four(kind: str, weighted: bool) -> dict[str, Any]:
    table = fixtures.load_csv(*HOME, "hpc_cv.csv")
    data: dict[str, Any] = {"y_true": table["obs"], "weight": weights("hpc_cv") if weighted else None}
    return {**data, kind: table["pred"] if kind == "y_pred" else np.array([table[c] for c in CLASSES], dtype=float).T}


def weights(name: str) -> Any:
    return np.array(fixtures.load_csv(*HOME, f"weights_{name}.csv")["w"], dtype=float)


def solubility() -> dict[str, Any]:
    table = fixtures.load_csv(*HOME, "solubility_test.csv")
    return {
        "y_true": np.array(table["solubility"], dtype=float),
        "y_pred": np.array(table["prediction"], dtype=float),
        "weight": weights("solubility_test"),
    }


# Rows: key of assay, key of the file, value in it, inputs, options.
BINARY = [
    ("accuracy", "py-accuracy", "binary", "y_pred", {}),
    ("balanced_accuracy", "py-bal-accuracy", "binary", "y_pred", {}),
    ("f_beta", "py-f_meas_beta_.5", "binary", "y_pred", {"beta": 0.5, **TWO}),
    ("f1", "py-f_meas", "binary", "y_pred", TWO),
    ("cohen_kappa", "py-kap", "binary", "y_pred", {}),
    ("cohen_kappa", "py-kap", "linear_binary", "y_pred", {"weights": "linear"}),
    ("cohen_kappa", "py-kap", "quadratic_binary", "y_pred", {"weights": "quadratic"}),
    ("matthews_correlation", "py-mcc", "binary", "y_pred", {}),
    ("negative_predictive_value", "py-npv", "binary", "y_pred", TWO),
    ("precision", "py-ppv", "binary", "y_pred", TWO),
    ("precision", "py-precision", "binary", "y_pred", TWO),
    ("recall", "py-recall", "binary", "y_pred", TWO),
    ("log_loss", "py-mn_log_loss", "binary", "y_prob", TWO),
    ("roc_auc", "py-roc-auc", "binary", "y_prob", TWO),
    ("average_precision", "py-average-precision", "binary", "y_prob", TWO),
]
MULTI = [
    ("accuracy", "py-accuracy", "multiclass", "y_pred", {}),
    *(
        ("f_beta", "py-f_meas_beta_.5", a, "y_pred", {"beta": 0.5, "average": a})
        for a in ("macro", "micro", "weighted")
    ),
    *(("f1", "py-f_meas", a, "y_pred", {"average": a}) for a in ("macro", "micro", "weighted")),
    *(("precision", "py-precision", a, "y_pred", {"average": a}) for a in ("macro", "micro", "weighted")),
    *(("recall", "py-recall", a, "y_pred", {"average": a}) for a in ("macro", "micro", "weighted")),
    ("precision", "py-ppv", "macro", "y_pred", {"average": "macro"}),
    ("negative_predictive_value", "py-npv", "macro", "y_pred", {"average": "macro"}),
    ("matthews_correlation", "py-mcc", "multiclass", "y_pred", {}),
    ("cohen_kappa", "py-kap", "multiclass", "y_pred", {}),
    ("cohen_kappa", "py-kap", "linear_multiclass", "y_pred", {"weights": "linear"}),
    ("cohen_kappa", "py-kap", "quadratic_multiclass", "y_pred", {"weights": "quadratic"}),
    ("log_loss", "py-mn_log_loss", "multiclass", "y_prob", {}),
    ("roc_auc", "py-roc-auc", "macro", "y_prob", {"average": "macro"}),
    ("roc_auc", "py-roc-auc", "macro_weighted", "y_prob", {"average": "weighted"}),
    ("roc_auc", "py-roc-auc", "hand_till", "y_prob", {"average": "macro", "multiclass": "ovo"}),
    ("average_precision", "py-average-precision", "macro", "y_prob", {"average": "macro"}),
    ("average_precision", "py-average-precision", "macro_weighted", "y_prob", {"average": "weighted"}),
]
ONLY_WEIGHTED = ("py-npv", "py-ppv", "py-bal-accuracy")
ONLY_PLAIN = ("py-accuracy", "hand_till")


@pytest.mark.parametrize("row", [pytest.param(r, id=f"{r[1]}-{r[2]}") for r in (*BINARY, *MULTI)])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_values(row: tuple, weighted: bool) -> None:
    key, name, which, kind, options = row
    if weighted and {name, which} & set(ONLY_PLAIN):
        assert "case_weight" not in expected(name) or which not in expected(name, "case_weight")
        return
    if not weighted and name in ONLY_WEIGHTED:
        assert set(expected(name)) == {"case_weight"}
        return
    many = (name, which) in {(r[1], r[2]) for r in MULTI}
    options = {**options, "classes": CLASSES} if many else options
    if (name, which) == ("py-mn_log_loss", "multiclass"):
        assert clipped_log_loss(weighted) == pytest.approx(expected(*at(weighted), which), rel=1e-12)
        return
    value = getattr(assay, key)(**(four if many else two)(kind, weighted), **options)
    wanted = expected(name, "case_weight", which) if weighted else expected(name, which)
    assert value == pytest.approx(wanted, rel=1e-12)


def at(weighted: bool) -> tuple[str, ...]:
    return ("py-mn_log_loss", "case_weight") if weighted else ("py-mn_log_loss",)


def clipped_log_loss(weighted: bool) -> float:
    """One row gave the truth 1.9e-16; scikit-learn clips at the step of float64, 2.2e-16."""
    data = four("y_prob", weighted)
    with warned(assay.UndefinedWarning):
        value = assay.log_loss(**data, classes=CLASSES, clip="eps")
    assert value < assay.log_loss(**data, classes=CLASSES) < value + 1e-4
    return value


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_log_loss_sums(weighted: bool) -> None:
    """The sums are the means times the total weight."""
    for which, mean in (
        ("binary", assay.log_loss(**two("y_prob", weighted), **TWO)),
        ("multiclass", clipped_log_loss(weighted)),
    ):
        inputs = (two if which == "binary" else four)("y_prob", weighted)
        total = inputs["weight"].sum() if weighted else len(inputs["y_true"])
        assert mean * total == pytest.approx(expected(*at(weighted), f"{which}_sum"), rel=1e-12)


def test_regression() -> None:
    data = solubility()
    for key, name in (("mae", "py-mae"), ("rmse", "py-rmse"), ("r2", "py-rsq-trad")):
        assert getattr(assay, key)(**data) == pytest.approx(expected(name, "case_weight"), rel=1e-12)
    # This value is over the rows whose truth is not zero.
    with warned(assay.UndefinedWarning):
        assert assay.mape(**data, zeros="skip") == pytest.approx(expected("py-mape", "case_weight"), rel=1e-12)


def from_tests(start: str) -> float:
    values = fixtures.load_json(*HOME, "expected_from_tests.json")["from_tests"]
    return next(v for k, v in values.items() if k.startswith(start))


def test_brier() -> None:
    """R's mclust gives the half of the sum over classes when there are several; for two, p of the event alone."""
    assert assay.brier(**two("y_prob", False), **TWO) == pytest.approx(from_tests("brier two_class"), abs=1e-8)
    halved = assay.brier(**four("y_prob", False), classes=CLASSES, halve=True)
    assert halved == pytest.approx(from_tests("brier hpc_cv (half"), abs=1e-8)
    kept = {k: None if v is None else v[10:] for k, v in four("y_prob", False).items()}
    assert assay.brier(**kept, classes=CLASSES, halve=True) == pytest.approx(from_tests("brier hpc_cv with"), abs=1e-8)


def test_hand_till_of_r() -> None:
    """R's HandTill2001 on the second half of the folds, whole and without the first ten rows."""
    folds = np.array(fixtures.load_csv(*HOME, "hpc_cv.csv")["Resample"])
    late = folds >= "Fold06"
    data = four("y_prob", False)
    y, p = np.array(data["y_true"])[late], data["y_prob"][late]
    options = {"average": "macro", "multiclass": "ovo", "classes": CLASSES}
    assert assay.roc_auc(y, y_prob=p, **options) == pytest.approx(from_tests("hand_till roc_auc"), rel=1e-12)
    assert assay.roc_auc(y[10:], y_prob=p[10:], **options) == pytest.approx(from_tests("hand_till as before"), abs=1e-8)


def test_rpiq() -> None:
    """yardstick's IQR over RMSE: its weighted quantile runs straight between the points of the weighted distribution.

    That is one of several rules in use; ours makes weight k equal to k copies. The RMSE below is the same.
    """
    data = solubility()
    order = np.argsort(data["y_true"], kind="stable")
    running = data["weight"][order].cumsum() / data["weight"].sum()
    low, high = np.interp([0.25, 0.75], running, data["y_true"][order])
    assert (high - low) / assay.rmse(**data) == pytest.approx(from_tests("rpiq"), rel=1e-12)


def test_pathology() -> None:
    """Sensitivity 231/258 and specificity 54/86, as in the source of these data (Altman and Bland 1994)."""
    y, p = zip(*(pair for pair, patients in facts.LIVER_SCANS.items() for _ in range(patients)), strict=True)
    assert assay.recall(y, p, positive="abnorm") == pytest.approx(231 / 258, rel=1e-14)
    assert assay.specificity(y, p, positive="abnorm") == pytest.approx(54 / 86, rel=1e-14)
    assert assay.precision(y, p, positive="abnorm") == pytest.approx(231 / 263, rel=1e-14)
    assert assay.negative_predictive_value(y, p, positive="abnorm") == pytest.approx(54 / 81, rel=1e-14)
