"""One tree of exceptions and warnings; every text says who, what was expected, what came, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


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


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A closing sentence that helps after a misspelt name; empty if nothing is close and the list is long."""
    names = sorted(set(known))
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if close:
        return f" Did you mean {' or '.join(repr(c) for c in close)}?"
    return f" There are: {', '.join(names)}." if len(names) <= 12 else ""
