"""The page on losses: its code runs, and it names every loss with ignore_index and every helper."""

from __future__ import annotations

import inspect
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay import losses
from assay.core.loss import losses as registered

PAGE = (Path(__file__).parents[2] / "docs" / "losses.md").read_text()
LOSSES = {entry.key: entry for entry in registered()}


def test_code_runs_on_made_up_inputs() -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    space: dict[str, Any] = {
        "prediction": rng.normal(size=6),
        "logits": rng.normal(size=(6, 3)),
        "p": rng.dirichlet(np.ones(3), 6),
        "target": np.arange(6) % 3,
        "sequences": rng.normal(size=(2, 4, 3)),
        "labels": np.array([[0, 1, 2, 2], [1, 0, -100, -100]]),
        "transitions": rng.normal(size=(3, 3)),
        "checkpoint": io.BytesIO(),
    }
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, "losses.md", "exec"), space)
    assert 0 <= float(space["epoch"]["accuracy"]) <= 1
    space["checkpoint"].seek(0)
    assert set(torch.load(space["checkpoint"], weights_only=True)) == {"version", "states", "ids", "repeated"}
    scores, labels = torch.tensor(space["logits"]), torch.tensor(space["target"])
    for name in ("criterion", "both"):
        assert float(space[name](scores, labels)) > 0
    values, wanted = torch.zeros(6), torch.ones(6)
    assert float(space["tasks"](values, wanted).detach()) == pytest.approx(1.0)  # (1 + 1) / 2 at log-variances of 0
    assert float(space["near"](torch.ones(6, 64), labels)) >= 0
    assert sum(parameter.numel() for parameter in space["faces"].parameters()) == 10_000 * 512


def test_lines_of_code_give_what_they_should() -> None:
    prediction, target = np.array([0.5, 3.0]), np.array([0.0, 0.0])
    assert float(losses.huber(prediction, target, delta=1.0)) == pytest.approx(2.625 / 2)
    ramp = losses.Ramp(0.0, 1.0, steps=1000)
    terms = {"mse": 1.0, "mae": ramp}
    assert float(losses.combined(prediction, target, terms=terms, step=500)) == pytest.approx(9.25 / 2 + 0.5 * 3.5 / 2)


@pytest.mark.parametrize("name", [name for name in losses.__all__ if name not in LOSSES])
def test_helpers_are_named(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_who_has_ignore_index() -> None:
    having = {key for key, entry in LOSSES.items() if "ignore_index" in inspect.signature(entry).parameters}
    assert not {key for key in having if LOSSES[key].task == "regression"}
    margins = {"arcface", "cosface", "sphereface", "softmax"}  # said of them together, as of those of segmentation
    (said,) = re.findall(r"^`ignore_index` marks.*?use `mask`", PAGE, re.DOTALL | re.MULTILINE)
    for key in having - margins:
        assert LOSSES[key].task == "segmentation" or f"`{key}`" in said, key
