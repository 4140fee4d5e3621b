"""Nested resampling: in every outer split the parameters are selected anew, from its training rows alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, cast

from assay.core.arrays import ArrayLike
from assay.core.errors import ParameterError
from assay.core.metric import Metric
from assay.core.value_checks import Says
from assay.resampling.schemes._sampling_units import SamplingUnits
from assay.resampling.schemes.scheme import CrossValidation, Part, Scheme
from assay.resampling.schemes.time_ordered import TimeOrdered

_SCHEME = "a scheme such as CrossValidation(folds=5)"
_GRID = "a dict from parameter to list of values, such as {'max_depth': [2, 4, 8]}"


@dataclass(frozen=True, kw_only=True)
class Nested(Scheme):
    """An outer scheme that estimates, and in each of its training sets an inner search that selects.

    The search is the learner itself if it has scikit-learn's search interface (``GridSearchCV`` and the like), or a ``grid`` of
    parameters, each combination tried on the ``inner`` scheme and judged by ``select``, a metric (by default the first one of the
    call). The estimate without nesting is shown next to the nested one, with its optimism.
    """

    stratified: ClassVar[str] = "set it on outer= and inner="

    outer: Annotated[Scheme, Says(_SCHEME)] = field(default_factory=lambda: CrossValidation(folds=5))
    inner: Annotated[Scheme | None, Says(_SCHEME)] = None
    grid: Annotated[Mapping[str, Sequence[Any]] | None, Says(_GRID)] = None
    select: str | Metric[Any] | None = None

    def check(self) -> None:
        """An outer scheme that is not nested itself, and a grid with something to choose from."""
        for name, scheme in (("outer", self.outer), ("inner", self.inner)):
            if (scheme is not None and not isinstance(cast(Any, scheme), Scheme)) or isinstance(scheme, Nested):
                raise ParameterError("Nested", name, f"must be {_SCHEME}, got {scheme!r}")
        if self.grid is None:
            return
        if not isinstance(cast(Any, self.grid), Mapping) or not self.grid or not all(map(_listed, self.grid.values())):
            raise ParameterError("Nested", "grid", f"must be {_GRID}, got {self.grid!r}")

    def __hash__(self) -> int:
        """Only what can be hashed: the values of a grid need not be."""
        return hash((self.seed, self.outer, self.inner, tuple(self.grid or ())))

    @property
    def within(self) -> Scheme:
        """The inner scheme: ordered in time if the outer one is, five folds otherwise."""
        if self.inner is not None:
            return self.inner
        return TimeOrdered(folds=3) if isinstance(self.outer, TimeOrdered) else CrossValidation(folds=5)

    def units(self, X: object, y: ArrayLike | None, groups: ArrayLike | None) -> SamplingUnits:
        """What the outer scheme splits."""
        return self.outer.units(X, y, groups)

    def parts(self, units: SamplingUnits) -> Iterator[Part]:
        """The outer splits."""
        return self.outer.parts(units)

    def count(self, units: SamplingUnits) -> int:
        """The outer splits."""
        return self.outer.count(units)


def _listed(values: Any) -> bool:
    """Whether there is something to choose from; a string is one value, not its letters."""
    try:
        return not isinstance(values, str | bytes | Mapping) and len(values) > 0
    except TypeError:
        return False
