"""The options that commands share, each with its name, its help panel and its help text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from assay.cli import completion

_DATA, _CHOICE, _SURE, _OUT, _SPLIT = "Columns", "What to measure", "Intervals", "Output", "Resampling"
_IMAGES, _TEXTS = "Images", "Texts"


def column(*names: str, help: str) -> Any:
    """An option that names a column."""
    return typer.Option(*names, help=help, metavar="COLUMN", rich_help_panel=_DATA)


def some(name: str | None) -> tuple[str, ...]:
    """One name or none, as the options that take several hold it."""
    return () if name is None else (name,)


# ---- columns

Truth: TypeAlias = Annotated[
    str, column("--truth", "-t", help="True values; several columns (a,b,c or y_*) are a multilabel task.")
]
MaybeTruth: TypeAlias = Annotated[
    str | None,
    column("--truth", "-t", help="True values of a table; several columns (a,b,c or y_*) are a multilabel task."),
]
PRED = column("--pred", "-p", help="Predicted values or labels.")
PROB = column("--prob", help="Probabilities: of the positive class, or one column per class (p0,p1,p2 or prob_*).")
SCORE = column("--score", help="Scores of any scale, for ranking metrics.")
LOGITS = column("--logits", help="Logits; columns as for --prob.")
Inputs: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="NAME=COLUMN",
        rich_help_panel=_DATA,
        help="Further inputs of a metric: lower, upper, members, mean, sd, scale, y_baseline; may be repeated.",
    ),
]
Weight: TypeAlias = Annotated[str | None, column("--weight", "-w", help="Weight of each row.")]
InputFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(rich_help_panel=_DATA, help="csv, tsv, parquet, jsonl or arrow, if the file name does not tell."),
]

# ---- what to measure

Task: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="regression, binary, multiclass or multilabel; inferred where the columns determine it. For images: detection, segmentation, "
        "panoptic, image_quality, image_generation; for rankings: retrieval, recommendation; for texts: translation, speech, "
        "question_answering, summarization, captioning.",
        rich_help_panel=_CHOICE,
        autocompletion=completion.tasks,
    ),
]
MissingQueries: TypeAlias = Annotated[
    str,
    typer.Option(
        "--missing",
        metavar="RULE",
        rich_help_panel="Rankings",
        help="Judged queries that the run lacks: error, zero (they count as 0) or skip.",
    ),
]
References: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--ref",
        metavar="FILE",
        rich_help_panel=_TEXTS,
        help="References of texts, one per line; may be repeated. The files named without an option are texts then.",
    ),
]
Source: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--source",
        metavar="FILE",
        rich_help_panel=_TEXTS,
        help="What was translated or summarized, one text per line: its copy, or its first sentences, are the baseline.",
    ),
]
ImageKind: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--iou-type",
        metavar="TYPE",
        rich_help_panel=_IMAGES,
        help="Detection by bbox (default), segm or keypoints.",
    ),
]
Features: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--features",
        metavar="FILE",
        rich_help_panel=_IMAGES,
        help="Weights of Inception v3, for --task image_generation on pictures.",
    ),
]
IgnoreIndex: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--ignore-index", metavar="N", rich_help_panel=_IMAGES, help="Pixels with this true label do not count."
    ),
]
ImageFolder: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--images",
        metavar="FOLDER",
        rich_help_panel=_IMAGES,
        help="Folder of the images, for YOLO's txt files, whose boxes are fractions of the image size.",
    ),
]
BoxFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--box-format",
        metavar="FORMAT",
        rich_help_panel=_IMAGES,
        help="Box format of txt files and tables: xyxy (two corners), xywh (corner and size) or cxcywh (centre and size).",
    ),
]
Normalized: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--normalized/--pixels",
        rich_help_panel=_IMAGES,
        help="Boxes of txt files and tables are fractions of the image size (which requires --images), or pixels.",
    ),
]
Exhaustive: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--exhaustive",
        rich_help_panel=_IMAGES,
        help="Every image is labelled with all classes: ignore LVIS's lists of verified classes and compute plain COCO metrics.",
    ),
]
CrowdPose: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--crowdpose",
        rich_help_panel=_IMAGES,
        help="Keypoints by CrowdPose's rule: its 14 sigmas, and 0.53 of the box as the area of a person.",
    ),
]
Metrics: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "--metrics",
        "-m",
        metavar="SPEC",
        rich_help_panel=_CHOICE,
        autocompletion=completion.metrics,
        help='Metrics, such as f1,roc_auc or "f_beta:beta=2,average=macro"; separated by commas or repeated. By default, the usual '
        "metrics of the task.",
    ),
]
Classes: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="A,B,C", rich_help_panel=_CHOICE, help="The classes, in the order of the --prob columns."),
]
Positive: TypeAlias = Annotated[
    str | None, typer.Option(metavar="LABEL", rich_help_panel=_CHOICE, help="The positive class of a binary task.")
]
Threshold: TypeAlias = Annotated[
    float, typer.Option(rich_help_panel=_CHOICE, help="Probability at or above which a class is predicted.")
]


def choice(*names: str, metavar: str, help: str) -> Any:
    """An option about what is measured."""
    complete = completion.metrics if metavar == "SPEC" else None
    return typer.Option(*names, metavar=metavar, rich_help_panel=_CHOICE, help=help, autocompletion=complete)


# ---- resampling


def split_option(*names: str, help: str, metavar: str | None = None) -> Any:
    """An option about splits and what is selected inside them."""
    return typer.Option(*names, metavar=metavar, rich_help_panel=_SPLIT, help=help)


# ---- intervals

Level: TypeAlias = Annotated[float, typer.Option(rich_help_panel=_SURE, help="Confidence level of the intervals.")]
Groups: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        rich_help_panel=_SURE,
        help="The independent unit of each row (patient, user, site), if rows are not independent.",
    ),
]
Strata: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        rich_help_panel=_SURE,
        help="Stratum of each row, if the number of rows per stratum was fixed in advance.",
    ),
]
Replicates: TypeAlias = Annotated[int, typer.Option(rich_help_panel=_SURE, help="Number of bootstrap replicates.")]
Seed: TypeAlias = Annotated[int, typer.Option(rich_help_panel=_SURE, help="Random seed.")]


def method(help: str) -> Any:
    """The option ``--method``, whose values differ between intervals and comparisons."""
    return typer.Option(rich_help_panel=_SURE, help=help)


def interval_option(*names: str, help: str) -> Any:
    """An option about intervals."""
    return typer.Option(*names, rich_help_panel=_SURE, help=help)


# ---- output


def file(*names: str, help: str) -> Any:
    """An option that names a file to write."""
    return typer.Option(*names, metavar="FILE", rich_help_panel=_OUT, help=help)


def format_of(names: str) -> Any:
    """The option ``--format`` of a command with these formats."""
    return typer.Option("--format", "-f", rich_help_panel=_OUT, help=names)


Format: TypeAlias = Annotated[str | None, format_of("table, json, csv, markdown or latex.")]
Json: TypeAlias = Annotated[bool, typer.Option("--json", rich_help_panel=_OUT, help="Print JSON.")]
Output: TypeAlias = Annotated[
    Path | None,
    typer.Option("--output", "-o", rich_help_panel=_OUT, help="Write to this file instead of the terminal."),
]
FailUnder: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="METRIC=VALUE",
        rich_help_panel=_OUT,
        help="Exit with code 1 if the metric is worse than this (above it where lower is better); METRIC.low and METRIC.high are the "
        "limits of its interval. May be repeated.",
    ),
]
FailIfWorse: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if-worse",
        metavar="METRIC=MARGIN",
        rich_help_panel=_OUT,
        help="Exit with code 1 if the interval of the difference shows a later model to be worse than the first by more than this.",
    ),
]
FailIfUnsure: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--fail-if-unsure",
        rich_help_panel=_OUT,
        help="Also exit with code 1 if the rows do not decide a --fail-if-worse.",
    ),
]
