"""Start-up: `import assay`, and the first call of metrics in a fresh process, on small and large data.

Large data (from `kernels.LARGE` numbers on) load numba; small data never do.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

DATA = "p = np.random.default_rng(0).random({n}); y = (p > 0.3).astype(np.int64); q = p * p"
CALLS = {
    "f1": "assay.f1(y, y)",
    "mse": "assay.mse(p, q)",
    "r2": "assay.r2(p, q)",
    "roc_auc": "assay.roc_auc(y, p)",
    "log_loss": "assay.log_loss(y, y_prob=p)",
    "calibration_error": "assay.calibration_error(y, y_prob=p)",
    "spearman": "assay.spearman(p, q)",
}
SMALL, LARGE = 200_000, 600_000


@dataclass
class Start:
    """What was started, how long it took, and how long it may take."""

    what: str
    seconds: float
    limit: float

    @property
    def verdict(self) -> str:
        """Whether it was quick enough."""
        return "ok" if self.seconds <= self.limit else "MISSED"


def seconds(code: str, setup: str, cache: str) -> float:
    """Seconds of a statement in a fresh process, after the set-up."""
    program = f"{setup}\nimport time\nstart = time.perf_counter()\n{code}\nprint(time.perf_counter() - start)"
    env = {**os.environ, "NUMBA_CACHE_DIR": cache}
    return float(
        subprocess.run([sys.executable, "-c", program], env=env, check=True, capture_output=True, text=True).stdout
    )


def starts() -> list[Start]:
    """Best of three, except for the compilation, which happens once."""
    with tempfile.TemporaryDirectory() as cache:
        found = [Start("import assay", min(seconds("import assay", "", cache) for _ in range(3)), 0.25)]
        for name, call in CALLS.items():
            small, large = (f"import assay, numpy as np; {DATA.format(n=n)}" for n in (SMALL, LARGE))
            found.append(
                Start(f"{name}, first call, {SMALL} rows", min(seconds(call, small, cache) for _ in range(3)), 0.3)
            )
            found.append(Start(f"{name}, first call, {LARGE} rows, compiling", seconds(call, large, cache), 3.0))
            warm = min(seconds(call, large, cache) for _ in range(3))
            found.append(Start(f"{name}, first call, {LARGE} rows, compiled before", warm, 0.3))
    return found
