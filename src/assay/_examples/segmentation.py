"""Examples of losses of segmentation."""
