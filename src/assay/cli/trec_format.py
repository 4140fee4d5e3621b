"""``assay score QRELS RUN --format trec_eval``: the numbers in trec_eval's own text."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from assay.cli.output import emit
from assay.cli.readers import DataOptions, reader_of
from assay.cli.wording import speaking_of
from assay.core.errors import ParameterError, did_you_mean
from assay.evaluation.presets import RANKINGS

FORMAT = "trec_eval"


def run(data: DataOptions, metrics: list[str], output: Path | None) -> int:
    """Print the usual measures, ``all_trec``, or those named as trec_eval names them (``map``, ``P``, ``ndcg_cut_10``)."""
    if data.task not in RANKINGS:
        raise ParameterError("", f"--format {FORMAT}", "is for rankings", "Add --task retrieval.")
    from assay.metrics.ranking import trec
    from assay.metrics.ranking.sets import RetrievalCount

    names = tuple(name for wanted in metrics for name in _named(wanted)) or trec.USUAL
    reader = reader_of(data, "score")
    with speaking_of("score"):
        given = reader.score(data)
        missing = cast(Any, data.missing)
        inputs = RetrievalCount(missing=missing).inputs(given.arguments["y_true"], given.arguments["y_score"])
        found = trec.from_inputs(inputs, queries=False, names=names, missing=missing)
    emit("\n".join(trec.lines(found)), output)
    return 0


def _named(wanted: str) -> tuple[str, ...]:
    from assay.metrics.ranking.trec import MEASURES

    found = tuple(name for name in MEASURES if wanted in (name, "all_trec") or name.rpartition("_")[0] == wanted)
    if not found:
        raise ParameterError(
            "", "--metric", f"trec_eval has no measure {wanted!r}", did_you_mean(wanted, MEASURES).strip()
        )
    return found
