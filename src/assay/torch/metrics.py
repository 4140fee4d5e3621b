"""Metrics for training loops: `update` with every batch, `compute` at the end, `reset` before the next epoch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self, TypeAlias, cast

import numpy as np
import torch as _torch

from assay.core import loss as _loss
from assay.core.arrays import Array, ArrayLike
from assay.core.errors import InputError, ParameterError, StateError, arg
from assay.core.metric import Metric as Measure
from assay.core.monoids import Element
from assay.core.registry import find, metrics
from assay.core.score import Score
from assay.core.signatures import from_spec
from assay.core.state import State
from assay.evaluation.presets import titles
from assay.metrics.losses.mean import MeanLoss
from assay.torch.gathering import gathered
from assay.torch.streams import Id, Stream

torch = cast(Any, _torch)
Spec: TypeAlias = "str | Measure[Any]"
VERSION = 1


class _Streamed:
    """What one metric and a collection have in common."""

    _stream: Stream

    def update(
        self, *given: ArrayLike, weight: ArrayLike | None = None, ids: ArrayLike | None = None, **named: ArrayLike
    ) -> None:
        """Take a batch, by name: ``update(y_true=target, y_pred=output.argmax(1))``.

        ``ids`` names its rows, so that one that comes again, as the padding of a sampler does, counts once.
        """
        self._add(given, weight, ids, named)

    def _add(
        self, given: tuple[Any, ...], weight: ArrayLike | None, ids: ArrayLike | None, named: dict[str, Any]
    ) -> dict[str, State[Element]]:
        if given:
            takes = next(iter(self._stream.metrics.values())).takes.text()
            raise InputError(
                "update",
                "",
                f"inputs are keyword-only here, got {len(given)} positional: PyTorch puts the prediction first, metrics put "
                f"the truth first",
                f"Name them: {takes}.",
            )
        return self._stream.add({name: value for name, value in named.items() if value is not None}, weight, ids)

    def reset(self) -> None:
        """Forget all batches, before the next epoch."""
        self._stream.reset()

    @property
    def n(self) -> int:
        """Number of rows, images or texts so far."""
        return self._stream.n

    @property
    def repeated(self) -> int:
        """How many rows came again and were left out."""
        return self._stream.repeated

    def to(self, *where: object, **more: object) -> Self:
        """As a module would: sums are kept on the host whatever the device of the batches, so there is nothing to move."""
        return self

    def gather(self, *, group: object = None) -> Self:
        """The same metrics on what all processes of `torch.distributed` have seen; the same on each of them.

        With ``ids`` the rows by which a `DistributedSampler` pads its shares are found and counted once, and a warning says how
        many. Alone, it is a copy. Nothing here is changed.
        """
        other = self._empty()
        other._stream = gathered(self._stream, group)
        return other

    def _empty(self) -> Self:
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """What has been seen, as tensors and numbers: `torch.save` writes it and ``torch.load(weights_only=True)`` reads it."""
        stream = self._stream
        states = {name: _bytes(state.to_bytes()) for name, state in stream.kept().items()}
        ids = None if stream.ids is None else [*stream.ids, *(() if stream.latest is None else stream.latest.ids)]
        return {"version": VERSION, "states": states, "ids": ids, "repeated": stream.repeated}

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Go on from what `state_dict` gave, in the place of what has been seen."""
        known = isinstance(cast(Any, saved), Mapping) and set(saved) == {"version", "states", "ids", "repeated"}
        if not known or saved["version"] != VERSION:
            raise StateError("load_state_dict", "", "this is not what state_dict of this version gave")
        states = {name: State.from_bytes(data.numpy().tobytes()) for name, data in saved["states"].items()}
        self._stream.take(states, cast("list[Id] | None", saved["ids"]), int(saved["repeated"]))


class Metric(_Streamed):
    """A metric, or the mean of a loss, over the batches of an epoch: ``Metric("f1", average="macro")``, ``Metric(RocAuc())``.

    `update` takes a batch, `compute` gives the value of all of them as a tensor in double precision, `reset` forgets them. A call
    does the first and gives the value of the batch alone. The value is that of all rows at once, not a mean of means; what
    needs an order, such as ROC-AUC, keeps its scores. Tensors may be on any device and need no ``detach()``.

    >>> accuracy = Metric("accuracy")
    >>> for target, output in ([0, 1], [0, 1]), ([1], [0]):
    ...     accuracy.update(y_true=target, y_pred=output)
    >>> accuracy.compute()
    tensor(0.6667, dtype=torch.float64)
    """

    def __init__(self, metric: Spec, **parameters: object) -> None:
        self.metric = built(metric, cast("dict[str, Any]", parameters))
        self._stream = Stream({self.metric.key: self.metric})

    def __call__(
        self, *given: ArrayLike, weight: ArrayLike | None = None, ids: ArrayLike | None = None, **named: ArrayLike
    ) -> Any:
        """`update`, and the value of this batch alone."""
        states = self._add(given, weight, ids, named)
        return tensor(states[self.metric.key].value()) if states else torch.tensor(torch.nan, dtype=torch.float64)

    forward = __call__

    def compute(self) -> Any:
        """The value on all batches: a tensor, or a curve where the metric gives one."""
        return tensor(self.state.value())

    @property
    def state(self) -> State[Element]:
        """The state of all batches, which adds to others and travels as bytes."""
        found = self._stream.state(self.metric.key)
        if found is None:
            raise StateError(self.metric.name, "", "there is no value yet", f"Call {arg('update')} with a batch first.")
        return found

    def interval(self, *, level: float = 0.95, method: str = "auto", replicates: int = 2000, seed: int = 0) -> Score:
        """The value with its interval."""
        return self.state.interval(level=level, method=method, replicates=replicates, seed=seed)

    def _empty(self) -> Self:
        return type(self)(self.metric)

    def __repr__(self) -> str:
        return f"Metric({self.metric.signature()!r}, n={self.n})"


class MetricCollection(_Streamed):
    """Several metrics over the same batches, by name: ``MetricCollection(["accuracy", "f1:average=macro", RocAuc()])``.

    Data are read once, and metrics of one statistic (precision, recall and F1 of one confusion matrix) share one state. A batch holds
    what all of them take together, and each picks its own: ``update(y_true=target, logits=output)``.

    >>> both = MetricCollection({"top": "accuracy", "mean": "balanced_accuracy"})
    >>> both.update(y_true=[0, 0, 0, 1], y_pred=[0, 0, 1, 1])
    >>> {name: float(value) for name, value in both.compute().items()}
    {'top': 0.75, 'mean': 0.8333333333333333}
    """

    def __init__(self, metrics: Iterable[Spec] | Mapping[str, Spec], /) -> None:
        if isinstance(metrics, str) or not isinstance(cast(Any, metrics), Iterable):
            raise ParameterError(
                "MetricCollection", "metrics", f"must be a list or a mapping of metrics, got {metrics!r}"
            )
        if isinstance(metrics, Mapping):
            named = {name: built(spec) for name, spec in cast("Mapping[str, Spec]", metrics).items()}
        else:
            specs = list(metrics)
            made = [built(spec) for spec in specs]
            plain = [spec if isinstance(spec, str) else one for spec, one in zip(specs, made, strict=True)]
            named = dict(zip(titles(plain, made, chosen=True), made, strict=True))
        if not named:
            raise ParameterError("MetricCollection", "metrics", "must hold at least one metric")
        self.metrics = named
        self._stream = Stream(named)

    def __call__(
        self, *given: ArrayLike, weight: ArrayLike | None = None, ids: ArrayLike | None = None, **named: ArrayLike
    ) -> dict[str, Any]:
        """`update`, and the values of this batch alone."""
        states = self._add(given, weight, ids, named)
        leaders = self._stream.leaders
        batch = {n: State(m, states[leaders[n]].total) for n, m in self.metrics.items() if leaders[n] in states}
        return {name: tensor(state.value()) for name, state in batch.items()}

    forward = __call__

    def compute(self) -> dict[str, Any]:
        """The values on all batches, by name."""
        return {name: tensor(self.state(name).value()) for name in self.metrics}

    def state(self, name: str) -> State[Element]:
        """The state of one metric."""
        if name not in self.metrics:
            raise ParameterError("MetricCollection", "name", f"must be one of {', '.join(self.metrics)}, got {name!r}")
        found = self._stream.state(name)
        if found is None:
            raise StateError(name, "", "there is no value yet", f"Call {arg('update')} with a batch first.")
        return found

    def interval(
        self, *, level: float = 0.95, method: str = "auto", replicates: int = 2000, seed: int = 0
    ) -> dict[str, Score]:
        """The values with their intervals, by name."""
        options: dict[str, Any] = {"level": level, "method": method, "replicates": replicates, "seed": seed}
        return {name: self.state(name).interval(**options) for name in self.metrics}

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    def _empty(self) -> Self:
        return type(self)(self.metrics)

    def __repr__(self) -> str:
        return f"MetricCollection({', '.join(self.metrics)}, n={self.n})"


def built(metric: Spec, parameters: Mapping[str, object] | None = None) -> Measure[Element]:
    """The metric of a name, a spec or itself; of a loss, its mean."""
    more: dict[str, Any] = dict(parameters or {})
    if isinstance(metric, Measure):
        if more:
            raise ParameterError("Metric", "", "give the parameters to the metric itself")
        return metric
    if not isinstance(cast(Any, metric), str):
        raise ParameterError("Metric", "metric", f"must be the name of a metric or a metric, got {metric!r}")
    if ":" in metric:
        return from_spec(metric, more)
    losses = {entry.key for entry in _loss.losses()}
    if metric in losses and metric not in {cls.key for cls in metrics()}:
        return cast("Measure[Element]", MeanLoss(metric, **more))
    return find(metric)(**more)


def tensor(value: object) -> Any:
    """A number or an array of numbers as a tensor; a curve as it is."""
    if isinstance(value, float):
        return torch.tensor(value, dtype=torch.float64)
    if not isinstance(value, np.ndarray):
        return value
    array = cast(Array, value)
    return torch.as_tensor(array) if array.dtype.kind in "biuf" else array


def _bytes(data: bytes) -> Any:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8)
