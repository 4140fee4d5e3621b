"""Results as plain data that every reader of JSON takes."""

from __future__ import annotations

import math
from typing import Any, cast


def plain_data(value: object) -> Any:
    """Only dicts, lists, text, numbers and None: what is undefined is None, infinities are the texts "inf" and "-inf"."""
    if isinstance(value, dict):
        return {str(k): plain_data(v) for k, v in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [plain_data(v) for v in cast("list[Any]", value)]
    if hasattr(value, "tolist"):
        return plain_data(cast(Any, value).tolist())
    if isinstance(value, float):
        return None if math.isnan(value) else str(float(value)) if math.isinf(value) else float(value)
    return value
