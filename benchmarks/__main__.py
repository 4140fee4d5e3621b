"""``python -m benchmarks [family ...] [--write]``: run the workloads, print them, and write docs/benchmarks.md if asked."""

from __future__ import annotations

import importlib
import itertools
import os
import platform
import sys
from pathlib import Path

from benchmarks.harness import Row, measure
from benchmarks.startup import Start, starts

FAMILIES = (
    "regression",
    "labels",
    "binary",
    "multiclass",
    "inference",
    "resampling",
    "generation",
    "detection",
    "segmentation",
    "losses_elements",
    "losses_tokens",
    "losses_boxes",
    "losses_places",
    "losses_embeddings",
    "losses_generation",
)
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def run(family: str) -> list[Row]:
    """Measure and print one family."""
    module = importlib.import_module(f"benchmarks.{family}")
    timed = (row for workload in module.workloads() for row in measure(workload))
    rows: list[Row] = []
    for row in itertools.chain(timed, getattr(module, "rows", list)()):  # rows are what is not time: memory
        rows.append(row)
        wanted = "" if row.wanted is None else f"{row.wanted:.3g}"
        print(
            f"{row.workload:48} {row.peer:22} {row.ratio:8.2f}x  wanted {wanted:>5}  {row.verdict}",
            flush=True,
        )
    return rows


def page(rows: list[Row], begun: list[Start]) -> str:
    """The results as Markdown: ratios for the workloads, seconds for the start."""
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    lines = [
        "# Benchmarks",
        "",
        f"Written by `make bench` on {machine}. Peer and assay take turns on the same data in one process;",
    ]
    lines += [
        "a ratio above 1 says how many times faster assay is, or how much less memory it adds. What was wanted and missed is marked.",
        "",
    ]
    lines += ["| workload | peer | peer / assay | wanted | |", "|---|---|---:|---:|---|"]
    for row in rows:
        wanted = "" if row.wanted is None else f"{row.wanted:.3g}x"
        lines.append(f"| {row.workload} | {row.peer} | {row.ratio:.1f}x | {wanted} | {row.verdict} |")
    lines += [
        "",
        "## Start",
        "",
        "Seconds in a fresh process.",
        "",
        "| what | seconds | limit | |",
        "|---|---:|---:|---|",
    ]
    lines += [f"| {s.what} | {s.seconds:.2f} | {s.limit:g} | {s.verdict} |" for s in begun]
    lines += [
        "",
        "Data of 500000 numbers and more load numba, whose own import takes most of the time of such a first call;",
    ]
    return "\n".join([*lines, "smaller data never load it.", ""])


def main() -> int:
    """Run what was asked for."""
    asked = [a for a in sys.argv[1:] if not a.startswith("-")] or [*FAMILIES, "startup"]
    rows = [row for family in asked if family != "startup" for row in run(family)]
    begun = starts() if "startup" in asked else []
    for start in begun:
        print(f"{start.what:60} {start.seconds:6.2f} s  limit {start.limit:g} s  {start.verdict}", flush=True)
    if "--write" in sys.argv:
        PAGE.write_text(page(rows, begun))
    verdicts = [item.verdict for item in (*rows, *begun)]
    print(f"{len(verdicts) - verdicts.count('MISSED')} of {len(verdicts)} limits held")
    return "MISSED" in verdicts


if __name__ == "__main__":
    sys.exit(main())
