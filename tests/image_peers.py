"""Peers that ask for more than what is compared here needs: stand-ins serve, or only a file of theirs is read.

They live in a folder of their own (``requirements-peers.txt``): torchmetrics imports torch-fidelity wherever it finds it, and fails
without torchvision, whose compiled part fits only the torch that it was built for.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import pytest

PEERS = Path(sys.prefix) / "peers"
_VISION = (
    "torchvision", "torchvision.transforms", "torchvision.transforms.functional", "torchvision.datasets", "torchvision.models",
    "torchvision.models.feature_extraction", "torchvision.models.inception", "torchvision.io",
)  # fmt: skip


@contextlib.contextmanager
def _instead(modules: dict[str, Any]) -> Iterator[None]:
    """These modules stand in for those that are not imported yet."""
    missing = {name: module for name, module in modules.items() if name not in sys.modules}
    sys.path.append(str(PEERS))
    sys.modules.update(missing)
    try:
        yield
    finally:
        sys.path.remove(str(PEERS))
        for name in missing:
            del sys.modules[name]


def load(name: str) -> Any:
    """A module of a peer; ImportError where it is not installed."""
    with contextlib.suppress(ImportError):
        importlib.import_module("torchmetrics")  # before torch-fidelity is there to be found
    with _instead({name: MagicMock(__spec__=None) for name in _VISION}):
        return importlib.import_module(name)


def peer(name: str) -> Any:
    """A module of a peer; the test is skipped where it is not installed."""
    pytest.importorskip("torch")
    try:
        return load(name)
    except ImportError as reason:
        pytest.skip(f"{name} is not installed: {reason}")


def plain(name: str) -> Any:
    """A module of plain Python inside a package that cannot be imported whole: the packages above it are not run.

    torchvision asks for its compiled part, mmdet, mmpose and segmentation-models-pytorch for what their losses do not need.
    """
    if name in _PLAIN:
        return _PLAIN[name]
    parts = name.split(".")
    above = {".".join(parts[: i + 1]): parts[: i + 1] for i in range(len(parts) - 1)}
    instead: dict[str, Any] = {package: _empty(package, folders) for package, folders in above.items()}
    for other in ("registry", "datasets.datasets.utils", "models.utils.realnvp"):
        instead[f"{parts[0]}.{other}"] = _REGISTRY
    with _instead(instead):
        _PLAIN[name] = importlib.import_module(name)
    return _PLAIN[name]


_PLAIN: dict[str, Any] = {}
_REGISTRY = MagicMock(__spec__=None)
_REGISTRY.MODELS.register_module = lambda *_, **__: lambda cls: cls


def _empty(package: str, folders: list[str]) -> ModuleType:
    """A package that finds its modules and holds nothing."""
    found = ModuleType(package)
    found.__path__ = [str(Path(entry).joinpath(*folders)) for entry in (*sys.path, str(PEERS))]
    return found
