"""`list` and `explain` of losses: every one is listed as the catalogue names it, and explained with a figure."""

import json
import re

import pytest
from cli_support import call

from assay.core.loss import losses
from assay.testing.examples.sweeps import sweep_of

LOSSES = losses()
WANTED = {  # what the plan of the library promises; more may be there
    "regression": "mse mae huber log_cosh quantile poisson_nll smooth_l1 balanced_l1 wing",
    "classification": "binary_cross_entropy cross_entropy label_smoothing nll poly hinge focal",
    "detection": "iou giou diou ciou yolo",
    "segmentation": "dice jaccard tversky lovasz_softmax lovasz_hinge combined",
    "embedding": "softmax sphereface center cosface arcface triplet contrastive circle barlow_twins simsiam info_nce",
    "generation": "reconstruction kl_divergence vae adversarial wasserstein flow_nll contrastive_divergence denoising noise_contrastive",
    "text": "token_cross_entropy cosine margin_ranking ranknet minimum_risk reinforce",
}


def test_losses_are_listed_with_range_and_properties(capsys):
    entries = [e for e in json.loads(call(capsys, "list", "--json").out) if e["kind"] == "loss"]
    assert len(entries) == len(LOSSES)
    for entry in entries:
        assert set(entry) == {"kind", "task", "key", "title", "range", "properties", "aliases"}
    table = call(capsys, "list", "--kind", "loss", "--task", "regression").out
    assert "regression losses" in table
    assert "convex" in table


def test_every_loss_of_the_catalogue_is_there():
    wanted = {f"{task}.{key}" for task, keys in WANTED.items() for key in keys.split()}
    assert wanted <= {f"{f.task}.{f.key}" for f in LOSSES}


@pytest.mark.parametrize("loss", LOSSES, ids=lambda f: f.key)
def test_every_loss_is_explained(capsys, loss):
    name = f"loss.{loss.key}"
    text = call(capsys, "explain", name)
    assert text.code == 0
    for part in (loss.key, "range", "use it for", "instead", "along: ", "References", "Example"):
        assert part in text.out
    data = json.loads(call(capsys, "explain", name, "--json").out)
    assert data["kind"] == "loss"
    assert data["formula"]
    for part in (data["formula"], data["meaning"], *(p["meaning"] for p in data["parameters"])):
        assert "\\" not in part
        assert not re.search(r"\b[a-zα-ω](log|max|cos|sin|ln)\b", part), part
    assert all(p["meaning"] for p in data["parameters"]), [p["name"] for p in data["parameters"] if not p["meaning"]]
    assert data["latex"] in call(capsys, "explain", name, "-f", "markdown").out


@pytest.mark.parametrize("loss", LOSSES, ids=lambda f: f.key)
def test_figures_show_a_curve(loss):
    sweep = sweep_of(loss)
    assert sweep is not None
    assert sweep.y.max() > sweep.y.min()


def test_a_metric_tells_of_the_loss_of_its_name(capsys):
    assert "assay explain loss.mse" in call(capsys, "explain", "mse").out
    assert "regression loss" in call(capsys, "explain", "losses.regression.mse").out
    assert "regression metric" in call(capsys, "explain", "metric.mse").out
    assert "classification loss" in call(capsys, "explain", "focal").out
