"""The options that commands share, each with its name, its place in the help and its words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

_DATA, _CHOICE, _SURE, _OUT, _SPLIT = "Columns", "What to measure", "Intervals", "Output", "Resampling"
_IMAGES = "Images"


def column(*names: str, help: str) -> Any:
    """An option that names a column."""
    return typer.Option(*names, help=help, metavar="COLUMN", rich_help_panel=_DATA)


# ---- columns

Truth: TypeAlias = Annotated[
    str, column("--truth", "-t", help="True values; several columns (a,b,c or y_*) are a multilabel task.")
]
MaybeTruth: TypeAlias = Annotated[
    str | None,
    column("--truth", "-t", help="True values of a table; several columns (a,b,c or y_*) are a multilabel task."),
]
PRED = column("--pred", "-p", help="Predicted values or labels.")
PROB = column("--prob", help="Probabilities: of the positive class, or a column a class (p0,p1,p2 or prob_*).")
SCORE = column("--score", help="Scores of any scale, for metrics of rank.")
LOGITS = column("--logits", help="Logits, as --prob.")
Inputs: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="NAME=COLUMN",
        rich_help_panel=_DATA,
        help="What a metric takes beyond predictions: lower, upper, members, mean, sd, scale, y_baseline; several times.",
    ),
]
Weight: TypeAlias = Annotated[str | None, column("--weight", "-w", help="Weight of each row.")]
InputFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(rich_help_panel=_DATA, help="csv, tsv, parquet, jsonl or arrow, if the name does not tell."),
]

# ---- what to measure

Task: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="regression, binary, multiclass or multilabel; may be left out where it is plain. Of images: detection, segmentation, "
        "panoptic, pictures, images.",
        rich_help_panel=_CHOICE,
    ),
]
ImageKind: TypeAlias = Annotated[
    str,
    typer.Option("--iou-type", metavar="TYPE", rich_help_panel=_IMAGES, help="Detection by bbox, segm or keypoints."),
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
        "--ignore-index", metavar="N", rich_help_panel=_IMAGES, help="Pixels of this true label do not count."
    ),
]
Pictures: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--images",
        metavar="FOLDER",
        rich_help_panel=_IMAGES,
        help="The images of YOLO's txt folders, whose boxes are shares of them.",
    ),
]
BoxFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--box-format",
        metavar="FORMAT",
        rich_help_panel=_IMAGES,
        help="Boxes of txt files and tables: xyxy (two corners), xywh (corner and size) or cxcywh (centre and size).",
    ),
]
Normalized: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--normalized/--pixels",
        rich_help_panel=_IMAGES,
        help="Boxes of txt files and tables are shares of the image (which needs --images), or pixels.",
    ),
]
Exhaustive: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--exhaustive",
        rich_help_panel=_IMAGES,
        help="Every image is labelled with all classes: LVIS's lists are dropped, and plain COCO is measured.",
    ),
]
CrowdPose: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--crowdpose",
        rich_help_panel=_IMAGES,
        help="Keypoints by CrowdPose's rule: its 14 sigmas, and 0.53 of the box for the area of a person.",
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
        help='Metric, such as f1 or "f_beta:beta=2,average=macro"; several times. Without it, the usual ones.',
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
    float, typer.Option(rich_help_panel=_CHOICE, help="Probability from which a class is predicted.")
]


def choice(*names: str, metavar: str, help: str) -> Any:
    """Another option about what is measured."""
    return typer.Option(*names, metavar=metavar, rich_help_panel=_CHOICE, help=help)


# ---- resampling


def split_option(*names: str, help: str, metavar: str | None = None) -> Any:
    """An option about splits and what is selected inside them."""
    return typer.Option(*names, metavar=metavar, rich_help_panel=_SPLIT, help=help)


# ---- intervals

Level: TypeAlias = Annotated[float, typer.Option(rich_help_panel=_SURE, help="Level of the intervals.")]
Groups: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        rich_help_panel=_SURE,
        help="The independent unit of each row (patient, user, site), where rows are not independent.",
    ),
]
Strata: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", rich_help_panel=_SURE, help="What the rows were drawn by, in numbers fixed beforehand."
    ),
]
Replicates: TypeAlias = Annotated[int, typer.Option(rich_help_panel=_SURE, help="Replicates where it resamples.")]
Seed: TypeAlias = Annotated[int, typer.Option(rich_help_panel=_SURE, help="Seed: the same gives the same limits.")]


def method(help: str) -> Any:
    """The option ``--method``, which intervals and comparisons know by different names."""
    return typer.Option(rich_help_panel=_SURE, help=help)


def interval_option(*names: str, help: str) -> Any:
    """Another option about intervals."""
    return typer.Option(*names, rich_help_panel=_SURE, help=help)


# ---- output


def file(*names: str, help: str) -> Any:
    """Another file to write."""
    return typer.Option(*names, metavar="FILE", rich_help_panel=_OUT, help=help)


def format_of(names: str) -> Any:
    """The option ``--format`` of a command that knows these."""
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
        help="Exit with code 1 if the metric is worse than this (above it where lower is better).",
    ),
]
