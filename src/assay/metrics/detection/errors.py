"""What a detector does wrong, and how much average precision each kind of error costs: the types of TIDE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np

from assay import kernels
from assay.core.arrays import Floats
from assay.core.inputs import Inputs, memo
from assay.core.monoids import Rows
from assay.core.parameters import choice, number, whole
from assay.core.record import Record
from assay.core.takes import Takes
from assay.metrics.detection.family import LEVELS, ShapedMetric, mean_of_known
from assay.metrics.detection.matching import Matches, Ordered, shared_codes
from assay.metrics.detection.voc import TAKES

TYPES = ("classification", "localisation", "both", "duplicate", "background", "missed")
SPECIAL = ("false_positives", "false_negatives")
Error = Literal[
    "classification", "localisation", "both", "duplicate", "background", "missed", "false_positives", "false_negatives"
]
_BASE, _ALARMS, _REPAIRS = 0, 6, 7  # bits: as it is, repairs of types 1 to 5, no false alarm; and how many
_AS_THEY_ARE, _WITHOUT_MISSED, _FOUND_ONLY = 0, 1, 2  # which truths are to be found
_TRUTHS = {"missed": _WITHOUT_MISSED, "false_negatives": _FOUND_ONLY}
_FAR = 1 << 30  # no detection is beyond this rank


@dataclass(frozen=True)
class ErrorMatches(Matches):
    """Every detection with the type of its error, and what it would be after each repair, as the bits of `Ordered`.

    Bit 0 is the match as it is, bit t the match after the errors of type t are repaired, bit 6 that without any false alarm. A
    detection whose class is repaired stands twice: once as it is, and once in the right class, where only that repair counts it.
    """

    background: float = 0.1

    @memo
    def of(self, inputs: Inputs) -> Rows:
        """The outcome of every detection, its type of error, and what each repair would make of it."""
        truth, found = self.sides(inputs)
        idle = self.shapes.idle(truth)
        (true_code, found_code), names = shared_codes(truth["label"], found["label"])
        what, meant, state = kernels.detection_pairs.classify_errors(
            self.shapes.arrays(found, inputs.who), found.starts, found_code,
            found["score"].astype(np.float64, copy=False), self.shapes.arrays(truth, inputs.who), truth.starts, true_code, idle,
            self.shapes.spread, (self.thresholds[0], self.background, self.most),
        )  # fmt: skip
        kept = np.flatnonzero(what >= 0)
        moved = np.flatnonzero((what == kernels.detection_pairs.CLASS) & (meant >= 0))
        image = np.concatenate([found.row[kept], found.row[moved]])
        at, order = np.concatenate([kept, moved]), np.argsort(image, kind="stable")
        label = np.concatenate([found_code[kept], true_code[meant[moved]]])
        hit, skip = _bits(what[kept], meant[kept], len(moved))
        counted = idle == 0
        missed = counted & (state == 0)
        columns = {
            "found": np.bincount(image, minlength=inputs.n), "score": found["score"][at][order],
            "label": names[label][order], "rank": np.zeros(len(at), np.int32), "hit": hit[order], "skip": skip[order],
            "type": np.concatenate([what[kept], np.full(len(moved), -1)])[order].astype(np.int8),
            "there": truth.counts, "truth": names[true_code], "missed": missed,
            "counted": np.stack([counted, counted & ~missed, counted & (state == 1)], axis=1),
        }  # fmt: skip
        return Rows(columns, inputs.n, weight=inputs.host_weight())


def _bits(what: Any, meant: Any, moved: int) -> tuple[Any, Any]:
    """(hit, skip) of each detection, then of those in their right class; the same bits for all sets of truths."""
    place, wrong, right = (
        kernels.detection_pairs.LOCATION,
        kernels.detection_pairs.CLASS,
        what == kernels.detection_pairs.RIGHT,
    )
    one, every = np.uint64(1), np.uint64((1 << _REPAIRS) - 1)
    hit = np.where(right, every, np.uint64(0))
    hit |= np.where((what == place) & (meant >= 0), one << np.uint64(place), np.uint64(0))
    skip = np.where(what == kernels.detection_pairs.IGNORED, every, np.uint64(0))
    # A repair takes the errors of its type away, but for those that it makes right.
    gone = (what > 0) & (what < kernels.detection_pairs.IGNORED) & ~((what == place) & (meant >= 0))
    skip |= np.where(gone, one << what.astype(np.uint64), np.uint64(0))
    skip |= np.where(right, np.uint64(0), one << np.uint64(_ALARMS))
    only = one << np.uint64(wrong)
    hit = np.concatenate([hit, np.full(moved, only)])
    skip = np.concatenate([skip, np.full(moved, every & ~only)])
    return tuple(np.repeat(bits[:, None], 3, axis=1) for bits in (hit, skip))  # pyright: ignore[reportReturnType]


@dataclass(frozen=True)
class ErrorTable:
    """Average precision as it is, and of each type of error the number and what it costs: the AP gained by repairing it alone."""

    ap: float
    count: dict[str, float]
    cost: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, ready for JSON."""
        return {"ap": self.ap, "count": self.count, "cost": self.cost}


@dataclass(frozen=True, kw_only=True)
class ErrorMetric(ShapedMetric):
    """What the entries of this file share; ``background`` is the overlap up to which a detection lies on nothing."""

    iou: float = 0.5
    background: float = 0.1
    max_detections: int = 100

    def check(self) -> None:
        """Background below the threshold."""
        super().check()
        number(self.name, "iou", self.iou, low=0, high=1, open_low=True)
        number(self.name, "background", self.background, low=0, high=self.iou, open_high=True)
        whole(self.name, "max_detections", self.max_detections)

    def statistic(self) -> ErrorMatches:
        """The types and the repairs of all images."""
        return ErrorMatches(self.shapes, (self.iou,), ((0.0, 1e10),), self.max_detections, True, self.background)

    def remarks(self, total: Rows) -> dict[str, float]:
        """Detections of classes that no image has."""
        without = (total["type"] >= 0) & ~np.isin(total["label"], np.unique(total["truth"]))
        return {"detections of classes without ground truth, left out": float(without.sum())}


_EQUALS = (
    "tidecv TIDERun(...).fix_main_errors() and fix_special_errors(), divided by 100, but for classes without truth (AP 0 there, left out "
    "here), detections in ignored regions (sorted into types there), and 100 recall levels that differ by rounding",
)


@dataclass(frozen=True, kw_only=True)
class DetectionErrors(ErrorMetric):
    r"""Types of errors of a detector, how many there are, and the average precision that each costs.

    .. math:: \Delta AP_o = AP(\text{errors of type } o \text{ repaired}) - AP

    A detection that is not right at an overlap of ``iou`` is, the first that fits: *localisation* (its class is right, its overlap
    with it between ``background`` and ``iou``; the repair moves it onto the truth), *classification* (it overlaps a truth of another
    class by ``iou``; the repair gives it that class), *duplicate* (its truth is taken by a better score), *background* (it overlaps
    no truth by more than ``background``), *both* (what is left: wrong class and wrong place); the last three are removed. A truth
    that neither is found nor could be by such a repair is *missed*; the repair takes it away. Only the best of several detections
    of a truth is made right, the others go. *false_positives* and *false_negatives* are all false alarms and all misses. Costs do
    not add up to 1 - AP. One cost as a number, with intervals and comparisons, is `detection_error_cost`.

    >>> truth = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 1]}]
    >>> found = [{"boxes": [[0, 0, 10, 10], [20, 6, 30, 16]], "labels": [1, 1], "scores": [0.9, 0.8]}]
    >>> table = detection_errors(truth, found)
    >>> table.count["localisation"], round(table.ap, 4), round(table.cost["localisation"], 4)
    (1.0, 0.505, 0.495)
    """

    record = Record(
        title="Errors of detection by type",
        range=(0, np.inf),
        better="none",
        family="curve",
        takes=TAKES,
        undefined="no ground truth of any class",
        use="what to work on next: boxes, classes, duplicates, background or misses",
        misleads="a type that is rare among high scores costs little AP, however many there are; costs do not add up",
        equals=_EQUALS,
        references=("bolya2020",),
    )
    takes: ClassVar[Takes] = Takes(("y_true", "y_pred"))

    @property
    def weights_count(self) -> bool:
        """The counts grow with the weights."""
        return True

    def of(self, total: Rows) -> ErrorTable:
        """The table."""
        rows, weight = Ordered.of(total), np.asarray(total.weights(), dtype=np.float64)
        values, _ = rows.measured(weight, _AS_THEY_ARE, _FAR, _REPAIRS, LEVELS)
        aps = {name: float(mean_of_known(values[None, :, bit])[0]) for name, bit in _bit_of().items()}
        busy = _busy(rows, weight[None])
        for name, which in _TRUTHS.items():
            left, _ = rows.measured(weight, which, _FAR, 1, LEVELS)
            aps[name] = float(_left(values[None, :, _BASE], left[None, :, 0], busy)[0])
        return ErrorTable(aps["ap"], _counts(total), {name: aps[name] - aps["ap"] for name in (*TYPES, *SPECIAL)})


@dataclass(frozen=True, kw_only=True)
class DetectionErrorCost(ErrorMetric):
    r"""The average precision that one type of errors costs: what repairing all of them, and nothing else, would gain.

    .. math:: \Delta AP_o = AP(\text{errors of type } o \text{ repaired}) - AP

    ``error`` names the type; `detection_errors` says what they are and gives all of them in a table. As a number the cost has an
    interval, and two detectors can be compared by it.

    >>> truth = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 1]}]
    >>> found = [{"boxes": [[0, 0, 10, 10], [20, 6, 30, 16]], "labels": [1, 1], "scores": [0.9, 0.8]}]
    >>> round(detection_error_cost(truth, found, error="localisation"), 4)
    0.495
    """

    record = Record(
        title="Cost of one type of detection errors",
        range=(0, 1),
        better="lower",
        family="bootstrap",
        takes=TAKES,
        undefined="no ground truth of any class",
        use="whether a change of a detector repaired what it was meant to repair",
        misleads="errors of one type hide those of another; costs do not add up",
        equals=_EQUALS,
        references=("bolya2020",),
    )
    takes: ClassVar[Takes] = Takes(("y_true", "y_pred"))

    error: Error = "false_positives"

    def check(self) -> None:
        """A known type."""
        super().check()
        choice(self.name, "error", self.error, (*TYPES, *SPECIAL))

    def of(self, total: Rows) -> Any:
        """The cost under the weights of the rows."""
        return self._gained(total, np.asarray(total.weights(), dtype=np.float64)[None])[0]

    def reweighed(self, total: Rows, weights: Floats) -> Floats:
        """All replicates in one walk per repair."""
        return self.settle(self._gained(total, weights))

    def _gained(self, total: Rows, weights: Any) -> Any:
        rows = Ordered.of(total)

        def walk(which: int, bit: int) -> Any:
            return rows.replicated(weights, which, _FAR, np.array([bit]), LEVELS)

        base = walk(_AS_THEY_ARE, _BASE)
        if self.error in _TRUTHS:
            return _left(base, walk(_TRUTHS[self.error], _BASE), _busy(rows, weights)) - mean_of_known(base)
        return mean_of_known(walk(_AS_THEY_ARE, _bit_of()[self.error])) - mean_of_known(base)


def _codes() -> dict[str, int]:
    """The kernel's codes of the types of detections."""
    kinds = kernels.detection_pairs
    return dict(zip(TYPES, (kinds.CLASS, kinds.LOCATION, kinds.BOTH, kinds.DUPLICATE, kinds.BACKGROUND), strict=False))


def _bit_of() -> dict[str, int]:
    """The bits of what changes detections only; a type and its repair share a number."""
    return {"ap": _BASE, **_codes(), "false_positives": _ALARMS}


def _busy(rows: Ordered, weights: Any) -> Any:
    """(replicates, classes): which classes have a detection that counts."""
    counts = (rows.skip[_AS_THEY_ARE] & np.uint64(1)) == 0
    label = np.repeat(np.arange(len(rows.names)), np.diff(rows.edges))
    return np.array([np.bincount(label, w[rows.image] * counts, minlength=len(rows.names)) > 0 for w in weights])


def _left(base: Any, values: Any, busy: Any) -> Any:
    """The mean after truths were taken away.

    A class with nothing left to find is left out if nobody looked for it, else all that was found of it is wrong. If no class is
    left, nothing was gained.
    """
    values = np.where(np.isnan(base), np.nan, np.where(np.isnan(values) & busy, 0.0, values))
    after = mean_of_known(values)
    return cast(Any, np.where(np.isnan(after), mean_of_known(base), after))


def _counts(total: Rows) -> dict[str, float]:
    """The weight of the errors of each type, and of right detections."""
    weight = np.repeat(total.weights(), total["found"])
    of_truth = np.repeat(total.weights(), total["there"])
    found = {name: float(weight[total["type"] == code].sum()) for name, code in _codes().items()}
    right = float(weight[total["type"] == kernels.detection_pairs.RIGHT].sum())
    missed = float(of_truth[total["missed"]].sum())
    absent = float(of_truth[total["counted"][:, _AS_THEY_ARE]].sum()) - right
    return {**found, "missed": missed, "false_positives": sum(found.values()), "false_negatives": absent}
