"""Binary scores and probabilities, one and ten million rows of float64."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import assay
from benchmarks.harness import Workload


def workloads() -> Iterator[Workload]:
    import hotcoco
    import sklearn.metrics as sk
    import torch
    from torchmetrics.functional.classification import binary_calibration_error

    rng = np.random.default_rng(0)
    for n in (1_000_000, 10_000_000):
        p = rng.random(n)
        t = (rng.random(n) < p).astype(np.int64)
        size, factor = f"1e{len(str(n)) - 1}", 3 if n == 1_000_000 else 10
        intel = _intel()
        peers = {"scikit-learn": (lambda t=t, p=p: sk.roc_auc_score(t, p), factor)}
        if intel is not None:
            peers["scikit-learn-intelex"] = (lambda t=t, p=p, call=intel: call(t, p), 1 if n == 1_000_000 else 2)
        yield Workload(f"ROC-AUC, {size}", lambda t=t, p=p: assay.roc_auc(t, p), peers, rounds=3)
        peers = {"scikit-learn": (lambda t=t, p=p: sk.average_precision_score(t, p), factor)}
        yield Workload(f"average precision, {size}", lambda t=t, p=p: assay.average_precision(t, p), peers, rounds=3)
    peers = {"scikit-learn": (lambda: sk.log_loss(t, p), 10)}
    yield Workload("log loss, 1e7", lambda: assay.log_loss(t, y_prob=p), peers, rounds=3)
    peers = {"scikit-learn": (lambda: sk.brier_score_loss(t, p), 10)}
    yield Workload("Brier, 1e7", lambda: assay.brier(t, y_prob=p), peers, rounds=3)
    torch_p, torch_t = torch.from_numpy(p), torch.from_numpy(t)
    hits = t == 1
    peers = {
        "torchmetrics": (lambda: binary_calibration_error(torch_p, torch_t, n_bins=15), 8),
        "hotcoco": (lambda: hotcoco.metrics.calibration_error(p, hits, n_bins=15), 1),
    }
    call = assay.metrics.CalibrationError(of_what="positive")
    yield Workload("ECE 15 bins, 1e7", lambda: call(t, y_prob=p), peers, rounds=3)


def _intel():
    """Intel's ROC-AUC if it is installed for this machine."""
    try:
        from sklearnex.metrics import roc_auc_score
    except ImportError:
        return None
    return roc_auc_score
