"""A clone with nothing beside it passes: what lies outside is asked for in one place, and a test that misses it says so."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
OUTSIDE = re.compile(r"parents\[(\d+)\]")


@pytest.mark.parametrize("workers", ["0", "2"])
def test_what_is_missing_is_named_and_counted(tmp_path: Path, workers: str) -> None:
    """One test that needs the data, one that does not; the summary is the same with and without workers."""
    chosen = ("test_published_forecasts.py::test_m4_owa", "test_published_tabular.py::test_rpiq")
    other = "golden/test_golden_regression.py"
    ids = [*(str(TESTS / "reference" / one) for one in chosen), str(TESTS / other)]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    env["ASSAY_FIXTURES"] = str(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", workers, "-rs", *ids],
        cwd=TESTS.parent, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert f"2 tests skipped: their published data are not in {tmp_path}" in done.stdout
    assert "published data not found: 14_forecasting/m4_hourly_shared/test.csv is not in" in done.stdout
    assert "published data not found: 12_tabular/yardstick/solubility_test.csv is not in" in done.stdout
    assert re.search(r"\d+ passed, 2 skipped", done.stdout)


def test_nothing_else_leads_out_of_the_repository() -> None:
    """Only `fixtures` may look beside the repository."""
    root = TESTS.parent
    files = [f for folder in ("tests", "benchmarks", "tools", "src") for f in (root / folder).rglob("*.py")]
    assert len(files) > 100
    for file in files:
        if file == TESTS / "fixtures.py":
            continue
        text, depth = file.read_text(encoding="utf-8"), len(file.relative_to(root).parts) - 1
        assert all(int(up) <= depth for up in OUTSIDE.findall(text)), f"{file} looks beside the repository"
        assert not re.search(r'(path|load_json|load_csv)\(\s*"\.\."', text), f"{file} leaves the folder of the fixtures"
