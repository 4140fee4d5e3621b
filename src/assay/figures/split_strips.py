"""The values of all splits as one strip of dots per metric, training above test, with the estimate and its interval: plain SVG."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from assay.core.arrays import Floats
from assay.core.errors import InputError
from assay.core.score import digits
from assay.figures.svg import Axis, escaped, padded, ticks

if TYPE_CHECKING:
    from assay.resampling.estimate.result import Estimate, Performance

WIDTH, LEFT, RIGHT, TOP = 760, 240, 24, 44
ROW, BELOW = 34, 36  # height of a row of dots, and of the axis below the two rows
TALL = 2 * ROW + BELOW
_STYLE = (
    ".assay-strip text{font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1a1a1a}"
    ".assay-strip .t{font-size:14px;font-weight:600}.assay-strip .b{fill:#fff}.assay-strip .g{stroke:#e3e3e3}"
    ".assay-strip .n{fill:#c1440e;fill-opacity:.55}.assay-strip .s{fill:#0063a8;fill-opacity:.55}"
    ".assay-strip .i{fill:#0063a8;fill-opacity:.16}.assay-strip .m{stroke:#0063a8;stroke-width:2}"
    "@media (prefers-color-scheme:dark){.assay-strip text{fill:#ececec}.assay-strip .b{fill:#15181c}"
    ".assay-strip .g{stroke:#33383f}.assay-strip .n{fill:#ff9a66}.assay-strip .s,.assay-strip .i{fill:#5db7ff}"
    ".assay-strip .m{stroke:#5db7ff}}"
)


def strip_chart(estimate: Estimate) -> str:
    """The chart as SVG text: one dot per split, the estimate as a line through the test values, its interval as a band.

    Values that are not finite are counted beside their row. A metric that is undefined on all splits is reported in words.
    """
    if not estimate.performance:
        raise InputError("strip_chart", "estimate", "has no metric")
    tall = TOP + TALL * len(estimate)
    title = f"{estimate.learner}, n={estimate.n}: {estimate.scheme.name}, {len(estimate.run.splits)} splits"
    panels = "".join(_panel(name, one, TOP + TALL * at) for at, (name, one) in enumerate(estimate.performance.items()))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="assay-strip" role="img" viewBox="0 0 {WIDTH} {tall}" width="{WIDTH}" '
        f'height="{tall}"><title>{escaped(title)}</title><style>{_STYLE}</style><rect class="b" width="{WIDTH}" height="{tall}"/>'
        f'<text class="t" x="16" y="24">{escaped(title)}</text>{panels}</svg>'
    )


def _panel(name: str, one: Performance, top: float) -> str:
    score = one.score
    train, test = _values(one.train), _values(one.test)
    limits = [v for v in (score.low, score.high) if v is not None]
    shown = [*train, *test, *limits, *([float(score)] if math.isfinite(score) else [])]
    head = f'<text class="t" x="16" y="{top + 18:g}">{escaped(_short(name))}</text>'
    if not shown:
        return f'{head}<text x="{LEFT}" y="{top + 18:g}">undefined on all splits</text>'
    axis = _axis(shown)
    value = "no estimate" if math.isnan(score) else digits(score)
    parts = [head, f'<text x="16" y="{top + 36:g}">{value}</text>', _grid(axis, top)]
    if limits:
        left, wide = axis.at(limits[0]), axis.at(limits[1]) - axis.at(limits[0])
        band = f"{limits[0]:.4g} to {limits[1]:.4g} ({score.method})"
        parts.append(
            f'<rect class="i" x="{left:.2f}" y="{top + ROW:g}" width="{wide:.2f}" height="{ROW}"><title>{escaped(band)}</title></rect>'
        )
    if math.isfinite(score):
        x = axis.at(float(score))
        parts.append(f'<line class="m" x1="{x:.2f}" x2="{x:.2f}" y1="{top + ROW:g}" y2="{top + 2 * ROW:g}"/>')
    parts.append(_dots(train, len(one.train) - len(train), "train", "n", axis, top))
    parts.append(_dots(test, len(one.test) - len(test), "test", "s", axis, top + ROW))
    return "".join(parts)


def _values(values: Floats) -> list[float]:
    return values[np.isfinite(values)].tolist()


def _short(name: str) -> str:
    return name if len(name) <= 20 else f"{name[:19]}…"


def _axis(shown: list[float]) -> Axis:
    return Axis(*padded(min(shown), max(shown), 0.05), LEFT, WIDTH - RIGHT)


def _grid(axis: Axis, top: float) -> str:
    """Lines behind the dots, with their numbers below."""
    parts: list[str] = []
    bottom = top + 2 * ROW
    for value in ticks(axis.low, axis.high):
        x = axis.at(value)
        parts.append(f'<line class="g" x1="{x:.2f}" x2="{x:.2f}" y1="{top:g}" y2="{bottom:g}"/>')
        parts.append(f'<text text-anchor="middle" x="{x:.2f}" y="{bottom + 15:g}">{value:g}</text>')
    return "".join(parts)


def _dots(values: list[float], missing: int, name: str, kind: str, axis: Axis, top: float) -> str:
    """A row of dots, shifted up and down so that equal values can be distinguished."""
    said = f"{name} ({missing} not shown)" if missing else name
    parts = [f'<text text-anchor="end" x="{LEFT - 8}" y="{top + ROW / 2 + 4:g}">{said}</text>']
    for at, value in enumerate(values):
        shift = ((at * 0.618) % 1 - 0.5) * (ROW - 14)  # the golden ratio spreads any number of dots evenly
        parts.append(f'<circle class="{kind}" cx="{axis.at(value):.2f}" cy="{top + ROW / 2 + shift:.2f}" r="3.2"/>')
    return "".join(parts)
