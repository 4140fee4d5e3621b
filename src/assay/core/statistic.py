"""A statistic turns checked inputs into a monoid element; linear ones also give their rows, one per unit.

From rows, weights and the gradient of `finalize` follow replicates and influence values, once for all metrics.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from assay.core.arrays import Array, Floats
from assay.core.inputs import Inputs
from assay.core.monoids import Element, Joint

E = TypeVar("E", bound=Element)


@dataclass(frozen=True)
class Linear:
    """The rows behind an element: ``element = build(sum_i w_i row_i)``.

    Dense statistics hold ``rows`` (units, width). Tables hold ``cells`` (units, hits) instead: the flat positions at
    which a unit counts one, so that a table of a million cells does not need a million columns.
    """

    build: Callable[[Any], Any]
    width: int
    rows: Floats | None = None
    cells: Any = None

    def totals(self, weights: Floats) -> Floats:
        """The weighted sums for each row of ``weights`` (replicates, units)."""
        if self.rows is not None:
            return weights @ self.rows
        hits = self.cells.shape[1]
        flat = self.cells.reshape(-1)
        return np.stack(
            [np.bincount(flat, np.repeat(w, hits), minlength=self.width) for w in weights], dtype=np.float64
        )

    def spread(self, gradient: Floats) -> Floats:
        """For each unit the gradient times its row."""
        if self.rows is not None:
            return self.rows @ gradient
        return gradient[self.cells].sum(axis=1)


class Statistic(ABC, Generic[E]):
    """What is gathered from the data. Equal statistics are computed once, whoever asks for them."""

    @abstractmethod
    def of(self, inputs: Inputs) -> E:
        """The element of these inputs."""

    def linear(self, inputs: Inputs) -> Linear | None:
        """The rows behind the element, or None if it is not a sum of rows."""
        return None

    def power_sums(self, inputs: Inputs, total: E, slope: Floats, centre: float) -> tuple[float, float] | None:
        """Sums over units of the square and the cube of ``w (slope . row - centre)``, without keeping the rows.

        Large data have this where a kernel does it in one more pass; None says that the rows must be made.
        """
        return None

    def unit_rows(self, inputs: Inputs) -> Array | None:
        """The rows behind a sum or a table, or the columns behind moments (units, ...), where the inputs are.

        From these a state of tensors on a device gets its `assay.core.interval_state.Powers`; None where there are none.
        """
        return None

    def row_powers(self, inputs: Inputs, total: E, *, cubes: bool) -> tuple[Floats, Floats | None] | None:
        """The sums of `assay.core.interval_state.Powers` by a shorter way than through the rows; None where there is none."""
        return None

    @property
    def holds(self) -> tuple[str, ...] | None:
        """The names in its elements, against which a state that is read is held; None where the data decide them."""
        return None

    def leaves(self) -> tuple[Statistic[Any], ...]:
        """The statistics this one is made of."""
        return (self,)


@dataclass(frozen=True)
class JointStatistic(Statistic[Joint]):
    """Several statistics of the same data side by side."""

    parts: tuple[Statistic[Any], ...]

    def of(self, inputs: Inputs) -> Joint:
        """The elements of all parts."""
        return Joint(tuple(part.of(inputs) for part in self.parts))

    def linear(self, inputs: Inputs) -> Linear | None:
        """Rows side by side, if every part has dense rows."""
        parts = [part.linear(inputs) for part in self.parts]
        rows = [p.rows for p in parts if p is not None and p.rows is not None]
        if len(rows) < len(parts):
            return None
        known = [p for p in parts if p is not None]
        edges = np.cumsum([0, *(p.width for p in known)])

        def build(totals: Any) -> Joint:
            return Joint(tuple(p.build(totals[..., edges[i] : edges[i + 1]]) for i, p in enumerate(known)))

        return Linear(build, int(edges[-1]), rows=np.concatenate(rows, axis=1))

    def leaves(self) -> tuple[Statistic[Any], ...]:
        """All leaves of all parts."""
        return tuple(leaf for part in self.parts for leaf in part.leaves())


def around_mean(powers: tuple[float, float], n: int, at: int, width: int, *, cubes: bool) -> tuple[Any, Any]:
    """The sums of `Statistic.row_powers` of ``n`` rows without weights, from those of the one column that the value depends on."""
    square, cube = np.zeros((width, width)), np.zeros((width,) * 3)
    square[0, 0], square[at, at] = n, powers[0]
    cube[0, 0, 0], cube[at, at, at] = n, powers[1]
    cube[0, at, at] = cube[at, 0, at] = cube[at, at, 0] = powers[0]
    return square, cube if cubes else None


def gradient(finalize: Callable[[Any], Any], build: Callable[[Any], Any], totals: Floats) -> Floats:
    """Gradient of ``finalize(build(totals))`` by complex step: exact to rounding, no difference is ever taken."""
    size = np.maximum(np.abs(totals), 1.0)
    step = 1e-30 * size
    columns: list[Any] = []
    chunk = max(1, 4_000_000 // len(totals))  # a table of K x K cells needs K^4 numbers at once otherwise
    for start in range(0, len(totals), chunk):
        at = np.arange(start, min(start + chunk, len(totals)))
        nudged = np.repeat(totals[None, :].astype(np.complex128), len(at), axis=0)
        nudged[np.arange(len(at)), at] += 1j * step[at]
        columns.append(np.imag(finalize(build(nudged))) / step[at])
    return np.concatenate(columns)
