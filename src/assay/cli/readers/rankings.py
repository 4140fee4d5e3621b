"""Rankings: TREC's judgments and runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.cli.model_names import model_names
from assay.cli.readers.reader import CompareInput, DataOptions, ScoreInput
from assay.core.errors import ParameterError

MISSING = ("error", "zero", "skip")


class RankingReader:
    """``--task retrieval`` and ``--task recommendation``."""

    options = frozenset({"missing"})

    def check(self, data: DataOptions, command: str) -> None:
        """The judgments, then one run or several."""
        least, words = {
            "score": (2, "a run: assay score QRELS RUN"),
            "compare": (3, "two runs: assay compare QRELS FIRST SECOND"),
        }[command]
        if len(data.files) < least:
            raise ParameterError("", f"--task {data.task}", f"takes the judgments and {words}")
        if data.missing not in MISSING:
            raise ParameterError("", "--missing", f"must be one of {', '.join(MISSING)}, got {data.missing!r}")

    def score(self, data: DataOptions) -> ScoreInput:
        """Judgments and one run."""
        from assay.io.trec import read_trec

        pair = read_trec(*data.files)
        return ScoreInput({"task": data.task, "y_true": pair.truth, "y_score": pair}, parameters=_parameters(data))

    def compare(self, data: DataOptions) -> CompareInput:
        """The judgments, and several runs."""
        from assay.io.trec import QRELS, RUN, joined, read_lines

        qrels, *runs = data.files
        judged = read_lines(qrels, QRELS)
        pairs = [joined(judged, read_lines(run, RUN)) for run in runs]
        names = model_names(data.names, len(runs), [[Path(path).name.split(".")[0] or path for path in runs], runs])
        models = {name: {"y_score": pair} for name, pair in zip(names, pairs, strict=True)}
        return CompareInput(models, {"task": data.task, "y_true": pairs[0].truth}, parameters=_parameters(data))


def _parameters(data: DataOptions) -> dict[str, Any]:
    return {} if data.missing == "error" else {"missing": data.missing}
