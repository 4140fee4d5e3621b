"""Readers: tables of predictions from csv, tsv, parquet, jsonl and arrow files or from standard input."""

from assay.io.columns import Columns as Columns
from assay.io.tables import read_columns as read_columns
from assay.io.tables import read_table as read_table
