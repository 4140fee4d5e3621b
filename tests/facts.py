"""Small facts that others published, with their sources; larger data stay outside (see `fixtures`)."""

from __future__ import annotations

# The twelve numbers of COCO for its official made-up results on a hundred images of val2014 (cocodataset/cocoapi, results/; with all
# digits in MiXaiLL76/faster_coco_eval, tests/test_cocoapi_fake_data.py).
COCO_NAMES = ("AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl")
COCO = {
    "bbox": dict(zip(COCO_NAMES, (
        0.5045806987249628, 0.6969727247299577, 0.5729816669904824, 0.5856257209410443, 0.5193996948036719, 0.5013978986347466,
        0.38681277964578054, 0.5936795762842003, 0.595352982877607, 0.6398109626113442, 0.5664205978994309, 0.5642905982905982,
    ), strict=True)),
    "segm": dict(zip(COCO_NAMES, (
        0.3195452758576433, 0.5622883972521636, 0.29892653412086784, 0.3873740315997838, 0.31018272403369485, 0.3269339071005138,
        0.2682297225711534, 0.41544868114906375, 0.4168394992198818, 0.4694498622754236, 0.37675922666197265, 0.3814715099715099,
    ), strict=True)),
}  # fmt: skip

# The examples of torchmetrics.functional.detection (iou, giou, diou, ciou), four decimals: a row a prediction, a column a target.
BOXES_PREDICTED = ((296.55, 93.96, 314.97, 152.79), (328.94, 97.05, 342.49, 122.98), (356.62, 95.47, 372.33, 147.55))
BOXES_TRUE = ((300.0, 100.0, 315.0, 150.0), (330.0, 100.0, 350.0, 125.0), (350.0, 100.0, 375.0, 150.0))
BOX_OVERLAPS = {
    "iou": ((0.6898, 0, 0), (0, 0.5086, 0), (0, 0, 0.5654)),
    "giou": ((0.6895, -0.4964, -0.4944), (-0.5105, 0.4673, -0.3434), (-0.6024, -0.4021, 0.5345)),
    "diou": ((0.6883, -0.2043, -0.3351), (-0.2214, 0.4886, -0.1913), (-0.3971, -0.1510, 0.5609)),
    "ciou": ((0.6883, -0.2072, -0.3352), (-0.2217, 0.4881, -0.1913), (-0.3971, -0.1543, 0.5606)),
}
BOX_MEANS = {"iou": 0.5879, "giou": 0.5638, "diou": 0.5793, "ciou": 0.5790}
# tests/unittests/detection/test_map.py of torchmetrics: [0.5, 0.5, 1, 1] found, [0, 0, 1, 1] true; IoU and mAP at 0.2.
BOX_FORMATS = {"xyxy": (0.25, 1), "xywh": (0.143, 0), "cxcywh": (0.143, 0)}

# Liver scans against pathology (Altman and Bland 1994, BMJ 308:1552): (pathology, scan), patients.
LIVER_SCANS = {("abnorm", "abnorm"): 231, ("abnorm", "norm"): 27, ("norm", "abnorm"): 32, ("norm", "norm"): 54}
