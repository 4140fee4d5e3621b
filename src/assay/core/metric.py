"""A metric is a functional of a weighted sample: a statistic, a monoid that adds it up, and a finalize."""

from __future__ import annotations

import dataclasses
import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, cast

import numpy as np

from assay.core import registry
from assay.core.arrays import ArrayLike, Floats, namespace, to_host
from assay.core.call_checks import Parameters, check_fields, guarded
from assay.core.engine import engine
from assay.core.errors import EmptyInputError, InputError, UndefinedError, UndefinedWarning
from assay.core.estimators import is_estimator, scored
from assay.core.ingestion import ingest
from assay.core.inputs import SAFE, Inputs
from assay.core.interval_state import Kept
from assay.core.monoids import Counts, Element, Nothing, Rows
from assay.core.outcomes import Outcome, is_numeric, missing, outside, plain
from assay.core.parameters import Undefined, changed, frozen
from assay.core.record import Record
from assay.core.score import Score
from assay.core.signatures import as_text
from assay.core.state import State
from assay.core.statistic import Linear, Statistic, gradient
from assay.core.takes import Takes
from assay.core.uncertainty import Uncertain
from assay.version import __version__

E = TypeVar("E", bound=Element)
NO_WEIGHT = "nothing that has a value has any weight in the average"
NO_ROWS = "no batch had a row with any weight"
_HEAVIEST = 1e100  # of a weight of replicates: sums of weighted values must fit in a number


@dataclass(frozen=True, kw_only=True)
class Metric(Parameters, Uncertain, ABC, Generic[E]):
    """Base of all metrics: a frozen value whose fields are its parameters.

    A subclass gives `record`, `statistic` (what to gather) and `of` (the raw values, NaN where they do not exist);
    `combine` averages them. Weights, streams, merging, replicates, influence values and reports follow from these.
    """

    record: ClassVar[Record]
    key: ClassVar[str]
    task: ClassVar[str]
    takes: ClassVar[Takes] = Takes(("y_true", "y_pred"))

    undefined: Undefined = "nan"

    def __init_subclass__(cls, **options: Any) -> None:
        """Register every class that has a record of its own; the folder it lives in is its task."""
        super().__init_subclass__(**options)
        if "record" not in cls.__dict__:
            return
        path = cls.__module__.split(".")
        cls.key = cls.__dict__.get("key", registry.snake(cls.__name__))
        cls.task = cls.__dict__.get("task", path[2] if path[:2] == ["assay", "metrics"] else "custom")
        registry.register(cls)

    def __post_init__(self) -> None:
        """Freeze list-like parameters and check them all."""
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, Metric):
                object.__setattr__(self, field.name, frozen(value))
        check_fields(self)
        self.check()

    # ---- what a metric defines

    @abstractmethod
    def statistic(self) -> Statistic[E]:
        """What is gathered from the data."""

    @abstractmethod
    def of(self, total: E) -> Any:
        """The raw values from the totals, with any leading axes; NaN marks what is undefined."""

    def check(self) -> None:
        """Refuse parameters that make no sense. Override where there are any."""

    def combine(self, values: Any, total: E) -> Any:
        """From raw values per class or output to the value: the identity unless the family averages."""
        return values

    def part_names(self, total: E) -> tuple[Any, ...]:
        """The classes or outputs that the raw values belong to; empty if there is only one value."""
        return ()

    def remarks(self, total: E) -> dict[str, float]:
        """What a reader of the number must know, with counts: rows of infinite loss, rows left out. None by default."""
        return {}

    def trials(self, total: E) -> Any:
        """The weight of the rows that the value rests on, or each part; None if that is all of them."""
        return None

    def strata_of(self, data: Any) -> Any:
        """Codes of the samples that the rows of inputs, or kept rows, were drawn in, each in its own number; None if only one."""
        return None

    def row_influence(self, total: E) -> Floats:
        """Influence values where the element is not a sum of rows. Families that have them override this."""
        raise InputError(
            self.name, "", "has no influence values: it does not change smoothly with the weights", "Resample instead."
        )

    # ---- what follows

    @property
    def name(self) -> str:
        """The class name, as it stands in messages."""
        return type(self).__name__

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of the value under these parameters; override where a parameter moves it (``percent=True``)."""
        return self.record.range

    def bounds_of(self, total: E) -> tuple[float, float]:
        """The range of the value on data of this kind; override where the kind of problem narrows it."""
        return self.bounds

    @property
    def optimum(self) -> float | None:
        """What a perfect prediction reaches; None without direction or bound, or where the bound may be out of reach."""
        best = self.bounds[self.record.better == "higher"]
        return best if self.record.better != "none" and math.isfinite(best) else None

    @property
    def properties(self) -> frozenset[str]:
        """What the record promises, less what these parameters break; the laws check exactly this."""
        return self.record.properties

    @property
    def weights_count(self) -> bool:
        """Whether weights count rows, so that doubling them all changes the value: totals, corrections for n."""
        return False

    @property
    def corrects_for_rows(self) -> bool:
        """Whether the number of rows, read off the weights, enters a correction, so that weights that add up to 1 ruin it."""
        return False

    @property
    def weights_are_copies(self) -> bool:
        """Whether weight k equals k copies of the row; only what interpolates between rows breaks this."""
        return True

    def signature(self) -> str:
        """``f_beta|beta:2|average:macro``: key and parameters that differ from their defaults."""
        return "|".join([self.key, *(f"{name}:{as_text(value)}" for name, value in changed(self).items())])

    def finalize(self, total: E) -> Any:
        """The value from the totals, with any leading axes."""
        return self.settled(self.of(total), total)

    def settled(self, raw: Any, total: E) -> Any:
        """From raw values to the value: the policy also holds for an average whose weights are all zero."""
        return self._filled(self.combine(self.settle(raw), total), NO_WEIGHT)

    def settle(self, values: Any) -> Any:
        """Apply the ``undefined`` policy to raw values."""
        return self._filled(values, self.record.undefined)

    def _filled(self, values: Any, why: str) -> Any:
        if self.undefined == "nan" or not is_numeric(values):
            return values
        missing = np.isnan(values)
        if self.undefined == "error" and np.any(missing):
            raise UndefinedError(self.name, "", f"the value is undefined here: {why}")
        return np.where(missing, self.undefined, values) if np.any(missing) else values

    def inputs(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Inputs:
        """The data of a call, named and checked."""
        bound = self.takes.bind(self.name, args, named)
        rows = {name: value for name, value in bound.items() if name not in self.takes.free}
        inputs = Inputs(rows, weight=weight, who=self.name)
        inputs.free = {name: value for name, value in bound.items() if name in self.takes.free}
        inputs = self.counted_inputs(inputs)
        self.check_weights(inputs)
        return inputs if self.weights_count else inputs.balance()

    def counted_inputs(self, inputs: Inputs) -> Inputs:
        """The rows that count. All of them by default; metrics of labels may leave out those of one truth."""
        return inputs

    def check_weights(self, inputs: Inputs) -> None:
        """Refuse normalised weights where they must count rows: the correction would take the data for a single row."""
        if not self.corrects_for_rows or inputs.weight is None:
            return
        xp = namespace(inputs.weight)  # where the weights are: only a number leaves the device
        rows, total = int(xp.sum(xp.astype(inputs.weight > 0, xp.int32))), inputs.weight_total
        if total < rows / 2 or total > SAFE:
            raise UndefinedError(
                self.name,
                "",
                f"weights count rows here, but they add up to {total:g} for {rows} rows",
                "Multiply them by n / weight.sum().",
            )

    def outcome(self, total: E) -> Outcome:
        """Value, number of undefined parts, and the parts by name."""
        if isinstance(cast(Any, total), Nothing):
            return self._outcome_of_nothing()
        raw = self.of(total)
        value = self.settled(raw, total)
        names = self.part_names(total)
        parts = dict(zip(names, np.ravel(raw).tolist(), strict=True)) if names else {}
        counted = {what: count for what, count in self.remarks(total).items() if count}
        return Outcome(plain(value), max(missing(raw), missing(value)), parts, counted)

    def _outcome_of_nothing(self) -> Outcome:
        """What the policy says where no data came; a curve has no such value."""
        if self.record.is_curve:
            raise UndefinedError(self.name, "", f"the value is undefined here: {NO_ROWS}")
        return Outcome(plain(self._filled(np.float64(np.nan), NO_ROWS)), 1, {}, {}, NO_ROWS)

    def __call__(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Any:
        """The plain value: a float, an array per class or output, or a curve."""
        if is_estimator(args):  # scikit-learn was given the metric as ``scoring=``
            return scored(self, args, weight)
        inputs = self.inputs(*args, weight=weight, **named)
        outcome = self.outcome(self.statistic().of(inputs))
        self.warn(outcome)
        return outcome.value

    def warn(self, outcome: Outcome) -> None:
        """Say aloud what a plain number cannot carry."""
        said = [f"{count:g} {what}" for what, count in outcome.remarks.items()]
        if outcome.undefined and self.undefined == "nan":
            which = ", ".join(str(name) for name, value in outcome.parts.items() if np.isnan(value))
            where = f"for {outcome.undefined} of {len(outcome.parts)} ({which[:200]})" if which else "here"
            effect = "; left out of the average" if which and np.ndim(outcome.value) == 0 else ""
            why = outcome.why or (NO_WEIGHT if outcome.parts and not which else self.record.undefined)
            said.append(f"undefined {where}: {why}{effect}. Choose undefined=0, 1 or 'error' to change this")
        if said:
            warnings.warn(f"{self.name}: {'; '.join(said)}.", UndefinedWarning, stacklevel=outside())

    def state(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> State[E]:
        """The data of one batch reduced to what the metric needs; states add up.

        A batch without rows, or whose weights are all zero, gives a state that adds nothing: a stream goes on over it.
        """
        try:
            inputs = self.inputs(*args, weight=weight, **named)
        except EmptyInputError:
            return State(self, cast(Any, Nothing()))
        return self.state_of(inputs)

    def state_of(self, inputs: Inputs) -> State[E]:
        """`state` of data that are named and checked already."""
        if inputs.balanced:
            raise InputError(
                self.name,
                "",
                "a state keeps sums of weights, which would overflow beside those of other states",
                "Multiply all weights of all batches by one number that brings them near 1.",
            )
        statistic = self.statistic()
        if statistic not in inputs.results:  # which other metrics of these inputs may share
            inputs.results[statistic] = statistic.of(inputs)
        total = cast(E, inputs.results[statistic])
        return State(self, total, Kept.of(engine().powers(self), statistic, inputs, total))

    def score(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Score:
        """The value as a `Score` that knows its size and signature."""
        return self.score_of(self.statistic().of(self.inputs(*args, weight=weight, **named)))

    def score_of(self, total: E) -> Score:
        """A `Score` from totals."""
        return self.as_score(self.outcome(total), total.n)

    def as_score(self, outcome: Outcome, n: int) -> Score:
        """A `Score` from an outcome on ``n`` units."""
        if not isinstance(outcome.value, float):
            raise InputError(
                self.name, "", "does not give one number here", "Choose how to average, or read its value."
            )
        signature = f"{self.signature()}|n:{n}|assay:{__version__}"
        return Score(
            outcome.value, metric=self.key, n=n, signature=signature,
            undefined=outcome.undefined, parts=outcome.parts, notes=outcome.remarks,
        )  # fmt: skip

    @guarded
    def replicates(
        self, weights: ArrayLike, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None
    ) -> Floats:
        """The value under each row of ``weights`` (replicates, units), on top of ``weight``."""
        inputs = self.inputs(*args, weight=weight, **named)
        matrix = self._replicate_weights(weights, inputs.given)
        matrix = matrix if inputs.counted is None else matrix[:, inputs.counted]
        base = inputs.host_weight()
        matrix = matrix if base is None else matrix * base
        values = np.asarray(self._replicated(matrix, inputs, lambda w: self.inputs(*args, weight=w, **named)))
        if values.dtype.kind == "O":
            raise InputError(self.name, "", "gives a curve, which has no replicates")
        return values.astype(np.float64, copy=False)

    def _replicated(self, matrix: Floats, inputs: Inputs, weighed: Callable[[Any], Inputs]) -> Any:
        linear = self._linear(inputs)
        if linear is not None:
            return self.finalize(linear.build(linear.totals(matrix)))
        total: Any = self.statistic().of(inputs)
        if isinstance(total, Rows):
            return self.reweighed(cast(Any, total), matrix)
        return [self.finalize(self.statistic().of(weighed(w))) for w in matrix]

    def reweighed(self, total: Rows, weights: Floats) -> Floats:
        """The value of kept rows under each row of ``weights``. Override where all of them can be had in one pass."""
        return np.array([self.finalize(cast(E, total.reweighted(w))) for w in weights])

    def _replicate_weights(self, weights: ArrayLike, n: int) -> Floats:
        try:
            matrix = np.atleast_2d(to_host(ingest(weights, name="weights", who=self.name)).astype(np.float64))
        except (ValueError, TypeError, OverflowError) as error:
            raise InputError(self.name, "weights", f"must be a matrix of numbers (replicates, {n}): {error}") from error
        if matrix.ndim != 2 or matrix.shape[1] != n:
            raise InputError(self.name, "weights", f"must be (replicates, {n}), got {matrix.shape}")
        if not ((matrix >= 0).all() and (matrix <= _HEAVIEST).all()):
            raise InputError(
                self.name,
                "",
                f"weights of replicates must lie between 0 and {_HEAVIEST:g}, got {matrix.min():g} to {matrix.max():g}",
            )
        return matrix

    @guarded
    def influence(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Floats:
        """Influence values, one per unit, that sum to zero and whose squares sum to the squared standard error."""
        inputs = self.inputs(*args, weight=weight, **named)
        values = self.influence_of(inputs)
        if inputs.counted is None:
            return values
        every = np.zeros(inputs.given)  # what is left out has no influence
        every[inputs.counted] = values
        return every

    def influence_of(self, inputs: Inputs, total: E | None = None) -> Floats:
        """`influence` of data that are named and checked already, and of their element if it is at hand."""
        linear = self._linear(inputs)
        if linear is None:
            return self.row_influence(self.statistic().of(inputs) if total is None else total)
        base = inputs.host_weight()
        w = np.ones(inputs.n) if base is None else base
        values = w * linear.spread(self.slope(linear.build, linear.totals(w[None, :])[0]))
        return values - w * (values.sum() / w.sum())

    def _linear(self, inputs: Inputs) -> Linear | None:
        """The rows behind the element; where one is not finite, the statistic refuses the inputs as in a call."""
        linear = self.statistic().linear(inputs)
        if linear is not None and linear.rows is not None and not np.isfinite(linear.rows).all():
            self.statistic().of(inputs)
        return linear

    def slope(self, build: Callable[[Any], E], totals: Floats) -> Floats:
        """Gradient of the value in the totals, by complex step; tables of many classes have a shorter way (`table_slope`)."""
        total = build(totals)
        if isinstance(total, Counts):
            return self.table_slope(cast(E, total)).reshape(-1)
        return gradient(self.finalize, build, totals)

    def table_slope(self, total: E) -> Floats:
        """Gradient of the value in the cells of a table. Override where it costs less than one evaluation per cell."""
        counts = cast(Counts, total)
        shape = counts.table.shape

        def build(cells: Any) -> Any:
            return dataclasses.replace(counts, table=cells.reshape(*cells.shape[:-1], *shape))

        return gradient(self.finalize, build, counts.table.reshape(-1).astype(np.float64)).reshape(shape)
