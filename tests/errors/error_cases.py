"""How a bad call is written: a name and the call. Its text stands in `tests/messages.txt` (see `tests/messages.py`).

A new case: add it to `CASES`, run `make messages ONLY=tests/errors`, read the new text in the diff.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

nan, inf = float("nan"), float("inf")
Bad = tuple[str, Callable[[], Any]]


def params(cases: list[Bad]) -> Any:
    return [pytest.param(call, id=name) for name, call in cases]
