"""``python -m benchmarks [family ...] [--write]``: run the workloads, print them, and put them on docs/benchmarks.md if asked."""

from __future__ import annotations

import importlib
import itertools
import sys

from benchmarks.harness import Row, measure
from benchmarks.page import STARTUP, TITLES, keep
from benchmarks.startup import Start, starts


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


def main() -> int:
    """Run what was asked for."""
    asked = [a for a in sys.argv[1:] if not a.startswith("-")] or [*TITLES, STARTUP]
    found = {family: run(family) for family in asked if family != STARTUP}
    begun: list[Start] = []
    for start in starts() if STARTUP in asked else ():
        begun.append(start)
        took = f"{start.seconds:6.2f} s, {start.cpu:6.2f} s of the processor"
        print(f"{start.what:60} {took}  limit {start.limit:g} s  {start.verdict}", flush=True)
    if "--write" in sys.argv:
        keep(found, begun)
    verdicts = [item.verdict for item in (*itertools.chain(*found.values()), *begun)]
    print(f"{len(verdicts) - verdicts.count('MISSED')} of {len(verdicts)} limits held")
    return "MISSED" in verdicts


if __name__ == "__main__":
    sys.exit(main())
