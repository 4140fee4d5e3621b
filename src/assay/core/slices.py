"""A metric on the slices of the data: where it is better or worse than on the whole, and whether that is sure."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from assay.core import notebook
from assay.core.call_checks import guarded
from assay.core.errors import UnknownNameError, did_you_mean, shown
from assay.core.escaping import visible
from assay.core.frames import Framed, FrameData
from assay.core.plain_data import plain_data
from assay.core.score import Score, digits, in_cells


@dataclass(frozen=True)
class Slice:
    """One slice: its score, and its gap to the whole with limits and p value that allow for the number of slices.

    ``pooled`` is the estimate after borrowing from the other slices, if that was requested.
    """

    score: Score
    gap: float
    gap_low: float | None
    gap_high: float | None
    p: float | None
    adjusted_p: float | None
    level: float
    pooled: Score | None = None

    @property
    def differs(self) -> bool:
        """Whether the slice surely differs from the whole."""
        return self.adjusted_p is not None and self.adjusted_p < 1 - self.level

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        gap = {
            "gap": self.gap, "low": self.gap_low, "high": self.gap_high, "p": self.p, "adjusted_p": self.adjusted_p,
            "level": self.level, "method": "MOVER, Šidák", "reliable": self.score.reliable, "reason": self.score.reason,
        }  # fmt: skip
        pooled = {} if self.pooled is None else {"pooled": self.pooled.to_dict()}
        return plain_data({**self.score.to_dict(), "gap": {**gap, "differs": self.differs}, **pooled})


_SCHEMA: dict[str, type] = {
    "slice": str, "value": float, "low": float, "high": float, "n": int, "gap": float, "gap_low": float, "gap_high": float,
    "p": float, "adjusted_p": float, "differs": bool, "pooled": float,
}  # fmt: skip


@dataclass(frozen=True, repr=False)
class Slices(Framed):
    """The whole and its slices, by label."""

    metric: str
    whole: Score
    slices: dict[Any, Slice]
    level: float
    better: str

    @guarded
    def __getitem__(self, label: Hashable) -> Slice:
        if label in self.slices:
            return self.slices[label]
        raise UnknownNameError("", "", f"unknown slice {shown(label)}", did_you_mean(label, self.slices))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.slices)

    def __len__(self) -> int:
        return len(self.slices)

    @property
    def worst(self) -> Any:
        """The label of the slice with the worst value, sure or not."""
        known = {label: float(s.score) for label, s in self.slices.items() if not math.isnan(s.score)}
        pick = min if self.better == "higher" else max
        return pick(known, key=lambda label: known[label]) if known else None

    def __str__(self) -> str:
        names = {label: visible(str(label)) for label in self.slices}
        width = max(5, *map(len, names.values()))
        lines = [f"{'whole':<{width}}  {self.whole.short()}  n={self.whole.n}"]
        for label, s in self.slices.items():
            gap = _gap_text(s.gap, s.gap_low, s.gap_high)
            mark = "  differs" if s.differs else ""
            pooled = "" if s.pooled is None else f"  pooled {s.pooled.short()}"
            lines.append(f"{names[label]:<{width}}  {s.score.short()}  n={s.score.n}{gap}{mark}{pooled}")
        reasons = sorted({s.score.reason for s in self.slices.values() if s.score.reason})
        return "\n".join([f"{self.metric}, {len(self.slices)} slices", *lines, *(f"* {r}." for r in reasons)])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        pooled = any(s.pooled is not None for s in self.slices.values())
        rows = [["whole", str(self.whole.n), *in_cells(self.whole), "", "", *([""] if pooled else [])]]
        for label, s in self.slices.items():
            gap = _gap_text(s.gap, s.gap_low, s.gap_high).strip().removeprefix("gap ")
            borrowed = [] if not pooled else ["" if s.pooled is None else s.pooled.short()]
            rows.append(
                [str(label), str(s.score.n), *in_cells(s.score), gap, "differs" if s.differs else "", *borrowed]
            )
        head = [
            "slice",
            "n",
            "value",
            f"{100 * self.level:g} % interval",
            "gap to the whole",
            "",
            *(["pooled"] if pooled else []),
        ]
        reasons = sorted({s.score.reason for s in self.slices.values() if s.score.reason})
        return notebook.page([notebook.Table(self.metric, head, rows)], [f"* {reason}." for reason in reasons])

    def frame_data(self) -> FrameData:
        """One row per slice, with its interval and its gap to the whole."""
        rows = [
            {"slice": str(label), "value": float(s.score), "low": s.score.low, "high": s.score.high, "n": s.score.n, "gap": s.gap,
             "gap_low": s.gap_low, "gap_high": s.gap_high, "p": s.p, "adjusted_p": s.adjusted_p, "differs": s.differs,
             "pooled": None if s.pooled is None else float(s.pooled)}
            for label, s in self.slices.items()
        ]  # fmt: skip
        return FrameData(rows, _SCHEMA)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        slices = {str(label): s.to_dict() for label, s in self.slices.items()}
        return {"metric": self.metric, "level": self.level, "whole": self.whole.to_dict(), "slices": slices}


def _gap_text(gap: float, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return f"  gap {digits(gap, low, high)} [{digits(low, low, high)}, {digits(high, low, high)}]"
