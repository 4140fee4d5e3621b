"""The commands; each one lives in a module of its own that is loaded when it runs, so that starting stays quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from assay.cli import completion
from assay.cli import parameters as given
from assay.cli.config import Option
from assay.cli.estimate_options import estimate
from assay.cli.settings import with_settings

app = typer.Typer(
    name="assay", no_args_is_help=True, pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Measure machine-learning models: every number with its interval and baseline, and a warning about each pitfall.",
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
    """Measure machine-learning models: every number with its interval and baseline, and a warning about each pitfall."""


@app.command()
@with_settings
def score(
    file: Annotated[
        str,
        typer.Argument(
            help="csv, tsv, parquet, jsonl or arrow file, 'preds-*.csv' for several as one table, or s3://...; - reads standard input. For "
            "images and texts: the truth, a file or folder."
        ),
    ],
    predictions: Annotated[
        str | None, typer.Argument(metavar="PREDICTIONS", help="For images and texts: the predictions.")
    ] = None,
    truth: given.MaybeTruth = None,
    task: given.Task = None,
    pred: Annotated[str | None, given.PRED] = None,
    prob: Annotated[str | None, given.PROB] = None,
    scores: Annotated[str | None, given.SCORE] = None,
    logits: Annotated[str | None, given.LOGITS] = None,
    inputs: given.Inputs = None,
    weight: given.Weight = None,
    ids: Annotated[str | None, given.column("--id", help="Identifier of each row; duplicate rows are refused.")] = None,
    by: Annotated[
        list[str] | None, given.column("--by", help="Also score each value of this column; may be repeated.")
    ] = None,
    metric: given.Metrics = None,
    classes: given.Classes = None,
    positive: given.Positive = None,
    threshold: given.Threshold = 0.5,
    level: given.Level = 0.95,
    no_intervals: Annotated[bool, given.interval_option("--no-intervals", help="Values only.")] = False,
    method: Annotated[
        str, given.method("auto (the best for each metric), bootstrap, bca, percentile, delta, exact, wilson ...")
    ] = "auto",
    groups: given.Groups = None,
    strata: given.Strata = None,
    replicates: given.Replicates = 2000,
    seed: given.Seed = 0,
    missing: given.MissingQueries = "error",
    pool: Annotated[
        bool, given.interval_option("--pool", help="Partial pooling: small slices borrow strength from the others.")
    ] = False,
    ref: given.References = None,
    source: given.Source = None,
    iou_type: given.ImageKind = None,
    features: given.Features = None,
    ignore_index: given.IgnoreIndex = None,
    images: given.ImageFolder = None,
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
    """Score a table of predictions, images or texts, every number with its interval.

    assay score preds.parquet --task binary --truth y --prob p --by site

    assay score instances.json detections.json --task detection

    assay score ref.txt hyp.txt --task translation -m bleu
    """  # fmt: skip
    from assay.cli import score as command
    from assay.cli.readers import DataOptions

    data = DataOptions(
        (file,) if predictions is None else (file, predictions), task, input_format, truth=truth, pred=given.some(pred),
        prob=given.some(prob), score=given.some(scores), logits=given.some(logits), inputs=tuple(inputs or ()), weight=weight,
        groups=groups, strata=strata, ids=ids, by=tuple(by or ()), missing=missing, classes=classes, positive=positive,
        threshold=threshold, iou_type=iou_type, features=features, ignore_index=ignore_index, image_folder=images, crowdpose=crowdpose,
        exhaustive=exhaustive, box_format=box_format, normalized=normalized, references=tuple(ref or ()), source=source,
    )  # fmt: skip
    return command.run(
        data, metrics=metric or [], limits=fail_under or [], format=format, as_json=json, output=output,
        intervals=command.IntervalOptions(level, method, replicates, seed, pool, none=no_intervals),
    )  # fmt: skip


@app.command()
@with_settings
def compare(
    files: Annotated[
        list[str],
        typer.Argument(
            help="One file per model; or one file, and --prob (or --pred ...) once per model. For images and texts: the truth, then the "
            "models."
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
        str | None,
        given.column("--id", help="Identifier of each row in all files; by default rows are matched by their order."),
    ] = None,
    missing: Annotated[
        str,
        typer.Option(
            help="Rows that are not in all files: error or drop; of rankings: error, zero or skip.",
            rich_help_panel="Columns",
        ),
    ] = "error",
    names: Annotated[
        str | None, typer.Option(metavar="A,B", help="Names of the models; by default those of the files or columns.")
    ] = None,
    metric: given.Metrics = None,
    classes: given.Classes = None,
    positive: given.Positive = None,
    threshold: given.Threshold = 0.5,
    level: given.Level = 0.95,
    method: Annotated[
        str, given.method("auto (the best for each metric), delong, mcnemar, bootstrap, permutation ...")
    ] = "auto",
    groups: given.Groups = None,
    strata: given.Strata = None,
    replicates: given.Replicates = 2000,
    seed: given.Seed = 0,
    margin: Annotated[
        float | None,
        given.interval_option(
            "--margin", help="Also test non-inferiority and equivalence of the first model within this margin."
        ),
    ] = None,
    effect: Annotated[
        float | None,
        given.interval_option(
            "--effect", help="Also report how many rows detect this difference with a power of 80 %."
        ),
    ] = None,
    correction: Annotated[
        str,
        given.interval_option(
            "--correction",
            help="What p values and findings are corrected for (Holm): metrics (and pairs), or the pairs of each metric alone.",
        ),
    ] = "metrics",
    ref: given.References = None,
    iou_type: given.ImageKind = None,
    ignore_index: given.IgnoreIndex = None,
    images: given.ImageFolder = None,
    crowdpose: given.CrowdPose = False,
    exhaustive: given.Exhaustive = False,
    box_format: given.BoxFormat = None,
    normalized: given.Normalized = None,
    fail_if_worse: given.FailIfWorse = None,
    fail_if_unsure: given.FailIfUnsure = False,
    format: given.Format = None,
    json: given.Json = False,
    output: given.Output = None,
    input_format: given.InputFormat = None,
) -> int:
    """Compare models on the same rows: which is best, which cannot be told apart, by how much, and with what certainty.

    assay compare old.csv new.csv --truth y --prob p --id case

    assay compare instances.json old.json new.json --task detection

    assay compare ref.txt old.txt new.txt --task translation
    """  # fmt: skip
    from assay.cli import compare as command
    from assay.cli.readers import DataOptions

    data = DataOptions(
        tuple(files), task, input_format, truth=truth, pred=tuple(pred or ()), prob=tuple(prob or ()), score=tuple(scores or ()),
        logits=tuple(logits or ()), inputs=tuple(inputs or ()), weight=weight, groups=groups, strata=strata, ids=ids,
        missing=missing, classes=classes, positive=positive, threshold=threshold, iou_type=iou_type, ignore_index=ignore_index,
        image_folder=images, crowdpose=crowdpose, exhaustive=exhaustive, box_format=box_format, normalized=normalized,
        names=names, references=tuple(ref or ()),
    )  # fmt: skip
    return command.run(
        data, metrics=metric or [], margins=fail_if_worse or [], sure=fail_if_unsure, format=format, as_json=json,
        output=output, level=level, method=method,
        replicates=replicates, seed=seed, margin=margin, effect=effect, correction=correction,
    )  # fmt: skip


app.command()(with_settings(estimate))


@app.command()
@with_settings
def plan(
    metric: Annotated[list[str], typer.Option("--metric", "-m", metavar="SPEC", help="Metric, such as accuracy.")],
    width: Annotated[float | None, typer.Option(help="How many rows for an interval of this full width.")] = None,
    effect: Annotated[
        float | None, typer.Option(help="How many rows to detect this difference between two models.")
    ] = None,
    n: Annotated[int | None, typer.Option("--n", "-n", help="What this many rows achieve.")] = None,
    value: Annotated[float | None, typer.Option(help="Assumed value of the metric.")] = None,
    discordance: Annotated[
        float | None, typer.Option(help="Assumed fraction of rows on which only one of two models is right.")
    ] = None,
    sd: Annotated[float | None, typer.Option(help="Assumed standard deviation of the losses of single rows.")] = None,
    prevalence: Annotated[float | None, typer.Option(help="Assumed fraction of positive rows.")] = None,
    share: Annotated[float | None, typer.Option(help="Assumed fraction of rows that count for the metric.")] = None,
    correlation: Annotated[
        float | None, typer.Option(help="Assumed correlation of the two models' losses or areas.")
    ] = None,
    power: Annotated[
        float | None, typer.Option(help="Probability of detecting the difference; 0.8 by default.")
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level of the interval or test.")] = 0.95,
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
@with_settings
def explain(
    name: Annotated[
        str,
        typer.Argument(
            autocompletion=completion.entries,
            help="The key of an entry, such as f_beta, focal, cross_validation or interval; loss.mse for the loss that shares its "
            "name with a metric.",
        ),
    ],
    format: Annotated[str | None, given.format_of("text, json or markdown.")] = None,
    json: given.Json = False,
) -> int:
    """Explain a metric or loss (formula, meaning, range, when it misleads, references), a resampling scheme or a method of inference."""
    from assay.cli import explain as command

    return command.run(name, format, as_json=json)


@app.command("list")
@with_settings
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
    """List all entries by task."""
    from assay.cli import list_entries as command

    return command.run(kind, task, aliases=every, format=format, as_json=json)


@app.command()
@with_settings
def warm(
    check: Annotated[
        bool, typer.Option("--check", help="Compile nothing; exit with 1 if a kernel is not compiled yet.")
    ] = False,
    format: Annotated[str | None, given.format_of("text or json.")] = None,
    json: given.Json = False,
) -> int:
    """Compile all kernels ahead, so that no first call has to; for images, shared installations and benchmarks."""
    from assay.cli import warm as command

    return command.run(check=check, format=format, as_json=json)


@app.command()
@with_settings
def demo(
    format: Annotated[str | None, given.format_of("table or markdown.")] = None,
    save: Annotated[
        Path | None, typer.Option("--save", help="Write the samples as csv into this folder and stop.")
    ] = None,
) -> int:
    """Score real predictions of two models for each task, side by side, and compare them."""
    from assay.cli import demo as command

    return command.run(format) if save is None else command.save(save)


def options_of() -> dict[str, dict[str, Option]]:
    """The options of every command by the names that a file of settings gives them."""
    commands: Any = vars(typer.main.get_command(app))["commands"]
    return {
        name: {
            text.removeprefix("--"): Option(one.name, bool(one.multiple))
            for one in command.params
            if one.param_type_name == "option"
            for text in one.opts
            if text.startswith("--") and text not in ("--help", "--config")
        }
        for name, command in commands.items()
    }
