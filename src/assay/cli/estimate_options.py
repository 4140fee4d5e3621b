"""``assay estimate`` as it stands in the help: its arguments and options; the work is done in `assay.cli.estimate`."""

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
            "pair (fit, predict), a function that trains (X, y), or one without arguments that returns any of "
            "these. The file or module is imported, which runs its code.",
        ),
    ],
    file: Annotated[str, typer.Argument(help="csv, tsv, parquet, jsonl or arrow file; - reads standard input.")],
    truth: given.Truth,
    features: Annotated[
        str | None,
        given.column("--features", "-x", help="What to learn from (a,b or 'x_*'); without it, all other columns."),
    ] = None,
    groups: Annotated[
        str | None,
        given.column("--groups", "-g", help="The independent unit of each row (patient, user); never split."),
    ] = None,
    frame: Annotated[
        str | None,
        typer.Option(
            metavar="pandas|polars", rich_help_panel="Columns", help="Hand the learner a table in the place of numbers."
        ),
    ] = None,
    resampling: Annotated[
        str | None,
        given.split_option(
            "--resampling",
            "-r",
            help="cv:10x5, cv:5,stratify, holdout:0.3, subsampling:50x0.1, bootstrap:200, loo, groups, time:5; without it, what "
            "the guideline says.",
        ),
    ] = None,
    guideline: Annotated[
        bool, given.split_option("--guideline", help="Only say which scheme these data call for, and why.")
    ] = False,
    budget: Annotated[int | None, given.split_option("--budget", help="Fits that the guideline may spend; 50.")] = None,
    ordered: Annotated[
        bool, given.split_option("--ordered", help="Rows stand in time, and what comes later is predicted.")
    ] = False,
    seed: Annotated[int | None, given.split_option("--seed", help="Seed of splits and fits; 0.")] = None,
    grid: Annotated[
        list[str] | None,
        given.split_option(
            "--grid", metavar="NAME=A,B,C", help="Parameters to select inside every split; several times."
        ),
    ] = None,
    select: Annotated[
        str | None, given.split_option("--select", metavar="METRIC", help="The metric that selects; else the first.")
    ] = None,
    nested: Annotated[
        bool,
        given.split_option(
            "--nested", help="The learner is a search (GridSearchCV): show its optimism beside the estimate."
        ),
    ] = False,
    task: given.Task = None,
    metric: Annotated[
        list[str] | None,
        given.choice(
            "--metric",
            "--metrics",
            "-m",
            metavar="SPEC",
            help="Metrics, such as accuracy,log_loss; several times or with commas. Without it, the usual ones.",
        ),
    ] = None,
    positive: given.Positive = None,
    threshold: given.Threshold = 0.5,
    best: Annotated[
        list[str] | None,
        given.choice("--best", metavar="METRIC=VALUE", help="Best known value: shows the underfitting."),
    ] = None,
    method: Annotated[
        str,
        given.method(
            "auto (that of the scheme), corrected_t, nested_cv, conservative_z, bayle, five_by_two, cluster_t, 632+ ..."
        ),
    ] = "auto",
    level: given.Level = 0.95,
    jobs: Annotated[int, given.split_option("--jobs", "-j", help="Processes; -1 for one a core.")] = 1,
    store: Annotated[
        Path | None,
        given.split_option(
            "--store", metavar="FOLDER", help="Keep finished fits: the same command goes on where it was interrupted."
        ),
    ] = None,
    keep_train: Annotated[
        bool,
        given.split_option("--keep-train", help="Keep answers to training rows in the store too, for later metrics."),
    ] = False,
    predictions: Annotated[
        Path | None, given.file("--predictions", help="Write every answer to csv or parquet.")
    ] = None,
    splits: Annotated[
        Path | None, given.file("--splits", help="Write the values of every split to csv or parquet.")
    ] = None,
    figure: Annotated[
        Path | None, given.file("--figure", help="Draw the values of all splits and the interval: svg.")
    ] = None,
    fail_under: given.FailUnder = None,
    format: given.Format = None,
    json: given.Json = False,
    output: given.Output = None,
    input_format: given.InputFormat = None,
) -> int:
    """Estimate how well a learner will do on new data, with an interval that holds.

    assay estimate models.py:forest data.csv --truth y --resampling cv:10x5 --metrics accuracy,log_loss
    """  # fmt: skip
    from assay.cli import estimate as command
    from assay.cli.designs import Design, Fits, Measures, Outputs
    from assay.cli.output import chosen_format
    from assay.cli.rows import Wanted

    formats = command.GUIDELINE_FORMATS if guideline else command.FORMATS
    told = chosen_format(format, None if guideline else output, formats, as_json=json)
    outputs = Outputs(told, output, predictions, splits, figure)
    design = Design(
        resampling=resampling, seed=seed, budget=budget, ordered=ordered, grid=grid or (), select=select, nested=nested,
        method=method, level=level,
    )  # fmt: skip
    measures = Measures(task, positive, threshold, metric or (), best or (), fail_under or ())
    request = command.Request(
        learner,
        file,
        input_format,
        Wanted(truth, features, groups, frame),
        design,
        measures,
        Fits(jobs, store, keep_train),
    )
    return command.guide(request, outputs) if guideline else command.run(request, outputs)
