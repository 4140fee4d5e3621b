"""The runner: deals the settings to processes, prints what they measure and writes the page if asked."""

from __future__ import annotations

import argparse
import functools
import importlib
import multiprocessing
import sys
import warnings
from typing import Any

from benchmarks.coverage import page, store
from benchmarks.coverage.setting import Task

PARTS = (
    "tables", "numbers", "scores", "designs", "comparisons", "boundaries", "averages", "generation", "detection", "rankings",
    "learners",
)  # fmt: skip
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


def _keep(parts: tuple[str, ...], found: dict[str, list[Any]]) -> None:
    """Put new lines in the place of old ones and write the page from all."""
    held = {} if parts == PARTS else store.read()
    everything = {**held, **found}
    ordered = {task.label: everything[task.label] for task in tasks(PARTS) if task.label in everything}
    store.write(ordered)
    page.PAGE.write_text(page.text([row for rows in ordered.values() for row in rows]))


def _arguments() -> argparse.Namespace:
    known = ", ".join(PARTS)
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.coverage", description="Measure how often intervals hold."
    )
    parser.add_argument(
        "parts", nargs="*", default=PARTS, help=f"all, or some of {known}; also PART/BEGINNING OF A LABEL"
    )
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} data sets per line; nothing is written")
    parser.add_argument(
        "--processes", type=int, default=PROCESSES, help=f"how many work at once, {PROCESSES} by default"
    )
    parser.add_argument("--write", action="store_true", help="write docs/coverage.md")
    given = parser.parse_args()
    for part in given.parts:
        if part.partition("/")[0] not in PARTS:
            parser.error(f"there is no part {part!r}; there are {known}")
    return given


def main() -> int:
    """Measure what was asked for."""
    given = _arguments()
    parts, quick = tuple(given.parts), given.quick
    jobs = [(parts, at, QUICK if quick else sys.maxsize) for at in range(len(tasks(parts)))]
    found: dict[str, list[Any]] = {}
    with multiprocessing.get_context("spawn").Pool(given.processes) as pool:
        for label, rows in pool.imap_unordered(_measure, jobs):
            found[label] = rows
            for row in rows:
                print(page.line(row), flush=True)
    judged = [row for rows in found.values() for row in rows if row.judged]
    print(f"{sum(not row.held for row in judged)} of {len(judged)} bands missed")
    if given.write and not quick:
        _keep(parts, found)
    return 0
