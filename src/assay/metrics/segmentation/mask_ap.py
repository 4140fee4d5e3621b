"""Average precision of instance masks: COCO's number with masks in the place of boxes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.metrics.detection.coco import COCO
from assay.metrics.detection.shapes import IouType


@dataclass(frozen=True, kw_only=True)
class MaskAP(COCO):
    r"""Mean average precision of instance masks: overlaps are those of pixels.

    .. math:: AP = \frac{1}{|K|\,|T|} \sum_{k, t} \frac{1}{101} \sum_{r \in \{0, .01, ..., 1\}} \max_{r' \ge r} p_{k,t}(r')

    The same as ``coco`` with ``iou_type="segm"``. Masks are run lengths, polygons (with the ``size`` of their image) or arrays.

    >>> import numpy as np
    >>> mask = np.array([[[1, 1, 0], [1, 1, 0]]], dtype=bool)
    >>> round(mask_ap([{"masks": mask, "labels": [1]}], [{"masks": mask, "labels": [1], "scores": [0.9]}]), 6)
    1.0
    """

    record = replace(
        COCO.record,
        title="Mask average precision",
        use="instance segmentation with scores",
        misleads="large instances with sloppy edges still match: see boundary_iou and normalized_surface_dice",
        equals=('pycocotools with iouType="segm", stats[0]',),
        aliases=("mask_map",),
    )

    iou_type: IouType = "segm"
