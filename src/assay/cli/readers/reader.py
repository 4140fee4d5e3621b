"""What a reader is: it turns what the command line says about the data into the arguments of `evaluate` and `compare`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from assay.core.errors import ParameterError
from assay.core.signatures import spec_fields

_OPTIONS = {
    "ids": "--id", "inputs": "--input", "image_folder": "--images", "normalized": "--normalized/--pixels", "references": "--ref",
}  # fmt: skip
# Parameters of metrics that options set: they must fit every metric; what a file happens to tell need not.
_SET_BY_OPTIONS = ("iou_type", "ignore_index", "sigmas", "use_area", "missing")


@dataclass(frozen=True)
class DataOptions:
    """Everything that the command line says about the data; a reader takes the options that it knows."""

    files: tuple[str, ...]
    task: str | None = None
    input_format: str | None = None
    # tables: columns, one per model where models are compared
    truth: str | None = None
    pred: tuple[str, ...] = ()
    prob: tuple[str, ...] = ()
    score: tuple[str, ...] = ()
    logits: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    weight: str | None = None
    groups: str | None = None
    strata: str | None = None
    ids: str | None = None
    by: tuple[str, ...] = ()
    missing: str = "error"
    classes: str | None = None
    positive: str | None = None
    threshold: float = 0.5
    # texts
    references: tuple[str, ...] = ()
    source: str | None = None
    # images
    iou_type: str | None = None
    features: str | None = None
    ignore_index: int | None = None
    image_folder: str | None = None
    crowdpose: bool = False
    exhaustive: bool = False
    box_format: str | None = None
    normalized: bool | None = None
    # models
    names: str | None = None

    def given(self) -> dict[str, str]:
        """The options that were given a value of their own: name of the field to option."""
        everywhere = ("files", "task", "names")
        changed = [f.name for f in fields(self) if f.name not in everywhere and getattr(self, f.name) != f.default]
        return {name: _OPTIONS.get(name, f"--{name.replace('_', '-')}") for name in changed}


@dataclass(frozen=True, eq=False)
class ScoreInput:
    """What `evaluate` is called with, and what the files say beyond it."""

    arguments: dict[str, Any]
    inferred: str | None = None  # why the task is what it is, if it was not named
    usual: tuple[str, ...] | None = None  # the metrics if none are named; else those of the task
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])  # of metrics, from options and files
    class_names: dict[Any, str] = field(default_factory=dict[Any, str])
    notes: tuple[str, ...] = ()  # on the files, to stand beside the result

    def call(self, metrics: list[str] | None) -> dict[str, Any]:
        """The arguments with the metrics chosen, and with those parameters that they know."""
        return {**self.arguments, "metrics": metrics or self.usual, **known_parameters(self.parameters, metrics)}


@dataclass(frozen=True, eq=False)
class CompareInput:
    """What `compare` is called with: the models by name, and how their rows were matched."""

    models: dict[str, Any]
    arguments: dict[str, Any]
    inferred: str | None = None
    usual: tuple[str, ...] | None = None
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])
    matched: str = ""

    def call(self, metrics: list[str] | None) -> dict[str, Any]:
        """The arguments with the metrics chosen, and with those parameters that they know."""
        chosen = {"models": self.models, "metrics": metrics or self.usual}
        return {**self.arguments, **chosen, **known_parameters(self.parameters, metrics)}


class Reader(Protocol):
    """Reads the data of one family of tasks; ``options`` are the fields of `DataOptions` that it takes."""

    @property
    def options(self) -> frozenset[str]:
        """The fields of `DataOptions` that it takes."""
        ...

    def check(self, data: DataOptions, command: str) -> None:
        """Refuse what can be refused before a file is read."""
        ...

    def score(self, data: DataOptions) -> ScoreInput:
        """Truth and predictions of one model."""
        ...

    def compare(self, data: DataOptions) -> CompareInput:
        """The truth and the predictions of several models on the same rows."""
        ...


def known_parameters(parameters: dict[str, Any], metrics: list[str] | None) -> dict[str, Any]:
    """``parameters=`` of a call, without what none of the metrics named knows."""
    if metrics is not None:
        known = {*_SET_BY_OPTIONS, *(name for spec in metrics for name in spec_fields(spec))}
        parameters = {name: value for name, value in parameters.items() if name in known}
    return {"parameters": parameters} if parameters else {}


def refuse_foreign_options(reader: Reader, data: DataOptions) -> None:
    """An option that the reader does not take would be passed over in silence."""
    for name, option in data.given().items():
        if name not in reader.options:
            task = f"--task {data.task}" if data.task else "a table"
            raise ParameterError("", option, f"does not apply to {task}", "Drop it.")
