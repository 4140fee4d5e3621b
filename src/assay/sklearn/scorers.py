"""Scorers: what scikit-learn's searches and cross-validations take as ``scoring=``."""

from __future__ import annotations

import dataclasses
import inspect
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from assay.core.arrays import ArrayLike
from assay.core.call_checks import guarded
from assay.core.errors import InputError, ParameterError
from assay.core.loss import find_loss, losses
from assay.core.metric import Metric
from assay.core.registry import find, metrics
from assay.metrics.losses.mean import MeanLoss

_OF_COLUMNS = ("cross_entropy", "label_smoothing")  # losses that take one column per class, be there only two
_ASKS = (
    ("y_pred", "predict"),
    ("y_prob", "predict_proba"),
    ("y_score", "predict_proba"),
    ("y_score", "decision_function"),
)


@guarded
def scorer(metric: str | Metric[Any], *, sign: bool = True, **parameters: object) -> Scorer:
    """A metric, or the mean of a loss, as a scorer: ``scorer("f1", average="macro")``, ``scorer("huber", delta=2.0)``.

    The estimator is asked for what the metric takes: labels, probabilities or scores. scikit-learn takes the higher of two
    scores for the better, so where lower is better the value is given with a minus, unless ``sign=False``.

    >>> scorer("mse")
    Scorer(MSE(), minus)
    """
    chosen = cast("dict[str, Any]", parameters)  # checked by the metric itself
    if isinstance(metric, Metric):
        if parameters:
            raise ParameterError("scorer", "", "give the parameters to the metric itself")
        return Scorer(metric, sign)
    if metric in {cls.key for cls in metrics()}:
        return Scorer(find(metric)(**chosen), sign)
    if metric in {f.key for f in losses()}:
        return Scorer(MeanLoss(metric, **chosen), sign)
    return Scorer(find(metric)(**chosen), sign)  # says what names there are


@dataclass(frozen=True, repr=False)
class Scorer:
    """Called by scikit-learn with an estimator and data; gives a number of which the higher is better."""

    metric: Metric[Any]
    sign: bool = True

    @property
    def minus(self) -> bool:
        """Whether the value is given with a minus."""
        return self.sign and self.metric.record.better == "lower"

    def __repr__(self) -> str:
        return f"Scorer({self.metric!r}{', minus' if self.minus else ''})"

    def __call__(self, estimator: object, X: object, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The score of a fitted estimator on these data."""
        name, values = self._answers(estimator, X)
        metric = self._with_classes(estimator)
        value = float(metric(y_true=self._truth(estimator, y), weight=sample_weight, **{name: values}))
        return -value if self.minus else value

    def _with_classes(self, estimator: Any) -> Any:
        """The classes that the estimator knows, in its order, which is that of its columns."""
        fields = {f.name for f in dataclasses.fields(self.metric)}
        classes = getattr(estimator, "classes_", None)
        if classes is None or "classes" not in fields or getattr(self.metric, "classes", None) is not None:
            return self.metric
        return dataclasses.replace(self.metric, **cast(Any, {"classes": tuple(np.asarray(classes).tolist())}))

    def _truth(self, estimator: Any, y: Any) -> Any:
        """Losses of classes take their numbers in the order of the estimator; hinge takes -1 and 1."""
        classes = getattr(estimator, "classes_", None)
        if not isinstance(self.metric, MeanLoss) or classes is None:
            return y
        known, truth = np.asarray(classes), np.asarray(y)
        strange = truth[~np.isin(truth, known)]
        if len(strange):
            raise InputError("scorer", "", f"{type(estimator).__name__} was never trained on the class {strange[0]!r}")
        codes = np.searchsorted(known, truth)
        if self.metric.loss == "hinge" and len(classes) == 2:
            return 2.0 * codes - 1.0
        return codes.astype(np.float64) if len(classes) == 2 and not self._columns else codes

    def _answers(self, estimator: Any, X: Any) -> tuple[str, Any]:
        """The first kind of input that the metric wants and the estimator gives."""
        wanted = self._wanted()
        for kind, method in wanted:
            if hasattr(estimator, method):
                values: Any = np.asarray(getattr(estimator, method)(X))
                return _fitting(kind, values, columns=self._columns)
        names = " or ".join(dict.fromkeys(method for _, method in wanted)) or "what no estimator gives"
        raise InputError(
            "scorer", "", f"{self.metric.name} needs {names}, and {type(estimator).__name__} has none of it"
        )

    @property
    def _columns(self) -> bool:
        """Whether two classes come as two columns."""
        return isinstance(self.metric, MeanLoss) and self.metric.loss in _OF_COLUMNS

    def _wanted(self) -> list[tuple[str, str]]:
        """Inputs and the methods that give them, best first."""
        if isinstance(self.metric, MeanLoss):
            names = inspect.signature(find_loss(self.metric.loss)).parameters
            if "probabilities" in names:
                return [("y_prob", "predict_proba")]
            return [("logits", "decision_function")] if "logits" in names else [("y_pred", "predict")]
        takes = (*self.metric.takes.required, *self.metric.takes.optional)
        return [(kind, method) for kind, method in _ASKS if kind in takes]


def _fitting(kind: str, values: Any, *, columns: bool) -> tuple[str, Any]:
    """One column for two classes; the scores of more classes are probabilities or logits."""
    if values.ndim == 2 and values.shape[1] == 2 and not columns and kind != "y_pred":
        return kind, values[:, 1]
    return ("y_prob" if kind == "y_score" and values.ndim == 2 else kind), values
