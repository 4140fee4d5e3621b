"""The arguments and options of ``assay estimate``; the work is done in `assay.cli.estimate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import parameters as given


def estimate(
    learner: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:OBJECT",
            help="What to train, such as models.py:forest or sklearn.linear_model:LogisticRegression: an estimator, a class, a "
            "pair (fit, predict), a function that trains on (X, y), or one without arguments that returns any of "
            "these. The file or module is imported, which runs its code.",
        ),
    ],
    file: Annotated[str, typer.Argument(help="csv, tsv, parquet, jsonl or arrow file; - reads standard input.")],
    truth: given.Truth,
    features: Annotated[
        str | None,
        given.column("--features", "-x", help="Feature columns (a,b or 'x_*'); by default all other columns."),
    ] = None,
    groups: Annotated[
        str | None,
        given.column(
            "--groups", "-g", help="The independent unit of each row (patient, user); a group is never split."
        ),
    ] = None,
    frame: Annotated[
        str | None,
        typer.Option(
            metavar="pandas|polars",
            rich_help_panel="Columns",
            help="Pass the learner a data frame instead of an array.",
        ),
    ] = None,
    resampling: Annotated[
        str | None,
        given.split_option(
            "--resampling",
            "-r",
            help="cv:10x5, cv:5,stratify, holdout:0.3, subsampling:50x0.1, bootstrap:200, loo, groups, time:5; by default what "
            "the guideline recommends.",
        ),
    ] = None,
    guideline: Annotated[
        bool, given.split_option("--guideline", help="Only print which scheme suits these data, and why.")
    ] = False,
    budget: Annotated[
        int | None, given.split_option("--budget", help="Fits that the guideline may spend; 50 by default.")
    ] = None,
    ordered: Annotated[
        bool, given.split_option("--ordered", help="Rows are in time order, and later ones are to be predicted.")
    ] = False,
    seed: Annotated[
        int | None, given.split_option("--seed", help="Random seed of splits and fits; 0 by default.")
    ] = None,
    grid: Annotated[
        list[str] | None,
        given.split_option(
            "--grid", metavar="NAME=A,B,C", help="Parameter values to select from inside every split; may be repeated."
        ),
    ] = None,
    select: Annotated[
        str | None,
        given.split_option("--select", metavar="METRIC", help="The metric to select by; by default the first."),
    ] = None,
    nested: Annotated[
        bool,
        given.split_option("--nested", help="The learner is a search (GridSearchCV): also report its optimism."),
    ] = False,
    task: given.Task = None,
    metric: Annotated[
        list[str] | None,
        given.choice(
            "--metric",
            "--metrics",
            "-m",
            metavar="SPEC",
            help="Metrics, such as accuracy,log_loss; repeated or separated by commas. By default, the usual metrics of the task.",
        ),
    ] = None,
    positive: given.Positive = None,
    threshold: given.Threshold = 0.5,
    best: Annotated[
        list[str] | None,
        given.choice("--best", metavar="METRIC=VALUE", help="Best known value, to report the underfitting."),
    ] = None,
    method: Annotated[
        str,
        given.method(
            "auto (depends on the scheme), corrected_t, nested_cv, conservative_z, bayle, five_by_two, cluster_t, 632+ ..."
        ),
    ] = "auto",
    level: given.Level = 0.95,
    jobs: Annotated[int, given.split_option("--jobs", "-j", help="Number of processes; -1 for one per core.")] = 1,
    store: Annotated[
        Path | None,
        given.split_option(
            "--store",
            metavar="FOLDER",
            help="Keep finished fits, so that the same command resumes where it was interrupted.",
        ),
    ] = None,
    keep_train: Annotated[
        bool,
        given.split_option("--keep-train", help="Also store predictions on training rows, for later metrics."),
    ] = False,
    predictions: Annotated[
        Path | None, given.file("--predictions", help="Write all predictions to csv or parquet.")
    ] = None,
    splits: Annotated[
        Path | None, given.file("--splits", help="Write the values of each split to csv or parquet.")
    ] = None,
    figure: Annotated[
        Path | None, given.file("--figure", help="Draw the values of all splits and the interval as svg.")
    ] = None,
    fail_under: given.FailUnder = None,
    format: given.Format = None,
    json: given.Json = False,
    output: given.Output = None,
    input_format: given.InputFormat = None,
) -> int:
    """Estimate how well a learner will perform on new data, with a valid interval.

    assay estimate models.py:forest data.csv --truth y --resampling cv:10x5 --metrics accuracy,log_loss
    """  # fmt: skip
    from assay.cli import estimate as command
    from assay.cli.estimate_settings import FitOptions, MeasureOptions, OutputFiles, SplitOptions
    from assay.cli.learner_table import LearnerColumns
    from assay.cli.output import chosen_format

    formats = command.GUIDELINE_FORMATS if guideline else command.FORMATS
    chosen = chosen_format(format, None if guideline else output, formats, as_json=json)
    outputs = OutputFiles(chosen, output, predictions, splits, figure)
    design = SplitOptions(
        resampling=resampling, seed=seed, budget=budget, ordered=ordered, grid=grid or (), select=select, nested=nested,
        method=method, level=level,
    )  # fmt: skip
    measures = MeasureOptions(task, positive, threshold, metric or (), best or (), fail_under or ())
    request = command.EstimateRequest(
        learner,
        file,
        input_format,
        LearnerColumns(truth, features, groups, frame),
        design,
        measures,
        FitOptions(jobs, store, keep_train),
    )
    return command.guide(request, outputs) if guideline else command.run(request, outputs)
