"""A line on standard error while something resamples: only on a terminal, only once it takes a while, gone when it is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic
from typing import Any

PATIENCE = 0.5  # seconds without a word


@contextmanager
def resampling() -> Generator[Callable[[int], None] | None]:
    """What to call with the number of replicates done; None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    line = _Line()
    try:
        yield line
    finally:
        line.stop()


class _Line:
    def __init__(self) -> None:
        self.done, self.since = 0, monotonic()
        self.bar: Any = None

    def __call__(self, done: int) -> None:
        self.done += done
        if self.bar is None and monotonic() - self.since > PATIENCE:
            self._start()
        if self.bar is not None:
            self.bar.update(0, completed=self.done)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        words = TextColumn("resampling: {task.completed:,.0f} replicates (Ctrl-C stops)")
        self.bar = Progress(SpinnerColumn(), words, TimeElapsedColumn(), transient=True, console=Console(stderr=True))
        self.bar.add_task("", total=None)
        self.bar.start()

    def stop(self) -> None:
        if self.bar is not None:
            self.bar.stop()
