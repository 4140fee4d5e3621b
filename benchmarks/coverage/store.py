"""The measured lines on disk: families can be measured anew one by one, and the page is written from all of them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.coverage.lines import Beside, Bias, Edge, Learned, Row, Test

FILE = Path(__file__).parent / "measured.json"
KINDS = {kind.__name__: kind for kind in (Row, Test, Edge, Beside, Learned, Bias)}


def read() -> dict[str, list[Any]]:
    """Lines by task; none if nothing was measured yet."""
    if not FILE.exists():
        return {}
    held = json.loads(FILE.read_text())
    return {task: [KINDS[line.pop("kind")](**line) for line in lines] for task, lines in held.items()}


def write(held: dict[str, list[Any]]) -> None:
    """Keep the lines."""
    plain = {task: [{"kind": type(x).__name__, **_short(asdict(x))} for x in lines] for task, lines in held.items()}
    FILE.write_text(json.dumps(plain, indent=0, ensure_ascii=False) + "\n")


def _short(line: dict[str, Any]) -> dict[str, Any]:
    return {k: round(v, 5) if isinstance(v, float) else v for k, v in line.items() if v is not None}
