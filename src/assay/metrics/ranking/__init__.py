"""Metrics of rankings: retrieval, recommendation, identification."""
