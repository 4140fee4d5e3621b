"""What a metric is called with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from assay.core.arrays import ArrayLike
from assay.core.errors import InputError, arg, suggestion


@dataclass(frozen=True)
class Takes:
    """What a metric is called with: ``required`` and then ``optional`` inputs, in the order of positional arguments.

    ``one_of`` says that exactly one of the optional inputs must come. ``free`` inputs are not one value per row. Inputs that are
    ``keyed`` may be mappings by the names of their rows, which are not mappings of inputs by name.
    """

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    one_of: bool = False
    keyed: bool = False

    def holds_rows(self, model: object) -> bool:
        """Whether a mapping holds the rows of one input, and not inputs by name."""
        names = (*self.required, *self.optional, *self.free)
        return (
            self.keyed
            and isinstance(model, Mapping)
            and not any(name in names for name in cast("Mapping[object, object]", model))
        )

    def bind(
        self, who: str, args: tuple[ArrayLike, ...], named: Mapping[str, ArrayLike | None]
    ) -> dict[str, ArrayLike]:
        """Names for the positional inputs; refuses what is missing, unknown or given twice."""
        order = (*self.required, *self.optional, *self.free)
        if len(args) > len(order):
            raise InputError(who, "", f"takes at most {len(order)} inputs ({', '.join(order)}), got {len(args)}")
        bound: dict[str, Any] = dict(zip(order, args, strict=False))
        for name, value in named.items():
            if name not in order:
                fix = suggestion(name, (*order, "weight")).strip()
                raise InputError(who, "", f"has no input {name!r}; it takes {self.text()}", fix)
            if value is not None and name in bound:
                raise InputError(who, name, "was given twice, as a positional and as a keyword argument")
            bound.setdefault(name, value)
        bound = {name: value for name, value in bound.items() if value is not None}
        missing = [name for name in self.required if name not in bound]
        given = [name for name in self.optional if name in bound]
        if missing:
            verb = "is" if len(missing) == 1 else "are"
            raise InputError(who, " and ".join(missing), f"{verb} required; it takes {self.text()}")
        if self.one_of and len(given) != 1:
            got = "none" if not given else " and ".join(map(arg, given))
            raise InputError(who, "", f"give exactly one of {', '.join(map(arg, self.optional))}; got {got}")
        return bound

    def text(self) -> str:
        """``y_true, one of y_pred, y_prob``, for an error: every wording writes the inputs in its own way."""
        optional = [arg(name) for name in (*self.optional, *self.free)]
        more = [("one of " if self.one_of else "optionally ") + ", ".join(optional)] if optional else []
        return ", ".join([*map(arg, self.required), *more])
