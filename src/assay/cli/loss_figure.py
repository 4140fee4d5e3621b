"""A loss and its slope as two small panels of braille dots, side by side."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from assay.core.loss import find_loss
from assay.testing.examples.sweeps import LossSweep, sweep_of

WIDTH, HEIGHT, PAD = 26, 7, 7  # characters per panel, each of 2 x 4 dots, and beside it for numbers: two fit into 80
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))


def loss_figure(key: str) -> str:
    """The figure of a loss, or nothing if the loss cannot be drawn against one number."""
    sweep = sweep_of(find_loss(key))
    if sweep is None:
        return ""
    slope: Any = np.gradient(sweep.y, sweep.x)
    left, right = _panel("loss", sweep, sweep.y), _panel("slope", sweep, slope)
    lines = [f"{a}   {b}".rstrip() for a, b in zip(left, right, strict=True)]
    return "\n".join([*lines, f"along: {sweep.axis}"])


def _panel(title: str, sweep: LossSweep, y: Any) -> list[str]:
    """Title, rows with the top and bottom value beside them, and the ends of the axis."""
    low, high = float(y.min()), float(y.max())
    if high - low < 1e-9 * (1 + abs(high)):  # rounding errors are not a curve
        y, low = np.full_like(y, high), high
    labels = [_label(high, high - low), *[""] * (HEIGHT - 2), _label(low, high - low)]
    rows = [f"{label:>{PAD}} {row}" for label, row in zip(labels, _dots(sweep.x, y, low, high), strict=True)]
    first, last = f"{sweep.x[0]:g}", f"{sweep.x[-1]:g}"
    axis = " " * (PAD + 1) + first + last.rjust(WIDTH - len(first))
    return [f"{'':>{PAD}} {title:<{WIDTH}}", *rows, axis]


def _label(value: float, span: float) -> str:
    """A number; negligible beside the height of the panel, it is 0."""
    return "0" if abs(value) < 1e-3 * span else f"{value:.3g}"


def _dots(x: Any, y: Any, low: float, high: float) -> list[str]:
    """The curve on a grid of dots, four rows of them per character."""
    cells = [[0] * WIDTH for _ in range(HEIGHT)]
    across = [float(x[0] + (x[-1] - x[0]) * i / (2 * WIDTH - 1)) for i in range(2 * WIDTH)]
    heights: list[float] = cast(Any, np.interp(across, x, y)).tolist()
    at = [round((high - h) / (high - low or 1.0) * (4 * HEIGHT - 1)) for h in heights]
    for column, row in enumerate(at):
        before = at[max(column - 1, 0)]
        for dot in range(min(row, before + (row > before)), max(row, before - (row < before)) + 1):
            cells[dot // 4][column // 2] |= _DOTS[column % 2][dot % 4]
    return ["".join(chr(0x2800 + cell) for cell in line) for line in cells]
