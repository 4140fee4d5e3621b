"""``assay demo``: real predictions of two models for each task, side by side with the trivial baseline."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from assay.cli.output import chosen_format, emit, show
from assay.core.errors import InputError
from assay.evaluation.beside import Beside, beside
from assay.evaluation.evaluate import evaluate
from assay.io.columns import Columns


@dataclass(frozen=True)
class Sample:
    """A stored table: what it is, its models, and which column divides the rows."""

    task: str
    title: str
    models: tuple[str, str]
    by: str
    metrics: tuple[str, ...] | None = None
    positive: str | None = None


SAMPLES = (
    Sample("regression", "Regression: progression of diabetes after a year", ("ridge", "forest"), "sex"),
    Sample("binary", "Binary: is the tumour malignant?", ("logistic", "forest"), "size", positive="malignant"),
    Sample("multiclass", "Multiclass: which cultivar is the wine from?", ("logistic", "forest"), "alcohol"),
    Sample("multilabel", "Multilabel: properties of a handwritten digit", ("logistic", "forest"), "ink"),
)


def run(format: str) -> int:
    """Print one table a task."""
    format = chosen_format(format, None, ("table", "markdown"))
    for view in tables():
        if format == "markdown":
            emit(view.to_markdown() + "\n")
        else:
            show(view)
            emit("")
    if format == "table":
        emit("The predictions are out-of-fold. Score your own: assay score preds.csv --truth y --prob p")
    return 0


def save(folder: Path) -> int:
    """Write the samples as csv files, to try the other commands on."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for sample in SAMPLES:
            read_sample(sample.task).write_csv(folder / f"{sample.task}.csv", float_precision=6)
    except OSError as error:
        raise InputError(f"cannot write the samples to {folder}: {error.strerror}.") from error
    emit(f"{len(SAMPLES)} files in {folder}: " + ", ".join(f"{sample.task}.csv" for sample in SAMPLES))
    return 0


def tables() -> Iterator[Beside]:
    """The tables, one a sample."""
    for sample in SAMPLES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they stand below the tables
            results = {model: evaluate(**arguments(sample, model)) for model in sample.models}
            yield beside(results, title=sample.title)


def arguments(sample: Sample, model: str) -> dict[str, Any]:
    """What `evaluate` is called with for one model."""
    table = Columns(read_sample(sample.task), f"{sample.task} sample")
    given: dict[str, Any] = {
        "task": sample.task,
        "slices": {sample.by: table.slices(sample.by)},
        "metrics": sample.metrics,
    }
    if sample.task == "regression":
        return {**given, "y_true": table.numbers("y"), "y_pred": table.numbers(model)}
    if sample.task == "binary":
        return {**given, "y_true": table.labels("y"), "y_prob": table.numbers(model), "positive": sample.positive}
    scores = table.matrix(f"{model}_*")
    if sample.task == "multiclass":
        return {**given, "y_true": table.labels("y"), "y_prob": scores.values, "classes": scores.names}
    return {**given, "y_true": table.matrix("y_*").values, "y_prob": scores.values, "classes": scores.names}


def read_sample(task: str) -> Any:
    """A stored table by its task."""
    import io

    import polars as pl

    return pl.read_parquet(io.BytesIO((resources.files("assay") / "data" / f"{task}.parquet").read_bytes()))
