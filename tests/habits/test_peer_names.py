"""What people type first: names of other libraries lead to ours, in every place that takes a name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import assay
from assay.cli import main
from assay.core.errors import suggestion
from assay.core.loss import NAMES
from assay.core.peers import peer_names
from assay.core.registry import METRICS, load_all
from messages import refusal, refuses, said

Y, P, D = [0, 1, 1, 0, 1], [0.2, 0.7, 0.4, 0.3, 0.9], [0, 1, 0, 0, 1]
FUNCTIONS = {
    "f1_score": "f1", "roc_auc_score": "roc_auc", "mean_squared_error": "mse", "r2_score": "r2", "ece": "calibration_error",
    "map": "coco", "mcc": "matthews_correlation", "accuracy_score": "accuracy", "brier_score_loss": "brier",
}  # fmt: skip
CLASSES = {
    "MulticlassF1Score": "f1",
    "BinaryAUROC": "roc_auc",
    "F1Score": "f1",
    "StructuralSimilarityIndexMeasure": "ssim",
}


@pytest.mark.parametrize(("theirs", "ours"), FUNCTIONS.items())
def test_functions_of_scikit_learn_are_found(theirs: str, ours: str) -> None:
    assert getattr(assay, theirs).metric.key == ours
    assert METRICS.key_of(theirs) == ours


@pytest.mark.parametrize("name", [*CLASSES, "f1score"])
def test_classes_of_torchmetrics_lead_to_ours(name: str) -> None:
    with refusal(AttributeError):
        getattr(assay, name)


def test_classes_in_the_namespace_of_metrics() -> None:
    for name in ("f1", "MulticlassAUROC"):
        with refusal(AttributeError):
            getattr(assay.metrics, name)


@pytest.mark.parametrize("name", ["MulticlassF1Score", "DiceMetric", "sensitivity_at_specificity"])
def test_specs_and_explanations(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    refuses(lambda: assay.evaluate(task="binary", y_true=Y, y_prob=P, metrics=[name]))
    with pytest.raises(SystemExit):
        main(["explain", name])
    said(capsys.readouterr().err)


def test_losses_of_peers() -> None:
    NAMES.load()
    assert NAMES.hint("TripletMarginLoss") == " Did you mean 'triplet'?"
    assert NAMES.hint("CrossEntropyLoss") == " Did you mean 'cross_entropy'?"
    assert NAMES.hint("sigmoid_focal_loss") == " Did you mean 'focal'?"


CALLS: dict[str, Callable[[], object]] = {
    "pos_label": lambda: assay.f1(Y, D, pos_label=1),
    "zero_division": lambda: assay.f1(Y, D, zero_division=0),
    "sample_weight": lambda: assay.f1(Y, D, sample_weight=[1] * 5),
    "y_score": lambda: assay.f1(Y, y_score=P),
    "y_pred": lambda: assay.roc_auc(Y, y_pred=P),
    "y_proba": lambda: assay.log_loss(Y, y_proba=P),
    "preds": lambda: assay.accuracy(target=Y, preds=D),
    "n_bins": lambda: assay.ece(Y, y_prob=P, n_bins=5),
    "multioutput": lambda: assay.mse(Y, D, multioutput="raw_values"),
    "squared": lambda: assay.mse(Y, D, squared=False),
    "a metric with a parameter": lambda: assay.evaluate(
        y_true=[[[0, 1]]], y_pred=[[[0, 1]]], metrics="hd95", task="segmentation"
    ),
    "num_classes": lambda: assay.metrics.F1(num_classes=2),
    "scoring": lambda: assay.estimate(None, Y, Y, scoring="f1"),
    "n_splits": lambda: assay.CrossValidation(n_splits=5),
    "random_state": lambda: assay.CrossValidation(random_state=5),
    "metric object": lambda: assay.metrics.MSE()(Y, D, sample_weight=[1] * 5),
}


@pytest.mark.parametrize("argument", CALLS)
def test_arguments_of_peers(argument: str) -> None:
    refuses(CALLS[argument])


def test_only_arguments_that_a_function_has_are_suggested() -> None:
    assert suggestion("pos_label", ["bins", "norm"]) == ""
    assert suggestion("labels", ["y_true"]) == " Did you mean 'y_true'?"
    assert suggestion("y_score", ["y_pred"]) == " Did you mean 'y_pred'?"


def test_peers_in_records() -> None:
    text = "torchmetrics multiclass_calibration_error, BinaryCalibrationError(norm='l1') with n_bins=15; scipy.stats.pearsonr"
    assert list(peer_names([text])) == ["multiclass_calibration_error", "BinaryCalibrationError"]
    load_all()
    assert METRICS.peers()["dice_metric"] == "dice"
    assert "f1_score" not in METRICS.peers()  # it leads to two: ours, and the macro mean on maps


def test_a_name_that_nobody_knows_is_not_guessed() -> None:
    with pytest.raises(AttributeError) as error:
        _ = assay.qwertyuiop
    assert "mean" not in str(error.value)


def test_a_metric_as_scoring() -> None:
    """scikit-learn calls what it is given with an estimator and data; errors carry a minus there, and only there."""
    linear = pytest.importorskip("sklearn.linear_model")
    from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate

    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    model = linear.LogisticRegression()
    pairs = {
        "f1": assay.f1, "roc_auc": assay.metrics.RocAuc(), "neg_log_loss": assay.log_loss, "accuracy": assay.metrics.Accuracy(),
    }  # fmt: skip
    for theirs, ours in pairs.items():
        np.testing.assert_allclose(
            cross_val_score(model, X, y, scoring=ours), cross_val_score(model, X, y, scoring=theirs)
        )
    both = cross_validate(model, X, y, scoring={"brier": assay.brier, "f1": assay.f1}, error_score="raise")
    np.testing.assert_allclose(both["test_brier"], cross_val_score(model, X, y, scoring="neg_brier_score"))
    search = GridSearchCV(linear.Ridge(), {"alpha": [0.1, 1.0]}, scoring=assay.mse, error_score="raise").fit(X, y)
    assert search.best_score_ < 0
    assert assay.accuracy(model.fit(X, y), X, y) == model.score(X, y)
    refuses(lambda: assay.mse(model, X, y))
