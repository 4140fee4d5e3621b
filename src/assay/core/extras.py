"""Optional packages come in by one door: if one is missing, the error names the command that installs it."""

from __future__ import annotations

import importlib
from types import ModuleType

from assay.core.errors import DependencyError

DISTRIBUTION = "assay-ml"  # the registry's name; the import and the command are `assay`
EXTRAS = {
    "torch": "torch",
    "jax": "jax",
    "sklearn": "sklearn",
    "dask": "dask",
    "nibabel": "medical",
    "PIL": "images",
    "fsspec": "remote",
}


def optional(module: str, who: str, argument: str, problem: str, fix: str = "") -> ModuleType:
    """A module of an optional package, imported; without it an error of these parts, closed by the command to run.

    ``fix`` is another way out, if there is one.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        missing = isinstance(error, ModuleNotFoundError) and (error.name or package).partition(".")[0] == package
        why = "" if missing else f", and its import fails here ({error})"
        raise DependencyError(who, argument, problem + why, f"Run {command(package)}. {fix}".strip()) from error


def command(package: str) -> str:
    """What installs a package: the extra of assay that holds it, in quotes for shells that read brackets, or the package."""
    return f'pip install "{DISTRIBUTION}[{EXTRAS[package]}]"' if package in EXTRAS else f"pip install {package}"
