"""One tree of exceptions and warnings; every text says who, what was expected, what came, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class AssayError(Exception):
    """Root of everything that assay raises on purpose."""


class InputError(AssayError, ValueError):
    """The data given do not fit: shape, dtype, values, labels."""


class ParameterError(AssayError, ValueError):
    """A parameter of a metric, loss or command does not fit."""


class UndefinedError(AssayError, ArithmeticError):
    """The value does not exist on these data and ``undefined="error"`` was asked for."""


class StateError(AssayError, ValueError):
    """A state cannot be merged or read: other metric, foreign or newer bytes."""


class UnknownNameError(AssayError, LookupError):
    """No entry, column or option of this name."""


class DependencyError(AssayError, ImportError):
    """An optional package is needed for this."""


class LawError(AssayError, AssertionError):
    """A metric breaks a law that every metric keeps; raised by ``assay.testing`` only."""


class AssayWarning(UserWarning):
    """Root of everything that assay warns of."""


class UndefinedWarning(AssayWarning):
    """A value, class or row was undefined and has been treated as the ``undefined`` policy says."""


def shown(value: Any) -> str:
    """A value as it stands in a message: short, on one line, and never an error of its own."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an integer of thousands of digits, an object that is not ready
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:60]}... ({type(value).__name__})"


def did_you_mean(name: Any, known: Iterable[Any]) -> str:
    """A closing sentence that helps after a misspelt name; empty if nothing is close and the list is long."""
    names = sorted({str(one) for one in known})
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.6) if isinstance(name, str) else []
    if close:
        return f" Did you mean {' or '.join(repr(c) for c in close)}?"
    return f" There are: {', '.join(names)}." if len(names) <= 12 else ""
