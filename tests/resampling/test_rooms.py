"""The rooms of assay.resampling: public names survive imports of submodules in any order."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import assay
from assay import resampling

ROOMS = ("compare", "curves", "estimate", "schemes", "simulation")
# One room is called like a function of the package, and the function must win whoever is imported first.
FIRST = ("assay.resampling.estimate.learners", "assay.resampling.curves.curves")


def test_every_submodule_is_imported_and_functions_stay_functions() -> None:
    for found in pkgutil.walk_packages(resampling.__path__, "assay.resampling."):
        assert isinstance(importlib.import_module(found.name), ModuleType)
    assert isinstance(resampling.estimate, FunctionType)
    assert assay.estimate is resampling.estimate
    assert {name for name in resampling.__all__ if isinstance(getattr(resampling, name), ModuleType)} == set()


@pytest.mark.parametrize("first", FIRST)
def test_the_function_wins_over_the_room(first: str) -> None:
    code = f"import {first}; from assay.resampling import estimate; import assay; assert estimate is assay.estimate; print(estimate)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("<function estimate")


def test_rooms_hold_no_other_flat_file() -> None:
    assert sorted(found.name for found in pkgutil.iter_modules(resampling.__path__)) == ["_figures", *ROOMS]


def test_one_file_looks_to_the_figures() -> None:
    """The exception to the layer order that tools/layers.py lists."""
    files = [
        path for path in Path(next(iter(resampling.__path__))).rglob("*.py") if "assay.figures" in path.read_text()
    ]
    assert [path.name for path in files] == ["_figures.py"]
