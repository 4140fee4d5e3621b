"""All metrics as classes: ``assay.metrics.RocAuc()``. They are found by name when first asked for."""

from __future__ import annotations

import importlib
from typing import Any

from assay._index import METRICS


def __getattr__(name: str) -> Any:
    if name in METRICS:
        return getattr(importlib.import_module(METRICS[name]), name)
    raise AttributeError(f"module 'assay.metrics' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(METRICS)
