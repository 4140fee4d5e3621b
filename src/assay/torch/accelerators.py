"""Fills the table of accelerators of `assay.losses` with what PyTorch does faster."""

from __future__ import annotations

from assay.losses.accelerators import TorchAccelerators, register
from assay.torch import autodiff, blocks, embedding, generation, segmentation, slopes, tokens

register(
    TorchAccelerators(
        blocks=blocks,
        small=slopes,
        slopes={
            "absolute": slopes.absolute,
            "binary_code": generation.bits,
            "class_divergence": generation.divergence,
            "cross_entropy": slopes.cross_entropy,
            "flow": generation.flow,
            "gaussian_code": generation.codes,
            "hinge": slopes.hinge,
            "huber": slopes.huber,
            "pinball": slopes.pinball,
            "squared": slopes.squared,
            "squared_rows": generation.squares,
            "true_class": slopes.of_the_truth,
        },
        embedding=embedding,
        segmentation=segmentation,
        tokens=tokens,
        autodiff=autodiff,
    )
)
