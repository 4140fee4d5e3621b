"""The kinds of overlap (boxes, masks, keypoints) and what each needs: masks, sigmas, the areas that scale keypoint distances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from assay.core.errors import InputError, arg
from assay.core.ragged import Ragged
from assay.core.value_checks import Says
from assay.data.objects import is_federated

IouType = Literal["bbox", "segm", "keypoints"]
IOU_TYPES = ("bbox", "segm", "keypoints")
Sigmas = Annotated[
    tuple[float, ...] | Literal["coco", "crowdpose"],
    Says("one of 'coco', 'crowdpose' or a list of numbers, such as (0.026, 0.025, ...)"),
]
# The spread of each keypoint around where annotators put it, relative to the size of the person: COCO's 17, CrowdPose's 14.
SIGMAS: dict[str, tuple[float, ...]] = {
    "coco": (
        0.026, 0.025, 0.025, 0.035, 0.035, 0.079, 0.079, 0.072, 0.072, 0.062, 0.062, 0.107, 0.107, 0.087, 0.087, 0.089, 0.089,
    ),
    "crowdpose": (0.079, 0.079, 0.072, 0.072, 0.062, 0.062, 0.107, 0.107, 0.087, 0.087, 0.089, 0.089, 0.079, 0.079),
}  # fmt: skip
BOX_FRACTION = 0.53  # of a person's box that the person covers, where data sets have no areas


@dataclass(frozen=True)
class Shapes:
    """The kind of overlap, with the sigmas of keypoints and whether their scale is the stated area or a fraction of the box."""

    iou_type: IouType = "bbox"
    sigmas: tuple[float, ...] = SIGMAS["coco"]
    use_area: bool = True

    @property
    def spread(self) -> Any:
        """What squared distances of keypoints are divided by."""
        return (2 * np.array(self.sigmas)) ** 2

    def truths(self, objects: Ragged, who: str) -> Ragged:
        """The truths with the areas that this kind goes by."""
        if self.iou_type != "keypoints" or "keypoints" not in objects or not len(objects["label"]):
            return objects
        if not self.use_area:
            if "implied" in objects:
                raise InputError(
                    who,
                    "use_area",
                    f"is False, which takes {BOX_FRACTION:g} of the box of each object, but the ground truth has no boxes",
                )
            box = objects["box"]
            return replace(objects, items={**objects.items, "area": box[:, 2] * box[:, 3] * BOX_FRACTION})
        if "area" not in objects:
            raise InputError(
                who,
                "y_true",
                f"must state the area of each object, which {arg('iou_type', 'keypoints')} scales distances by",
                f"Give 'area', or {arg('use_area', False)} for {BOX_FRACTION:g} of the box, which is CrowdPose's rule (with "
                f"{arg('sigmas', 'crowdpose')} for its 14 keypoints; on the command line --crowdpose gives both).",
            )
        return objects

    def idle(self, truth: Ragged) -> Any:
        """Truths that need not be found: crowds, ignored ones, poses without a visible point."""
        idle: Any = truth["ignore"] | truth["crowd"]
        if self.iou_type == "keypoints" and "keypoints" in truth:
            idle = idle | ~(truth["keypoints"][:, 2::3] > 0).any(axis=1)
        return idle.astype(np.uint8)

    def arrays(self, objects: Ragged, who: str) -> tuple[Any, ...]:
        """What kernels measure overlaps by; they know the kind by the number of arrays."""
        area = np.ascontiguousarray(area_of(objects), dtype=np.float64)
        boxes = np.ascontiguousarray(objects["box"]), area, objects["crowd"]
        if self.iou_type == "keypoints":
            return (*boxes, self._points(objects, who))
        if self.iou_type == "bbox":
            return boxes
        runs, starts = np.zeros(0, np.uint32), np.zeros(1, np.int64)
        if len(objects["label"]):
            if "masks" not in objects.pools:
                raise InputError(
                    who, "iou_type", "is 'segm', which needs masks (RLE, polygons or arrays) of every object"
                )
            masks = objects.pools["masks"].take(objects["mask"])
            runs, starts = masks.counts, masks.starts
        return (*boxes, runs, starts, objects["size"])

    def _points(self, objects: Ragged, who: str) -> Any:
        count = len(self.sigmas)
        if not len(objects["label"]):  # a batch in which nothing is found says nothing of its keypoints
            return np.zeros((0, 3 * count))
        if "keypoints" not in objects:
            raise InputError(
                who, "iou_type", "is 'keypoints', which needs the keypoints (x, y, visibility) of every object"
            )
        points = np.ascontiguousarray(objects["keypoints"], dtype=np.float64)
        if points.shape[1] != 3 * count:
            raise InputError(
                who,
                "sigmas",
                f"must be one per keypoint, got {count} for {points.shape[1] / 3:g} keypoints per object",
                f"Give sigmas for your keypoints{_named(points.shape[1])}.",
            )
        return points


def _named(width: int) -> str:
    """The sigmas that are known for as many keypoints."""
    fitting = [name for name, sigmas in SIGMAS.items() if 3 * len(sigmas) == width]
    return f", such as sigmas={fitting[0]!r}" if fitting else ""


def area_of(objects: Ragged) -> Any:
    """The stated area of each object, or that of its mask or box where none is stated."""
    return objects["area"] if "area" in objects else objects["size"]


def refuse_sizes(truth: Ragged, found: Ragged, who: str) -> None:
    """Masks of one image must be of one size: runs of other sizes would be compared as if they were."""
    first = np.full((truth.n, 2), -1, np.int64)
    for side, name in ((truth, "y_true"), (found, "y_pred")):
        if "masks" not in side.pools:
            continue
        masks = side.pools["masks"]
        size = np.stack([masks.height, masks.width], axis=1)[side["mask"]]
        fresh = first[side.row, 0] < 0
        first[side.row[fresh]] = size[fresh]
        wrong = (first[side.row] != size).any(axis=1)
        if wrong.any():
            at = int(np.argmax(wrong))
            image = int(side.row[at])
            raise InputError(
                f"{who}: {name}, image {image}",
                "masks",
                f"must all have the size of the image, got {size[at].tolist()} and {first[image].tolist()} (height, width)",
                "A mask made on a resized image must be resized back.",
            )


def refuse_federated(objects: Ragged, who: str) -> None:
    """A class that was not looked for in an image would count as absent there."""
    if is_federated(objects):
        raise InputError(
            who,
            "y_true",
            "has images labelled with some classes only (neg_category_ids, as in LVIS), which this metric would treat as labelled with all",
            f"Use lvis and lvis_recall; or read the file with {arg('exhaustive', True)} if every class was looked for.",
        )


def refuse_kinds(truth: Ragged, found: Ragged, who: str) -> None:
    """Text and numbers are never the same label, whatever they look like."""
    kinds = [side["label"].dtype.kind in "USO" for side in (truth, found) if len(side["label"])]
    if len(set(kinds)) > 1:
        raise InputError(
            who, "", "labels of y_true and y_pred are text on one side and numbers on the other", "Make them alike."
        )
