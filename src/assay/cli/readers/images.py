"""What the readers of images share: truth and predictions are files or folders, and a row is an image."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.cli.model_names import model_names
from assay.cli.readers.reader import CompareInput, DataOptions, ScoreInput
from assay.core.errors import ParameterError


@dataclass(frozen=True, eq=False)
class ImagePair:
    """Truth and predictions of one model, and what the files tell the metrics."""

    y_true: Any
    y_pred: Any
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])
    class_names: dict[Any, str] = field(default_factory=dict[Any, str])


class ImageReader(ABC):
    """A reader of images: subclasses read one model's predictions beside the truth."""

    options: frozenset[str] = frozenset()
    usual: tuple[str, ...] | None = None

    @abstractmethod
    def pair(self, data: DataOptions, truth: str, predictions: str) -> ImagePair:
        """Truth and predictions of one model."""

    def check(self, data: DataOptions, command: str) -> None:
        """The truth, then one model or several."""
        if command == "score" and len(data.files) < 2:
            words = "takes the truth and the predictions: assay score TRUTH PREDICTIONS"
            raise ParameterError("", f"--task {data.task}", words)
        if command == "compare" and len(data.files) < 3:
            words = "takes the truth and two models: assay compare TRUTH FIRST SECOND"
            raise ParameterError("", f"--task {data.task}", words)

    def score(self, data: DataOptions) -> ScoreInput:
        """Truth and predictions of one model."""
        pair = self.pair(data, *data.files)
        given = {"task": data.task, "y_true": pair.y_true, "y_pred": pair.y_pred}
        return ScoreInput(given, None, self.usual, pair.parameters, pair.class_names)

    def compare(self, data: DataOptions) -> CompareInput:
        """The truth, and the predictions of several models."""
        truth, *models = data.files
        names = model_names(
            data.names, len(models), [[Path(path).name.split(".")[0] or path for path in models], models]
        )
        pairs = [self.pair(data, truth, path) for path in models]
        arguments = {"task": data.task, "y_true": pairs[0].y_true}
        predictions = {name: pair.y_pred for name, pair in zip(names, pairs, strict=True)}
        return CompareInput(predictions, arguments, None, self.usual, pairs[0].parameters)
