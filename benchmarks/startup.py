"""Start-up: `import assay`, and the first call of a process, before its kernels were ever compiled and after.

Every call runs in a fresh process. Compilation starts from an empty cache of its own, so that no call profits from another.
Small data never load numba; large data (from `kernels.LARGE` numbers on) and images do.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.detection import box_files

SMALL, LARGE, IMAGES = 200_000, 1_000_000, 500
ROWS = "p = np.random.default_rng(0).random({n}); y = (p > 0.3).astype(np.int64); q = p * p"
CLASSES = f"p = np.random.default_rng(0).dirichlet(np.ones(5), {LARGE}); y = np.arange({LARGE}) % 5"
MAPS = "y = np.random.default_rng(0).integers(0, 21, (20, 512, 512), dtype=np.uint8); q = np.roll(y, 3, axis=2)"
COCO = "from assay.io.coco import read_coco; files = {files}"
METRICS = {
    "f1": "assay.f1(y, y)",
    "mse": "assay.mse(p, q)",
    "r2": "assay.r2(p, q)",
    "roc_auc": "assay.roc_auc(y, p)",
    "log_loss": "assay.log_loss(y, y_prob=p)",
    "calibration_error": "assay.calibration_error(y, y_prob=p)",
    "spearman": "assay.spearman(p, q)",
}
TASKS = {  # name: set-up, call, seconds that a first call may take if it must compile, and if it need not
    "interval of roc_auc, 1e6 rows": (ROWS, "assay.metrics.RocAuc().interval(y, p)", 3.0, 0.5),
    "interval of mse, 1e6 rows": (ROWS, "assay.metrics.MSE().interval(p, q)", 3.0, 0.5),
    "evaluate binary, 1e6 rows": (ROWS, "assay.evaluate(task='binary', y_true=y, y_prob=p)", 4.0, 0.8),
    "evaluate multiclass, 1e6 rows": (CLASSES, "assay.evaluate(task='multiclass', y_true=y, y_prob=p)", 6.0, 2.0),
    "evaluate regression, 1e6 rows": (ROWS, "assay.evaluate(task='regression', y_true=p, y_pred=q)", 4.0, 0.8),
    "mIoU, 20 maps 512x512": (MAPS, "assay.mean_iou(y, q, classes=21)", 3.0, 0.5),
    f"COCO boxes, {IMAGES} images from files": (COCO, "assay.metrics.COCO()(*read_coco(*files))", 6.0, 0.5),
    f"evaluate detection, {IMAGES} images": (
        COCO, "y, q = read_coco(*files); assay.evaluate(task='detection', y_true=y, y_pred=q)", 9.0, 2.5,
    ),
}  # fmt: skip


@dataclass
class Start:
    """What was started, how long it took, and how long it may take.

    ``seconds`` is by the clock and ``cpu`` what the process worked. Compilation runs on one thread, so that on a machine with other
    work the smaller of the two is nearer to what a quiet one would take.
    """

    what: str
    seconds: float
    limit: float
    cpu: float = float("inf")

    @property
    def verdict(self) -> str:
        """Whether it was quick enough."""
        return "ok" if min(self.seconds, self.cpu) <= self.limit else "MISSED"


def timed(code: str, setup: str, cache: Path) -> tuple[float, float]:
    """Seconds of a statement in a fresh process after the set-up, by the clock and of the processor."""
    clocks = "(time.perf_counter(), time.process_time())"
    program = (
        f"{setup}\nimport time\nstart = {clocks}\n{code}\nend = {clocks}\nprint(end[0] - start[0], end[1] - start[1])"
    )
    env = {**os.environ, "ASSAY_CACHE_DIR": str(cache), "NUMBA_CACHE_DIR": str(cache), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, "-c", program], env=env, check=True, capture_output=True, text=True)
    seconds, cpu = map(float, done.stdout.split()[-2:])
    return seconds, cpu


def best(code: str, setup: str, cache: Path, rounds: int = 3) -> tuple[float, float]:
    """The least of several rounds; each clock by itself."""
    seconds, cpu = zip(*(timed(code, setup, cache) for _ in range(rounds)), strict=True)
    return min(seconds), min(cpu)


def first(name: str, setup: str, code: str, limits: tuple[float, float], folder: Path) -> Iterator[Start]:
    """A call that compiles all that it needs, and the same once that is done; compiled twice, since the machine may be busy."""
    caches = [Path(tempfile.mkdtemp(dir=folder)) for _ in range(2)]
    seconds, cpu = zip(*(timed(code, setup, cache) for cache in caches), strict=True)
    yield Start(f"{name}, compiling", min(seconds), limits[0], min(cpu))
    wall, work = best(code, setup, caches[0])
    yield Start(f"{name}, compiled before", wall, limits[1], work)


def starts() -> Iterator[Start]:
    """All of it."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wall, cpu = best("import assay", "", folder)
        yield Start("import assay", wall, 0.25, cpu)
        small, large = (f"import assay, numpy as np; {ROWS.format(n=n)}" for n in (SMALL, LARGE))
        for name, call in METRICS.items():
            wall, cpu = best(call, small, folder)
            yield Start(f"{name}, {SMALL:.0e} rows".replace("e+0", "e"), wall, 0.3, cpu)
            yield from first(f"{name}, 1e6 rows", large, call, (3.0, 0.5), folder)
        files = tuple(map(str, box_files(IMAGES, 100, folder)))
        for name, (setup, call, *limits) in TASKS.items():
            ready = f"import assay, numpy as np; {setup.format(n=LARGE, files=files)}"
            yield from first(name, ready, call, (limits[0], limits[1]), folder)
