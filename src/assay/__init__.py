"""assay measures machine-learning models: every metric with weights, streams, merging and one convention.

Names are loaded when first used: ``import assay`` does not even load NumPy. ``assay.evaluate`` scores a task,
``assay.f1`` and its like are plain functions, ``assay.metrics.F1`` the same as values.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from assay._index import ALIASES, FUNCTIONS, LOSS_ALIASES, LOSSES, METRICS
from assay.core import engine as _engine
from assay.core import estimators as _estimators
from assay.version import __version__

_PUBLIC = {
    "AssayError": "core.errors", "AssayWarning": "core.errors", "DependencyError": "core.errors",
    "EmptyInputError": "core.errors", "InputError": "core.errors",
    "ParameterError": "core.errors", "SelectionWarning": "core.errors", "StateError": "core.errors", "UndefinedError": "core.errors",
    "UndefinedWarning": "core.errors", "UnknownNameError": "core.errors",
    "align": "metrics.text.alignment", "box_iou_matrix": "metrics.detection.overlaps",
    "Comparison": "core.comparison", "Score": "core.score", "State": "core.state", "Metric": "core.metric", "Record": "core.record",
    "cost_minimal_threshold": "metrics.classification.decisions", "cost_minimal_decisions": "metrics.classification.decisions",
    "classification_report": "evaluation.classification_report", "ClassificationReport": "evaluation.classification_report",
    "evaluate": "evaluation.evaluate", "Result": "evaluation.result", "compare": "evaluation.compare",
    "no_answer_threshold": "metrics.text.no_answer", "sacrebleu_test": "inference.sacrebleu_tests",
    "sacrebleu_signature": "metrics.text.sacrebleu_signatures", "from_sacrebleu_signature": "metrics.text.sacrebleu_signatures",
    "estimate": "resampling", "Estimate": "resampling", "guideline": "resampling", "bias_variance": "resampling",
    "learning_curve": "resampling", "complexity_curve": "resampling", "compare_learners": "resampling",
    "compare_on_datasets": "resampling", "Scheme": "resampling", "Holdout": "resampling", "Subsampling": "resampling",
    "Bootstrap": "resampling", "CrossValidation": "resampling", "LeaveOneOut": "resampling", "LeaveOneGroupOut": "resampling",
    "LeaveOneObjectOut": "resampling", "TimeOrdered": "resampling", "Nested": "resampling",
    "Comparisons": "evaluation.comparisons", "Ranking": "core.ranking", "checked": "losses.checked", "threads": "core.parallel",
}  # fmt: skip
_MODULES = ("losses", "metrics", "resampling", "sklearn", "testing", "torch")

__all__ = ["__version__", *_PUBLIC, *FUNCTIONS, *_MODULES]  # pyright: ignore[reportUnsupportedDunderAll]


def _inference() -> _engine.InferenceEngine:
    from assay.inference.engine import Inference

    return Inference()


def _scorer(metric: Any) -> Any:
    from assay.sklearn.scorers import Scorer

    return Scorer(metric)


# Core asks for these through protocols; here both sides are known.
_engine.provide(_inference)
_estimators.provide(_scorer)


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        value = getattr(importlib.import_module(f"assay.{_PUBLIC[name]}"), name)
    elif name in FUNCTIONS:
        from assay.core.functions import function_of

        cls = FUNCTIONS[name]
        value = function_of(getattr(importlib.import_module(METRICS[cls]), cls))
    elif name in ALIASES:  # not in __all__: `from assay import *` must not hide the builtin `map`
        value = __getattr__(ALIASES[name])
    elif name in _MODULES:
        value = importlib.import_module(f"assay.{name}")
    else:
        raise AttributeError(f"module 'assay' has no attribute {name!r}.{_hint(name)}")
    globals()[name] = value
    return value


def _hint(name: str) -> str:
    """Classes and losses have modules of their own; other names may be misspelt. The index knows them: nothing is loaded."""
    from assay._index import LOSS_PEERS, PEERS
    from assay.core.errors import did_you_mean
    from assay.core.registry import key_elsewhere

    if name.startswith("_"):
        return ""  # tools look for such names in everything that they are shown
    if importlib.util.find_spec(f"assay.{name}") is not None:
        return ""  # `from assay import kernels` asks for the name first, and then imports it: no time for hints
    if (metric := key_elsewhere(name, FUNCTIONS, {**PEERS, **ALIASES})) is not None:
        return f" assay.{metric} is the function, assay.metrics.{FUNCTIONS[metric]} the class."
    if (loss := key_elsewhere(name, LOSSES, {**LOSS_PEERS, **LOSS_ALIASES})) is not None:
        return f" It is a loss: assay.losses.{loss}."
    return did_you_mean(name, __all__, ALIASES)


def __dir__() -> list[str]:
    return sorted(__all__)
