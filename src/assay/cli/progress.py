"""Progress on standard error while something takes long: a bar on a terminal, gone when it is done; else a line a minute."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from assay.cli import complain
from assay.cli.settings import current
from assay.evaluation.stage_progress import StageProgress

PATIENCE = 0.5  # seconds without a word on a terminal
MINUTE = 60.0  # seconds between lines in a file


class Log:
    """A line a minute, for standard error that is a file: what is on, and for how long."""

    def __init__(self) -> None:
        self.since = self.last = monotonic()

    def tell(self, words: str) -> None:
        """One line, if the last is a minute ago."""
        now = monotonic()
        if now - self.last >= MINUTE:
            self.last = now
            complain(f"{words}, after {(now - self.since) / MINUTE:.0f} min")


def each_minute(what: str) -> Callable[[int], None]:
    """What to call with the number of items that are done; it tells their total a line a minute."""
    log, total = Log(), 0

    def tell(done: int) -> None:
        nonlocal total
        total += done
        log.tell(f"{total:,} {what} done")

    return tell


@contextmanager
def resampling(replicates: int, rounds: int = 1) -> Generator[StageProgress | None]:
    """What to tell of metrics and replicates; None if the run is quiet. Every metric comes once in each of the ``rounds``."""
    if current().quiet:
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
    since, bar, log = monotonic(), None, Log()

    def show(name: str, done: int) -> None:
        nonlocal bar
        words = f"{name} ({done + 1} of {total})"
        if current().quiet:
            return
        if not sys.stderr.isatty():
            log.tell(words)
            return
        if bar is None and monotonic() - since <= PATIENCE:
            return
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
        self.log = None if sys.stderr.isatty() else Log()

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
        if self.log is not None:
            self.log.tell(words)
            return
        self.bar = self.bar or _started(words, self.total)
        part = min(1.0, self.done / self.replicates)
        self.bar.update(0, completed=min(self.at - 1 + part, self.total), total=self.total, description=words)

    def stop(self) -> None:
        if self.bar is not None:
            self.bar.stop()
