"""What a call of `evaluate` or `compare` says about a table; polars is loaded only when the columns are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from assay.core.monoids import Label
from assay.core.value_checks import Says
from assay.evaluation.presets import Task

Wanted: TypeAlias = str | Sequence[str]  # a column, a pattern, several with commas between them, or a list
ByModel: TypeAlias = Annotated[
    Sequence[Wanted] | Mapping[str, Wanted], Says("a column per model, such as ['p', 'q'] or {'old': 'p', 'new': 'q'}")
]


@dataclass(frozen=True)
class TableCall:
    """The columns of a table by their part. Beside names of columns, weights and the like may be arrays, which stay what they are."""

    who: str
    data: object
    truth: Wanted
    task: Task | None
    predictions: Mapping[str, object]  # by option: pred, prob, score, logits
    rows: Mapping[str, object]  # weight, groups, strata, ids
    classes: Sequence[Label] | None = None
    positive: Label | None = None
    threshold: float = 0.5
    by: tuple[str, ...] = ()
    extra: Mapping[str, object] | None = None

    def arrays(self) -> dict[str, object]:
        """What was given as an array in the first place."""
        return {name: value for name, value in self.rows.items() if value is not None and not isinstance(value, str)}
