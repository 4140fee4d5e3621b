"""The page on generated images: its code runs, and it names every entry."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core.errors import UndefinedWarning
from assay.core.registry import metrics

PAGE = (Path(__file__).parents[2] / "docs" / "generation.md").read_text()


def test_code_runs_on_made_up_inputs(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(0)
    grey, colour = (
        rng.integers(0, 256, (12, 32, 32), dtype=np.uint8),
        rng.integers(0, 256, (12, 16, 16, 3), dtype=np.uint8),
    )
    noisy = [np.clip(x + rng.normal(0, 9, x.shape), 0, 255).astype(np.uint8) for x in (grey, colour)]
    for name, pictures in (("references", grey), ("predictions", noisy[0])):
        (tmp_path / name).mkdir()
        for i, picture in enumerate(pictures):
            image.fromarray(picture).save(tmp_path / name / f"{i}.png")
    space: dict[str, Any] = {
        "y_true": grey, "y_pred": noisy[0], "colour": colour, "blurred": noisy[1], "references": tmp_path / "references",
        "predictions": tmp_path / "predictions", "real": rng.normal(size=(150, 5)), "fake": rng.normal(size=(120, 5)),
        "logits": rng.normal(size=(40, 10)),
    }  # fmt: skip
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        for block in blocks:
            exec(compile(block, "docs/generation.md", "exec"), space)
    assert space["score"].low is not None
    assert len(space["true"]) == 12


def test_every_entry_is_named() -> None:
    missing = [cls.key for cls in metrics("generation") if cls.key not in PAGE]
    assert not missing
