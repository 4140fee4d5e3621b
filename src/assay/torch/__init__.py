"""Adapters for PyTorch: losses as modules, metrics of batches, feature extractors, and the routes of large CPU tensors.

Names are loaded when first used, so that the routes, which losses ask for, do not load the losses again.
"""

import contextlib
from typing import TYPE_CHECKING, Any, cast

from assay.core.state_pickle import state_from_bytes

if TYPE_CHECKING:
    from assay.torch.critics import clip_weights
    from assay.torch.extractors import inception
    from assay.torch.gathering import gather
    from assay.torch.metrics import Metric, MetricCollection
    from assay.torch.modules import Loss

__all__ = ["Loss", "Metric", "MetricCollection", "clip_weights", "gather", "inception"]
_MODULES = {
    "Loss": "modules",
    "Metric": "metrics",
    "MetricCollection": "metrics",
    "clip_weights": "critics",
    "gather": "gathering",
    "inception": "extractors",
}

with contextlib.suppress(ImportError):  # whoever asks for a name is told what to install
    import torch as _torch

    cast(Any, _torch).serialization.add_safe_globals([state_from_bytes])  # states load with weights_only=True


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'assay.torch' has no attribute {name!r}.")
    import importlib

    from assay.core.extras import optional

    optional("torch", f"assay.torch.{name}", "", "requires PyTorch")
    return getattr(importlib.import_module(f"assay.torch.{_MODULES[name]}"), name)
