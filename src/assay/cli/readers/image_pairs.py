"""Images that are compared one by one: label maps, panoptic maps, restored or compressed pictures."""

from __future__ import annotations

from assay.cli.readers.images import ImagePair, ImageReader
from assay.cli.readers.reader import DataOptions
from assay.evaluation.presets import IMAGES


class SegmentationReader(ImageReader):
    """``--task segmentation``: two folders of label maps."""

    options = frozenset({"ignore_index"})

    def pair(self, data: DataOptions, truth: str, predictions: str) -> ImagePair:
        """Label maps of the same names."""
        from assay.io.label_maps import read_label_pairs

        y_true, y_pred, _ = read_label_pairs(truth, predictions)
        return ImagePair(y_true, y_pred, {} if data.ignore_index is None else {"ignore_index": data.ignore_index})


class PanopticReader(ImageReader):
    """``--task panoptic``: two json files with a folder of maps beside each."""

    # A panoptic json also tells which classes are things and which stuff.
    usual = (*IMAGES["panoptic"], "panoptic_quality:over=things", "panoptic_quality:over=stuff")

    def pair(self, data: DataOptions, truth: str, predictions: str) -> ImagePair:
        """Segments of the same images."""
        from assay.io.panoptic import read_panoptic

        read = read_panoptic(truth, predictions)
        return ImagePair(read.y_true, read.y_pred, {"things": read.things, "classes": read.classes}, dict(read.names))


class ImageQualityReader(ImageReader):
    """``--task image_quality``: two folders of pictures."""

    def pair(self, data: DataOptions, truth: str, predictions: str) -> ImagePair:
        """Pictures of the same names."""
        from assay.io.pictures import paired_folders

        y_true, y_pred = paired_folders(truth, predictions)
        colour = y_true[0].read().ndim == 3  # files hold colours last
        return ImagePair(y_true, y_pred, {"channels": "last"} if colour else {})
