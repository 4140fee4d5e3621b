"""Objects in images: COCO's json, YOLO's and VOC's folders, tables of boxes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.cli.readers.images import ImagePair, ImageReader
from assay.cli.readers.reader import DataOptions
from assay.core.errors import ParameterError, did_you_mean

IOU_TYPES = ("bbox", "segm", "keypoints")
BOX_FORMATS = ("xyxy", "xywh", "cxcywh")


class DetectionReader(ImageReader):
    """``--task detection``."""

    options = frozenset({"iou_type", "image_folder", "crowdpose", "exhaustive", "box_format", "normalized"})

    def check(self, data: DataOptions, command: str) -> None:
        """Options with a fixed set of values, and those that need each other."""
        super().check(data, command)
        for option, value, known in (
            ("--iou-type", data.iou_type, (None, *IOU_TYPES)),
            ("--box-format", data.box_format, (None, *BOX_FORMATS)),
        ):
            if value not in known:
                names = [name for name in known if name]
                raise ParameterError(option, "", f"unknown value {value!r}", did_you_mean(value, names).strip())
        if data.crowdpose and data.iou_type != "keypoints":
            raise ParameterError("", "--crowdpose", "is about poses", "Add --iou-type keypoints, or drop it.")

    def pair(self, data: DataOptions, truth: str, predictions: str) -> ImagePair:
        """By the kind of files: json is COCO's, other files are tables, folders are YOLO's or VOC's."""
        source = Path(truth)
        if not source.is_dir() and source.suffix in (".json", "") and data.image_folder is None:
            return _coco(data, truth, predictions)
        if data.iou_type not in (None, "bbox") or data.exhaustive:
            option = "--exhaustive" if data.exhaustive else f"--iou-type {data.iou_type}"
            raise ParameterError(option, "", "only COCO's json files hold more than boxes")
        boxes: Any = {"box_format": data.box_format, "normalized": data.normalized}
        if not source.is_dir():
            return _table(truth, predictions, data.image_folder, boxes)
        return _folders(truth, predictions, data.image_folder, boxes)


def _coco(data: DataOptions, truth: str, predictions: str) -> ImagePair:
    from assay.io.coco import CocoTruth

    kind: Any = data.iou_type or "bbox"
    for option, there in (("--box-format", data.box_format), ("--normalized", data.normalized is not None)):
        if there:
            raise ParameterError(option, "", "COCO's json has corner and size in pixels", "Drop it.")
    read = CocoTruth.read(truth, exhaustive=data.exhaustive)
    given = {} if kind == "bbox" else {"iou_type": kind}
    rule = {"sigmas": "crowdpose", "use_area": False} if data.crowdpose else {}
    return ImagePair(read.column(kind), read.results(predictions, kind), {**given, **rule}, dict(read.categories))


def _table(truth: str, predictions: str, images: str | None, boxes: Any) -> ImagePair:
    from assay.io.detection_frames import objects_from_frames
    from assay.io.tables import read_table

    names = truth, predictions
    frames = (read_table(name) for name in names)
    return ImagePair(*objects_from_frames(*frames, names=names, pictures=images, **boxes))


def _folders(truth: str, predictions: str, images: str | None, boxes: Any) -> ImagePair:
    if images is not None:
        from assay.io.yolo import read_yolo

        return ImagePair(*read_yolo(truth, predictions, images=images, **boxes))
    from assay.io.voc import read_voc

    layout = "images" if _one_file_per_image(truth, predictions) else "classes"
    return ImagePair(*read_voc(truth, predictions, layout=layout, **boxes))


def _one_file_per_image(truth: str, predictions: str) -> bool:
    """Whether detections lie in one file per image: then the files have the names of the images."""
    names = {path.stem for path in Path(truth).iterdir()}
    return any(path.stem in names for path in Path(predictions).glob("*.txt"))
