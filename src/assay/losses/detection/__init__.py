"""Losses of boxes, and of grids of them."""

from assay.losses.detection.boxes import ciou, diou, giou, iou
from assay.losses.detection.geometry import box_iou
from assay.losses.detection.yolo import yolo, yolo_targets

__all__ = ["box_iou", "ciou", "diou", "giou", "iou", "yolo", "yolo_targets"]
