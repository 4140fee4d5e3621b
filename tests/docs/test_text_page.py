"""The page on text: its code runs, and it names every task of texts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from assay import testing
from assay.evaluation.presets import TEXTS

PAGE = (Path(__file__).parents[2] / "docs" / "text.md").read_text()


def test_code_runs_on_example_texts() -> None:
    one, several = (p for p in testing.problems() if p.kind == "texts")
    space: dict[str, Any] = {
        "references": several.truth, "hypotheses": several.inputs["y_pred"][0], "others": several.inputs["y_pred"][1],
        "sources": one.truth, "transcripts": one.truth, "recognized": one.inputs["y_pred"][0],
        "speakers": [row // 4 for row in range(len(one.truth))],
    }  # fmt: skip
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, "docs/text.md", "exec"), space)


def test_every_task_is_named() -> None:
    assert [task for task in TEXTS if f"| `{task}` |" not in PAGE] == []
