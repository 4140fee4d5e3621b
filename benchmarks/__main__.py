"""``python -m benchmarks [family ...]``: run the workloads and print, with ``--write``, docs/benchmarks.md."""

from __future__ import annotations

import importlib
import os
import platform
import sys
from pathlib import Path

from benchmarks.harness import Row, measure

FAMILIES = ("regression", "labels", "binary", "multiclass", "startup")
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def table(rows: list[Row]) -> str:
    """A Markdown table of ratios."""
    lines = ["| workload | peer | peer / assay | wanted | |", "|---|---|---:|---:|---|"]
    for row in rows:
        wanted = "" if row.wanted is None else f"{row.wanted:g}x"
        lines.append(f"| {row.workload} | {row.peer} | {row.ratio:.1f}x | {wanted} | {row.verdict} |")
    return "\n".join(lines)


def main() -> int:
    """Run what was asked for."""
    asked = [a for a in sys.argv[1:] if not a.startswith("-")] or list(FAMILIES)
    rows: list[Row] = []
    for family in asked:
        for workload in importlib.import_module(f"benchmarks.{family}").workloads():
            for row in measure(workload):
                rows.append(row)
                print(
                    f"{row.workload:44} {row.peer:28} {row.ratio:8.1f}x  wanted {row.wanted or '':>5}  {row.verdict:7}"
                    f" ({row.seconds[0]:.4f} s, {row.seconds[1]:.4f} s)",
                    flush=True,
                )
    if "--write" in sys.argv:
        machine = (
            f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        )
        PAGE.write_text(
            f"# Benchmarks\n\nMeasured by `make bench`; {machine}. Above 1, assay is faster.\n\n{table(rows)}\n"
        )
    missed = [row for row in rows if row.verdict == "MISSED"]
    print(f"{len(rows) - len(missed)} of {len(rows)} ratios reached")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
