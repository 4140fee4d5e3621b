"""Makes the helpers of this folder importable by every test, and counts the tests that miss published data."""

from __future__ import annotations

from typing import Any

from fixtures import MISSING, ROOT


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How many tests were skipped because published data are not there; workers of xdist report to this process too."""
    reasons = [str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", ())]
    missing = sum(reason.removeprefix("Skipped: ").startswith(MISSING) for reason in reasons)
    if missing:
        terminalreporter.write_line(
            f"{missing} tests skipped: their published data are not in {ROOT} (see ASSAY_FIXTURES)"
        )
