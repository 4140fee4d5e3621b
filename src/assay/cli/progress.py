"""A line on standard error while something takes long: only on a terminal, only once it takes a while, gone when it is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from assay.evaluation.stage_progress import StageProgress

PATIENCE = 0.5  # seconds without a word


@contextmanager
def resampling(replicates: int, rounds: int = 1) -> Generator[StageProgress | None]:
    """What to tell of metrics and replicates; None where nobody watches. Every metric comes once in each of the ``rounds``."""
    if not sys.stderr.isatty():
        yield None
        return
    line = _Line(replicates, rounds)
    try:
        yield line
    finally:
        line.stop()


@contextmanager
def counted(total: int) -> Generator[Callable[[str, int], None]]:
    """What to tell of items that are done one after the other: the name of the next one, and how many are done."""
    since, bar = monotonic(), None

    def show(name: str, done: int) -> None:
        nonlocal bar
        if not sys.stderr.isatty() or (bar is None and monotonic() - since <= PATIENCE):
            return
        words = f"{name} ({done + 1} of {total})"
        bar = bar or _started(words, total)
        bar.update(0, completed=done, description=words)

    try:
        yield show
    finally:
        if bar is not None:
            bar.stop()


def _started(words: str, total: int) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(20), TimeRemainingColumn())
    bar = Progress(*columns, TextColumn("(Ctrl-C stops)"), transient=True, console=Console(stderr=True))
    bar.add_task(words, total=total)
    bar.start()
    return bar


class _Line(StageProgress):
    """Which metric is on, how many there are, how many replicates of it are done, and the time that is left."""

    def __init__(self, replicates: int, rounds: int) -> None:
        self.replicates, self.rounds, self.since = replicates, rounds, monotonic()
        self.at, self.total, self.name, self.done = 0, 1, "", 0
        self.bar: Any = None

    def stage(self, name: str, count: int) -> None:
        self.at, self.total, self.name, self.done = self.at + 1, max(self.total, count * self.rounds), name, 0
        self._show()

    def __call__(self, done: int) -> None:
        self.done += done
        self._show()

    def _show(self) -> None:
        if self.bar is None and monotonic() - self.since <= PATIENCE:
            return
        counted = f", {self.done:,} replicates" if self.done else ""
        words = f"{self.name} ({min(self.at, self.total)} of {self.total}{counted})"
        self.bar = self.bar or _started(words, self.total)
        part = min(1.0, self.done / self.replicates)
        self.bar.update(0, completed=min(self.at - 1 + part, self.total), total=self.total, description=words)

    def stop(self) -> None:
        if self.bar is not None:
            self.bar.stop()
