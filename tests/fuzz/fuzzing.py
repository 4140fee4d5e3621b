"""Spoil valid calls by junk, from a seed: a call may give a result or an error of ours, nothing else."""

from __future__ import annotations

import contextlib
import io
import random
import signal
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import valid_calls
from junk import JUNK
from morphs import MORPHS, morphed
from valid_calls import Call, functions
from valid_metrics import metric_call

import assay
from assay.core import registry

LONGEST = 300  # seconds; JAX compiles for long on a busy machine, but nothing here is endless
_OURS = (assay.AssayError,)


@dataclass(frozen=True)
class Finding:
    """A foreign error: where to find it again, the call, and what came of it."""

    seed: int
    index: int
    call: str
    error: str
    place: str

    def __str__(self) -> str:
        return f"attempt({self.seed}, {self.index}): {self.call}\n    {self.error}\n    at {self.place}"


class TooLongError(Exception):
    """The call does not end."""


@cache
def everything() -> tuple[list[Call], list[Any]]:
    """All functions, and all metrics."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(functions()), list(registry.metrics())


def chosen(seed: int, index: int) -> tuple[Call, dict[str, Any], str]:
    """The call of this number, its arguments with one or two spoilt, and words for it."""
    rng = random.Random(f"{seed}/{index}")
    calls, metrics = everything()
    call = rng.choice(calls) if rng.random() < 0.6 else metric_call(rng.choice(metrics), rng)
    arguments = dict(call.arguments)
    free = [name for name in arguments if name not in call.fixed]
    said: list[str] = []
    for name in rng.sample(free, min(len(free), rng.choice((1, 1, 2)))):
        arguments[name], how = _spoilt(arguments[name], rng)
        said.append(f"{name}={how}")
    return call, arguments, f"{call.name}(..., {', '.join(said)})"


def _spoilt(value: Any, rng: random.Random) -> tuple[Any, str]:
    if isinstance(value, dict) and value and rng.random() < 0.6:  # of a mapping rather one entry
        at = rng.choice(list(value))
        entry, how = _spoilt(value[at], rng)
        return {**value, at: entry}, f"{{..., {at!r}: {how}}}"
    if isinstance(value, np.ndarray | list) and len(value) and rng.random() < 0.6:
        name = rng.choice(list(MORPHS))
        return morphed(name, value), f"<valid, {name}>"
    name = rng.choice(list(JUNK))
    return JUNK[name](), f"<{name}>"


def attempt(seed: int, index: int) -> Finding | None:
    """Make the call of this number; None if all is well."""
    call, arguments, words = chosen(seed, index)
    try:
        with _watched():
            call.function(**arguments)
    except _OURS:
        return None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        if traceback.extract_tb(error.__traceback__)[-1].filename == valid_calls.__file__:
            return None  # of the caller's own learner, which may fail as it likes
        return Finding(seed, index, words, f"{type(error).__name__}: {str(error)[:200]}", _place(error))
    return None


@contextlib.contextmanager
def _watched() -> Iterator[None]:
    """No warning but ours, no endless work, nothing printed."""

    def ring(*_: Any) -> None:
        raise TooLongError(f"more than {LONGEST} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(LONGEST)
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", assay.AssayWarning)
            yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _place(error: BaseException) -> str:
    """The last line of ours before the error."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/assay/" in f.filename]
    return f"{frames[-1].filename.split('/assay/')[-1]}:{frames[-1].lineno} {frames[-1].name}" if frames else "outside"


def run(seed: int, start: int, stop: int) -> list[Finding]:
    """All findings of these calls."""
    return [found for index in range(start, stop) if (found := attempt(seed, index)) is not None]
