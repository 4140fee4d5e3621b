"""Schemes as text: read from ``cv:10x5``, described as «10-fold cross-validation, 5 repeats»."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from assay.core.call_checks import guarded
from assay.core.errors import ParameterError, did_you_mean
from assay.resampling.schemes.nested import Nested
from assay.resampling.schemes.scheme import (
    Bootstrap,
    CrossValidation,
    Holdout,
    LeaveOneGroupOut,
    LeaveOneOut,
    Scheme,
    Subsampling,
)
from assay.resampling.schemes.time_ordered import TimeOrdered

EXAMPLES = "cv:10x5, cv:5, holdout:0.3, subsampling:50x0.1, bootstrap:200, loo, groups, groups:10, time:5"


@guarded
def scheme_of(text: str) -> Scheme:
    """The scheme that a text specifies: a kind, its sizes, and options such as ``stratify``, ``seed=7``, ``gap=3``.

    >>> scheme_of("cv:10x5,stratify,seed=7")
    CrossValidation(seed=7, stratify=True, folds=10, repeats=5)
    """
    head, *rest = text.strip().split(",")
    kind, _, sizes = head.partition(":")
    maker = _KINDS.get(_OLD.get(kind, kind))
    if maker is None:
        advice = did_you_mean(kind, _KINDS).strip()
        raise ParameterError(
            "", "resampling", f"names an unknown scheme {kind!r}", f"{advice} Examples: {EXAMPLES}.".strip()
        )
    try:
        return maker(sizes, **_options(rest))
    except (ValueError, TypeError) as error:
        unread = "literal" in str(error) or "could not convert" in str(error)
        said = "its sizes must be numbers" if unread else str(error).removesuffix(".")
        raise ParameterError(
            "", "resampling", f"cannot be read: {text!r} ({said})", f"Examples: {EXAMPLES}."
        ) from error


def _options(parts: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in parts:
        name, given, value = part.strip().partition("=")
        found[name] = (int(value) if re.fullmatch(r"-?\d+", value) else value) if given else True
    return found


def _two(
    sizes: str, first: Callable[[str], Any], second: Callable[[str], Any], names: tuple[str, str]
) -> dict[str, Any]:
    """``10x5`` under two names; either may be omitted."""
    a, _, b = sizes.partition("x")
    return {**({names[0]: first(a)} if a else {}), **({names[1]: second(b)} if b else {})}


def _cv(sizes: str, **options: Any) -> Scheme:
    return CrossValidation(**_two(sizes, int, int, ("folds", "repeats")), **options)


def _holdout(sizes: str, **options: Any) -> Scheme:
    return Holdout(**({"test": float(sizes)} if sizes else {}), **options)


def _subsampling(sizes: str, **options: Any) -> Scheme:
    return Subsampling(**_two(sizes, int, float, ("repeats", "test")), **options)


def _one(scheme: Any, name: str) -> Callable[..., Scheme]:
    def made(sizes: str, **options: Any) -> Scheme:
        return scheme(**({name: int(sizes)} if sizes else {}), **options)

    return made


def _loo(sizes: str, **options: Any) -> Scheme:
    if sizes:
        raise ValueError("loo has no size")
    return LeaveOneOut(**options)


_KINDS: dict[str, Callable[..., Scheme]] = {
    "cv": _cv,
    "holdout": _holdout,
    "subsampling": _subsampling,
    "bootstrap": _one(Bootstrap, "repeats"),
    "loo": _loo,
    "groups": _one(LeaveOneGroupOut, "folds"),
    "time": _one(TimeOrdered, "folds"),
}


_OLD = {"objects": "groups"}  # former names, still read


def outer_of(scheme: Scheme) -> Scheme:
    """The scheme that estimates: the outer one of a nested scheme."""
    return scheme.outer if isinstance(scheme, Nested) else scheme


def described(scheme: Scheme) -> str:
    """The scheme in words."""
    if isinstance(scheme, Nested):
        inside = "the search's own splits" if scheme.grid is None else described(scheme.within)
        return f"nested: {described(scheme.outer)} outside, {inside} inside"
    layered = ", stratified" if scheme.stratify is not False else ""
    return _words(scheme) + layered


def _words(scheme: Scheme) -> str:
    if isinstance(scheme, CrossValidation):
        repeats = f", {scheme.repeats} repeats" if scheme.repeats > 1 else ""
        return f"{scheme.folds}-fold cross-validation{repeats}"
    if isinstance(scheme, Holdout):
        return f"hold-out, {100 * scheme.test:.3g} % tested"
    if isinstance(scheme, Subsampling):
        return f"subsampling, {scheme.repeats} repeats, {100 * scheme.test:.3g} % tested"
    if isinstance(scheme, Bootstrap):
        return f"bootstrap, {scheme.repeats} bags"
    if isinstance(scheme, LeaveOneGroupOut):
        return "leave one group out" if scheme.folds is None else f"{scheme.folds}-fold cross-validation over groups"
    if isinstance(scheme, TimeOrdered):
        return f"{scheme.folds} windows in time, {scheme.window}" + (f", gap {scheme.gap}" if scheme.gap else "")
    return "leave one out"
