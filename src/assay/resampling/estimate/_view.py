"""An estimate as tables, notes and frames."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.evaluation.table_layout import (
    ARROWS,
    Grid,
    Page,
    interval_text,
    method_note,
    percent,
    star_notes,
    stars_of,
    value_text,
    warning_notes,
)
from assay.resampling.estimate._fits import FitRecord
from assay.resampling.schemes.scheme_text import described

if TYPE_CHECKING:
    from assay.resampling.estimate.result import Estimate

SCHEMA: dict[str, Any] = {
    "metric": str, "value": float, "low": float, "high": float, "level": float, "method": str, "reliable": bool, "reason": str,
    "form": str, "averaged": float, "pooled": float, "train": float, "overfitting": float, "underfitting": float,
    "optimism": float,
}  # fmt: skip


def page(estimate: Estimate) -> Page:
    """For a terminal or a file."""
    return Page(lambda _: tables(estimate), lambda _: notes(estimate))


def tables(estimate: Estimate) -> list[Grid]:
    """One row per metric."""
    level = percent(estimate.run.level)
    wanted = any(one.underfitting is not None for one in estimate.performance.values())
    head = ["metric", "estimate", level, "train", "overfitting", *(["underfitting"] if wanted else [])]
    head += ["not nested", "optimism"] if estimate.flat is not None else []
    rows: list[list[str]] = []
    for name, one in estimate.performance.items():
        better = estimate.run.scorer.metrics[name].record.better
        row = [f"{name} {ARROWS[better]}".strip(), value_text(one.score), interval_text(one.score)]
        row += [value_text(_mean(one.train)), value_text(one.overfitting)]
        row += [value_text(one.underfitting)] if wanted else []
        if estimate.flat is not None:
            row += [value_text(float(estimate.flat[name])), value_text(estimate.optimism[name])]
        rows.append(row)
    title = f"{estimate.learner} · {estimate.task} · n={estimate.n} · {described(estimate.scheme)}"
    return [Grid(title, head, rows, stars=stars_of("", estimate.scores))]


def notes(estimate: Estimate) -> list[str]:
    """What the numbers cover, how they were computed, and what went wrong."""
    scores = estimate.scores
    forms: dict[str, list[str]] = {}
    for name, one in estimate.performance.items():
        forms.setdefault(one.form, []).append(name)
    known = any(score.low is not None for score in scores.values())
    said = [f"The {'interval' if known else 'estimate'} is about {estimate.about}."]
    said += method_note("Intervals", ((name, s.method) for name, s in scores.items()))
    said.append("Estimates: " + "; ".join(f"{form} ({', '.join(names)})" for form, names in forms.items()))
    said.append(
        f"Inner loss (minimised): {estimate.inner_loss}. Outer loss (reported): {', '.join(estimate.outer_loss)}."
    )
    if any(np.isnan(one.train).all() for one in estimate.performance.values()) and not estimate.failures:
        said.append("Training values were not kept for these metrics; keep_train=True keeps what they need.")
    said += star_notes(tables(estimate))
    return said + warning_notes(warnings(estimate))


def warnings(estimate: Estimate) -> list[str]:
    """Failed fits, undefined estimates, unstable selections."""
    failed = estimate.failures
    said = [f"{len(failed)} of {len(estimate.run.folds)} fits failed. The first: {failed[0]}."] if failed else []
    for name, one in estimate.performance.items():
        if math.isnan(one.score) and one.score.reason:
            said.append(f"{name}: {one.score.reason}.")
    if len(set(estimate.chosen)) > 1:
        said.append(
            f"{len(set(estimate.chosen))} different sets of parameters were selected in {len(estimate.chosen)} splits."
        )
    return said


def place(fold: FitRecord) -> str:
    """The repeat and fold of a fit."""
    return f"repeat {fold.repeat + 1}, fold {fold.fold + 1}" if fold.role == "split" else f"extra fit {fold.index + 1}"


def records(estimate: Estimate) -> list[dict[str, Any]]:
    """One record per metric."""
    return [
        {
            "metric": name, "value": float(one.score), "low": one.score.low, "high": one.score.high, "level": one.score.level,
            "method": one.score.method, "reliable": one.score.reliable, "reason": one.score.reason, "form": one.form,
            "averaged": one.averaged, "pooled": one.pooled, "train": _mean(one.train), "overfitting": one.overfitting,
            "underfitting": one.underfitting, "optimism": estimate.optimism.get(name),
        }
        for name, one in estimate.performance.items()
    ]  # fmt: skip


def splits(estimate: Estimate) -> Any:
    """One row per split and metric."""
    import polars as pl

    found: list[dict[str, Any]] = []
    for at, fold in enumerate(estimate.run.splits):
        for name, one in estimate.performance.items():
            found.append({
                "repeat": fold.repeat, "fold": fold.fold, "metric": name, "train": float(one.train[at]), "test": float(one.test[at]),
                "train_rows": fold.train_size, "test_rows": len(fold.rows), "seconds": fold.seconds, "error": fold.error or None,
            })  # fmt: skip
    kinds = {"error": pl.String}
    return pl.DataFrame(found, schema_overrides=kinds)


def predictions(estimate: Estimate) -> Any:
    """One row per prediction for a test row."""
    import polars as pl

    frames: list[Any] = []
    for fold in estimate.run.splits:
        columns: dict[str, Any] = {"repeat": fold.repeat, "fold": fold.fold, "row": fold.rows}
        columns["y_true"] = estimate.run.scorer.data.y.take(fold.rows, axis=0)
        if not fold.error:
            frames.append(pl.DataFrame({**columns, **_flat(fold.answers)}))
    return pl.concat(frames) if frames else pl.DataFrame()


def _flat(answers: dict[str, Any]) -> dict[str, Any]:
    """Matrices as one column per class."""
    found: dict[str, Any] = {}
    for kind, values in answers.items():
        if values.ndim == 1:
            found[kind] = values
        else:
            found |= {f"{kind}_{j}": values[:, j] for j in range(values.shape[1])}
    return found


def _mean(values: Sequence[float] | Any) -> float:
    return float(np.mean(values)) if len(values) else math.nan
