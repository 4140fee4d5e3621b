"""What all figures share: axes from values to pixels, ticks at round numbers, text that is safe inside XML."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.core.escaping import html


@dataclass(frozen=True)
class Axis:
    """Maps values from ``low`` to ``high`` to pixels from ``start`` to ``stop``."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def at(self, value: float) -> float:
        """The pixel of a value."""
        low, high, value = (math.log10(v) if self.log else v for v in (self.low, self.high, value))
        return self.start + (value - low) / (high - low) * (self.stop - self.start)


def padded(low: float, high: float, fraction: float, log: bool = False) -> tuple[float, float]:
    """The range with a little space at both ends, and some span where it has none."""
    if log:
        a, b = padded(math.log10(low), math.log10(high), fraction)
        return 10**a, 10**b
    span = (high - low) or abs(high) or 1.0
    return low - fraction * span, high + fraction * span


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers (spaced by 1, 2 or 5 times a power of ten) from ``low`` to ``high``.

    >>> ticks(0.03, 0.97)
    [0.2, 0.4, 0.6, 0.8]
    """
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten, with 2 and 5 times them where there is room.

    >>> log_ticks(3, 700)
    [5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0]
    """
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1,)):
        step = 1 if factors != (1,) else math.ceil(len(decades) / 8)
        found = [float(f"{m * 10.0**d:.12g}") for d in decades[::step] for m in factors]
        found = [v for v in found if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]
        if len(found) <= 8:
            break
    return found if len(found) > 1 else ticks(low, high)


def labelled_ticks(axis: Axis) -> list[tuple[float, str]]:
    """The ticks of an axis with their labels."""
    values = (log_ticks if axis.log else ticks)(axis.low, axis.high)
    return [(v, f"{v:.10g}".replace("e+0", "e").replace("e-0", "e-").replace("-", "−")) for v in values]


def escaped(text: str) -> str:
    """Escaped for XML, with blanks in place of the characters that XML does not allow."""
    return html(
        "".join(c if c >= " " and c not in "\ufffe\uffff" and not "\ud800" <= c <= "\udfff" else " " for c in text)
    )
