"""The runner: deals the settings to processes, prints what they measure and writes the page if asked."""

from __future__ import annotations

import functools
import importlib
import multiprocessing
import sys
import warnings
from typing import Any

from benchmarks.coverage import page, store
from benchmarks.coverage.setting import Task

PARTS = ("tables", "numbers", "scores", "designs", "comparisons", "averages")
QUICK = 200
PROCESSES = 2


@functools.cache
def tasks(parts: tuple[str, ...]) -> list[Task]:
    """What is measured, in the order of the page; a part is a module, or a module and how its labels begin."""
    found: list[Task] = []
    for part in parts:
        module, _, begin = part.partition("/")
        every = importlib.import_module(f"benchmarks.coverage.{module}").settings()
        found += [task for task in every if task.label.startswith(begin)]
    return found


def _measure(job: tuple[tuple[str, ...], int, int]) -> tuple[str, list[Any]]:
    """One task, by its place: settings hold functions, which do not travel between processes."""
    parts, at, most = job
    warnings.simplefilter("ignore")
    task = tasks(parts)[at]
    return task.label, task.rows(most)


def main() -> int:
    """Measure what was asked for."""
    parts = tuple(a for a in sys.argv[1:] if not a.startswith("-")) or PARTS
    most = QUICK if "--quick" in sys.argv else sys.maxsize
    labels = [task.label for task in tasks(parts)]
    found: dict[str, list[Any]] = {}
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        for label, rows in pool.imap_unordered(_measure, [(parts, at, most) for at in range(len(labels))]):
            found[label] = rows
            for row in rows:
                print(page.line(row), flush=True)
    missed = sum(not row.held for rows in found.values() for row in rows if row.judged)
    print(f"{missed} of {sum(row.judged for rows in found.values() for row in rows)} bands missed")
    if "--write" in sys.argv:
        held = {} if parts == PARTS else store.read()
        everything = {**held, **found}
        order = [task.label for task in tasks(PARTS)]
        everything = {label: everything[label] for label in order if label in everything}
        store.write(everything)
        page.PAGE.write_text(page.text([row for rows in everything.values() for row in rows]))
    return 0
