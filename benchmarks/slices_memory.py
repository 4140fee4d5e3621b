"""Peak memory and time of ``assay score`` on a large table, with and without ``--by`` over six groups.

Each run is a process of its own, whose peak resident memory the system reports. ``--rows 1e7`` is what the documentation cites.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

GROUPS = ("Lyon", "Oslo", "Pisa", "Riga", "Turin", "Vigo")
COMMAND = ("score", "--task", "binary", "--truth", "y", "--prob", "p", "--json")


def write_table(path: Path, rows: int) -> None:
    """A binary problem with an informative score and six groups of different size."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows, dtype=np.int8)
    p = 1 / (1 + np.exp(-(rng.normal(size=rows) + 1.5 * y - 0.75)))
    site = rng.choice(len(GROUPS), rows, p=[0.3, 0.25, 0.2, 0.1, 0.1, 0.05])
    pl.DataFrame({"y": y, "p": p, "site": np.array(GROUPS)[site]}).write_parquet(path)


def measured(path: Path, *more: str) -> dict[str, float]:
    """Seconds and peak gigabytes of one run."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "assay.cli", COMMAND[0], str(path), *COMMAND[1:], *more],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    complaint = process.stderr.read() if process.stderr else b""
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(complaint.decode())
    return {"seconds": time.perf_counter() - start, "gigabytes": usage.ru_maxrss / 2**20}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=10_000_000)
    rows: int = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write_table(path, rows)
        whole, sliced = measured(path), measured(path, "--by", "site")
    ratio = sliced["gigabytes"] / whole["gigabytes"]
    print(json.dumps({"rows": rows, "whole": whole, "by": sliced, "memory_ratio": round(ratio, 3)}, indent=2))


if __name__ == "__main__":
    main()
