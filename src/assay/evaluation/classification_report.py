"""Precision, recall and F1 of every class with intervals, and their averages: what scikit-learn's report of this name shows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from assay.core.arrays import ArrayLike, to_host
from assay.core.call_checks import guarded
from assay.core.errors import InputError, UnknownNameError, arg, did_you_mean
from assay.core.frames import Framed, FrameData
from assay.core.inputs import Inputs
from assay.core.monoids import Label
from assay.core.plain_data import plain_data
from assay.core.score import Score
from assay.core.value_checks import Level
from assay.evaluation import table_layout
from assay.evaluation.table_layout import Grid, method_note, star_notes, stars_of, with_interval
from assay.metrics.classification.agreement import Accuracy
from assay.metrics.classification.decisions import Decision, decided
from assay.metrics.classification.overlap import F1
from assay.metrics.classification.rates import Precision, Recall

Rates: TypeAlias = dict[str, Score]
_METRICS = {"precision": Precision, "recall": Recall, "f1": F1}
_AVERAGES = ("micro", "macro", "weighted")


@dataclass(frozen=True, repr=False)
class ClassificationReport(Framed):
    """The rates of each class and of their averages, each a `Score`; index it by class or by average: ``report["cat"]["recall"].low``.

    ``support`` is the weight of each class in the truth. ``accuracy`` is that of all rows, ``level`` that of the intervals.
    """

    classes: dict[Label, Rates]
    averages: dict[str, Rates]
    accuracy: Score
    support: dict[Label, float]
    level: float

    @guarded
    def __getitem__(self, name: Any) -> Rates:
        found = self.classes.get(name) or self.averages.get(name)
        if found is None:
            known = [*self.classes, *self.averages]
            raise UnknownNameError("", "", f"the report has no {name!r}", did_you_mean(name, known).strip())
        return found

    def __iter__(self) -> Iterator[Label]:
        return iter(self.classes)

    def __len__(self) -> int:
        return len(self.classes)

    def _grid(self) -> Grid:
        rows = [
            [str(name), *map(with_interval, rates.values()), f"{self.support[name]:g}"]
            for name, rates in self.classes.items()
        ]
        total = f"{sum(self.support.values()):g}"
        rows += [
            [f"{name} average", *map(with_interval, rates.values()), total] for name, rates in self.averages.items()
        ]
        rows.append(["accuracy", "", "", with_interval(self.accuracy), total])
        stars = [
            star for name, rates in {**self.classes, **self.averages}.items() for star in stars_of(str(name), rates)
        ]
        return Grid("classification report", ["class", *_METRICS, "support"], rows, stars=tuple(stars))

    def _notes(self, shown: Sequence[Grid]) -> list[str]:
        named = [(name, score.method) for rates in self._rates().values() for name, score in rates.items()]
        return [
            f"{self.accuracy.n} rows · {100 * self.level:g} % intervals",
            *method_note("intervals", named),
            *star_notes(shown),
        ]

    def _rates(self) -> dict[Any, Rates]:
        return {**self.classes, **self.averages}

    def __str__(self) -> str:
        return table_layout.Page(lambda _: [self._grid()], self._notes).text()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return table_layout.to_html([self._grid()], self._notes([self._grid()]))

    def to_markdown(self) -> str:
        """The table as Markdown."""
        return table_layout.to_markdown([self._grid()], self._notes([self._grid()]))

    def to_dict(self) -> dict[str, object]:
        """Everything as plain data, ready for JSON."""
        told = {str(name): {key: s.to_dict() for key, s in rates.items()} for name, rates in self._rates().items()}
        support = {str(name): weight for name, weight in self.support.items()}
        return plain_data({"rates": told, "accuracy": self.accuracy.to_dict(), "support": support, "level": self.level})

    def frame_data(self) -> FrameData:
        """One row per class or average: the three rates with their limits, and the support."""
        total = sum(self.support.values())
        rows = [
            {"class": str(name), "average": name in self.averages and name not in self.classes,
             **{f"{key}{end}": value for key, s in rates.items() for end, value in (("", float(s)), ("_low", s.low), ("_high", s.high))},
             "support": self.support.get(name, total)}
            for name, rates in self._rates().items()
        ]  # fmt: skip
        numbers = {f"{key}{end}": float for key in _METRICS for end in ("", "_low", "_high")}
        return FrameData(rows, {"class": str, "average": bool, **numbers, "support": float})


@guarded
def classification_report(
    y_true: ArrayLike,
    y_pred: ArrayLike | None = None,
    y_prob: ArrayLike | None = None,
    logits: ArrayLike | None = None,
    *,
    weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    level: Level = 0.95,
    classes: Sequence[Label] | None = None,
) -> ClassificationReport:
    """Precision, recall and F1 of every class, their micro, macro and weighted averages, and accuracy, each with its interval.

    Of labels, or of ``y_prob`` and ``logits``, whose largest column is the decision. A rate that is undefined (a class that is never
    predicted has no precision) is NaN and left out of averages; scikit-learn counts it as 0 unless told otherwise.
    ``groups`` names the independent unit of each row.

    >>> report = classification_report(["cat", "cow", "cat", "dog"], ["cat", "cow", "dog", "dog"])
    >>> float(report["cat"]["recall"]), float(report["macro"]["f1"])
    (0.5, 0.777...)
    """
    given = {"y_true": y_true, "y_pred": y_pred, "y_prob": y_prob, "logits": logits}
    named: dict[str, Any] = Accuracy.takes.bind("classification_report", (), given)
    inputs = Inputs(named, weight=weight, who="classification_report")
    if inputs["y_true"].ndim != 1:
        fix = f"For a multilabel problem use evaluate with {arg('task', 'multilabel')}."
        raise InputError("classification_report", "y_true", "must hold one label per row", fix)
    own = tuple(classes) if classes is not None else None
    coded = decided(inputs, Decision(own))
    labels, true, predicted = coded.labels, to_host(coded.true), to_host(coded.predicted)
    rest: dict[str, Any] = {"weight": weight, "groups": groups, "level": level}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is undefined shows as such in the table
        of_classes = {
            label: {key: metric().interval(true == i, predicted == i, **rest) for key, metric in _METRICS.items()}
            for i, label in enumerate(labels)
        }
        averages = {
            one: {key: metric(average=one, classes=own).interval(**named, **rest) for key, metric in _METRICS.items()}
            for one in _AVERAGES
        }
        accuracy = Accuracy(classes=own).interval(**named, **rest)
    weights = np.ones(inputs.n) if inputs.host_weight() is None else np.asarray(inputs.host_weight())
    support = {label: float(weights[true == i].sum()) for i, label in enumerate(labels)}
    return ClassificationReport(of_classes, averages, accuracy, support, level)
