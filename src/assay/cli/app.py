"""The commands; each one lives in a module of its own that is loaded when it runs, so that starting stays quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import parameters as given
from assay.cli.estimate_options import estimate

app = typer.Typer(
    name="assay", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Measure machine-learning models: every number with its interval, beside its baseline, with the traps named.",
)  # fmt: skip


def _version(wanted: bool) -> None:
    if wanted:
        from assay.version import __version__

        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Measure machine-learning models: every number with its interval, beside its baseline, with the traps named."""


@app.command()
def score(
    file: Annotated[
        str,
        typer.Argument(
            help="csv, tsv, parquet, jsonl or arrow file; - reads standard input. Of images: the truth, a file or folder."
        ),
    ],
    found: Annotated[str | None, typer.Argument(metavar="PREDICTIONS", help="Of images: the predictions.")] = None,
    truth: given.MaybeTruth = None,
    task: given.Task = None,
    pred: Annotated[str | None, given.PRED] = None,
    prob: Annotated[str | None, given.PROB] = None,
    scores: Annotated[str | None, given.SCORE] = None,
    logits: Annotated[str | None, given.LOGITS] = None,
    inputs: given.Inputs = None,
    weight: given.Weight = None,
    ids: Annotated[str | None, given.column("--id", help="Name of each row; rows that come twice are refused.")] = None,
    by: Annotated[
        list[str] | None, given.column("--by", help="Slice by this column; may be given several times.")
    ] = None,
    metric: given.Metrics = None,
    classes: given.Classes = None,
    positive: given.Positive = None,
    threshold: given.Threshold = 0.5,
    level: given.Level = 0.95,
    no_intervals: Annotated[bool, given.interval_option("--no-intervals", help="Numbers alone.")] = False,
    method: Annotated[
        str, given.method("auto (the best known for each metric), bootstrap, bca, percentile, delta, exact, wilson ...")
    ] = "auto",
    groups: given.Groups = None,
    strata: given.Strata = None,
    replicates: given.Replicates = 2000,
    seed: given.Seed = 0,
    pool: Annotated[
        bool, given.interval_option("--pool", help="Let small slices borrow from the others (partial pooling).")
    ] = False,
    iou_type: given.ImageKind = "bbox",
    features: given.Features = None,
    ignore_index: given.IgnoreIndex = None,
    pictures: given.Pictures = None,
    crowdpose: given.CrowdPose = False,
    exhaustive: given.Exhaustive = False,
    box_format: given.BoxFormat = None,
    normalized: given.Normalized = None,
    fail_under: given.FailUnder = None,
    format: given.Format = None,
    json: given.Json = False,
    output: given.Output = None,
    input_format: given.InputFormat = None,
) -> int:
    """Score a table of predictions, or images, every number with its interval.

    assay score preds.parquet --task binary --truth y --prob p --by site

    assay score instances.json detections.json --task detection
    """  # fmt: skip
    from assay.cli import images
    from assay.cli import score as command
    from assay.cli.columns import Request

    intervals = command.Intervals(level, method, replicates, seed, pool, none=no_intervals)
    if task in images.TASKS:
        images.refuse_columns({"--truth": truth, "--pred": pred, "--prob": prob, "--by": by, "--groups": groups})
        return images.score(
            images.Images(task, file, iou_type, features, ignore_index, pictures, crowdpose, exhaustive, box_format, normalized), found,
            metrics=metric or None,
            limits=fail_under or [], format=format, as_json=json, output=output, intervals=intervals,
        )  # fmt: skip
    if found is not None or truth is None:
        images.refuse_table(file, found, task)
    request = Request(
        truth=truth, task=task, pred=pred, prob=prob, score=scores, logits=logits, weight=weight, groups=groups,
        strata=strata, ids=ids, by=tuple(by or ()), classes=classes, positive=positive, threshold=threshold,
        inputs=tuple(inputs or ()),
    )  # fmt: skip
    return command.run(
        file, request, metrics=metric or None, limits=fail_under or [], format=format, as_json=json, output=output,
        input_format=input_format, intervals=intervals,
    )  # fmt: skip


@app.command()
def compare(
    files: Annotated[
        list[str],
        typer.Argument(
            help="A file a model; or one file, and --prob (or --pred ...) once a model. Of images: the truth, then the models."
        ),
    ],
    truth: given.MaybeTruth = None,
    task: given.Task = None,
    pred: Annotated[list[str] | None, given.PRED] = None,
    prob: Annotated[list[str] | None, given.PROB] = None,
    scores: Annotated[list[str] | None, given.SCORE] = None,
    logits: Annotated[list[str] | None, given.LOGITS] = None,
    inputs: given.Inputs = None,
    weight: given.Weight = None,
    ids: Annotated[
        str | None, given.column("--id", help="What identifies a row in all files; without it, the order of rows does.")
    ] = None,
    missing: Annotated[
        str, typer.Option(help="Rows that are not in all files: error, or drop.", rich_help_panel="Columns")
    ] = "error",
    names: Annotated[
        str | None, typer.Option(metavar="A,B", help="Names of the models; else those of the files or columns.")
    ] = None,
    metric: given.Metrics = None,
    classes: given.Classes = None,
    positive: given.Positive = None,
    threshold: given.Threshold = 0.5,
    level: given.Level = 0.95,
    method: Annotated[
        str, given.method("auto (the best known for each metric), delong, mcnemar, bootstrap, permutation ...")
    ] = "auto",
    groups: given.Groups = None,
    strata: given.Strata = None,
    replicates: given.Replicates = 2000,
    seed: given.Seed = 0,
    margin: Annotated[
        float | None,
        given.interval_option("--margin", help="Also test: the first is not worse by this much; both are within it."),
    ] = None,
    effect: Annotated[
        float | None,
        given.interval_option("--effect", help="Also tell how many rows find this difference four times out of five."),
    ] = None,
    correction: Annotated[
        str,
        given.interval_option(
            "--correction",
            help="What p values and findings allow for (Holm): metrics (and pairs), or pairs of each metric alone.",
        ),
    ] = "metrics",
    iou_type: given.ImageKind = "bbox",
    ignore_index: given.IgnoreIndex = None,
    pictures: given.Pictures = None,
    crowdpose: given.CrowdPose = False,
    exhaustive: given.Exhaustive = False,
    box_format: given.BoxFormat = None,
    normalized: given.Normalized = None,
    format: given.Format = None,
    json: given.Json = False,
    output: given.Output = None,
    input_format: given.InputFormat = None,
) -> int:
    """Compare models on the same rows: who is best, who cannot be told apart, by how much, and how sure.

    assay compare old.csv new.csv --truth y --prob p --id case

    assay compare instances.json old.json new.json --task detection
    """  # fmt: skip
    from assay.cli import compare as command
    from assay.cli import images
    from assay.cli.columns import Request

    if task in images.TASKS:
        images.refuse_columns({"--truth": truth, "--pred": pred, "--prob": prob, "--groups": groups, "--id": ids})
        models = command.Files(files[1:], {}, names, None, "error", None)
        return images.compared(
            images.Images(task, files[0], iou_type, None, ignore_index, pictures, crowdpose, exhaustive, box_format, normalized), files[1:],
            models.titles() if len(files) > 2 else [],
            metrics=metric or None, format=format, as_json=json, output=output, level=level, method=method,
            replicates=replicates, seed=seed, margin=margin, effect=effect, correction=correction,
        )  # fmt: skip
    if truth is None:
        images.refuse_table(files[0], None, task)

    request = Request(
        truth=truth, task=task, weight=weight, groups=groups, strata=strata, classes=classes, positive=positive,
        threshold=threshold, inputs=tuple(inputs or ()),
    )  # fmt: skip
    columns = {"pred": pred or [], "prob": prob or [], "score": scores or [], "logits": logits or []}
    return command.run(
        command.Files(files, columns, names, ids, missing, input_format), request, metrics=metric or None,
        format=format, as_json=json, output=output, level=level, method=method, replicates=replicates, seed=seed,
        margin=margin, effect=effect, correction=correction,
    )  # fmt: skip


app.command()(estimate)


@app.command()
def plan(
    metric: Annotated[list[str], typer.Option("--metric", "-m", metavar="SPEC", help="Metric, such as accuracy.")],
    width: Annotated[float | None, typer.Option(help="Rows for an interval of this full width.")] = None,
    effect: Annotated[float | None, typer.Option(help="Rows to find this difference of two models.")] = None,
    n: Annotated[int | None, typer.Option("--n", "-n", help="What this many rows give.")] = None,
    value: Annotated[float | None, typer.Option(help="Assumed: the value of the metric.")] = None,
    discordance: Annotated[
        float | None, typer.Option(help="Assumed: the part of rows on which only one of two models is right.")
    ] = None,
    sd: Annotated[float | None, typer.Option(help="Assumed: standard deviation of the losses of rows.")] = None,
    prevalence: Annotated[float | None, typer.Option(help="Assumed: the part of positive rows.")] = None,
    share: Annotated[float | None, typer.Option(help="Assumed: the part of rows that count for the metric.")] = None,
    correlation: Annotated[
        float | None, typer.Option(help="Assumed: correlation of the two models' losses or areas.")
    ] = None,
    power: Annotated[float | None, typer.Option(help="Chance of finding the difference; 0.8 if not said.")] = None,
    level: Annotated[float, typer.Option(help="Level of the interval or test.")] = 0.95,
    format: Annotated[str | None, given.format_of("text or json.")] = None,
    json: given.Json = False,
) -> int:
    """Plan a test set: rows for an interval of a given width, or to tell two models apart.

    assay plan --metric accuracy --value 0.9 --width 0.02
    """  # fmt: skip
    from assay.cli import plan as command

    return command.run(
        metric, format=format, as_json=json, width=width, effect=effect, n=n, value=value, discordance=discordance, sd=sd,
        prevalence=prevalence, share=share, correlation=correlation, power=power, level=level,
    )  # fmt: skip


@app.command()
def explain(
    name: Annotated[
        str,
        typer.Argument(
            help="The key of an entry, such as f_beta, focal, cross_validation or interval; loss.mse for the loss beside the "
            "metric."
        ),
    ],
    format: Annotated[str | None, given.format_of("text, json or markdown.")] = None,
    json: given.Json = False,
) -> int:
    """Explain a metric or loss (formula, meaning, range, when it misleads, references), a resampling scheme or a way of inference."""
    from assay.cli import explain as command

    return command.run(name, format, as_json=json)


@app.command("list")
def list_entries(
    kind: Annotated[
        str | None, typer.Option(help="Only entries of this kind: metric, loss, resampling, inference.")
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="Only entries of this task, such as regression or segmentation.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Also list the aliases of each entry.")] = False,
    format: Annotated[str | None, given.format_of("table or json.")] = None,
    json: given.Json = False,
) -> int:
    """List what there is, by task."""
    from assay.cli import entries as command

    return command.run(kind, task, aliases=every, format=format, as_json=json)


@app.command()
def demo(
    format: Annotated[str | None, given.format_of("table or markdown.")] = None,
    save: Annotated[
        Path | None, typer.Option("--save", help="Write the samples as csv into this folder and stop.")
    ] = None,
) -> int:
    """Score real predictions of two models for each task, side by side, and compare them."""
    from assay.cli import demo as command

    return command.run(format) if save is None else command.save(save)
