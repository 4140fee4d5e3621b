"""The page on segmentation: its code runs on made-up maps and files, and it names every metric of the family."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from assay.core.registry import metrics

TEXT = (Path(__file__).parents[2] / "docs" / "segmentation.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.filterwarnings("ignore::assay.UndefinedWarning")
def test_code_runs_on_made_up_maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "segmentation"))
    from panoptic_files import segments_of, write_side

    rng = np.random.default_rng(0)
    true = np.repeat(np.repeat(rng.integers(0, 3, (30, 4, 4)), 5, 1), 5, 2)
    predicted, other = (np.where(rng.random(true.shape) < share, true, 0) for share in (0.9, 0.6))
    pairs = np.stack([true, np.where(true == 1, 1, 0)], axis=-1)
    space: dict[str, Any] = {
        "true": true,
        "predicted": predicted,
        "other": other,
        "pairs": pairs,
        "other_pairs": pairs[::-1],
    }
    for side, maps in (("refs", true), ("preds", predicted)):
        (tmp_path / side).mkdir()
        for i, labels in enumerate(maps[:3]):
            Image.fromarray(labels.astype(np.uint8)).save(tmp_path / side / f"{i}.png")
    for side in ("truth", "prediction"):
        write_side(tmp_path, side, list(true[:2]), [segments_of(m, {1: 1, 2: 5}) for m in true[:2]])
    monkeypatch.chdir(tmp_path)
    assert len(BLOCKS) == 6
    for block in BLOCKS:
        exec(compile(block, "segmentation.md", "exec"), space)
    assert space["score"].low < space["score"] < space["score"].high
    assert space["better"].low > 0
    assert space["names"] == ("0", "1", "2")
    assert 0 < space["table"]["all"]["pq"] < 1
    sys.modules.pop("panoptic_files", None)


def test_every_metric_is_named() -> None:
    for entry in metrics("segmentation"):
        assert entry.key in TEXT or entry.__name__ in TEXT, entry.key
