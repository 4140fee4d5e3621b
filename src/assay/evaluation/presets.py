"""Which metrics a practitioner expects of each task, given what there is to score."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar, cast

from assay.core.errors import ParameterError
from assay.core.metric import Metric
from assay.core.parameters import changed
from assay.core.signatures import as_text, from_spec, spec_parameters
from assay.data.objects import is_federated

S = TypeVar("S")
Task = Literal[
    "regression",
    "binary",
    "multiclass",
    "multilabel",
    "detection",
    "segmentation",
    "panoptic",
    "image_quality",
    "image_generation",
    "retrieval",
    "recommendation",
    "translation",
    "speech",
    "question_answering",
    "summarization",
    "captioning",
]
TABLES: tuple[Task, ...] = ("regression", "binary", "multiclass", "multilabel")

_DECISIONS = {
    "binary": ["accuracy", "balanced_accuracy", "precision", "recall", "specificity", "f1", "matthews_correlation"],
    "multiclass": ["accuracy", "balanced_accuracy", "precision", "recall", "f1", "matthews_correlation", "cohen_kappa"],
    "multilabel": ["accuracy", "hamming", "precision", "recall", "f1", "f1:average=micro", "jaccard:average=samples"],
}
_ORDER = ["roc_auc", "average_precision"]
_CALIBRATION = ["calibration_error", "calibration_error:norm=l2,debiased=true"]
_PROBABILITIES = ["log_loss", "brier"]
_SIZES = ("small", "medium", "large")
# Of images: what is scored is the same for all metrics, so that a preset is a list.
IMAGES: dict[str, list[str]] = {
    "detection": [
        "coco", "coco:iou=0.5", "coco:iou=0.75", *(f"coco:area_range={size}" for size in _SIZES),
        "average_recall:max_detections=1", "average_recall:max_detections=10", "average_recall",
        *(f"average_recall:area_range={size}" for size in _SIZES),
    ],
    "segmentation": [
        "mean_iou", "dice", "dice:level=image", "pixel_accuracy", "mean_class_accuracy", "boundary_iou",
    ],
    "panoptic": ["panoptic_quality", *(f"panoptic_quality:quality={part}" for part in ("segmentation", "recognition"))],
    "image_quality": ["psnr", "ssim"],
    "image_generation": [
        "fid", "fid:correction=richardson", "kid",
        *(f"precision_recall_generative:measure={measure}" for measure in ("precision", "recall", "density", "coverage")),
    ],
}  # fmt: skip
# Of rankings, whose rows are queries or users.
RANKINGS: dict[str, list[str]] = {
    "retrieval": [
        "ndcg:k=10", "average_precision_at_k", "mean_reciprocal_rank", "precision_at_k", "recall_at_k:k=100", "bpref", "judged_at_k",
    ],
    "recommendation": ["ndcg:k=10", "hit_rate", "recall_at_k", "precision_at_k", "mean_reciprocal_rank", "average_precision_at_k:k=10"],
}  # fmt: skip
# Names that mean something else elsewhere: the field of detection owns them.
_RANKING_NAMES = {"map": "average_precision_at_k", "mean_average_precision": "average_precision_at_k"}
# Of texts beside their references.
TEXTS: dict[str, list[str]] = {
    "translation": ["bleu", "chrf", "ter"],
    "speech": ["word_error_rate", "character_error_rate", "match_error_rate", "word_information_lost"],
    "question_answering": ["exact_match:normalization=squad", "token_f1"],
    "summarization": [f"rouge:variant={variant}" for variant in ("1", "2", "L", "Lsum")],
    "captioning": [*(f"bleu:max_order={order}" for order in (1, 2, 3, 4)), "rouge:variant=L"],
}
PREPARED = {**IMAGES, **RANKINGS, **TEXTS}  # tasks whose data are prepared by their metrics, not settled as labels are
TASKS = (*TABLES, *cast("tuple[Task, ...]", tuple(PREPARED)))
_UNITS = {
    **dict.fromkeys(IMAGES, "image"), "retrieval": "query", "recommendation": "user", "translation": "sentence", "speech": "utterance",
    "question_answering": "question", "summarization": "document", "captioning": "caption",
}  # fmt: skip
# COCO's ten numbers of poses: no small ones, and as many detections as it allows.
_POSES = [
    f"{name}{more}"
    for name in ("coco", "average_recall")
    for more in ("", ":iou=0.5", ":iou=0.75", ":area_range=medium", ":area_range=large")
]
# LVIS's thirteen: the groups by how often the training set has a class, and one cap for all classes of an image.
_FEDERATED = [
    "lvis", "lvis:iou=0.5", "lvis:iou=0.75", *(f"lvis:area_range={size}" for size in _SIZES),
    *(f"lvis:frequency={group}" for group in ("rare", "common", "frequent")),
    "lvis_recall", *(f"lvis_recall:area_range={size}" for size in _SIZES),
]  # fmt: skip
REGRESSION = ["mae", "rmse", "median_absolute_error", "mape", "r2", "pearson", "spearman"]


def unit_of(task: str) -> str:
    """What a row is."""
    return _UNITS.get(task, "row")


def in_task(spec: S, task: str) -> S | str:
    """The spec with a name that this task reads in its own way: ``map`` of rankings is not that of boxes."""
    if task not in RANKINGS or not isinstance(spec, str):
        return spec
    name, mark, rest = spec.partition(":")
    return _RANKING_NAMES.get(name.strip().lower(), name) + mark + rest


def preset(
    task: Task, given: Iterable[str], classes: int, said: Mapping[str, Any] | None = None, *, truth: Any = None
) -> list[str]:
    """Specs of the metrics that can be had from the inputs given; ``said`` are parameters for all of them.

    Objects of images that are labelled with some classes only have metrics of their own.
    """
    inputs = set(given)
    if task == "regression":
        return REGRESSION
    if task == "detection" and is_federated(truth):
        grouped = "frequency" in truth
        return [spec for spec in _FEDERATED if grouped or "frequency" not in spec]
    if task in PREPARED:
        return _POSES if (said or {}).get("iou_type") == "keypoints" else PREPARED[task]
    chances = bool(inputs & {"y_prob", "logits"})
    specs = list(_DECISIONS[task]) if inputs & {"y_pred", "y_prob", "logits"} else []
    if task == "multiclass" and classes > 10 and inputs & {"y_prob", "logits", "y_score"}:
        specs.append("top_k_accuracy")
    specs += _ORDER if chances or "y_score" in inputs else []
    specs += _PROBABILITIES if chances else []
    return specs + (_CALIBRATION if chances and task != "multilabel" else [])


def built(spec: str | Metric[Any]) -> Metric[Any]:
    """The metric that a spec names; a metric is taken as it is."""
    metric = cast("Metric[Any]", from_spec(spec)) if isinstance(spec, str) else spec
    if not isinstance(cast(Any, metric), Metric):
        problem = f"must be names, specs such as 'f_beta:beta=2', or metrics, got {spec!r}"
        raise ParameterError("evaluate", "metrics", problem)
    return metric


def prepared(spec: str | Metric[Any], task: Task, facts: dict[str, Any]) -> Metric[Any]:
    """The metric with what the call knows filled in where the spec left it open.

    A spec leaves open what it does not name. A metric object says all its parameters: only its label set and positive class
    are filled in, if they are None.
    """
    known = {name: value for name, value in facts.items() if value is not None}
    if isinstance(spec, str):
        average = {"average": "macro"} if task in ("multiclass", "multilabel") else {}
        return cast("Metric[Any]", from_spec(spec, {**average, **known}))
    metric = built(spec)
    filled = {n: v for n, v in known.items() if n in ("classes", "positive") and getattr(metric, n, 0) is None}
    return dataclasses.replace(metric, **filled)


def titles(specs: Sequence[str | Metric[Any]], metrics: list[Metric[Any]], *, chosen: bool) -> list[str]:
    """A short name for each: its key with the parameters that were given, or that distinguish it from others of its name."""
    if not chosen:
        return [_title(m, [o for o in metrics if o.key == m.key]) for m in metrics]
    said = [spec_parameters(spec) if isinstance(spec, str) else changed(spec) for spec in specs]
    short = [
        _named(m.key, {n: v for n, v in own.items() if n != "classes"}) for m, own in zip(metrics, said, strict=True)
    ]
    alike = {name: {m for m, other in zip(metrics, short, strict=True) if other == name} for name in short}
    # Two metrics under one name would hide one of them: then all parameters are shown.
    return [
        name if len(alike[name]) == 1 else _named(m.key, changed(m)) for m, name in zip(metrics, short, strict=True)
    ]


def label(name: str, metric: Metric[Any]) -> str:
    """A name as tables show it: with each parameter that differs from its default, beyond those that the name has already.

    The label set and the positive class are facts of the data, which stand below the tables.
    """
    said = spec_parameters(name)
    more = {n: v for n, v in changed(metric).items() if n not in (*said, "classes", "positive")}
    return _named(name, more, "," if said else ":")


def _title(metric: Metric[Any], namesakes: list[Metric[Any]]) -> str:
    own = changed(metric)
    return _named(metric.key, {n: v for n, v in own.items() if any(getattr(o, n) != v for o in namesakes)})


def _named(key: str, parameters: dict[str, Any], mark: str = ":") -> str:
    return key + (mark + ",".join(f"{n}={as_text(v)}" for n, v in parameters.items()) if parameters else "")
