"""The critical-difference diagram (Demšar 2006) as SVG text: no plotting library, readable on light and dark pages."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.core.errors import InputError
from assay.figures.svg import escaped

AXIS = 440.0  # pixels from the best to the worst possible rank
LONGEST = 32.0  # of a name, in average letter widths; longer names are cut, and shown in full as a tooltip
_LETTER = 8.0  # pixels of an average letter at font size 13, in a wide font
_ROW, _BAR = 21.0, 9.0  # pixels from name to name, and from bar to bar
_TOP = 78.0  # y of the axis
_ELBOW = 10.0  # how far the lines extend beyond the axis
_OVERHANG = 4.0  # how far a bar extends beyond its learners
_PAD = 16.0

_STYLE = (
    ".acd-paper{fill:#ffffff}.acd-text{fill:#1f2328;font:13px system-ui,'DejaVu Sans',Arial,sans-serif}"
    ".acd-soft{fill:#57606a}.acd-line{stroke:#57606a;stroke-width:1.2;fill:none}"
    ".acd-axis{stroke:#1f2328;stroke-width:1.4;fill:none}.acd-bar{stroke:#b3400a;stroke-width:4.5;stroke-linecap:round}"
    ".acd-dot{fill:#1f2328}"
    "@media (prefers-color-scheme:dark){.acd-paper{fill:#14171c}.acd-text{fill:#e6e9ee}.acd-soft{fill:#a3acb8}"
    ".acd-line{stroke:#a3acb8}.acd-axis{stroke:#e6e9ee}.acd-bar{stroke:#ff9a52}.acd-dot{fill:#e6e9ee}}"
)


def critical_difference(
    ranks: Mapping[str, float], critical: float, groups: Sequence[Sequence[str]] = (), *, level: float = 0.95
) -> str:
    """The diagram: mean ranks on an axis, best on the left, and bars that join learners that cannot be told apart.

    ``ranks`` are mean ranks between 1 and their number, ``critical`` is the critical difference, and ``groups`` are the names
    joined by one bar each.
    """
    _check(ranks, critical, groups)
    return _Diagram(dict(sorted(ranks.items(), key=lambda item: item[1])), critical, groups, level).text()


def _check(ranks: Mapping[str, float], critical: float, groups: Sequence[Sequence[str]]) -> None:
    if len(ranks) < 2 or not all(1 <= rank <= len(ranks) for rank in ranks.values()):
        why = f"must be mean ranks from 1 to their number, of 2 or more learners, got {dict(ranks)}"
        raise InputError("diagram", "ranks", why)
    if not (math.isfinite(critical) and critical > 0):
        raise InputError("diagram", "critical", f"must be above 0, got {critical!r}")
    unknown = sorted({name for group in groups for name in group} - set(ranks))
    if unknown:
        raise InputError("diagram", "groups", f"name learners without a rank: {', '.join(unknown)}")


@dataclass(frozen=True)
class _Diagram:
    ranks: dict[str, float]  # from best to worst
    critical: float
    groups: Sequence[Sequence[str]]
    level: float

    @cached_property
    def sides(self) -> tuple[list[str], list[str]]:
        """Names on the left from best down, and on the right from worst down, so that no two lines cross."""
        names, half = list(self.ranks), (len(self.ranks) + 1) // 2
        return names[:half], names[half:][::-1]

    @cached_property
    def margins(self) -> tuple[float, float]:
        """Room for the longest name of each side, and always enough for the text above the axis."""
        left, right = (max(_width(shortened(n)) for n in side) * _LETTER + 52 for side in self.sides)
        return left + _ELBOW + 6 + _PAD, right + _ELBOW + 6 + _PAD

    @cached_property
    def levels(self) -> list[tuple[float, float, int]]:
        """Ends of each bar and its level below the axis: bars that would touch lie at different heights."""
        placed, free = list[tuple[float, float, int]](), list[float]()
        ends = [(min(xs), max(xs)) for xs in ([self.x(self.ranks[n]) for n in g] for g in self.groups if len(g) > 1)]
        for low, high in sorted(ends):
            at = next((i for i, until in enumerate(free) if low - until > 4 * _OVERHANG), len(free))
            free[at : at + 1] = [high]
            placed.append((low - _OVERHANG, high + _OVERHANG, at))
        return placed

    @property
    def first_row(self) -> float:
        """The y of the first names: below all bars."""
        return _TOP + 14 + _BAR * (1 + max((at for *_, at in self.levels), default=-1)) + 14

    def x(self, rank: float) -> float:
        """The x of a mean rank."""
        return self.margins[0] + (rank - 1) / (len(self.ranks) - 1) * AXIS

    def text(self) -> str:
        """The text of the whole file."""
        width, height = sum(self.margins) + AXIS, self.first_row + _ROW * (len(self.sides[0]) - 1) + 2 * _PAD
        best = ", ".join(f"{name} {rank:.2f}" for name, rank in self.ranks.items())
        about = f"Mean ranks, best first: {best}. Critical difference {self.critical:.3g}."
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
            f'height="{height:.0f}" role="img" aria-label="{escaped(about)}">',
            f"<style>{_STYLE}</style>",
            f'<rect class="acd-paper" width="{width:.0f}" height="{height:.0f}"/>',
            *self._axis(),
            *self._ruler(),
            *self._learners(),
            *(_line(a, _TOP + 14 + _BAR * at, b, _TOP + 14 + _BAR * at, "acd-bar") for a, b, at in self.levels),
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def _axis(self) -> list[str]:
        count = len(self.ranks)
        drawn = [_line(self.x(1), _TOP, self.x(count), _TOP, "acd-axis")]
        step = math.ceil((count - 1) * 20 / AXIS)  # beyond some twenty learners the numbers would touch
        for rank in range(1, count + 1):
            numbered = (rank - 1) % step == 0
            drawn.append(_line(self.x(rank), _TOP - (7 if numbered else 4), self.x(rank), _TOP, "acd-axis"))
            drawn += [_word(self.x(rank), _TOP - 12, str(rank), "middle")] if numbered else []
        return drawn

    def _ruler(self) -> list[str]:
        """The critical difference as a length from the left end of the axis; open-ended where the axis is too short for it."""
        start, fits = self.x(1), self.critical <= len(self.ranks) - 1
        stop, y = min(self.x(1 + self.critical), self.x(len(self.ranks))), 36.0
        drawn = [_line(start, y, stop, y, "acd-axis"), _line(start, y - 4, start, y + 4, "acd-axis")]
        drawn += [_line(stop, y - 4, stop, y + 4, "acd-axis")] if fits else []
        says = f"critical difference {self.critical:.3g} ({100 * self.level:g} %)"
        return [*drawn, _word(start, y - 12, says + ("" if fits else ", longer than the axis"), "start")]

    def _learners(self) -> list[str]:
        drawn = list[str]()
        ends = self.margins[0] - _ELBOW, self.margins[0] + AXIS + _ELBOW
        for side, end, anchor, away in zip(self.sides, ends, ("end", "start"), (-6, 6), strict=True):
            for row, name in enumerate(side):
                x, y = self.x(self.ranks[name]), self.first_row + _ROW * row
                drawn.append(f'<path class="acd-line" d="M{x:.1f} {_TOP:.1f}V{y:.1f}H{end:.1f}"/>')
                drawn.append(f'<circle class="acd-dot" cx="{x:.1f}" cy="{_TOP:.1f}" r="2.6"/>')
                drawn.append(_named(end + away, y + 4.5, name, self.ranks[name], anchor))
        return drawn


def shortened(name: str) -> str:
    """The name as it fits beside the axis, cut in the middle: variants of one learner often differ at their ends."""
    if _width(name) <= LONGEST:
        return name
    head, tail = _fitting(name, 0.6 * LONGEST), _fitting(name[::-1], 0.4 * LONGEST - 1)[::-1]
    return f"{head.rstrip()}…{tail.lstrip()}"


def _fitting(text: str, room: float) -> str:
    """As much of the beginning as fits."""
    kept = ""
    for letter in text:
        if _width(kept + letter) > room:
            break
        kept += letter
    return kept


def _width(text: str) -> float:
    """The width in average letters, a little overestimated: the font is the reader's."""
    return sum(_letter(letter) for letter in text)


def _letter(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if letter in "mwMW@%" or unicodedata.east_asian_width(letter) in "WF":
        return 1.7
    return 1.25 if letter.isupper() else 1.0


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _word(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text class="acd-text acd-soft" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escaped(text)}</text>'


def _named(x: float, y: float, name: str, rank: float, anchor: str) -> str:
    """A name with its rank beside the line; the full name as a tooltip where it was cut."""
    number = f'<tspan class="acd-soft">{rank:.2f}</tspan>'
    shown = escaped(shortened(name))
    words = f"{shown}  {number}" if anchor == "end" else f"{number}  {shown}"
    tip = "" if shortened(name) == name else f"<title>{escaped(name)}</title>"
    return f'<text class="acd-text" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" xml:space="preserve">{tip}{words}</text>'
