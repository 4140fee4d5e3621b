"""Learners that select parameters by themselves (scikit-learn's search interface), and whether they keep groups whole."""

from __future__ import annotations

import copy
import inspect
import warnings
from itertools import islice
from typing import Any, cast

import numpy as np

_LOOKED = 20  # splits, enough to detect it


def is_search(given: Any) -> bool:
    """Whether an object selects parameters of another: it wraps an estimator and has or sets ``best_params_``."""
    if isinstance(given, type) or not hasattr(given, "fit") or not hasattr(given, "estimator"):
        return False
    kind = cast("type[Any]", type(given))
    if hasattr(kind, "best_params_"):
        return True
    parts = (part for cls in kind.__mro__ for part in vars(cls).values() if callable(part))
    codes = (getattr(inspect.unwrap(part), "__code__", None) for part in parts)
    return any("best_params_" in code.co_names for code in codes if code is not None)


def takes_groups(fit: Any) -> bool:
    """Whether a fit accepts the groups of its rows."""
    known = inspect.signature(fit).parameters
    return "groups" in known or any(p.kind is p.VAR_KEYWORD for p in known.values())


def splits_groups(search: Any, y: Any, groups: Any) -> bool:
    """Whether the inner splits of a search split groups, which biases its choice of parameters."""
    cv: Any = getattr(search, "cv", None)
    if not hasattr(cv, "split"):
        return cv is None or isinstance(cv, int)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn's own warnings come with the fits
            parts: list[Any] = list(islice(copy.deepcopy(cv).split(np.zeros((len(y), 1)), y, groups), _LOOKED))
    except Exception:  # the fits will report what is wrong with it
        return False
    return any(np.isin(groups[test], groups[train]).any() for train, test in parts)
