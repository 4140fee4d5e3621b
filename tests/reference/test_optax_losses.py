"""The recorded cases of optax's own tests: every loss of ours that it has too gives its numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import assay
import fixtures
from assay import losses
from messages import refusal

FILE = ("13_losses_metric_learning", "optax", "optax_loss_cases.json")
Case = dict[str, Any]


def _axis(case: Case, *names: str) -> list[Any]:
    """Arrays with the axis of the classes or of the vector moved behind all others, several of them as one."""
    axis = case.get("axis", -1)
    axes = tuple(axis) if isinstance(axis, list) else (axis,)
    found: list[Any] = []
    for name in names:
        array = np.asarray(case[name])
        moved = np.moveaxis(array, axes, range(-len(axes), 0))
        found.append(moved.reshape(*moved.shape[: moved.ndim - len(axes)], -1))
    return found


def _unmasked(case: Case, logits: Any) -> Any:
    """Classes that do not count are infinitely unlikely; a finite number says it without 0 times infinity."""
    return logits if case.get("where") is None else np.where(case["where"], logits, -1e30)


def _soft(case: Case) -> Any:
    logits, labels = _axis(case, "logits", "labels")
    logits = np.where((labels == 0) & np.isneginf(logits), -1e30, _unmasked(case, logits))
    labels = labels if case.get("where") is None else np.where(case["where"], labels, 0.0)
    return losses.cross_entropy(logits, np.asarray(labels, dtype=logits.dtype), reduction="none")


def _hard(case: Case) -> Any:
    (logits,) = _axis(case, "logits")
    labels = np.asarray(case["labels"])
    return losses.token_cross_entropy(_unmasked(case, logits), labels, ignore_index=None, reduction="none")


def _binary(case: Case) -> Any:
    return losses.binary_cross_entropy(case["logits"], np.asarray(case["labels"], dtype=float), reduction="none")


def _poly(case: Case) -> Any:
    given: Any = {"epsilon": case["epsilon"], "form": "softmax", "reduction": "none"}
    return losses.poly(case["logits"], np.asarray(case["labels"], dtype=float), **given)


def _focal(case: Case) -> Any:
    given: Any = {"alpha": case.get("alpha"), "gamma": case.get("gamma", 2.0), "reduction": "none"}
    return losses.focal(case["logits"], np.asarray(case["labels"], dtype=float), **given)


def _triplet(case: Case) -> Any:
    anchor, positive, negative = (np.asarray(case[name]) for name in ("anchors", "positives", "negatives"))
    given: Any = {"squared": False, "margin": 1.0, "reduction": "none"}
    return losses.triplet(anchor, positive=positive, negative=negative, **given)


def _pair(loss: Any, scale: float = 1.0, **options: Any) -> Callable[[Case], Any]:
    def run(case: Case) -> Any:
        prediction = np.asarray(case["predictions"])
        target = np.asarray(case.get("targets", np.zeros_like(prediction)))
        return scale * loss(prediction, target, reduction="none", **options)

    return run


def _cosine(case: Case) -> Any:
    """A similarity is one minus our loss of similar pairs."""
    first, second = np.broadcast_arrays(*_axis(case, "predictions", "targets"))
    return losses.cosine(first, second, reduction="none")


def _similarity(case: Case) -> Any:
    return 1 - _cosine(case)


def _divergence(case: Case) -> Any:
    target = case["targets"] if "targets" in case else np.exp(case["log_targets"])
    return losses.kl_divergence(target=target, log_probabilities=case["log_predictions"], reduction="none")


def _hinge(case: Case) -> Any:
    return losses.hinge(case["predictor_outputs"], case["targets"], reduction="none")


def _hinge_several(case: Case) -> Any:
    return losses.hinge(case["scores"], case["labels"], reduction="none")


def _smooth(case: Case) -> Any:
    """The weight that each log-probability has: what the loss falls by if one probability is e times as large."""
    labels, alpha = np.asarray(case["labels"], dtype=float), case["alpha"]
    rows = np.atleast_2d(labels)

    def loss(p: Any) -> Any:
        given: Any = {"epsilon": alpha, "convention": "uniform", "reduction": "none"}
        return losses.label_smoothing(probabilities=p, target=rows, **given)

    if alpha == 1:  # nothing of the label would be left
        with refusal(assay.AssayError):
            loss(np.full(rows.shape, 0.1))
        return np.full(labels.shape, 1 / labels.shape[-1])
    base = loss(np.full(rows.shape, 0.1))
    columns = [base - loss(0.1 * np.exp(np.eye(rows.shape[1])[c] + 0 * rows)) for c in range(rows.shape[1])]
    return np.stack(columns, axis=1).reshape(labels.shape)


def _dice(case: Case) -> Any:
    """Of optax's form with its weights of false positives and negatives, which is our Tversky; one channel is a sigmoid."""
    p, t = (np.asarray(case[name], dtype=float) for name in ("predictions", "targets"))
    p, t = (x if x.ndim == max(p.ndim, t.ndim) else x[..., None] for x in (p, t))
    p, t = np.moveaxis(p, -1, 1), np.moveaxis(t, -1, 1)
    given: Any = {name: case.get(name, 0.5) for name in ("alpha", "beta")}
    given |= {"smooth": case.get("smooth", 1.0), "over": "image", "classes": "all", "reduction": "none", "target": t}
    given["form"] = "multilabel" if p.shape[1] == 1 else "multiclass"
    given["logits" if case.get("apply_softmax", True) else "probabilities"] = p
    each = np.asarray(losses.tversky(**given))
    each = each[:, 1:] if case.get("ignore_background") and p.shape[1] > 1 else each
    return each if case.get("reduction") == "none" else each.mean(axis=1)


RUNS: dict[str, Callable[[Case], Any]] = {
    "softmax_cross_entropy": _soft,
    "safe_softmax_cross_entropy": _soft,
    "softmax_cross_entropy_with_integer_labels": _hard,
    "sigmoid_binary_cross_entropy": _binary,
    "poly_loss_cross_entropy": _poly,
    "hinge_loss": _hinge,
    "multiclass_hinge_loss": _hinge_several,
    "sigmoid_focal_loss": _focal,
    "squared_error": _pair(losses.mse),
    "l2_loss": _pair(losses.mse, 0.5),
    "huber_loss": _pair(losses.huber, delta=1.0),
    "log_cosh": _pair(losses.log_cosh),
    "cosine_similarity": _similarity,
    "cosine_distance": _cosine,
    "dice_loss": _dice,
    "smooth_labels": _smooth,
    "kl_divergence": _divergence,
    "kl_divergence_with_log_targets": _divergence,
    "triplet_margin_loss": _triplet,
}
NOT_OURS = {
    "sparsemax_loss": "not in the catalogue",
    "multiclass_sparsemax_loss": "not in the catalogue",
    "generalized_kl_divergence": "of measures that are not distributions; not in the catalogue",
    "perceptron_loss": "not in the catalogue",
    "multiclass_perceptron_loss": "not in the catalogue",
    "ctc_loss": "not in the catalogue",
    "ranking_softmax_loss": "of whole lists; not in the catalogue",
}
OTHERWISE = {  # single cases in which optax means something else
    ("sigmoid_focal_loss", "test_extreme_logits_finite_gradients"): "it weighs soft labels by their mean probability",
    ("softmax_cross_entropy_with_integer_labels", "test_per_logit_mask"): "the true class itself is masked there",
}
COUNT = 123


@pytest.fixture(scope="module")
def cases() -> dict[str, list[Any]]:
    return fixtures.load_json(*FILE)["functions"]


def test_nothing_is_skipped_in_silence(cases: dict[str, list[Any]]) -> None:
    assert set(cases) == set(RUNS) | set(NOT_OURS)
    assert sum(len(found) for found in cases.values()) == COUNT


@pytest.mark.parametrize("name", sorted(RUNS))
def test_cases(name: str, cases: dict[str, list[Any]]) -> None:
    for case in cases[name]:
        if (name, case["test"]) in OTHERWISE:
            continue
        found = np.asarray(RUNS[name](case["args"]))
        np.testing.assert_allclose(found, case["result"], rtol=2e-5, atol=2e-6, err_msg=f"{name}: {case['test']}")
