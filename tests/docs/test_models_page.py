"""The page on fit, forecasts and tuning: its code runs, block by block."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
@pytest.mark.filterwarnings("ignore::assay.SelectionWarning")
def test_the_code_runs(block: str) -> None:
    known: dict[str, Any] = {}
    exec(compile(block, "models.md", "exec"), known)
