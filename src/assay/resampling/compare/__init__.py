"""Comparisons of learners: paired tests on shared splits, rank tests over data sets."""
