"""``assay demo``: real predictions of two models for each task, side by side with the trivial baseline, and compared."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from assay.cli.output import chosen_format, emit, show
from assay.core.errors import InputError
from assay.data.columns import Columns
from assay.evaluation.compare import compare
from assay.evaluation.comparisons import Comparisons
from assay.evaluation.evaluate import evaluate
from assay.evaluation.side_by_side import SideBySide, side_by_side


@dataclass(frozen=True)
class DemoSample:
    """A stored table: what it is, its models, and which column divides the rows."""

    task: str
    title: str
    models: tuple[str, str]
    by: str
    metrics: tuple[str, ...] | None = None
    positive: str | None = None


SAMPLES = (
    DemoSample("regression", "Regression: progression of diabetes after a year", ("ridge", "forest"), "sex"),
    DemoSample("binary", "Binary: is the tumour malignant?", ("logistic", "forest"), "size", positive="malignant"),
    DemoSample("multiclass", "Multiclass: which cultivar is the wine from?", ("logistic", "forest"), "alcohol"),
    DemoSample("multilabel", "Multilabel: properties of a handwritten digit", ("logistic", "forest"), "ink"),
)


COMPARED = SAMPLES[1]
_SHOWN = ["accuracy", "roc_auc", "log_loss", "brier"]


def run(format: str | None) -> int:
    """Print one table per task, then one comparison."""
    format = chosen_format(format, None, ("table", "markdown"))
    for view in (*tables(), comparison(), *_more()):
        if format == "markdown":
            emit(view.to_markdown() + "\n")
        else:
            show(view)
            emit("")
    if format == "table":
        emit("The predictions are out-of-fold. Score your own: assay score preds.csv --truth y --prob p")
        emit("Compare two models: assay compare old.csv new.csv --truth y --prob p --id case")
    return 0


def save(folder: Path) -> int:
    """Write the samples as csv files, to try the other commands on; the models of one also in one file per model."""
    frames = {f"{sample.task}.csv": read_sample(sample.task) for sample in SAMPLES}
    both = frames[f"{COMPARED.task}.csv"].with_row_index("case")
    for model in COMPARED.models:
        frames[f"{COMPARED.task}_{model}.csv"] = both.select("case", "y", p=model)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, frame in frames.items():
            frame.write_csv(folder / name, float_precision=6)
    except OSError as error:
        raise InputError("", "", f"cannot write the samples to {folder}: {error.strerror}") from error
    emit(f"{len(frames)} files in {folder}: {', '.join(frames)}")
    return 0


def tables() -> Iterator[SideBySide]:
    """The tables, one per sample."""
    for sample in SAMPLES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they stand below the tables
            results = {model: evaluate(**arguments(sample, model)) for model in sample.models}
            yield side_by_side(results, title=sample.title)


def _more() -> Iterator[Any]:
    """Images and a learner; what they need is loaded when it is their turn."""
    from assay.cli import demo_images

    for make in (demo_images.detection, demo_images.segmentation, demo_images.learner):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield make()


def comparison() -> Comparisons:
    """The models of one sample by a few metrics."""
    first, second = (arguments(COMPARED, model) for model in COMPARED.models)
    models = dict(zip(COMPARED.models, (first["y_prob"], second["y_prob"]), strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compare(
            task="binary",
            y_true=first["y_true"],
            models=models,
            kind="y_prob",
            positive=COMPARED.positive,
            metrics=_SHOWN,
        )


def arguments(sample: DemoSample, model: str) -> dict[str, Any]:
    """The arguments of `evaluate` for one model."""
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

    return pl.read_parquet(io.BytesIO((resources.files("assay") / "samples" / f"{task}.parquet").read_bytes()))
