"""Means of losses as metrics."""
