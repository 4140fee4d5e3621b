"""What models are called in a comparison."""

from __future__ import annotations

from collections.abc import Sequence

from assay.core.errors import ParameterError


def model_names(given: str | None, count: int, candidates: Sequence[list[str]]) -> list[str]:
    """The names of ``--names``; else the first list of candidates without repetitions, the last one numbered if need be."""
    if given is not None:
        names = [name.strip() for name in given.split(",")]
        if len(names) != count or len(set(names)) != count or not all(names):
            words = f"needs {count} different names, separated by commas; got {given!r}"
            raise ParameterError("", "--names", words)
        return names
    for names in candidates:
        if len(set(names)) == len(names):
            return names
    return [f"{name} ({i})" for i, name in enumerate(candidates[-1], start=1)]
