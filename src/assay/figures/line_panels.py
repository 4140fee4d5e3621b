"""Curves as plain SVG: lines with bands in one or more panels, readable on light and dark screens, without a plotting library."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assay.core.errors import InputError, arg
from assay.core.parameters import choice
from assay.figures.svg import Axis, escaped, labelled_ticks, padded

Where = tuple[float, float]
_LIGHT = ("#0063a8", "#c1440e", "#00785a", "#9c3b8c", "#7a6200", "#555555")
_DARK = ("#5db7ff", "#ff9a66", "#3fd6a8", "#ef9be0", "#e3c94a", "#bbbbbb")
_DASHES = ("", "7 4", "2 3", "9 3 2 3", "1 4", "12 4")  # for readers and printers that cannot distinguish colours
_LEFT, _RIGHT, _BOTTOM = 64, 16, 48  # around the plotting area of a panel
_LETTER = 6.6  # width of a letter, a little overestimated
_ROW = 18


@dataclass(frozen=True)
class Line:
    """A named curve; ``low`` and ``high`` put a band around it. Undefined values leave a gap.

    Curves of one name have one colour in all panels. A curve of a single point is a mark.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Curves on common axes. ``x_names`` puts texts in place of numbers, as (x, text); ``zero`` draws the line y = 0."""

    lines: Sequence[Line]
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    x_scale: Literal["linear", "log"] = "linear"
    y_scale: Literal["linear", "log"] = "linear"
    x_names: Sequence[tuple[float, str]] = ()
    zero: bool = False


def draw(panels: Panel | Sequence[Panel], *, title: str = "", width: int = 420, height: int = 300) -> str:
    """The panels side by side as one SVG text; ``width`` and ``height`` are those of one panel."""
    shown = [panels] if isinstance(panels, Panel) else list(panels)
    for panel in shown:
        _check(panel)
    names = list(dict.fromkeys(line.name for panel in shown for line in panel.lines))
    across = width * len(shown)
    legend, below = _legend(names, across, 28 if title else 8)
    body = "".join(_panel(panel, names, width * i, below, width, height) for i, panel in enumerate(shown))
    heading = f'<text class="t" x="{across / 2:g}" y="20" text-anchor="middle">{escaped(title)}</text>' if title else ""
    tall = below + height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="assay-chart" role="img" viewBox="0 0 {across} {tall}" width="{across}" '
        f'height="{tall}"><title>{escaped(title or shown[0].title or ", ".join(names))}</title><style>{_style(len(names))}</style>'
        f'<rect class="b" width="{across}" height="{tall}"/>{heading}{legend}{body}</svg>'
    )


def _check(panel: Panel) -> None:
    choice("draw", "x_scale", panel.x_scale, ("linear", "log"))
    choice("draw", "y_scale", panel.y_scale, ("linear", "log"))
    if panel.zero and panel.y_scale == "log":
        raise InputError("draw", "zero", "does not apply to a log axis", f"Leave {arg('zero')} out.")
    for line in panel.lines:
        sizes = {len(given) for given in (line.x, line.y, line.low, line.high) if given is not None}
        if len(sizes) != 1 or (line.low is None) != (line.high is None):
            raise InputError("draw", "", f"x, y, low and high of the curve {line.name!r} must have the same length")
        if panel.x_scale == "log" and any(x <= 0 for x in line.x):
            raise InputError("draw", "x", f"must be positive for a log axis: curve {line.name!r}")
        if panel.y_scale == "log" and any(y <= 0 for edge in (line.y, line.low, line.high) for y in edge or ()):
            raise InputError("draw", "y", f"must be positive for a log axis: curve {line.name!r} or its band")
    if not any(_seen(x, y) for line in panel.lines for x, y in zip(line.x, line.y, strict=True)):
        raise InputError("draw", "lines", "must have at least one finite point")


def _seen(*values: float) -> bool:
    return all(math.isfinite(v) for v in values)


# ---- colours


def _style(count: int) -> str:
    """Rules for light screens and, where the reader prefers them, dark ones; the background is drawn, so text always contrasts."""
    base = (
        ".assay-chart text{font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}"
        ".assay-chart .t{font-size:14px;font-weight:600}.assay-chart .l{fill:none;stroke-width:2;stroke-linejoin:round}"
        ".assay-chart .a{fill-opacity:.18;stroke:none}.assay-chart .g{stroke-width:1}.assay-chart .z{stroke-width:1}"
    )
    light = _rules("#ffffff", "#1a1a1a", "#e3e3e3", "#8a8a8a", _LIGHT, count)
    dark = _rules("#15181c", "#ececec", "#33383f", "#8d949c", _DARK, count)
    return f"{base}{light}@media (prefers-color-scheme:dark){{{dark}}}"


def _rules(ground: str, ink: str, grid: str, axis: str, colours: Sequence[str], count: int) -> str:
    rules = [f".b{{fill:{ground}}}", f"text{{fill:{ink}}}", f".g{{stroke:{grid}}}", f".z{{stroke:{axis}}}"]
    for i in range(count):
        colour = colours[i % len(colours)]
        rules += [f".l{i}{{stroke:{colour}}}", f".f{i}{{fill:{colour}}}"]
    return "".join(f".assay-chart {rule}" for rule in rules)


def _dash(index: int) -> str:
    pattern = _DASHES[index % len(_DASHES)]
    return f' stroke-dasharray="{pattern}"' if pattern else ""


# ---- parts


def _legend(names: Sequence[str], across: int, top: float) -> tuple[str, int]:
    """Names with their line styles, in as many rows as needed, and the y at which the panels begin."""
    parts: list[str] = []
    x, y = 16.0, top + 10
    for i, name in enumerate(names):
        wide = 34 + _LETTER * len(name) + 14
        if x > 16 and x + wide > across:
            x, y = 16.0, y + _ROW
        parts.append(f'<line class="l l{i}" x1="{x:g}" x2="{x + 26:g}" y1="{y:g}" y2="{y:g}"{_dash(i)}/>')
        parts.append(_mark(i, x + 13, y))
        parts.append(f'<text x="{x + 32:g}" y="{y + 4:g}">{escaped(name)}</text>')
        x += wide
    return "".join(parts), int(y + 12)


def _panel(panel: Panel, names: list[str], left: int, top: int, width: int, height: int) -> str:
    x, y = _axes(panel, left, top, width, height)
    parts = [_grid(panel, x, y)]
    parts += [_curve(line, names.index(line.name), x, y) for line in panel.lines]
    middle, centre = (x.start + x.stop) / 2, (y.start + y.stop) / 2
    texts = [
        (panel.title, f'x="{middle:g}" y="{top + 18}"', ' class="t"'),
        (panel.x_label, f'x="{middle:g}" y="{top + height - 10}"', ""),
        (panel.y_label, f'transform="translate({left + 14} {centre:g}) rotate(-90)"', ""),
    ]
    parts += [f'<text{kind} text-anchor="middle" {place}>{escaped(text)}</text>' for text, place, kind in texts if text]
    return "".join(parts)


def _axes(panel: Panel, left: int, top: int, width: int, height: int) -> tuple[Axis, Axis]:
    log = panel.x_scale == "log"
    across = [x for line in panel.lines for x in line.x if _seen(x)]
    edges = [line.y for line in panel.lines] + [
        e for line in panel.lines for e in (line.low, line.high) if e is not None
    ]
    heights = [v for edge in edges for v in edge if _seen(v)] + ([0.0] if panel.zero else [])
    low, high = padded(min(across), max(across), 0.03, log)
    bottom, ceiling = padded(min(heights), max(heights), 0.06, panel.y_scale == "log")
    x = Axis(low, high, left + _LEFT, left + width - _RIGHT, log)
    start, stop = top + height - _BOTTOM, top + (30 if panel.title else 10)
    return x, Axis(bottom, ceiling, start, stop, panel.y_scale == "log")


def _grid(panel: Panel, x: Axis, y: Axis) -> str:
    """Lines behind the curves, with their numbers."""
    parts: list[str] = []
    for value, text in panel.x_names or labelled_ticks(x):
        at = x.at(value)
        parts.append(f'<line class="g" x1="{at:.2f}" x2="{at:.2f}" y1="{y.start:g}" y2="{y.stop:g}"/>')
        parts.append(f'<text text-anchor="middle" x="{at:.2f}" y="{y.start + 16:g}">{escaped(text)}</text>')
    for value, text in labelled_ticks(y):
        at = y.at(value)
        kind = "z" if panel.zero and value == 0 else "g"
        parts.append(f'<line class="{kind}" x1="{x.start:g}" x2="{x.stop:g}" y1="{at:.2f}" y2="{at:.2f}"/>')
        parts.append(f'<text text-anchor="end" x="{x.start - 6:g}" y="{at + 4:.2f}">{escaped(text)}</text>')
    parts.append(f'<line class="z" x1="{x.start:g}" x2="{x.stop:g}" y1="{y.start:g}" y2="{y.start:g}"/>')
    parts.append(f'<line class="z" x1="{x.start:g}" x2="{x.start:g}" y1="{y.start:g}" y2="{y.stop:g}"/>')
    return "".join(parts)


def _curve(line: Line, index: int, x: Axis, y: Axis) -> str:
    parts: list[str] = []
    if line.low is not None and line.high is not None:
        for run in _runs(zip(line.x, line.low, line.high, strict=True)):
            upper = [(x.at(a), y.at(high)) for a, _, high in run]
            lower = [(x.at(a), y.at(low)) for a, low, _ in reversed(run)]
            parts.append(f'<polygon class="a f{index}" points="{_places(upper + lower)}"/>')
    for run in _runs(zip(line.x, line.y, strict=True)):
        places = [(x.at(a), y.at(b)) for a, b in run]
        if len(places) > 1:
            parts.append(f'<polyline class="l l{index}" points="{_places(places)}"{_dash(index)}/>')
        if len(line.x) <= 40:
            parts += [_mark(index, *place) for place in places]
    return "".join(parts)


def _runs(rows: Iterable[tuple[float, ...]]) -> list[list[Any]]:
    """Runs of consecutive finite rows."""
    runs: list[list[Any]] = [[]]
    for row in rows:
        if _seen(*row):
            runs[-1].append(row)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _places(points: Sequence[Where]) -> str:
    return " ".join(f"{a:.2f},{b:.2f}" for a, b in points)


def _mark(index: int, x: float, y: float) -> str:
    """Dots, squares and diamonds in turn."""
    if index % 3 == 0:
        return f'<circle class="f{index}" cx="{x:.2f}" cy="{y:.2f}" r="3"/>'
    turned = f' transform="rotate(45 {x:.2f} {y:.2f})"' if index % 3 == 2 else ""
    return f'<rect class="f{index}" x="{x - 2.8:.2f}" y="{y - 2.8:.2f}" width="5.6" height="5.6"{turned}/>'
