"""A hundred million rows in batches of a million through every bounded metric at once; prints how memory grows.

``python benchmarks/stream.py [rows]``
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from typing import Any

import numpy as np

from assay import testing
from assay.core.monoids import Joint, Rows
from assay.core.registry import metrics

BATCH = 1_000_000


def has_rows(element: Any) -> bool:
    return any(map(has_rows, element.parts)) if isinstance(element, Joint) else isinstance(element, Rows)


def streams() -> list[tuple[Any, dict[str, Any]]]:
    """Every metric whose state has a fixed size, with a batch of a million rows."""
    found: list[tuple[Any, dict[str, Any]]] = []
    for cls in metrics():
        metric = testing.variants(cls)[0]
        case = testing.cases_for(metric)[0]
        if not has_rows(metric.state(**case.inputs).total):
            found.append((metric, case.taken(metric, np.resize(np.arange(case.size(metric)), BATCH))))
    return found


def peak() -> float:
    """The largest resident memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)


def push(work: list[tuple[Any, dict[str, Any]]], states: dict[str, Any]) -> None:
    for metric, inputs in work:
        state = metric.state(**inputs)
        states[metric.key] = states[metric.key] + state if metric.key in states else state


def main(rows: int = 100_000_000) -> None:
    warnings.simplefilter("ignore")
    work, states = streams(), dict[str, Any]()
    for _ in range(2):  # kernels compile, pools open, caches fill
        push(work, states)
    start, before = time.perf_counter(), peak()
    sizes = {key: len(state.to_bytes()) for key, state in states.items()}
    for _ in range(rows // BATCH - 2):
        push(work, states)
    grown = max(len(state.to_bytes()) - sizes[key] for key, state in states.items())
    assert all(state.n == rows for state in states.values())
    print(f"{len(work)} metrics, {rows:,} rows each, batches of {BATCH:,}, {time.perf_counter() - start:.0f} s")
    print(
        f"peak memory after two batches {before:.1f} MB, at the end {peak():.1f} MB: grown by {peak() - before:.1f} MB"
    )
    print(
        f"largest state {max(len(s.to_bytes()) for s in states.values())} bytes; states grew by at most {grown} bytes"
    )


if __name__ == "__main__":
    main(*(int(float(text)) for text in sys.argv[1:2]))
