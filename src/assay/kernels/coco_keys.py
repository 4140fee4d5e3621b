"""The fields of COCO's records that are read: integers, floats, boxes, and values of which only the position in the file is kept."""

INTEGERS = ("id", "image_id", "category_id", "iscrowd", "ignore", "width", "height", "num_keypoints")
FLOATS = ("score", "area")
SPANS = ("segmentation", "keypoints")
KEYS = (*INTEGERS, *FLOATS, "bbox", *SPANS)
