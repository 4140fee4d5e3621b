"""`ignore_index=` in metrics of labels: rows of that truth are left out everywhere, and counted."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import InputError, ParameterError, UndefinedWarning
from assay.core.signatures import from_spec
from messages import refusal

RNG = np.random.default_rng(14)
FULL = RNG.integers(0, 4, 300)
P = np.where(RNG.random(300) < 0.6, FULL, RNG.integers(0, 4, 300))
Q = np.where(RNG.random(300) < 0.7, FULL, RNG.integers(0, 4, 300))
Y = np.where(np.arange(300) % 7 == 0, -100, FULL)
LEFT = Y != -100
W = RNG.random(300) + 0.5
GROUPS = np.arange(300) // 3
METRICS = ("accuracy", "balanced_accuracy", "f1:average=macro", "precision:average=micro", "recall:average=weighted",
           "jaccard:average=macro", "cohen_kappa", "matthews_correlation", "hamming", "misclassification")  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore:.*rows ignored")


def pair(spec: str) -> tuple[Any, Any]:
    """A metric that ignores -100, and the same of all rows."""
    joint = "," if ":" in spec else ":"
    return from_spec(f"{spec}{joint}ignore_index=-100"), from_spec(spec)


@pytest.mark.parametrize("spec", METRICS)
def test_same_as_rows_dropped_by_hand(spec: str) -> None:
    """Values, weights, intervals of groups, comparisons, slices and states are those of the other rows, to the last digit."""
    metric, plain = pair(spec)
    assert metric(Y, P) == plain(Y[LEFT], P[LEFT])
    assert metric(Y, P, weight=W) == plain(Y[LEFT], P[LEFT], weight=W[LEFT])
    ours = metric.interval(Y, P, groups=GROUPS)
    theirs = plain.interval(Y[LEFT], P[LEFT], groups=GROUPS[LEFT])
    assert (ours.low, ours.high, ours.n) == (theirs.low, theirs.high, int(LEFT.sum()))
    ours, theirs = metric.compare(Y, P, Q), plain.compare(Y[LEFT], P[LEFT], Q[LEFT])
    assert (float(ours), ours.low, ours.p) == (float(theirs), theirs.low, theirs.p)
    ours, theirs = metric.by(GROUPS % 2, Y, P), plain.by(GROUPS[LEFT] % 2, Y[LEFT], P[LEFT])
    assert {k: float(s.score) for k, s in ours.slices.items()} == {k: float(s.score) for k, s in theirs.slices.items()}
    state = metric.state(Y[:100], P[:100]) + metric.state(Y[100:], P[100:])
    assert assay.State.from_bytes(state.to_bytes()).value() == pytest.approx(plain(Y[LEFT], P[LEFT]), rel=1e-12)


def test_rows_are_counted() -> None:
    """In the warning, in the notes of the score, and over states."""
    metric = assay.metrics.Accuracy(ignore_index=-100)
    with pytest.warns(UndefinedWarning, match="43 rows ignored"):
        metric(Y, P)
    assert metric.score(Y, P).notes == {"rows ignored (truth -100)": 43.0}
    state = metric.state(Y[:100], P[:100]) + metric.state(Y[100:], P[100:])
    assert assay.State.from_bytes(state.to_bytes()).score().notes == {"rows ignored (truth -100)": 43.0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric(FULL, P)


def test_confusion_matrix_and_influence() -> None:
    """The table of the rows that count; influence values and replicates have a place for every row that was given."""
    ours = assay.confusion_matrix(Y, P, ignore_index=-100)
    np.testing.assert_array_equal(ours, assay.confusion_matrix(Y[LEFT], P[LEFT]))
    metric, plain = pair("f1:average=macro")
    influence = metric.influence(Y, P)
    np.testing.assert_array_equal(influence[~LEFT], 0)
    np.testing.assert_array_equal(influence[LEFT], plain.influence(Y[LEFT], P[LEFT]))
    weights = RNG.integers(0, 3, (3, 300)).astype(float)
    np.testing.assert_array_equal(
        metric.replicates(weights, Y, P), plain.replicates(weights[:, LEFT], Y[LEFT], P[LEFT])
    )


@pytest.mark.parametrize(
    ("name", "spec"),
    [("multiclass_accuracy", "accuracy"), ("multiclass_f1_score", "f1"), ("multiclass_precision", "precision"),
     ("multiclass_recall", "recall"), ("multiclass_cohen_kappa", "cohen_kappa"),
     ("multiclass_matthews_corrcoef", "matthews_correlation"), ("multiclass_confusion_matrix", "confusion_matrix")],
)  # fmt: skip
def test_values_of_torchmetrics(name: str, spec: str) -> None:
    torch = pytest.importorskip("torch")
    functional = pytest.importorskip("torchmetrics.functional.classification")
    y, p = torch.tensor(Y), torch.tensor(P)
    rate = spec in ("f1", "precision", "recall")
    average = {"average": "macro"} if rate else {"average": "micro"} if spec == "accuracy" else {}
    theirs = getattr(functional, name)(p, y, num_classes=4, ignore_index=-100, **average)
    ours = from_spec(f"{spec}:ignore_index=-100" + (",average=macro" if rate else ""))(y, p)
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-6)


def test_logits_of_tensors() -> None:
    torch = pytest.importorskip("torch")
    logits = RNG.normal(size=(300, 4))
    ours = assay.f1(torch.tensor(Y), logits=torch.tensor(logits), average="macro", ignore_index=-100)
    assert ours == assay.f1(Y[LEFT], logits=logits[LEFT], average="macro")


def test_evaluate_leaves_the_rows_out_for_all_metrics() -> None:
    """Log loss too, which has no such parameter; columns beside the rows are those of the rows that count."""
    probabilities = RNG.dirichlet(np.ones(4), 300)
    site = np.where(FULL > 1, "north", "south")
    ours = assay.evaluate(
        task="multiclass", y_true=Y, y_prob=probabilities, parameters={"ignore_index": -100}, weight=W, groups=GROUPS,
        ids=np.arange(300), slices={"site": site},
    )  # fmt: skip
    theirs = assay.evaluate(
        task="multiclass", y_true=Y[LEFT], y_prob=probabilities[LEFT], weight=W[LEFT], groups=GROUPS[LEFT],
        slices={"site": site[LEFT]},
    )  # fmt: skip
    assert [(k, float(s), s.low, s.high) for k, s in ours.values.items() if isinstance(s, assay.Score)] == [
        (k, float(s), s.low, s.high) for k, s in theirs.values.items() if isinstance(s, assay.Score)
    ]
    south = [float(r.slices["site"]["south"]["log_loss"]) for r in (ours, theirs)]
    assert south[0] == south[1]
    assert "43 of 300 rows are left out of all metrics" in str(ours)


def test_compare() -> None:
    ours = assay.compare(Y, {"p": P, "q": Q}, task="multiclass", parameters={"ignore_index": -100}, metrics="accuracy")
    theirs = assay.compare(Y[LEFT], {"p": P[LEFT], "q": Q[LEFT]}, task="multiclass", metrics="accuracy")
    assert ours["accuracy"].order == theirs["accuracy"].order
    assert "43 of 300 rows" in str(ours)


def test_batches_of_torch_metrics() -> None:
    """A batch that is ignored as a whole adds nothing, and takes nothing from metrics that count it; ids are those of all rows."""
    torch = pytest.importorskip("torch")
    from assay.torch import MetricCollection

    found = MetricCollection({"some": assay.metrics.Accuracy(ignore_index=-100), "all": assay.metrics.Accuracy()})
    padding = torch.full((5,), -100)
    for at in range(0, 300, 100):
        rows = slice(at, at + 100)
        found.update(y_true=torch.tensor(Y[rows]), y_pred=torch.tensor(P[rows]), ids=torch.arange(at, at + 100))
    found.update(y_true=padding, y_pred=padding, ids=torch.arange(300, 305))
    values = found.compute()
    assert float(values["some"]) == pytest.approx(assay.accuracy(Y[LEFT], P[LEFT]))
    whole = assay.accuracy(np.append(Y, [-100] * 5), np.append(P, [-100] * 5))
    assert float(values["all"]) == pytest.approx(whole)


def test_refused() -> None:
    with refusal(ParameterError):
        assay.metrics.Accuracy(classes=(0, 1), ignore_index=1)
    with refusal(InputError):
        assay.accuracy([[0, 1]], [[1, 1]], ignore_index=-100)
    with refusal(InputError):
        assay.accuracy(["a", "b"], ["a", "a"], ignore_index=-100)
    with refusal(InputError):
        assay.accuracy([-100, -100], [0, 1], ignore_index=-100)
    with refusal(InputError):
        assay.metrics.Accuracy(ignore_index=-100).interval(Y, P, groups=GROUPS[:5])
    with refusal(ParameterError):
        assay.evaluate(task="multiclass", y_true=Y, y_pred=P, metrics=["accuracy:ignore_index=-100", "cohen_kappa"])
    with refusal(ParameterError):
        assay.evaluate(Y, P, parameters={"ignore_index": -100})


def test_specs_where_names_were_taken_alone() -> None:
    """A sweep takes a metric with its parameters, as everything else does."""
    y, p = [0, 1, 1, 0, 1, 0, 1, 1], [0.1, 0.8, 0.6, 0.3, 0.4, 0.6, 0.9, 0.7]
    with pytest.warns(assay.SelectionWarning):
        found = assay.threshold_sweep(y, p).best("f_beta:beta=2")
    assert found.value == pytest.approx(assay.f_beta(y, [int(q >= 0.4) for q in p], beta=2))
