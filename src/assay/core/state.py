"""Mergeable, portable states: a metric and the monoid element of the data it has seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from assay.core import codec
from assay.core.calls import guarded
from assay.core.errors import StateError
from assay.core.monoids import Element
from assay.core.score import Score
from assay.core.uncertainty import inference

if TYPE_CHECKING:
    from assay.core.metric import Metric

E = TypeVar("E", bound=Element)


class State(Generic[E]):
    """What a metric keeps of the data: plain numbers that add up exactly, in any order and across machines.

    >>> import assay
    >>> mse = assay.metrics.Mse()
    >>> state = mse.state([1.0, 2.0], [1.0, 4.0]) + mse.state([3.0], [3.0])
    >>> state.value(), state.n
    (1.3333333333333333, 3)
    """

    __slots__ = ("metric", "total")

    def __init__(self, metric: Metric[E], total: E) -> None:
        self.metric, self.total = metric, total

    @property
    def n(self) -> int:
        """Number of units seen."""
        return int(self.total.n)

    def __add__(self, other: State[E]) -> State[E]:
        if not isinstance(cast(Any, other), State):
            return NotImplemented
        if other.metric != self.metric:
            raise StateError(
                f"these states belong to different metrics and cannot be added: {self.metric.signature()} and "
                f"{other.metric.signature()}."
            )
        return State(self.metric, cast(E, cast(Any, self.total) + other.total))

    def __radd__(self, other: object) -> State[E]:
        return self if other == 0 else NotImplemented  # so that the built-in sum() works

    def value(self) -> Any:
        """The metric's value on everything seen."""
        outcome = self.metric.outcome(self.total)
        self.metric.warn(outcome)
        return outcome.value

    def score(self) -> Score:
        """The value as a `Score`."""
        return self.metric.score_of(self.total)

    @guarded
    def interval(self, *, level: float = 0.95, method: str = "auto", replicates: int = 2000, seed: int = 0) -> Score:
        """The value with its interval, for metrics whose state keeps a table or the rows; the same as from all data at once."""
        options = inference("options").Options(level, method, replicates, seed).checked(self.metric.name)
        return inference("interval").scored(inference("sample").Kept(self.metric, self.total), options)

    def to_bytes(self) -> bytes:
        """Plain data in a versioned format: JSON facts, then the numbers; no code, no pickle."""
        return codec.dump({"metric": codec.metric_tree(self.metric)}, self.total)

    @classmethod
    def from_bytes(cls, data: bytes) -> State[Any]:
        """The state that `to_bytes` wrote; refuses foreign, damaged or newer bytes."""
        head, total = codec.load(data)
        return State(codec.metric_from(head.get("metric", {})), total)

    def __repr__(self) -> str:
        return f"<State {self.metric.signature()} n={self.n}>"
