"""Readers of data by task: a new family of tasks is one file here and one line in `READERS`."""

from __future__ import annotations

from assay.cli.readers.detection import DetectionReader
from assay.cli.readers.image_pairs import ImageQualityReader, PanopticReader, SegmentationReader
from assay.cli.readers.image_samples import ImageSampleReader
from assay.cli.readers.rankings import RankingReader
from assay.cli.readers.reader import CompareInput, DataOptions, Reader, ScoreInput, refuse_foreign_options
from assay.cli.readers.tables import TableReader
from assay.cli.readers.texts import TextReader
from assay.core.errors import ParameterError, did_you_mean
from assay.evaluation.presets import TEXTS

READERS: dict[str, Reader] = {
    **dict.fromkeys(("regression", "binary", "multiclass", "multilabel"), TableReader()),
    "detection": DetectionReader(),
    "segmentation": SegmentationReader(),
    "panoptic": PanopticReader(),
    "image_quality": ImageQualityReader(),
    "image_generation": ImageSampleReader(),
    **dict.fromkeys(("retrieval", "recommendation"), RankingReader()),
    **dict.fromkeys(TEXTS, TextReader()),
}


def reader_of(data: DataOptions, command: str) -> Reader:
    """The reader of a task; without a task the data are a table, which may tell it. Options that do not fit are refused."""
    if data.task is not None and data.task not in READERS:
        raise ParameterError("", "", f"unknown task {data.task!r}", did_you_mean(data.task, READERS).strip())
    reader = READERS[data.task or "binary"]
    reader.check(data, command)
    refuse_foreign_options(reader, data)
    return reader


__all__ = ["READERS", "CompareInput", "DataOptions", "Reader", "ScoreInput", "reader_of"]
