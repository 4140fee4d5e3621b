"""Start-up: `import assay`, and the first call of a metric in a fresh process with cold and warm kernels."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from benchmarks.harness import Workload

SMALL = "import numpy as np; y = np.arange(1000) % 3; p = (y + np.arange(1000) % 2) % 3; f = assay.metrics.F1(average='macro')"
LARGE = "import numpy as np; p = np.random.default_rng(0).random(200_000); y = (p > 0.3).astype(np.int64); f = assay.metrics.RocAuc()"


def seconds(code: str, setup: str = "import assay, time", cache: str | None = None) -> float:
    """Seconds of a statement in a fresh process, after the set-up."""
    program = f"{setup}\nimport time\nstart = time.perf_counter()\n{code}\nprint(time.perf_counter() - start)"
    env = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache else {})}
    return float(
        subprocess.run([sys.executable, "-c", program], env=env, check=True, capture_output=True, text=True).stdout
    )


def report() -> list[tuple[str, float, float]]:
    """(what, seconds, limit): the best of three, except for the cold compilation, which happens once."""
    rows = [("import assay", min(seconds("import assay", setup="") for _ in range(3)), 0.25)]
    rows.append(("first call, small data", min(seconds("f(y, p)", f"import assay; {SMALL}") for _ in range(3)), 0.3))
    with tempfile.TemporaryDirectory() as cache:
        rows.append(
            ("first call, large data, kernels compiled", seconds("f(y, p)", f"import assay; {LARGE}", cache), 3.0)
        )
        warm = min(seconds("f(y, p)", f"import assay, numba; {LARGE}", cache) for _ in range(3))
        rows.append(("first call, large data, kernels cached, numba imported", warm, 0.3))
        whole = min(seconds("f(y, p)", f"import assay; {LARGE}", cache) for _ in range(3))
        rows.append(("first call, large data, kernels cached, numba's import included", whole, 1.0))
    return rows


def workloads() -> Iterator[Workload]:
    for what, took, limit in report():
        print(f"{what:66} {took:.3f} s  limit {limit:g} s  {'ok' if took <= limit else 'MISSED'}", flush=True)
    yield from ()
