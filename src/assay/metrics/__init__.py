"""All metrics as classes: ``assay.metrics.RocAuc()``. They are found by name on first use."""

from __future__ import annotations

import importlib
from typing import Any

from assay._index import CLASS_ALIASES, METRICS


def __getattr__(name: str) -> Any:
    name = CLASS_ALIASES.get(name, name)
    if name in METRICS:
        return getattr(importlib.import_module(METRICS[name]), name)
    hint = "" if name.startswith("_") else _hint(name)
    raise AttributeError(f"module 'assay.metrics' has no attribute {name!r}.{hint}")


def _hint(name: str) -> str:
    from assay._index import ALIASES, FUNCTIONS, PEERS
    from assay.core.errors import did_you_mean
    from assay.core.registry import key_elsewhere

    key = key_elsewhere(name, FUNCTIONS, {**PEERS, **ALIASES})
    return f" Did you mean {FUNCTIONS[key]!r}?" if key else did_you_mean(name, METRICS, CLASS_ALIASES)


def __dir__() -> list[str]:
    return sorted(METRICS)
