"""Peers of image generation: they ask for torchvision, of which what is compared here needs nothing, so a stand-in serves.

They live in a folder of their own (``pip install --no-deps --target .venv/peers torch-fidelity piq clean-fid``): torchmetrics imports
torch-fidelity wherever it finds it, and fails without torchvision.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

PEERS = Path(sys.prefix) / "peers"
_VISION = (
    "torchvision", "torchvision.transforms", "torchvision.transforms.functional", "torchvision.datasets", "torchvision.models",
    "torchvision.models.feature_extraction", "torchvision.models.inception", "torchvision.io",
)  # fmt: skip


@contextlib.contextmanager
def _stand_in() -> Iterator[None]:
    missing = [name for name in _VISION if name not in sys.modules]
    sys.path.append(str(PEERS))
    for name in missing:
        sys.modules[name] = MagicMock(__spec__=None)
    try:
        yield
    finally:
        sys.path.remove(str(PEERS))
        for name in missing:
            del sys.modules[name]


def peer(name: str) -> Any:
    """A module of a peer; the test is skipped where it is not installed."""
    pytest.importorskip("torch")
    with contextlib.suppress(ImportError):
        importlib.import_module("torchmetrics")  # before torch-fidelity is there to be found
    with _stand_in():
        return pytest.importorskip(name, exc_type=ImportError)
