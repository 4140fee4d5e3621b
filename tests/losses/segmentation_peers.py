"""Losses of segmentation of other libraries, where they are installed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest


def smp() -> Any:
    """The losses of segmentation_models_pytorch, from their folder: the package asks for more than they need."""
    if "smp_losses" in sys.modules:
        return sys.modules["smp_losses"]
    folders = [Path(entry) / "segmentation_models_pytorch" / "losses" for entry in sys.path]
    folder = next((f for f in folders if (f / "__init__.py").exists()), None)
    if folder is None:
        pytest.skip("segmentation_models_pytorch is not installed")
    spec = importlib.util.spec_from_file_location(
        "smp_losses", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["smp_losses"] = module
    spec.loader.exec_module(module)
    return module


def monai() -> Any:
    return pytest.importorskip("monai.losses")


def kornia() -> Any:
    return pytest.importorskip("kornia.losses")
