"""Metrics of generated images: each compared with its reference, or a generated sample with a real one."""
