"""Memory of one step in a fresh process: what it takes beyond the data that were there before. Linux only."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.harness import Row

WATCH = """
def watched(field):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(field)) / 1024
"""
FORGET = 'open("/proc/self/clear_refs", "w").write("5")'  # the peak starts again from what is held now


def extra(setup: str, step: str) -> float:
    """Megabytes that a step holds at its peak beyond what the process held before it."""
    program = f"{WATCH}\n{setup}\n{FORGET}\nbefore = watched('VmRSS')\n{step}\nprint(watched('VmHWM') - before)"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return float(done.stdout)


def compared(name: str, peer: str, setup: str, ours: str, theirs: str, wanted: float) -> Row:
    """The memory of the peer over ours, as a row of the page."""
    mine, other = extra(setup, ours), extra(setup, theirs)
    return Row(f"{name}, memory", peer, other / mine, wanted, (mine, other))
