"""Rankings: nDCG, MAP, MRR and recall at 100 of a thousand queries, from arrays, dicts and TREC files."""

from __future__ import annotations

import contextlib
import importlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytrec_eval

from assay.io.trec import read_trec
from assay.metrics import NDCG, AveragePrecisionAtK, MeanReciprocalRank, RecallAtK
from benchmarks.harness import Workload

METRICS: tuple[Any, ...] = (NDCG(), AveragePrecisionAtK(), MeanReciprocalRank(), RecallAtK(k=100))
NAMES = {"ndcg", "map", "recip_rank", "recall.100"}
QUERIES, DOCUMENTS, IN_FILES = 1000, 1000, 400


def workloads() -> Iterator[Workload]:
    rng = np.random.default_rng(0)
    grades = (rng.random((QUERIES, DOCUMENTS)) < 0.01).astype(np.int64)
    grades[:, 0] = 1
    scores = rng.random((QUERIES, DOCUMENTS))
    judged = {str(q): {f"d{j}": 1 for j in np.flatnonzero(row)} for q, row in enumerate(grades)}
    run = {str(q): {f"d{j}": value for j, value in enumerate(row)} for q, row in enumerate(scores.tolist())}
    yield Workload("four measures, arrays 1000 x 1000", lambda: measured(grades, scores), prebuilt(judged, run))
    theirs: dict[str, Any] = {"pytrec_eval": (lambda: pytrec_eval.RelevanceEvaluator(judged, NAMES).evaluate(run), 6.0)}
    yield Workload("four measures, dicts 1000 x 1000", lambda: measured(judged, run), theirs)
    with tempfile.TemporaryDirectory() as folder:
        qrels, ranking = Path(folder) / "qrels", Path(folder) / "run"
        few = [str(q) for q in range(IN_FILES)]
        qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q in few for d, g in judged[q].items()))
        ranking.write_text("".join(f"{q} Q0 {d} 0 {s:.6f} tag\n" for q in few for d, s in run[q].items()))
        yield Workload(
            "four measures, files of 400 000 lines", lambda: measured(None, read_trec(qrels, ranking)),
            {"pytrec_eval": (lambda: from_files(qrels, ranking), 10.0)},
        )  # fmt: skip


def measured(y_true: Any, y_score: Any) -> list[float]:
    """All measures on the same checked inputs."""
    inputs = METRICS[0].inputs(y_true if y_true is not None else y_score.truth, y_score)
    return [float(metric.finalize(metric.statistic().of(inputs))) for metric in METRICS]


def prebuilt(judged: Any, run: Any) -> dict[str, Any]:
    """ranx, where it is installed with what it needs; its containers are built before the clock starts."""
    with contextlib.suppress(ImportError):
        ranx = importlib.import_module("ranx")
        sides = ranx.Qrels(judged), ranx.Run(run)
        return {"ranx": (lambda: ranx.evaluate(*sides, ["ndcg", "map", "mrr", "recall@100"]), 20.0)}
    return {}


def from_files(qrels: Path, ranking: Path) -> Any:
    """pytrec_eval with its own parsers."""
    with qrels.open() as first, ranking.open() as second:
        return pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(first), NAMES).evaluate(
            pytrec_eval.parse_run(second)
        )
