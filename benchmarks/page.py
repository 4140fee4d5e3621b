"""The page of results: what each family measured last, so that one family can be measured again by itself."""

from __future__ import annotations

import json
import math
import os
import platform
from pathlib import Path
from typing import Any

from benchmarks.harness import Row
from benchmarks.startup import Start

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
KEPT = Path(__file__).parent / "measured.json"
TITLES = {
    "regression": "Regression",
    "labels": "Labels",
    "binary": "Two classes",
    "multiclass": "Many classes",
    "inference": "Intervals",
    "resampling": "Resampling",
    "detection": "Detection",
    "segmentation": "Segmentation",
    "generation": "Generation",
    "ranking": "Rankings",
    "translation": "Translation",
    "losses_elements": "Losses: forward and backward in single precision",
    "losses_busy": "Losses beside busy neighbours",
    "losses_places": "Losses of segmentation",
    "losses_boxes": "Losses of boxes",
    "losses_embeddings": "Losses of embeddings",
    "losses_tokens": "Losses of tokens",
    "losses_generation": "Losses of generation",
}
STARTUP = "startup"
NOTES = {
    "translation": (
        "Caches of sacrebleu are emptied before every call. Measured on a shared, busy machine, one round of the",
        "paired tests: `python -m benchmarks translation --write` measures again.",
        "",
    ),
    "losses_busy": (
        "Two other processes keep the cores busy, as data loaders do; medians of seven turns. Measured on a shared machine while",
        "other work ran too: `python -m benchmarks losses_busy --write` measures again.",
        "",
    ),
}


def keep(found: dict[str, list[Row]], begun: list[Start], *, whole: bool = True) -> None:
    """Put what was measured in the place of what had been, whole families or the workloads of the same name, and write the page."""
    kept: dict[str, list[dict[str, Any]]] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for family, rows in found.items():
        new = [{"workload": r.workload, "peer": r.peer, "ratio": r.ratio, "wanted": r.wanted} for r in rows]
        kept[family] = new if whole else _merged(kept.get(family, []), new)
    if begun:
        kept[STARTUP] = [{"what": s.what, "seconds": s.seconds, "cpu": s.cpu, "limit": s.limit} for s in begun]
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    PAGE.write_text(_page(kept))


def _merged(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was measured again in its old place, and what is new at the end."""
    rows = {(row["workload"], row["peer"]): row for row in old}
    return list({**rows, **{(row["workload"], row["peer"]): row for row in new}}.values())


def _page(kept: dict[str, list[dict[str, Any]]]) -> str:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    lines = [
        "# Benchmarks",
        "",
        f"Written by `make bench` on {machine}. Peer and assay take turns on the same data in one process;",
        "a ratio above 1 says how many times faster assay is, or how much less memory it adds. Missed targets are marked.",
        "`python -m benchmarks detection --write` measures one family again and keeps the others; `--only=FID` measures some workloads.",
        "Kendall, FID, `estimate` and the bootstraps within 3 s were last measured while other work shared both cores; to repeat, run",
        "`python -m benchmarks regression generation inference resampling --only=Kendall,FID,bootstrap,estimate --write`.",
    ]
    for family, title in TITLES.items():
        if family in kept:
            lines += ["", f"## {title}", "", *NOTES.get(family, ())]
            lines += ["| workload | peer | peer / assay | target | |", "|---|---|---:|---:|---|"]
            lines += [_line(Row(**row)) for row in kept[family]]
    if STARTUP in kept:
        lines += [
            "",
            "## Start",
            "",
            'Seconds of the first call in a fresh process: wall clock and CPU. "Compiling" starts from an empty cache of',
            "kernels, as on a new machine; `assay warm` compiles all of them ahead. The smaller number counts against the limit.",
            "",
            "| what | seconds | CPU | limit | |",
            "|---|---:|---:|---:|---|",
        ]
        begun = [Start(**start) for start in kept[STARTUP]]
        lines += [f"| {s.what} | {s.seconds:.2f} | {_known(s.cpu)} | {s.limit:g} | {s.verdict} |" for s in begun]
        if any(math.isinf(s.cpu) for s in begun):
            lines += ["", "Where no time of the processor stands, it was not recorded; then the clock alone counts."]
        lines += [
            "",
            "Data of 500,000 numbers or more load numba, whose import takes most of the time of such a first call;",
        ]
        lines += ["smaller data never load it."]
    return "\n".join([*lines, ""])


def _known(seconds: float) -> str:
    """Seconds, or a dash where they were not measured."""
    return "–" if math.isinf(seconds) else f"{seconds:.2f}"


def _line(row: Row) -> str:
    wanted = "" if row.wanted is None else f"{row.wanted:.3g}x"
    return f"| {row.workload} | {row.peer} | {row.ratio:.{1 if row.ratio >= 2 else 2}f}x | {wanted} | {row.verdict} |"
