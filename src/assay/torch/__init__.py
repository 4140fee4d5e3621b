"""Adapters for PyTorch: losses as modules, and the routes of large CPU tensors.

Names are loaded when first used, so that the routes, which losses ask for, do not load the losses again.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.torch.modules import Loss

__all__ = ["Loss"]


def __getattr__(name: str) -> Any:
    if name != "Loss":
        raise AttributeError(f"module 'assay.torch' has no attribute {name!r}.")
    from assay.torch.modules import Loss

    return Loss
