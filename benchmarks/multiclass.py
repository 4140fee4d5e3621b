"""Probability matrices of 1e5 rows and 100 classes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import assay
from benchmarks.harness import Workload


def workloads() -> Iterator[Workload]:
    import sklearn.metrics as sk
    import torch
    from torchmetrics.functional.classification import multiclass_auroc

    rng = np.random.default_rng(0)
    n, k = 100_000, 100
    logits = rng.normal(size=(n, k))
    codes = rng.integers(0, k, n)
    logits[np.arange(n), codes] += 1.5
    p = np.exp(logits)
    p /= p.sum(axis=1, keepdims=True)
    yield Workload(
        "log loss, 1e5 x 100",
        lambda: assay.log_loss(codes, y_prob=p),
        {"scikit-learn": (lambda: sk.log_loss(codes, p), 10)},
    )
    peers = {"scikit-learn": (lambda: sk.top_k_accuracy_score(codes, p, k=5), 10)}
    yield Workload("top-5 accuracy, 1e5 x 100", lambda: assay.top_k_accuracy(codes, p, k=5), peers)
    torch_p, torch_c = torch.from_numpy(p), torch.from_numpy(codes)
    peers = {
        "scikit-learn": (lambda: sk.roc_auc_score(codes, p, multi_class="ovr"), 5),
        "torchmetrics": (lambda: multiclass_auroc(torch_p, torch_c, num_classes=k), 3),
    }
    yield Workload(
        "one-vs-rest macro AUC, 1e5 x 100", lambda: assay.roc_auc(codes, y_prob=p, average="macro"), peers, rounds=3
    )
