"""Containers that readers and metrics share: objects, masks, label and panoptic maps, pictures. Nothing here computes a metric."""
