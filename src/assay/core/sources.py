"""Texts whose formulas or claims the records correct: an erratum names the author and the title of its source.

The definitions of assay are those of the works that a record cites under ``references``; these texts are not among them.
"""

SURVEY = "J. R. Terven et al., Loss Functions and Metrics in Deep Learning (preprint, October 2024)"
METRICS_LIST = "CSPaulia, 100 Evaluation Metrics (blog, 2025)"
RESAMPLING_NOTES = "Performance Evaluation (unsigned lecture notes)"
SEGMENTATION_TUTORIAL = "whut ykh, Datawhale semantic segmentation, task 4: metrics and losses (blog in Chinese, 2021)"
SOURCES = (SURVEY, METRICS_LIST, RESAMPLING_NOTES, SEGMENTATION_TUTORIAL)
