"""What losses of generation share: exactly one of several kinds of input, sums per row, precision of sums."""

from __future__ import annotations

from assay.core.arrays import Array, ArrayLike, Namespace, epsilon
from assay.core.errors import InputError
from assay.losses.inputs import arrays, floating


def named(who: str, **kinds: ArrayLike | None) -> tuple[str, Array]:
    """The one kind that was given, with its name: it is never guessed from the values."""
    given = [name for name, value in kinds.items() if value is not None]
    if len(given) != 1:
        choice = ", ".join(kinds)
        raise InputError(who, "", f"give exactly one of {choice}; got {' and '.join(given) or 'none of them'}")
    return given[0], kinds[given[0]]


def per_row(xp: Namespace, values: Array) -> Array:
    """Sums over all axes but the first."""
    return values if values.ndim == 1 else xp.sum(values, axis=tuple(range(1, values.ndim)))


def floats(who: str, **given: ArrayLike) -> tuple[Namespace, list[Array]]:
    """Arrays of one library, as floats."""
    xp, found = arrays(who, **given)
    return xp, [floating(xp, array) for array in found]


def wide(xp: Namespace, array: Array) -> Array:
    """Single precision at least: sums over many points need its digits."""
    return xp.astype(array, xp.float32) if epsilon(array) > 1e-4 else array
