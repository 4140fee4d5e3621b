"""``python -m benchmarks [family ...] [--only=TEXT,...] [--write]``: run workloads, print them, put them on docs/benchmarks.md if asked.

With ``--only`` workloads whose names hold one of the texts are run; on the page, the others stay as they are.
"""

from __future__ import annotations

import importlib
import itertools
import sys

from benchmarks.harness import Row, measure
from benchmarks.page import STARTUP, TITLES, keep
from benchmarks.startup import Start, starts


def run(family: str, only: list[str]) -> list[Row]:
    """Measure and print one family, or some of its workloads."""
    module = importlib.import_module(f"benchmarks.{family}")
    wanted = (w for w in module.workloads() if not only or any(text in w.name for text in only))
    timed = (row for workload in wanted for row in measure(workload))
    rows: list[Row] = []
    more = [] if only else getattr(module, "rows", list)()  # what is not time: memory
    for row in itertools.chain(timed, more):
        rows.append(row)
        limit = "" if row.wanted is None else f"{row.wanted:.3g}"
        print(
            f"{row.workload:48} {row.peer:22} {row.ratio:8.2f}x  wanted {limit:>5}  {row.verdict}",
            flush=True,
        )
    return rows


def main() -> int:
    """Run what was asked for."""
    asked = [a for a in sys.argv[1:] if not a.startswith("-")] or [*TITLES, STARTUP]
    only = [text for a in sys.argv[1:] if a.startswith("--only=") for text in a.removeprefix("--only=").split(",")]
    found = {family: run(family, only) for family in asked if family != STARTUP}
    begun: list[Start] = []
    for start in starts() if STARTUP in asked else ():
        begun.append(start)
        took = f"{start.seconds:6.2f} s, {start.cpu:6.2f} s of the processor"
        print(f"{start.what:60} {took}  limit {start.limit:g} s  {start.verdict}", flush=True)
    if "--write" in sys.argv:
        keep(found, begun, whole=not only)
    verdicts = [item.verdict for item in (*itertools.chain(*found.values()), *begun)]
    print(f"{len(verdicts) - verdicts.count('MISSED')} of {len(verdicts)} limits held")
    return "MISSED" in verdicts


if __name__ == "__main__":
    sys.exit(main())
