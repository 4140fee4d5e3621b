"""The commands; each one lives in a module of its own that is loaded when it runs, so that starting stays quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    name="assay", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Measure machine-learning models: every number beside its baseline, with the traps named.",
)  # fmt: skip

_DATA, _CHOICE, _OUT = "Columns", "What to measure", "Output"


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
    """Measure machine-learning models: every number beside its baseline, with the traps named."""


def _column(*names: str, help: str) -> Any:
    return typer.Option(*names, help=help, metavar="COLUMN", rich_help_panel=_DATA)


@app.command()
def score(
    file: Annotated[str, typer.Argument(help="csv, tsv, parquet, jsonl or arrow file; - reads standard input.")],
    truth: Annotated[
        str, _column("--truth", "-t", help="True values; several columns (a,b,c or y_*) are a multilabel task.")
    ],
    task: Annotated[
        str | None,
        typer.Option(
            help="regression, binary, multiclass or multilabel; may be left out where it is plain.",
            rich_help_panel=_CHOICE,
        ),
    ] = None,
    pred: Annotated[str | None, _column("--pred", "-p", help="Predicted values or labels.")] = None,
    prob: Annotated[
        str | None,
        _column("--prob", help="Probabilities: of the positive class, or a column a class (p0,p1,p2 or prob_*)."),
    ] = None,
    scores: Annotated[str | None, _column("--score", help="Scores of any scale, for metrics of rank.")] = None,
    logits: Annotated[str | None, _column("--logits", help="Logits, as --prob.")] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="NAME=COLUMN",
            rich_help_panel=_DATA,
            help="What a metric takes beyond predictions: lower, upper, members, mean, sd, scale, y_baseline; several times.",
        ),
    ] = None,
    weight: Annotated[str | None, _column("--weight", "-w", help="Weight of each row.")] = None,
    groups: Annotated[
        str | None, _column("--groups", help="The independent unit of each row: patient, user, site.")
    ] = None,
    ids: Annotated[str | None, _column("--id", help="Name of each row; rows that come twice are refused.")] = None,
    by: Annotated[list[str] | None, _column("--by", help="Slice by this column; may be given several times.")] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="SPEC",
            rich_help_panel=_CHOICE,
            help='Metric, such as f1 or "f_beta:beta=2,average=macro"; several times. Without it, the usual ones.',
        ),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(metavar="A,B,C", rich_help_panel=_CHOICE, help="The classes, in the order of the --prob columns."),
    ] = None,
    positive: Annotated[
        str | None, typer.Option(metavar="LABEL", rich_help_panel=_CHOICE, help="The positive class of a binary task.")
    ] = None,
    threshold: Annotated[
        float, typer.Option(rich_help_panel=_CHOICE, help="Probability from which a class is predicted.")
    ] = 0.5,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC=VALUE",
            rich_help_panel=_OUT,
            help="Exit with code 1 if the metric is worse than this (above it where lower is better).",
        ),
    ] = None,
    format: Annotated[
        str | None, typer.Option("--format", "-f", rich_help_panel=_OUT, help="table, json, csv, markdown or latex.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", rich_help_panel=_OUT, help="Write to this file instead of the terminal."),
    ] = None,
    input_format: Annotated[
        str | None,
        typer.Option(rich_help_panel=_DATA, help="csv, tsv, parquet, jsonl or arrow, if the name does not tell."),
    ] = None,
) -> int:
    """Score a table of predictions.

    assay score preds.parquet --task binary --truth y --prob p --by site
    """  # fmt: skip
    from assay.cli import score as command
    from assay.cli.columns import Request

    request = Request(
        truth=truth, task=task, pred=pred, prob=prob, score=scores, logits=logits, weight=weight, groups=groups, ids=ids,
        by=tuple(by or ()), classes=classes, positive=positive, threshold=threshold,
        inputs=tuple(inputs or ()),
    )  # fmt: skip
    return command.run(
        file,
        request,
        metrics=metric or None,
        limits=fail_under or [],
        format=format,
        output=output,
        input_format=input_format,
    )


@app.command()
def explain(
    name: Annotated[str, typer.Argument(help="The key of a metric, such as f_beta.")],
    format: Annotated[str, typer.Option("--format", "-f", help="text, json or markdown.")] = "text",
) -> int:
    """Explain a metric: formula, meaning, range, when it misleads, references."""
    from assay.cli import explain as command

    return command.run(name, format)


@app.command("list")
def list_entries(
    kind: Annotated[str | None, typer.Option(help="Only entries of this kind: metric.")] = None,
    task: Annotated[str | None, typer.Option(help="Only entries of this task: regression, classification.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """List what there is, by task."""
    from assay.cli import entries as command

    return command.run(kind, task, as_json=json)


@app.command()
def demo(
    format: Annotated[str, typer.Option("--format", "-f", help="table or markdown.")] = "table",
    save: Annotated[
        Path | None, typer.Option("--save", help="Write the samples as csv into this folder and stop.")
    ] = None,
) -> int:
    """Score real predictions of two models for each task, side by side."""
    from assay.cli import demo as command

    return command.run(format) if save is None else command.save(save)
