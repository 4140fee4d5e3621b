"""Mergeable, portable states: a metric and the monoid element of the data it has seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from assay.core import codec, state_checks
from assay.core.call_checks import guarded
from assay.core.engine import engine
from assay.core.errors import AssayError, StateError, UndefinedError
from assay.core.inference_options import InferenceOptions
from assay.core.interval_state import Kept
from assay.core.monoids import Element, Nothing
from assay.core.score import Score
from assay.core.state_pickle import state_from_bytes

if TYPE_CHECKING:
    from assay.core.metric import Metric

E = TypeVar("E", bound=Element)
T = TypeVar("T")


class State(Generic[E]):
    """What a metric keeps of the data: plain numbers that add up in any order and across machines, to rounding.

    k merges move a sum by at most k times 2^-53 of the sizes that it adds up, and moments of data far from zero no more than that.

    Beside what the value needs it keeps what the default interval does, unless that resamples rows: power sums of bounded size.

    >>> import assay
    >>> mse = assay.metrics.MSE()
    >>> state = mse.state([1.0, 2.0], [1.0, 4.0]) + mse.state([3.0], [3.0])
    >>> state.value(), state.n
    (1.3333333333333333, 3)
    """

    __slots__ = ("kept", "metric", "read", "total")

    def __init__(self, metric: Metric[E], total: E, kept: Kept | None = None, *, read: bool = False) -> None:
        self.metric, self.total, self.kept = metric, total, kept
        self.read = read  # from bytes, which may have come from anywhere

    @property
    def n(self) -> int:
        """Number of units seen."""
        return int(self.total.n)

    def __add__(self, other: State[E]) -> State[E]:
        if not isinstance(cast(Any, other), State):
            return NotImplemented
        if other.metric != self.metric:
            raise StateError(
                "",
                "",
                f"these states belong to different metrics and cannot be added: {self.metric.signature()} and "
                f"{other.metric.signature()}",
            )
        merged: State[E] = State(self.metric, self.total, None, read=self.read or other.read)
        return merged._trusting(lambda: self._with(other, merged))

    def _with(self, other: State[E], merged: State[E]) -> State[E]:
        for one, rest in ((self, other), (other, self)):
            if isinstance(cast(Any, one.total), Nothing):
                merged.total, merged.kept = rest.total, rest.kept
                return merged
        merged.total = cast(E, cast(Any, self.total) + other.total)
        if self.kept is not None and other.kept is not None:
            merged.kept = self.kept.merged(self.total, other.kept, other.total, merged.total)
        return merged

    def __radd__(self, other: object) -> State[E]:
        return self if other == 0 else NotImplemented  # so that the built-in sum() works

    def value(self) -> Any:
        """The metric's value on everything seen."""
        outcome = self._trusting(lambda: self.metric.outcome(self.total))
        self.metric.warn(outcome)
        return outcome.value

    def score(self) -> Score:
        """The value as a `Score`."""
        return self._trusting(lambda: self.metric.score_of(self.total))

    @guarded
    def interval(self, *, level: float = 0.95, method: str = "auto", replicates: int = 2000, seed: int = 0) -> Score:
        """The value with its interval, the same as from all data at once, unless it would resample rows that are gone."""
        options = InferenceOptions(level, method, replicates, seed).checked(self.metric.name)
        if isinstance(cast(Any, self.total), Nothing):
            raise UndefinedError(self.metric.name, "", "there is no interval: no batch had a row with any weight")
        return self._trusting(lambda: engine().state_interval(self, options))

    def to_bytes(self, *, key: bytes | None = None) -> bytes:
        """Plain data in a versioned format: JSON facts, then the numbers; no code, no pickle.

        The checksum in them tells damage, and whoever changes the bytes can renew it. With a ``key`` they are sealed (HMAC-SHA256):
        `from_bytes` with the same key takes only what was written with it.
        """
        head = {"metric": codec.metric_tree(self.metric), "signature": self.metric.signature()}
        return codec.dump(head, {"element": self.total, "kept": self.kept}, key)

    @classmethod
    def from_bytes(cls, data: bytes, *, key: bytes | None = None) -> State[Any]:
        """The state that `to_bytes` wrote; refuses foreign, damaged, newer or impossible bytes, and another key than theirs."""
        state = restored(data, key)
        state._trusting(lambda: state_checks.try_out(state.metric, state.total))
        return state

    def _trusting(self, answer: Callable[[], T]) -> T:
        """The answer of code that trusts its numbers. Bytes may hold some that no data give: then the state is wrong, not the code."""
        try:
            return answer()
        except AssayError:
            raise
        except codec.FOREIGN as error:
            if not self.read:
                raise
            raise StateError(
                "",
                "",
                f"this state was read from bytes that {self.metric.name} did not write: {error!r:.200}",
                "Write it again.",
            ) from error

    def __reduce__(self) -> tuple[Callable[..., State[Any]], tuple[Any, ...]]:
        """Pickled as the bytes of `to_bytes`, which `torch.load` takes too; with a metric of your own as the objects they are."""
        if type(self.metric).__module__.startswith("assay.metrics."):
            return state_from_bytes, (self.to_bytes(),)
        return remade, (self.metric, self.total, self.kept, self.read)

    def __repr__(self) -> str:
        return f"<State {self.metric.signature()} n={self.n}>"


def restored(data: bytes, key: bytes | None = None) -> State[Any]:
    """A state from bytes whose form is checked; `State.from_bytes` also tries out its value, which takes longer."""
    head, parts = codec.load(data, key)
    metric = codec.metric_from(head["metric"])
    if head.get("signature", metric.signature()) != metric.signature():
        raise StateError("", "", f"this state names two metrics: {metric.signature()} and {head['signature']!r:.100}")
    state = State[Any](metric, parts["element"], parts.get("kept"), read=True)
    state._trusting(lambda: state_checks.check(metric, state.total, state.kept))  # pyright: ignore[reportPrivateUsage]
    return state


def remade(metric: Metric[Any], total: Any, kept: Kept | None, read: bool) -> State[Any]:
    """A pickled state of a metric that is not of this library."""
    return State(metric, total, kept, read=read)
