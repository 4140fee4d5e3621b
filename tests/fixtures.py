"""Published data and values that lie beside the repository, in ``../shared/fixtures``; never copied into it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2] / "shared" / "fixtures"


def path(*parts: str) -> Path:
    """A fixture's path; the test is skipped where the fixtures are not."""
    found = ROOT.joinpath(*parts)
    if not found.exists():
        pytest.skip(f"published fixtures are not beside this repository: {'/'.join(parts)} is missing")
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
