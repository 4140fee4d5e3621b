"""Readers of tables, detections, label maps and pictures; the names exported here read tables from files or standard input."""

from assay.data.columns import Columns as Columns
from assay.io.tables import read_columns as read_columns
from assay.io.tables import read_table as read_table
