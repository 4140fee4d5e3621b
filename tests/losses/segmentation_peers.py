"""Losses of segmentation of other libraries, where they are installed."""

from __future__ import annotations

from typing import Any

import pytest

import image_peers


def smp() -> Any:
    """The losses of segmentation_models_pytorch, from their folder: the package asks for more than they need."""
    return image_peers.plain("segmentation_models_pytorch.losses")


def monai() -> Any:
    return pytest.importorskip("monai.losses")


def kornia() -> Any:
    return pytest.importorskip("kornia.losses")
