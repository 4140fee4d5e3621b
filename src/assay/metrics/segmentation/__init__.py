"""Metrics of segmentation: overlap, surfaces, panoptic quality. The unit is an image."""
