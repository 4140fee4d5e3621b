"""Batches added up: one state for each statistic, and by option the ids of the rows, so that none counts twice.

With ids the latest batch is kept as it came until the next one: samplers pad the end of an epoch with rows that another process has
too, and only rows that are still there can be left out.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np

from assay.core.arrays import ArrayLike, Host, to_host
from assay.core.engine import engine
from assay.core.errors import AssayWarning, EmptyInputError, InputError, StateError
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Element
from assay.core.outcomes import outside
from assay.core.state import State
from assay.evaluation.task_data import pick
from assay.metrics.classification.family import LabelMetric
from assay.metrics.segmentation.maps import MapMetric

Id: TypeAlias = int | str
# These make the same of the same data, whatever the metric.
_PLAIN: tuple[object, ...] = (Metric[Any].inputs, MapMetric.inputs)
_SHOWN = 5


@dataclass(frozen=True)
class Batch:
    """The data of the latest batch, as each kind of metric reads them, the ids of its rows, and their states."""

    views: dict[Hashable, Inputs]
    ids: list[Id]
    states: dict[str, State[Element]]


class Stream:
    """What several metrics keep of all batches. Metrics of one statistic share one state, and `leaders` names who keeps it."""

    def __init__(self, metrics: Mapping[str, Metric[Element]]) -> None:
        self.metrics = dict(metrics)
        first: dict[Hashable, str] = {}
        keys = {name: (_view(m), m.statistic(), engine().powers(m)) for name, m in self.metrics.items()}
        self.leaders = {name: first.setdefault(key, name) for name, key in keys.items()}
        self.reset()

    def reset(self) -> None:
        """Forget all batches."""
        self.parts: dict[str, list[State[Element]]] = {name: [] for name in dict.fromkeys(self.leaders.values())}
        self.latest: Batch | None = None
        self.ids: list[Id] | None = None  # of the rows in ``parts``; None where none were given
        self.seen: set[Id] = set()  # those and the latest
        self.repeated = 0  # rows left out because they had come before

    # ---- taking batches

    def add(
        self, given: Mapping[str, ArrayLike], weight: ArrayLike | None, ids: ArrayLike | None
    ) -> dict[str, State[Element]]:
        """Take a batch; gives the states of its own. Nothing is changed if it is refused."""
        if (ids is None) == (self.ids is not None) and self.started:
            raise InputError("update", "ids", "must come with every batch or with none")
        views = self._views(given, weight)
        if not views:
            return {}
        named = None if ids is None else self._named(ids, next(iter(views.values())).given)
        if named is None:
            states = self._states(views)
            self._push(states)
            return states
        places = {one: at for at, one in reversed(list(enumerate(named))) if one not in self.seen}
        fresh = dict(sorted(places.items(), key=lambda item: item[1]))
        states: dict[str, State[Element]] = {}
        if fresh:
            rows = np.array(list(fresh.values()), dtype=np.int64)
            views = _picked(views, rows)  # a copy: the caller may use the memory again
            states = self._states(views)
            self.settle()
            self.latest, self.ids = Batch(views, list(fresh), states), self.ids or []
            self.seen.update(fresh)
        self.repeated += len(named) - len(fresh)
        return states

    @property
    def started(self) -> bool:
        """Whether any batch has come."""
        return self.latest is not None or any(self.parts.values())

    @property
    def n(self) -> int:
        """Number of rows so far."""
        first = next(iter(self.parts))
        latest = None if self.latest is None else self.latest.states.get(first)
        return (0 if latest is None else latest.n) + sum(part.n for part in self.parts[first])

    def settle(self) -> None:
        """The latest batch becomes a part of the sum."""
        if self.latest is not None:
            self._push(self.latest.states)
            self.ids = [*cast("list[Id]", self.ids), *self.latest.ids]
            self.latest = None

    def _push(self, states: Mapping[str, State[Element]]) -> None:
        """Parts of like size are added, as in a counter: rows that are kept are copied a few times each, not once per batch."""
        for name, state in states.items():
            parts = self.parts[name]
            parts.append(state)
            while len(parts) > 1 and parts[-1].n >= parts[-2].n:
                parts[-2:] = [parts[-2] + parts[-1]]

    def _views(self, given: Mapping[str, ArrayLike], weight: ArrayLike | None) -> dict[Hashable, Inputs]:
        """The data as each kind of metric reads them; one pass serves all statistics of one view."""
        views: dict[Hashable, Inputs] = {}
        used: set[str] = set()
        for name in self.parts:
            metric = self.metrics[name]
            names = tuple(given) if len(self.metrics) == 1 else pick(metric, list(given))
            used.update(names)
            if _view(metric) not in views:
                with contextlib.suppress(EmptyInputError):  # this batch adds nothing to it
                    views[_view(metric)] = metric.inputs(weight=weight, **{n: given[n] for n in names if n in given})
            if _view(metric) in views:
                views[_view(metric)].wanted |= frozenset(metric.statistic().leaves())
        unused = [name for name in given if name not in used]
        if unused:
            raise InputError("update", "", f"no metric here takes {unused[0]}")
        return views

    def _states(self, views: Mapping[Hashable, Inputs]) -> dict[str, State[Element]]:
        keys = {name: _view(self.metrics[name]) for name in self.parts}
        return {name: self.metrics[name].state_of(views[key]) for name, key in keys.items() if key in views}

    def _named(self, ids: ArrayLike, n: int) -> list[Id]:
        given: Any = ids if isinstance(ids, list | tuple) else to_host(cast(Any, ids)).tolist()
        found: list[Any] = list(given)
        if len(found) != n:
            raise InputError("update", "ids", f"must name each of {n} rows, got {len(found)}")
        found = [one.item() if hasattr(one, "item") else one for one in found]
        wrong = [one for one in found if not isinstance(one, int | str) or isinstance(one, bool)]
        if wrong:
            raise InputError("update", "ids", f"must be integers or text, got {wrong[0]!r}")
        return found

    # ---- what has come

    def state(self, name: str) -> State[Element] | None:
        """The state of a metric on all that has come; None before the first row."""
        leader = self.leaders[name]
        latest = None if self.latest is None else self.latest.states.get(leader)
        parts = [*self.parts[leader], *(() if latest is None else (latest,))]
        if not parts:
            return None
        total = parts[-1]
        for part in parts[-2::-1]:
            total = part + total
        return State(self.metrics[name], total.total, total.kept, read=total.read)

    def kept(self) -> dict[str, State[Element]]:
        """One state for each statistic."""
        states = {name: self.state(name) for name in self.parts}
        return {name: state for name, state in states.items() if state is not None}

    def take(self, states: Mapping[str, State[Element]], ids: list[Id] | None, repeated: int) -> None:
        """Go on from these, in the place of what has come."""
        if states and set(states) != set(self.parts):
            raise StateError("", "", f"these are states of {', '.join(states)}, not of {', '.join(self.parts)}")
        for name, state in states.items():
            if state.metric != self.metrics[name]:
                raise StateError(
                    "", "", f"this is a state of {state.metric.signature()}, not of {self.metrics[name].signature()}"
                )
        self.reset()
        self._push(states)
        self.ids, self.seen, self.repeated = ids, set(ids or ()), repeated

    def without(self, ids: set[Id]) -> dict[str, State[Element]]:
        """The states with the rows of these ids left out, which must be in the latest batch."""
        if self.latest is None or not ids:
            return self.kept()
        keep = np.array([at for at, one in enumerate(self.latest.ids) if one not in ids], dtype=np.int64)
        other = Stream(self.metrics)
        other.parts = {name: list(parts) for name, parts in self.parts.items()}
        if len(keep):
            other._push(other._states(_picked(self.latest.views, keep)))
        return other.kept()


def _picked(views: Mapping[Hashable, Inputs], rows: Host) -> dict[Hashable, Inputs]:
    """Some rows of a batch as each kind of metric reads them; none where it is to ignore them all."""
    found: dict[Hashable, Inputs] = {}
    for key, view in views.items():
        with contextlib.suppress(EmptyInputError):
            found[key] = view.given_rows(rows)
    return found


def _view(metric: Metric[Any]) -> Hashable:
    """What must be equal for two metrics to read their data once: how they name, check and weigh them."""
    reader = type(metric).inputs
    left_out = metric.ignore_index if isinstance(metric, LabelMetric) else None
    return (
        metric.takes,
        metric.weights_count,
        metric.corrects_for_rows,
        left_out,
        reader if reader in _PLAIN else metric,
    )


def report(repeated: int, rows: int) -> None:
    """Say that rows came more than once."""
    if repeated:
        warnings.warn(
            f"{repeated} rows came more than once and are counted once, of {rows + repeated}: a sampler has padded its shares.",
            AssayWarning,
            stacklevel=outside(),
        )


def listed(ids: list[Id]) -> str:
    """A few ids for a text."""
    return ", ".join(map(str, ids[:_SHOWN])) + (f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else "")
