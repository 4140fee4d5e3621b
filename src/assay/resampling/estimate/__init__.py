"""The performance of a learner on new data: fits over the splits of a scheme, their metrics and valid intervals."""
