"""Metrics over batches: the value of all rows at once, shared statistics once, states that torch.save keeps."""

from __future__ import annotations

import io
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.metric import Metric as Measure
from messages import refusal

torch: Any = pytest.importorskip("torch")
RNG = np.random.default_rng(5)
TRUE, LOGITS = torch.tensor(RNG.integers(0, 3, 60)), torch.tensor(RNG.normal(size=(60, 3)))
SPECS = ["accuracy", "precision:average=macro", "recall:average=macro", "f1:average=macro", "log_loss"]


def batches(size: int = 7) -> Any:
    for start in range(0, 60, size):
        yield {"y_true": TRUE[start : start + size], "logits": LOGITS[start : start + size]}


def test_update_compute_and_reset() -> None:
    metric = assay.torch.Metric("f1", average="macro")
    for batch in batches():
        metric.update(**batch)
    assert metric.n == 60
    assert metric.compute().dtype == torch.float64
    want = assay.f1(TRUE, logits=LOGITS, average="macro")
    assert float(metric.compute()) == pytest.approx(want, rel=1e-12)
    score = metric.interval()
    whole = assay.metrics.F1(average="macro").interval(TRUE, logits=LOGITS)
    assert (score.low, score.high) == pytest.approx((whole.low, whole.high), rel=1e-9)
    metric.reset()
    assert metric.n == 0
    assert repr(metric) == "Metric('f1|average:macro', n=0)"
    with refusal(assay.StateError):
        metric.compute()


def test_a_call_gives_the_value_of_the_batch() -> None:
    metric = assay.torch.Metric("accuracy")
    assert float(metric(y_true=[0, 1], y_pred=[0, 1])) == 1.0
    assert float(metric(y_true=[1, 1], y_pred=[0, 0])) == 0.0
    assert float(metric.compute()) == 0.5
    both = assay.torch.MetricCollection(["accuracy", "balanced_accuracy"])
    assert {name: float(v) for name, v in both(y_true=[0, 1], y_pred=[0, 1]).items()} == {
        "accuracy": 1.0,
        "balanced_accuracy": 1.0,
    }


def test_metrics_that_keep_rows_copy_them_a_few_times() -> None:
    """One state after each of 64 batches would copy n^2 rows; here the parts are as many as the binary digits of 64."""
    metric = assay.torch.Metric("roc_auc")
    y, s = RNG.integers(0, 2, 640), RNG.normal(size=640)
    for start in range(0, 640, 10):
        metric.update(y_true=y[start : start + 10], y_score=s[start : start + 10])
        assert len(metric._stream.parts["roc_auc"]) <= 7
    assert float(metric.compute()) == pytest.approx(assay.roc_auc(y, s), rel=1e-12)


def test_a_tensor_with_a_gradient_a_loss_and_a_metric_object() -> None:
    metric = assay.torch.Metric("huber", delta=2.0)
    p = torch.tensor([3.0, 1.0], requires_grad=True)
    metric.update(y_true=torch.zeros(2), y_pred=p)
    assert float(metric.compute()) == pytest.approx(float(assay.losses.huber(p.detach(), torch.zeros(2), delta=2.0)))
    assert assay.torch.Metric(assay.metrics.RocAuc()).metric == assay.metrics.RocAuc()
    assert assay.torch.Metric("f_beta:beta=2").metric == assay.metrics.FBeta(beta=2)
    assert metric.to("cpu", torch.float16) is metric


def test_values_per_class_are_tensors_and_curves_are_curves() -> None:
    metric = assay.torch.Metric("f1", average=None)
    metric.update(y_true=[0, 1, 2], y_pred=[0, 1, 1])
    assert metric.compute().shape == (3,)
    curve = assay.torch.Metric("roc_curve")
    curve.update(y_true=[0, 1, 1], y_score=[0.1, 0.4, 0.3])
    assert type(curve.compute()) is type(assay.roc_curve([0, 1, 1], [0.1, 0.4, 0.3]))


def test_a_collection_computes_shared_statistics_once(monkeypatch: pytest.MonkeyPatch) -> None:
    collection = assay.torch.MetricCollection(SPECS)
    computed: list[Any] = []
    plain = assay.metrics.Accuracy.state_of  # which every metric has

    def counted(self: Any, inputs: Any) -> Any:
        computed.append(self.statistic())
        return plain(self, inputs)

    monkeypatch.setattr(Measure, "state_of", counted)
    for batch in batches():
        collection.update(**batch)
    assert len(computed) == 9 * 3  # batches; hits, the confusion matrix and log-likelihoods
    assert len(collection._stream.parts) < len(SPECS)
    for name, metric in collection.metrics.items():
        assert float(collection.compute()[name]) == pytest.approx(metric(TRUE, logits=LOGITS), rel=1e-12)
    assert collection.interval()["accuracy"].low < collection.compute()["accuracy"]
    assert list(collection) == SPECS
    assert len(collection) == len(SPECS)
    assert repr(collection).endswith("n=60)")


def test_each_metric_of_a_collection_picks_what_it_takes() -> None:
    collection = assay.torch.MetricCollection({"mean": "mse", "ranks": assay.metrics.Spearman(), "auc": "roc_auc"})
    y, p = [0.0, 1.0, 1.0, 0.0], [0.1, 0.5, 0.9, 0.6]
    collection.update(y_true=y, y_pred=p, y_score=p)
    assert float(collection.compute()["auc"]) == 0.75
    assert float(collection.compute()["mean"]) == pytest.approx(assay.mse(y, p))


def test_empty_batches_add_nothing() -> None:
    metric = assay.torch.Metric("accuracy")
    metric.update(y_true=torch.zeros(0, dtype=torch.int64), y_pred=torch.zeros(0, dtype=torch.int64))
    assert metric.n == 0
    metric.update(y_true=[1], y_pred=[1])
    assert float(metric.compute()) == 1.0


def test_weights_count() -> None:
    metric = assay.torch.Metric("accuracy")
    metric.update(y_true=[0, 1], y_pred=[0, 0], weight=[1.0, 3.0])
    assert float(metric.compute()) == 0.25


def saved(value: Any) -> Any:
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


@pytest.mark.parametrize("ids", [False, True])
def test_what_was_seen_is_saved_and_loaded(ids: bool) -> None:
    first, second = assay.torch.MetricCollection(SPECS), assay.torch.MetricCollection(SPECS)
    given = [{**b, "ids": list(range(7 * k, 7 * k + len(b["y_true"])))} if ids else b for k, b in enumerate(batches())]
    for batch in given[:4]:
        first.update(**batch)
    second.load_state_dict(saved(first.state_dict()))
    for batch in given[4 - ids :]:  # with ids, a batch that comes again counts once
        second.update(**batch)
    assert second.repeated == 7 * ids
    assert float(second.compute()["log_loss"]) == pytest.approx(assay.log_loss(TRUE, logits=LOGITS), rel=1e-12)


def test_states_are_saved_and_loaded_as_they_are() -> None:
    state = assay.metrics.RocAuc().state([0, 1, 1], [0.2, 0.1, 0.9])
    again = saved({"epoch": 3, "auc": state})["auc"]
    assert again.value() == state.value()
    assert saved(state.to_bytes()) == state.to_bytes()
    assert pickle.loads(pickle.dumps(again)).value() == state.value()
    file = io.BytesIO(pickle.dumps(state).replace(b"ASSAYST", b"ASSAYSU"))
    with refusal(assay.StateError):
        pickle.loads(file.getvalue())


class Own(assay.metrics.Accuracy):
    """A metric of a user, which a pickle finds by its module."""


def test_states_of_own_metrics_are_pickled_as_objects() -> None:
    state = Own().state([0, 1], [0, 0])
    assert pickle.loads(pickle.dumps(state)).value() == 0.5


def test_rows_that_come_again_count_once() -> None:
    metric = assay.torch.Metric("accuracy")
    metric.update(y_true=[0, 1], y_pred=[0, 0], ids=["a", "b"])
    metric.update(y_true=[1, 1, 1], y_pred=[0, 1, 0], ids=["b", "c", "c"])
    metric.update(y_true=[1], y_pred=[0], ids=torch.tensor([7]))
    assert metric.n == 4
    assert metric.repeated == 2
    assert float(metric.compute()) == 0.5
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert float(metric.gather().compute()) == 0.5
    assert "2 rows came more than once and are counted once, of 6" in str(said[0].message)


def test_a_batch_may_be_overwritten_after_it_was_taken() -> None:
    metric, buffer = assay.torch.Metric("mse"), torch.tensor([1.0, 2.0])
    metric.update(y_true=[0.0, 0.0], y_pred=buffer, ids=[0, 1])
    buffer.fill_(100.0)
    assert float(metric._stream.without({1})["mse"].value()) == 1.0
    assert float(metric.compute()) == 2.5


def test_a_batch_that_is_refused_changes_nothing() -> None:
    metric = assay.torch.Metric("accuracy")
    metric.update(y_true=[0, 1], y_pred=[0, 0], ids=[0, 1])
    with refusal(assay.InputError):
        metric.update(y_true=[0, 1], y_pred=[0.5, 0.7], ids=[1, 2])
    assert (metric.n, metric.repeated) == (2, 0)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.update(torch.tensor([0, 1]), torch.tensor([0, 1])),
        lambda m: m.update(preds=[0, 1], target=[0, 1]),
        lambda m: m.update(y_true=[0, 1], y_pred=[0, 1], ids=[1]),
        lambda m: m.update(y_true=[0, 1], y_pred=[0, 1], ids=[1.5, 2.5]),
        lambda m: (m.update(y_true=[0], y_pred=[0]), m.update(y_true=[0], y_pred=[0], ids=[1])),
        lambda m: m.load_state_dict({"states": {}}),
        lambda m: m.load_state_dict(filled("mse").state_dict()),
        lambda m: assay.torch.Metric("acuracy"),
        lambda m: assay.torch.Metric(3),
        lambda m: assay.torch.Metric(assay.metrics.F1(), average="macro"),
        lambda m: assay.torch.MetricCollection("accuracy"),
        lambda m: assay.torch.MetricCollection([]),
        lambda m: assay.torch.MetricCollection(["accuracy", "mse"]).state("mae"),
        lambda m: assay.torch.MetricCollection(["accuracy"]).compute(),
        lambda m: assay.torch.MetricCollection(["accuracy", "f1"]).update(y_true=[0], y_pred=[0], y_score=[0.1]),
    ],
)
def test_metrics_refuse(call: Any) -> None:
    with refusal(assay.AssayError):
        call(assay.torch.Metric("accuracy"))


def filled(name: str) -> Any:
    metric = assay.torch.Metric(name)
    metric.update(y_true=[1.0], y_pred=[1.0])
    return metric
