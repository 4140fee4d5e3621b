"""The fields of COCO's records that are read: integers, floats, boxes, and values kept as their place in the file."""

WHOLE = ("id", "image_id", "category_id", "iscrowd", "ignore", "width", "height", "num_keypoints")
FLOAT = ("score", "area")
PLACE = ("segmentation", "keypoints")
KEYS = (*WHOLE, *FLOAT, "bbox", *PLACE)
