"""Fills the table of accelerators of `assay.losses` with what PyTorch does faster.

Each route is imported when a loss first takes it: a small loss needs none of the closed forms, and would wait for all.
"""

from __future__ import annotations

import importlib

from assay.losses.accelerators import (
    Blocks,
    EmbeddingRoutes,
    SegmentationRoutes,
    SlopeName,
    Slopes,
    SmallLosses,
    TokenRoutes,
    TorchAutodiff,
    register_torch,
)

_OF_GENERATION: dict[SlopeName, str] = {
    "binary_code": "bits",
    "class_divergence": "divergence",
    "flow": "flow",
    "gaussian_code": "codes",
    "squared_rows": "squares",
}


class _Routes:
    """The modules of this folder, each imported on first need; asking again costs less than a microsecond."""

    @property
    def blocks(self) -> Blocks:
        from assay.torch import blocks

        return blocks

    @property
    def small(self) -> SmallLosses:
        from assay.torch import slopes

        return slopes

    @property
    def embedding(self) -> EmbeddingRoutes:
        from assay.torch import embedding

        return embedding

    @property
    def segmentation(self) -> SegmentationRoutes:
        from assay.torch import segmentation

        return segmentation

    @property
    def tokens(self) -> TokenRoutes:
        from assay.torch import tokens

        return tokens

    @property
    def autodiff(self) -> TorchAutodiff:
        from assay.torch import autodiff

        return autodiff

    def slopes(self, name: SlopeName) -> Slopes:
        if name in _OF_GENERATION:
            return getattr(importlib.import_module("assay.torch.generation"), _OF_GENERATION[name])
        return getattr(self.small, "of_the_truth" if name == "true_class" else name)


register_torch(_Routes())
