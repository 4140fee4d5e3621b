"""A million damaged strings and polygons through the decoders with bounds checks on: no crash, nothing read outside.

The checks are compiled in, so this runs in a process of its own. The cache of kernels tells such code from code without checks.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.slow
PROGRAM = Path(__file__).with_name("mask_fuzz_program.py")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    folder: Path = tmp_path_factory.mktemp("fuzz")
    settings = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "1"}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(folder / "cases.npz")],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    with np.load(folder / "cases.npz") as file:
        return json.loads(done.stdout), dict(file)


def test_a_million_cases_stay_in_bounds(outcome: tuple[dict[str, Any], dict[str, Any]]) -> None:
    report, _ = outcome
    assert report["checked"], "bounds checks are not compiled in, so the test would show nothing"
    assert report["cases"] == 1_000_000
    assert report["strings"][0] > 200_000, "enough strings should be whole"
    assert min(report["strings"]) > 100, f"each fault of a string should occur often: {report['strings']}"
    assert min(report["polygons"][:6]) > 40, f"each fault of a polygon should occur often: {report['polygons']}"


def test_what_was_let_through_is_what_pycocotools_draws(
    outcome: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    coco = pytest.importorskip("pycocotools.mask")
    case = outcome[1]
    good = np.flatnonzero(case["fault"][:, 0] == 0)
    for i in good[:3000]:
        parts = [
            case["xy"][case["places"][p] : case["places"][p + 1]]
            for p in range(case["owners"][i], case["owners"][i + 1])
        ]
        if max(np.abs(p).max() for p in parts) > 1e5:
            continue  # pycocotools walks along the outline, and would take gigabytes
        drawn = coco.decode(coco.merge(coco.frPyObjects([p.tolist() for p in parts], 9, 12)))
        runs = case["counts"][case["starts"][i] : case["starts"][i + 1]]
        assert np.array_equal(np.repeat(np.arange(len(runs)) % 2, runs), drawn.T.ravel())
