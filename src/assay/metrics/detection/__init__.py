"""Metrics of detection: objects found, with a class, a score and a place, compared with the objects that are there."""
