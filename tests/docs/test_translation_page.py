"""The page on translations: its code runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = (Path(__file__).parents[2] / "docs" / "translation.md").read_text(encoding="utf-8")


def test_code_runs() -> None:
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S):
        exec(block, names)
    assert names["metric"].lowercase
