"""Values of options as lists, numbers and grids."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any

from assay.core.errors import ParameterError
from assay.core.signatures import from_spec, specs_in
from assay.resampling import CrossValidation, Holdout, LeaveOneGroupOut, Scheme, TimeOrdered


def specs_of(texts: Sequence[str]) -> list[str]:
    """Metrics, several in one text or not, each once; a misspelt one is reported before anything is read or trained.

    >>> specs_of(["accuracy,f_beta:beta=2,average=macro", "log_loss"])
    ['accuracy', 'f_beta:beta=2,average=macro', 'log_loss']
    """
    found = [spec for text in texts for spec in specs_in(text)]
    for spec in found:
        from_spec(spec)
    return list(dict.fromkeys(found))


def best_of(texts: Sequence[str]) -> float | dict[str, float] | None:
    """The best known value, or one per metric: ``0.95``, or ``accuracy=0.95`` as often as needed."""
    found: dict[str, float] = {}
    for text in [part for given in texts for part in _entries(given)]:
        name, mark, value = text.rpartition("=")
        number = _number(value, f"--best {text!r}")
        if not mark and (len(texts) > 1 or found):
            words = f"must be METRIC=VALUE for several metrics, such as accuracy=0.95; got {text!r}"
            raise ParameterError("", "--best", words)
        if not mark:
            return number
        found[name.strip()] = number
    return found or None


def _entries(text: str) -> list[str]:
    """``accuracy=0.9,log_loss=0.2`` are two; the commas inside a metric's parameters do not separate entries."""
    return text.split(",") if ":" not in text else [text]


def _number(text: str, who: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise ParameterError(who, "", f"{text!r} is not a number")
    return number


def grid_of(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Parameters with the values to try: ``max_depth=2,4,None``.

    >>> grid_of(["max_depth=2,4,None", "criterion=gini,entropy"])
    {'max_depth': [2, 4, None], 'criterion': ['gini', 'entropy']}
    """
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, mark, values = text.partition("=")
        if not mark or not name.strip() or not values.strip():
            words = f"must be NAME=VALUE,VALUE,..., such as max_depth=2,4,8; got {text!r}"
            raise ParameterError("", "--grid", words)
        if name.strip() in found:
            raise ParameterError(f"--grid {text!r}", name.strip(), "was given twice")
        found[name.strip()] = [_value(value.strip()) for value in values.split(",")]
    return found


def _value(text: str) -> Any:
    """A number, None, True, False, or else the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def text_of(scheme: Scheme) -> str:
    """A scheme as ``--resampling`` takes it.

    >>> text_of(CrossValidation(folds=10, repeats=5, stratify=True))
    'cv:10x5,stratify'
    """
    layered = ",stratify" if scheme.stratify else ""
    seed = f",seed={scheme.seed}" if scheme.seed else ""
    return _head(scheme) + layered + seed


def _head(scheme: Scheme) -> str:
    if isinstance(scheme, CrossValidation):
        return f"cv:{scheme.folds}x{scheme.repeats}"
    if isinstance(scheme, Holdout):
        return f"holdout:{scheme.test:.4g}"
    if isinstance(scheme, TimeOrdered):
        return f"time:{scheme.folds}"
    if isinstance(scheme, LeaveOneGroupOut):
        return "groups" if scheme.folds is None else f"groups:{scheme.folds}"
    return str(scheme)  # no guideline recommends another
