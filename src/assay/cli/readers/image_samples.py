"""Two samples of images, real and generated: their features from files, or from pictures through a network of the user's."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from assay.cli.readers.images import ImagePair, ImageReader
from assay.cli.readers.reader import CompareInput, DataOptions
from assay.core.errors import ParameterError
from assay.core.extras import optional

_TASK = "--task image_generation"


class ImageSampleReader(ImageReader):
    """``--task image_generation``."""

    options = frozenset({"features"})

    def pair(self, data: DataOptions, truth: str, predictions: str) -> ImagePair:
        """Features of both samples."""
        if Path(truth).is_dir() != Path(predictions).is_dir():
            raise ParameterError(_TASK, "", "give two folders of pictures, or two files of features (npy)")
        if not Path(truth).is_dir():
            return ImagePair(_features(truth), _features(predictions))
        if data.features is None:
            raise ParameterError(
                _TASK,
                "",
                "pictures need a network: --features with a file of Inception v3 weights (such as "
                "pt_inception-2015-12-05-6726825d.pth, which torch-fidelity and pytorch-fid use; nothing is downloaded)",
                "Or give features as npy files.",
            )
        from assay.io.pictures import picture_folder
        from assay.metrics.generation.samples import tag

        network = _network(data.features)
        real, fake = (network(picture_folder(path)) for path in (truth, predictions))
        return ImagePair(real, fake, {"extractor": tag(network)})

    def compare(self, data: DataOptions) -> CompareInput:
        """Two samples are not paired."""
        raise ParameterError(_TASK, "", "two samples have no rows in common", "Score each of them.")


def _network(path: str) -> Any:
    optional("torch", "", "--features", "requires PyTorch")
    return importlib.import_module("assay.torch.extractors").inception(path)


def _features(path: str) -> Any:
    from assay.io.npy_files import read_npy

    return read_npy(Path(path))
