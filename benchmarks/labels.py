"""Confusion matrices and the classification report on ten million int64 labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import assay
from benchmarks.harness import Workload

N = 10_000_000


def workloads() -> Iterator[Workload]:
    import hotcoco
    import sklearn.metrics as sk

    rng = np.random.default_rng(0)
    for k in (10, 1000):
        t = rng.integers(0, k, N)
        p = np.where(rng.random(N) < 0.6, t, rng.integers(0, k, N))
        peers = {"scikit-learn": (lambda t=t, p=p: sk.confusion_matrix(t, p), 40)}
        peers["hotcoco"] = (lambda t=t, p=p, k=k: hotcoco.metrics.pixel_confusion(t, p, num_classes=k), 1)
        yield Workload(f"confusion matrix, 1e7, {k} classes", lambda t=t, p=p: assay.confusion_matrix(t, p), peers)
        yield Workload(
            f"classification report, 1e7, {k} classes",
            lambda t=t, p=p: assay.evaluate(task="multiclass", y_true=t, y_pred=p, level=None).per_class(),
            {"scikit-learn": (lambda t=t, p=p: sk.classification_report(t, p, zero_division=0), 100)},
            rounds=3,
        )
