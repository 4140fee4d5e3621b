"""Metrics of generated images."""
