"""Adapters for PyTorch: losses as modules, feature extractors, and the routes of large CPU tensors.

Names are loaded when first used, so that the routes, which losses ask for, do not load the losses again.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.torch.extractors import inception
    from assay.torch.modules import Loss

__all__ = ["Loss", "inception"]
_MODULES = {"Loss": "modules", "inception": "extractors"}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'assay.torch' has no attribute {name!r}.")
    import importlib

    return getattr(importlib.import_module(f"assay.torch.{_MODULES[name]}"), name)
