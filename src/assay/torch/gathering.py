"""States of all processes of `torch.distributed` added up; rows that a sampler gave to two processes are counted once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import torch.distributed as _distributed

from assay.core.errors import AssayError, StateError
from assay.core.monoids import Element
from assay.core.state import State
from assay.torch.streams import Id, Stream, listed, report

distributed = cast(Any, _distributed)
T = TypeVar("T")


@dataclass(frozen=True)
class Share:
    """What one process says of its rows before anything is added up."""

    signatures: dict[str, str]
    started: bool
    settled: list[Id] | None
    latest: list[Id]
    repeated: int


def spread_out() -> bool:
    """Whether there is more than one process."""
    return distributed.is_available() and distributed.is_initialized() and distributed.get_world_size() > 1


def gathered(stream: Stream, group: object = None) -> Stream:
    """A stream that has seen what all processes have; the same on each of them."""
    total = Stream(stream.metrics)
    if not spread_out():
        total.take(stream.kept(), None if stream.ids is None else sorted(stream.seen, key=str), stream.repeated)
        report(stream.repeated, total.n)
        return total
    signatures = {name: metric.signature() for name, metric in stream.metrics.items()}
    latest = [] if stream.latest is None else stream.latest.ids
    shares = exchanged(Share(signatures, stream.started, stream.ids, latest, stream.repeated), group)
    _refuse(shares)
    left_out = padding(shares)
    rank = int(distributed.get_rank(group))
    states = _summed(exchanged(_tried(stream, left_out[rank]), group))
    ids = [one for share in shares for one in (*(share.settled or ()), *share.latest)]
    repeated = sum(share.repeated for share in shares) + sum(map(len, left_out))
    total.take(states, sorted(set(ids), key=str) if ids else None, repeated)
    if rank == 0:
        report(repeated, total.n)
    return total


def exchanged(mine: T, group: object) -> list[T]:
    """What each process gives, in the order of their ranks."""
    found: list[Any] = [None] * distributed.get_world_size(group)
    distributed.all_gather_object(found, mine, group=group)
    return found


def padding(shares: list[Share]) -> list[set[Id]]:
    """For each process the ids of its latest batch that count elsewhere: in an earlier batch, or in a process before it."""
    taken = Counter(one for share in shares for one in share.settled or ())
    twice = [one for one, count in taken.items() if count > 1]
    if twice:
        raise StateError(
            "gather",
            "",
            f"{len(twice)} rows came to two processes before their last batches ({listed(twice)}), too early for the padding "
            "of a sampler",
            "Give each process rows of its own.",
        )
    seen = set(taken)
    left_out: list[set[Id]] = []
    for share in shares:
        left_out.append({one for one in share.latest if one in seen})
        seen.update(share.latest)
    return left_out


def _refuse(shares: list[Share]) -> None:
    """All processes see the same shares, so that all of them refuse or none."""
    if any(share.signatures != shares[0].signatures for share in shares):
        raise StateError("gather", "", "the processes measure different metrics")
    named = {share.settled is not None for share in shares if share.started}
    if len(named) > 1:
        raise StateError("gather", "", "some processes know the ids of their rows and some do not")


def _tried(stream: Stream, left_out: set[Id]) -> dict[str, State[Element]] | str:
    """The states of a process, or why there are none: one that fails must not leave the others waiting."""
    try:
        return stream.without(left_out)
    except AssayError as error:
        return str(error)


def _summed(states: list[dict[str, State[Element]] | str]) -> dict[str, State[Element]]:
    total: dict[str, State[Element]] = {}
    for rank, own in enumerate(states):
        if isinstance(own, str):
            raise StateError("gather", "", f"process {rank} failed: {own}")
        for name, state in own.items():
            total[name] = total[name] + state if name in total else state
    return total


def gather(state: State[Element], *, group: object = None) -> State[Element]:
    """The sum of the states of all processes, on each of them; alone, the state itself.

    Rows that two processes share count twice here: `assay.torch.Metric` finds them by their ids.
    """
    if not spread_out():
        return state
    first, *others = exchanged(state, group)
    for other in others:
        first = first + other
    return first
