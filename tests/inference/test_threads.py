"""The same seed gives the same limits to the last bit, whatever the number of threads."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import numpy as np, assay
M, g = assay.metrics, np.random.default_rng(0)
y = g.normal(size=12_000)
p, t = y + g.normal(size=12_000), g.integers(0, 2, 12_000)
for metric, data in ((M.MAE(), (y, p)), (M.R2(), (y, p)), (M.RocAuc(), (t, y + t)), (M.F1(), (t, (y + t > 0.5) * 1))):
    score = metric.interval(*data, method="percentile", seed=5)
    print(metric.key, score.low.hex(), score.high.hex())
"""


def _limits(threads: int) -> str:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    program = f"from assay import kernels\nkernels.threads = lambda: {threads}\n{PROGRAM}"
    env = {**os.environ, **dict.fromkeys(names, str(threads))}
    return subprocess.run([sys.executable, "-c", program], env=env, check=True, capture_output=True, text=True).stdout


def test_limits_do_not_depend_on_the_number_of_threads() -> None:
    one, several = _limits(1), _limits(4)
    assert one.count("0x") == 8
    assert one == several
