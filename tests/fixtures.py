"""Published data that lie outside the repository and are never copied into it.

They are looked for in the folder that the environment variable ASSAY_FIXTURES names, by default in ``shared/fixtures`` beside the
repository. A test that needs what is not there is skipped, and says what it misses; the summary counts such tests (see conftest).
"""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
ROOT = Path(os.environ.get("ASSAY_FIXTURES") or REPOSITORY.parent / "shared" / "fixtures")
MISSING = "published data not found: "  # how every such skip begins


def path(*parts: str) -> Path:
    """The path of a file or folder; the test is skipped where it is missing."""
    found = ROOT.joinpath(*parts)
    if not found.exists():
        pytest.skip(f"{MISSING}{'/'.join(parts)} is not in {ROOT} (ASSAY_FIXTURES names the folder)")
    return found


def load_json(*parts: str) -> Any:
    """A JSON file, with its arrays as NumPy arrays and its words for numbers as numbers."""
    return _revived(json.loads(path(*parts).read_text(encoding="utf-8")))


def load_csv(*parts: str) -> dict[str, list[str]]:
    """A CSV file as columns of text."""
    with path(*parts).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


_WORDS = {"NaN": np.nan, "Infinity": np.inf, "-Infinity": -np.inf}


def _revived(value: Any) -> Any:
    if isinstance(value, str):
        return _WORDS.get(value, value)
    if isinstance(value, list):
        return [_revived(v) for v in value]
    if isinstance(value, dict):
        if "__array__" in value:
            return np.array(_revived(value["__array__"]), dtype=value["dtype"]).reshape(value["shape"])
        return {k: _revived(v) for k, v in value.items()}
    return value
