"""Runs all fits of a plan, in sequence or in parallel, with progress, and without repeating what a store holds."""

from __future__ import annotations

import functools
import os
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, cast

from assay.core.errors import AssayWarning, ParameterError
from assay.core.extras import optional
from assay.inference.draws import Progress, tell
from assay.resampling.estimate._fits import FitJob, FitRecord, fitted
from assay.resampling.estimate._learning_data import LearningData
from assay.resampling.estimate._searches import splits_groups
from assay.resampling.estimate.learners import Learner

Watch = Progress | bool | None


def run(
    learner: Learner,
    data: LearningData,
    jobs: Iterable[FitJob],
    *,
    seed: int,
    workers: int,
    known: dict[int, FitRecord],
) -> Iterator[FitRecord]:
    """The fits as they finish; those in ``known`` are returned as they are."""
    for words in cautions(learner, data):
        warnings.warn(words, AssayWarning, stacklevel=3)
    left = _left(jobs, known)
    yield from known.values()
    if workers == 1:
        for job in left:
            yield fitted(learner, data, job, seed)
        return
    yield from _parallel(learner, data, left, seed, workers)


def cautions(learner: Learner, data: LearningData) -> list[str]:
    """Warnings before the first fit: here and not in worker processes, whose warnings are lost."""
    said: list[str] = []
    if learner.pairwise and len(data.classes) > 2:
        said.append(
            f"estimate: {learner.name} scores pairs of classes (decision_function_shape='ovo'), so its scores are ignored and only its "
            "decisions count. Choose 'ovr' for scores of classes."
        )
    if data.groups is not None and learner.search is not None and splits_groups(learner.search, data.y, data.groups):
        said.append(
            f"estimate: the inner splits of {learner.name} split groups, so it favours parameters that memorise groups. Give it a "
            "cv= that keeps groups whole, such as GroupKFold or a scheme of assay."
        )
    return said


def _left(jobs: Iterable[FitJob], known: dict[int, FitRecord]) -> Iterator[FitJob]:
    return (job for job in jobs if job.index not in known)


def _parallel(
    learner: Learner, data: LearningData, jobs: Iterator[FitJob], seed: int, workers: int
) -> Iterator[FitRecord]:
    """Worker processes by joblib, which can send closures and functions of notebooks and shares large arrays."""
    joblib = optional("joblib", "estimate", "jobs", "other than 1 requires joblib")
    pool: Any = joblib.Parallel(n_jobs=workers, return_as="generator_unordered", pre_dispatch="2*n_jobs")
    yield from pool(joblib.delayed(_fitted_below)(os.getpid(), learner, data, job, seed) for job in jobs)


def _fitted_below(parent: int, learner: Learner, data: LearningData, job: FitJob, seed: int) -> FitRecord:
    """A fit in a worker process, which ends when its parent does, however that ends."""
    _end_with(parent)
    return fitted(learner, data, job, seed)


@functools.cache
def _end_with(parent: int) -> None:
    """Watch the parent from a thread: a parent that is killed cannot stop its workers."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    if os.getpid() != parent:  # joblib may run a single job in the parent itself
        threading.Thread(target=watch, name="assay-parent", daemon=True).start()


def workers_of(jobs: int) -> int:
    """How many processes: all cores for -1."""
    if isinstance(jobs, bool) or not isinstance(cast(Any, jobs), int) or (jobs < 1 and jobs != -1):
        raise ParameterError(
            "estimate", "jobs", f"must be the number of processes, or -1 for one per core, got {jobs!r}"
        )
    return jobs if jobs > 0 else os.cpu_count() or 1


def watched(watch: Watch, total: int | None, words: str) -> AbstractContextManager[Callable[[int], None]]:
    """What to call with the number of fits done: a bar for True, the caller's own function, or nothing."""
    if watch is True:
        return _bar(total, words)
    return nullcontext(lambda done: tell(watch or None, done))


@contextmanager
def _bar(total: int | None, words: str) -> Generator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns: tuple[Any, ...] = (
        TextColumn("{task.description}"),
        BarColumn(20),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, TextColumn("(Ctrl-C stops)"), transient=True, console=Console(stderr=True)) as bar:
        task = bar.add_task(words, total=total)
        yield lambda done: bar.advance(task, done)
