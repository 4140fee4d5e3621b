"""Metrics of detection: objects found, with a class, a score and a place, held against the objects that are there."""
