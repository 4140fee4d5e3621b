"""What explanations say: types in plain words, rounded numbers, and where the entry of the other kind is."""

from __future__ import annotations

import json
import re

import pytest

from assay.cli import run
from assay.core.loss import NAMES, losses
from assay.core.registry import METRICS, find, metrics
from assay.explain.loss_explanation import loss_explanation
from assay.explain.metric_explanation import explanation

ALL = [*(explanation(cls) for cls in metrics()), *(loss_explanation(entry) for entry in losses())]
SHARED = sorted({*METRICS.entries, *METRICS.aliases} & {*NAMES.entries, *NAMES.aliases})


def _said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run([*arguments]) == 0
    return capsys.readouterr().out


def test_types_are_plain_words() -> None:
    for e in ALL:
        for p in e.parameters:
            assert not re.search(r"Supports|Ragged|object|NDArray", p.type), (e.key, p)
    focal = next(e for e in ALL if (e.kind, e.key) == ("loss", "focal"))
    assert {p.name: p.type for p in focal.parameters}["alpha"] == "array | 'paper' | none"


def test_numbers_are_rounded() -> None:
    assert not [(e.key, p.default) for e in ALL for p in e.parameters if re.search(r"\d\.\d{13}", p.default)]


def test_parameters_with_long_defaults_keep_their_meanings(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = " ".join(_said(capsys, "explain", "coco").split())
    for p in explanation(find("coco")).parameters:
        assert re.sub(r"\W", "", p.meaning)[:20] in re.sub(r"\W", "", text), p
    assert "0.85, 0.9, 0.95" in text


@pytest.mark.parametrize(
    "name", ["true positive rate", "Recall-Score", "TruePositiveRate", "fall out", "AUROC", "pr_auc"]
)
def test_names_as_people_type_them(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(_said(capsys, "explain", name, "--json"))["key"] == find(name).key


@pytest.mark.parametrize("name", SHARED)
def test_a_shared_name_is_the_metric_and_points_to_the_loss(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    metric, loss = METRICS.key_of(name), NAMES.key_of(name)
    data = json.loads(_said(capsys, "explain", name, "--json"))
    assert (data["kind"], data["key"]) == ("metric", metric)
    assert f"`assay explain loss.{loss}`" in _said(capsys, "explain", name, "-f", "markdown")
    assert f"`assay explain metric.{metric}`" in _said(capsys, "explain", f"loss.{name}", "-f", "markdown")


def test_shared_names_are_those_of_the_field() -> None:
    assert {"quantile", "cross_entropy", "bce", "mse", "l1"} <= set(SHARED)


def test_the_list_shows_aliases_whole(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = _said(capsys, "list", "--all")
    assert not re.search(r"\w…", text)
    assert "average_precis" in text


def test_every_parameter_of_a_metric_has_a_meaning() -> None:
    assert [
        (e.key, p.name) for e in ALL if e.kind == "metric" for p in e.parameters if len(p.meaning.split()) < 2
    ] == []
