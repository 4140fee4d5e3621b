"""What other libraries call things: the arguments of their functions, and the functions that records compare ours with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

_TRUTH, _LABELS, _CHANCES, _SCORES = ("y_true", "target", "y"), ("y_pred",), ("y_prob",), ("y_score", "y_prob")
ARGUMENTS: Mapping[str, tuple[str, ...]] = {  # theirs: ours, the best first; only those that a function has are suggested
    "pos_label": ("positive",), "positive_class": ("positive",), "positive_label": ("positive",), "zero_division": ("undefined",),
    "sample_weight": ("weight",), "sample_weights": ("weight",), "weights": ("weight",), "multioutput": ("outputs",),
    "labels": ("classes", *_TRUTH), "num_classes": ("classes",), "n_classes": ("classes",), "class_names": ("classes",),
    "multi_class": ("average",), "averaging": ("average",), "n_bins": ("bins",), "num_bins": ("bins",), "top_k": ("k",),
    "target": _TRUTH, "targets": _TRUTH, "truth": _TRUTH, "y_test": _TRUTH, "true": _TRUTH, "ground_truth": _TRUTH,
    "preds": (*_LABELS, *_SCORES, "prediction", "logits"), "predictions": (*_LABELS, *_SCORES, "prediction", "logits"),
    "pred": (*_LABELS, *_SCORES), "y_hat": (*_LABELS, *_SCORES), "yhat": (*_LABELS, *_SCORES), "input": ("prediction", "logits"),
    "y_pred": _SCORES, "y_score": ("y_prob", "logits", *_LABELS), "y_prob": ("y_score", *_LABELS), "score": _SCORES, "scores": _SCORES,
    "y_proba": _CHANCES, "y_probs": _CHANCES, "y_pred_proba": _CHANCES, "proba": _CHANCES, "probas_pred": _CHANCES, "probs": _CHANCES,
    "prob": _CHANCES, "probabilities": _CHANCES, "y_logits": ("logits",),
    "metric": ("metrics",), "scoring": ("metrics", "metric"), "cv": ("resampling",), "estimator": ("learner",),
    "random_state": ("seed",), "n_jobs": ("jobs",), "n_splits": ("folds", "repeats"), "n_repeats": ("repeats",),
    "test_size": ("test",), "confidence_level": ("level",), "confidence": ("level",), "n_resamples": ("replicates",),
    "n_boot": ("replicates",), "n_bootstrap": ("replicates",), "n_bootstraps": ("replicates",), "cluster": ("groups",),
    "clusters": ("groups",), "alpha": ("quantile", "q", "level"), "tau": ("quantile", "q"),
}  # fmt: skip
NOTES: Mapping[str, str] = {  # where another function is meant, or one with a parameter
    "squared": "The root of the mean squared error is rmse.",
    "hd95": "It is hausdorff with percentile=95.",
}
# A function or class of a peer in the text of a record: of several words; not a parameter, which an equals sign follows.
_NAME = re.compile(r"(?<![\w='\"])([a-z]\w*(?:_\w+)+|(?:[A-Z][a-z0-9]+){2,})(?![\w=])")
_PROBLEM = re.compile(r"^(binary|multi_?class|multi_?label)_|_(metric|measure|index_measure|loss)$")


def peer_names(equals: Iterable[str]) -> Iterator[str]:
    """The functions and classes that the ``equals`` of a record name."""
    for text in equals:
        yield from _NAME.findall(text)


def without_problem(name: str) -> str:
    """A name without the kind of problem: ``multiclass_f1_score`` is ``f1_score``."""
    while (shorter := _PROBLEM.sub("", name)) != name:
        name = shorter
    return name
