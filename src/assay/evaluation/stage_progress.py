"""What a watcher of a long evaluation is told: which metric is on, and how many there are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class StageProgress(ABC):
    """A ``progress`` that also wants to hear of metrics, not of replicates alone."""

    @abstractmethod
    def __call__(self, done: int) -> None:
        """So many replicates more are done."""

    @abstractmethod
    def stage(self, name: str, count: int) -> None:
        """Work on ``name`` begins, one of ``count`` of its kind."""


def announce(progress: Any, name: str, count: int) -> None:
    """Tell a watcher that wants to know."""
    if isinstance(progress, StageProgress):
        progress.stage(name, count)
