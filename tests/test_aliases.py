"""Names that people use for entries: each belongs to one entry of its kind, and all ways to name an entry know it."""

from __future__ import annotations

import keyword
import subprocess
import sys
from typing import Any

import pytest

import assay
from assay.core.errors import ParameterError, UnknownNameError, did_you_mean
from assay.core.loss import NAMES, find_loss, losses
from assay.core.registry import METRICS, find, metrics
from assay.core.signatures import from_signature, from_spec
from messages import refusal

METRIC_ALIASES = [(alias, cls.key) for cls in metrics() for alias in cls.record.aliases]
LOSS_ALIASES = [(alias, entry.key) for entry in losses() for alias in entry.record.aliases]
EXPECTED = {
    "sensitivity": "recall", "tpr": "recall", "true_positive_rate": "recall", "ppv": "precision",
    "positive_predictive_value": "precision", "fall_out": "false_positive_rate", "fpr": "false_positive_rate",
    "fnr": "false_negative_rate", "miss_rate": "false_negative_rate", "tnr": "specificity", "true_negative_rate": "specificity",
    "npv": "negative_predictive_value", "fdr": "false_discovery_rate", "mcc": "matthews_correlation", "auc": "roc_auc",
    "auroc": "roc_auc", "ap": "average_precision", "map": "coco", "l1": "mae", "l2": "mse", "bce": "log_loss", "cce": "log_loss",
    "medae": "median_absolute_error", "quantile": "pinball", "iou": "box_iou", "miou": "mean_iou", "dice_score": "dice",
    "kappa": "cohen_kappa", "mean_squared_error": "mse", "f1_score": "f1", "roc_auc_score": "roc_auc", "r2_score": "r2",
    "ece": "calibration_error", "brier_score": "brier", "hamming_loss": "hamming", "jaccard_score": "jaccard",
    "mean_absolute_error": "mae", "pr_auc": "average_precision", "auprc": "average_precision", "aupr": "average_precision",
    "bacc": "balanced_accuracy", "bias": "mean_error", "mbe": "mean_error", "me": "mean_error", "wmape": "wape",
    "lr_plus": "positive_likelihood_ratio", "lr_minus": "negative_likelihood_ratio", "informedness": "youden", "youdens_j": "youden",
}  # fmt: skip
EXPECTED_LOSSES = {
    "l1": "mae", "l2": "mse", "bce": "binary_cross_entropy", "cce": "cross_entropy", "a_softmax": "sphereface",
    "earth_mover": "wasserstein_distance", "marginal_ranking": "margin_ranking", "pinball": "quantile",
    "mean_squared_error": "mse",
}  # fmt: skip


@pytest.mark.parametrize(("pairs", "keys"), [(METRIC_ALIASES, METRICS.entries), (LOSS_ALIASES, NAMES.entries)])
def test_an_alias_belongs_to_one_entry_and_is_no_key(pairs: list[tuple[str, str]], keys: dict[str, Any]) -> None:
    names = [alias.lower() for alias, _ in pairs]
    assert len(set(names)) == len(names)
    assert not set(names) & set(keys)
    assert all(name.isidentifier() and not keyword.iskeyword(name) for name in names)


@pytest.mark.parametrize(("alias", "key"), METRIC_ALIASES)
def test_a_metric_by_its_alias(alias: str, key: str) -> None:
    assert getattr(assay, alias.lower()).metric is METRICS.entries[key]
    assert find(alias) is METRICS.entries[key]


@pytest.mark.parametrize(("alias", "key"), EXPECTED.items())
def test_the_names_of_the_field(alias: str, key: str) -> None:
    assert find(alias).key == key
    assert from_spec(f"{alias}:undefined=0").signature() == f"{key}|undefined:0"
    assert from_signature(f"{alias}|undefined:0").signature() == f"{key}|undefined:0"


@pytest.mark.parametrize(("alias", "key"), EXPECTED_LOSSES.items())
def test_a_loss_by_its_alias(alias: str, key: str) -> None:
    assert find_loss(alias).key == key
    assert getattr(assay.losses, alias).key == key
    assert find_loss(f"{find_loss(key).task}.{alias}").key == key


@pytest.mark.parametrize(
    ("name", "cls"),
    [("AUROC", "RocAuc"), ("MCC", "MatthewsCorrelation"), ("TruePositiveRate", "Recall"), ("mAP", "COCO")],
)
def test_a_class_by_its_alias(name: str, cls: str) -> None:
    assert getattr(assay.metrics, name) is getattr(assay.metrics, cls)


@pytest.mark.parametrize(
    "name",
    ["true positive rate", "True-Positive-Rate", "TruePositiveRate", "TRUE_POSITIVE_RATE", " true_positive_rate "],
)
def test_names_are_found_as_people_type_them(name: str) -> None:
    assert find(name).key == "recall"


def test_aliases_do_not_hide_builtins() -> None:
    assert "map" not in assay.__all__


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [("sensitivty", "'sensitivity' (alias of 'recall')", "specificity"), ("auroc2", "'auroc' (alias of 'roc_auc')", "' or '"),
     ("f11", "'f1'", "alias"), ("specificty", "'specificity'", "sensitivity")],
)  # fmt: skip
def test_a_wrong_guess_gets_the_right_suggestion(name: str, right: str, wrong: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        find(name)
    assert right in caught.value.fix
    assert wrong not in caught.value.fix
    with pytest.raises(AttributeError, match="Did you mean"):
        getattr(assay, name)


def test_a_loss_is_no_metric() -> None:
    with refusal(UnknownNameError):
        find("a_softmax")
    with refusal(UnknownNameError):
        find("huber_loss")
    with pytest.raises(AttributeError, match=r"It is a loss: assay\.losses\.focal\."):
        _ = assay.focal
    with refusal(UnknownNameError):
        find_loss("text.focal")


@pytest.mark.parametrize("name", ["LPIPS", "ccc", "bayl3", "xyz"])
def test_a_short_name_that_is_no_misspelling_gets_no_suggestion(name: str) -> None:
    names = {*METRICS.entries, *NAMES.entries}
    assert did_you_mean(name, names, {**METRICS.aliases, **NAMES.aliases}) == ""


@pytest.mark.parametrize(("name", "meant"), [("cvs", "csv"), ("tset", "test"), ("bta", "beta"), ("jsn", "json")])
def test_a_short_misspelling_is_understood(name: str, meant: str) -> None:
    assert did_you_mean(name, ["csv", "test", "beta", "json"]) == f" Did you mean {meant!r}?"


@pytest.mark.parametrize(
    ("name", "key", "cls"),
    [("MSE", "mse", "MSE"), ("MAE", "mae", "MAE"), ("RMSE", "rmse", "RMSE"), ("RocAuc", "roc_auc", "RocAuc"),
     ("MCC", "matthews_correlation", "MatthewsCorrelation"), ("BCE", "log_loss", "LogLoss")],
)  # fmt: skip
def test_a_class_name_in_the_wrong_place_leads_to_the_metric(name: str, key: str, cls: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(assay, name)
    assert str(caught.value).endswith(f"assay.{key} is the function, assay.metrics.{cls} the class.")
    assert getattr(assay, key).metric is getattr(assay.metrics, cls)


def test_a_missing_name_loads_nothing() -> None:
    code = (
        "import assay, sys; assert not hasattr(assay, 'x'); assert not hasattr(assay, 'focal');"
        "print([m for m in sys.modules if m in ('numpy', 'assay.losses') or m.startswith('assay.metrics')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_former_names_lead_to_the_new_ones() -> None:
    with refusal(ParameterError, strict=True):
        assay.evaluate(task="pictures", y_true=[1], y_pred=[1])
    with refusal(ParameterError):
        assay.evaluate(task="images", y_true=[1], y_pred=[1])
    with refusal(ParameterError):
        assay.evaluate(task="regresion", y_true=[1], y_pred=[1])
    for call in (assay.losses.dice, assay.losses.lovasz_hinge):
        with pytest.raises(ParameterError, match=r"Did you mean 'form'\?"):
            call([0.1], [1], mode="binary")
    with pytest.raises(ParameterError, match=r"Did you mean 'normalize'\?"):
        assay.losses.focal([0.1], [1], normalise="elements")


def test_two_names_of_one_thing_are_suggested_once() -> None:
    assert did_you_mean("roc_auk", ["roc_auc"], {"roc_auc_score": "roc_auc"}) == " Did you mean 'roc_auc'?"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["explain", "sensitivity", "--json"], '"key": "recall"'),
        (["explain", "a_softmax", "--json"], '"key": "sphereface"'),
        (["list", "--all", "--task", "classification"], "sensitivity"),
    ],
)
def test_the_command_line_knows_aliases(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    from assay.cli import main

    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert not ended.value.code
    assert said in capsys.readouterr().out


def test_a_result_knows_aliases() -> None:
    result = assay.evaluate(task="binary", y_true=[0, 1, 1, 0], y_pred=[0, 1, 0, 0], metrics=["sensitivity"])
    assert list(result) == ["recall"]
    assert result["sensitivity"] == result["recall"] == 0.5
