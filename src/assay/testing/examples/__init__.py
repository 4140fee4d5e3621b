"""Example inputs of every loss, one file per family: the ground on which `assay.testing.check_loss` checks the laws."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

FAMILIES = (
    "regression",
    "classification",
    "detection",
    "segmentation",
    "combination",
    "embedding",
    "generation",
    "text",
)
Maker = Callable[[np.random.Generator], "list[Example]"]
_MAKERS: dict[str, Maker] = {}


@dataclass(frozen=True)
class Example:
    """One call of a loss, in NumPy double precision.

    ``inputs`` are arrays by name and ``options`` the other parameters. ``vary`` names the inputs that are differentiated, the
    prediction first. ``rows`` names the inputs with one entry per row where the loss is a mean over independent rows; without
    them weights, masks and subsets are not looked at. ``wide`` is how far predictions are spread when claims are checked; 0 for
    a form to which the claims of the record do not apply. ``stopped`` says that a part of the loss is a constant for the
    gradient on purpose: differences of values then say nothing about it.
    """

    inputs: Mapping[str, Any]
    vary: tuple[str, ...]
    rows: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    wide: float = 3.0
    stopped: bool = False

    def replaced(self, **inputs: object) -> Example:
        """The same call with other inputs."""
        return Example({**self.inputs, **inputs}, self.vary, self.rows, self.options, self.wide, self.stopped)


def examples(*names: str) -> Callable[[Maker], Maker]:
    """The examples of the losses of these names."""

    def registered(maker: Maker) -> Maker:
        _MAKERS.update(dict.fromkeys(names, maker))
        return maker

    return registered


def examples_of(loss: Callable[..., object]) -> list[Example]:
    """Fresh examples of a loss of ours, always the same; [] if there are none."""
    for family in FAMILIES:
        importlib.import_module(f"assay.testing.examples.{family}")
    key = cast(str, getattr(loss, "key", ""))
    return _MAKERS[key](np.random.default_rng(len(key))) if key in _MAKERS else []
