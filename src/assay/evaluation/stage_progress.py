"""Progress of a long evaluation: which metric is being computed, and how many there are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable


class StageProgress(ABC):
    """A ``progress`` that is also told about metrics, not about replicates alone."""

    @abstractmethod
    def __call__(self, done: int) -> None:
        """That many more replicates are done."""

    @abstractmethod
    def stage(self, name: str, count: int) -> None:
        """Work on ``name`` begins, one of ``count`` of its kind."""


def announce(progress: Callable[[int], None] | None, name: str, count: int) -> None:
    """Report a stage, if ``progress`` takes stages."""
    if isinstance(progress, StageProgress):
        progress.stage(name, count)
