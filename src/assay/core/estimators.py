"""A metric that is called with an estimator and data, as scikit-learn calls what it is given as ``scoring=``.

The adapter that asks estimators for predictions stands to the right of core; `assay/__init__.py` hands it in.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, ClassVar, Protocol

from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.core.arrays import ArrayLike
    from assay.core.record import Record
    from assay.core.takes import Takes

_CALLER = "sklearn"


class Scorable(Protocol):
    """What is needed of a metric."""

    record: ClassVar[Record]
    takes: ClassVar[Takes]
    key: ClassVar[str]

    @property
    def name(self) -> str:
        """Its name in messages."""
        ...


class EstimatorScorer(Protocol):
    """Scores an estimator on data, with a minus where lower is better."""

    def __call__(self, estimator: object, X: object, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The score; higher is better."""
        ...


_providers: list[Callable[..., EstimatorScorer]] = []


def provide(make: Callable[..., EstimatorScorer]) -> None:
    """Hand in what makes a scorer of a metric."""
    _providers[:] = [make]


def is_estimator(args: tuple[object, ...]) -> bool:
    """Whether these are an estimator, its features and the truth, and not inputs of a metric."""
    return len(args) == 3 and hasattr(args[0], "fit") and not hasattr(args[0], "__array__")


def scored(metric: Scorable, args: tuple[ArrayLike, ...], weight: ArrayLike | None) -> float:
    """The score of an estimator.

    scikit-learn maximises, so that an error must carry a minus there; to anyone else a negative error would be wrong.
    """
    estimator, features, truth = args
    if metric.record.better == "lower" and not _called_by_sklearn():
        words = f"is an estimator ({type(estimator).__name__}), not the true values"
        fix = (
            f"Call {metric.key}(y, estimator.predict(X)). As a score of which the higher is better, use "
            f"assay.sklearn.scorer({metric.key!r})."
        )
        raise InputError(metric.name, metric.takes.required[0], words, fix)
    return _providers[0](metric)(estimator, features, truth, weight)


def _called_by_sklearn() -> bool:
    frame = inspect.currentframe()
    while frame is not None and _package(frame) == "assay":
        frame = frame.f_back
    return frame is not None and _package(frame) == _CALLER


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
