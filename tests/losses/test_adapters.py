"""Losses as modules, scorers, metrics, sums and checked functions: what a training or an evaluation takes."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from assay.core.loss import losses as every_loss
from assay.losses import Ramp, Stages, Term
from assay.testing.examples import examples_of
from messages import refusal

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(8)


# ---- modules


def test_a_module_gives_what_the_function_gives_and_learns() -> None:
    x, y = torch.randn(20, requires_grad=True), torch.randint(0, 2, (20,)).float()
    criterion = assay.torch.Loss("focal", gamma=1.5, alpha=0.3)
    value = criterion(x, y)
    torch.testing.assert_close(value, losses.focal(x, y, gamma=1.5, alpha=0.3))
    value.backward()
    assert x.grad.abs().sum() > 0
    assert repr(criterion) == "Loss('focal', gamma=1.5, alpha=0.3)"
    mask = torch.arange(20) < 5
    torch.testing.assert_close(criterion(x, y, mask=mask), losses.focal(x[:5], y[:5], gamma=1.5, alpha=0.3))


@pytest.mark.parametrize("name", ["arcface", "cosface", "sphereface", "softmax"])
def test_class_vectors_are_parameters_of_the_module(name: str) -> None:
    criterion = assay.torch.Loss(name, classes=5, dimension=8)
    assert [n for n, _ in criterion.named_parameters()] == ["prototypes"]
    assert criterion.state_dict()["prototypes"].shape == (5, 8)
    x, y = torch.randn(12, 8), torch.randint(0, 5, (12,))
    before = criterion(x, y)
    steps = torch.optim.SGD(criterion.parameters(), lr=0.1)
    before.backward()
    steps.step()
    assert criterion(x, y) < before
    again = assay.torch.Loss(name, classes=5, dimension=8)
    again.load_state_dict(criterion.state_dict())
    torch.testing.assert_close(again(x, y), criterion(x, y))


def test_centres_are_a_buffer_that_training_moves_by_the_rule() -> None:
    criterion = assay.torch.Loss("center", classes=3, dimension=2, rate=0.5)
    assert not list(criterion.parameters())
    x, y = torch.tensor([[2.0, 0.0], [4.0, 0.0], [0.0, 1.0]]), torch.tensor([0, 0, 2])
    criterion(x, y)
    # c - rate * sum(c - x) / (1 + n): class 0 has 6/3 * 0.5, class 2 has 1/2 * 0.5, class 1 stays
    torch.testing.assert_close(criterion.centers, torch.tensor([[1.0, 0.0], [0.0, 0.0], [0.0, 0.25]]))
    criterion.eval()
    criterion(x, y)
    assert criterion.centers[0, 0] == 1.0


def test_centres_learn_from_what_counts_or_by_gradients() -> None:
    x, y = torch.tensor([[2.0, 0.0], [4.0, 0.0]]), torch.tensor([0, 0])
    some = assay.torch.Loss("center", classes=1, dimension=2)
    some(embeddings=x, target=y, mask=torch.tensor([True, False]))
    torch.testing.assert_close(some.centers, torch.tensor([[0.5, 0.0]]))  # 0.5 * 2 / (1 + 1)
    by_gradient = assay.torch.Loss("center", classes=1, dimension=2, learn_centers=True)
    assert [n for n, _ in by_gradient.named_parameters()] == ["centers"]
    by_gradient(x, y).backward()
    assert by_gradient.centers.grad.abs().sum() > 0


@pytest.mark.parametrize("loss", [f for f in every_loss() if not f.record.learned], ids=lambda f: f.key)
def test_modules_equal_functions_on_every_example(loss: Any) -> None:
    """Every parameter reaches the loss: also ``classes``, which class vectors are made from elsewhere."""
    for example in examples_of(loss):
        inputs = {name: torch.tensor(np.asarray(value)) for name, value in example.inputs.items()}
        module = assay.torch.Loss(loss.key, **example.options)
        torch.testing.assert_close(module(**inputs), loss(**inputs, **example.options))


def test_arrays_among_the_parameters_move_with_the_module() -> None:
    criterion = assay.torch.Loss("cross_entropy", class_weight=torch.tensor([1.0, 2.0, 3.0]))
    assert "class_weight" in criterion.state_dict()
    assert criterion.double().class_weight.dtype == torch.float64
    z, t = torch.randn(4, 3).double(), torch.tensor([0, 1, 2, 1])
    torch.testing.assert_close(
        criterion(z, t), torch.nn.functional.cross_entropy(z, t, weight=torch.tensor([1.0, 2.0, 3.0]).double())
    )
    torch.testing.assert_close(pickle.loads(pickle.dumps(criterion))(z, t), criterion(z, t))


@pytest.mark.parametrize(
    "call",
    [
        lambda: assay.torch.Loss("focl"),
        lambda: assay.torch.Loss("focal", gama=1.0),
        lambda: assay.torch.Loss("arcface"),
        lambda: assay.torch.Loss("arcface", classes=4.0, dimension=2),
        lambda: assay.torch.Loss("center", classes=4, dimension=2, rate=7.0),
        lambda: assay.torch.Loss(None),
        lambda: assay.torch.Loss("mse", rate=3),
        lambda: assay.torch.Loss("mse", uncertainty=True),
        lambda: assay.torch.Loss("combined"),
        lambda: assay.torch.Loss("combined", terms={"mze": 1.0}),
    ],
)
def test_modules_refuse(call: Any) -> None:
    with refusal(assay.AssayError):
        call()


# ---- sums


def test_a_sum_reports_its_parts() -> None:
    p, y = RNG.normal(size=10), RNG.normal(size=10)
    found = losses.combined(p, y, terms={"mse": 1.0, "huber": 0.5}, parts=True)
    mse, huber = float(losses.mse(p, y)), float(losses.huber(p, y))
    assert float(found.total) == pytest.approx(mse + 0.5 * huber, rel=1e-14)
    assert {name: float(v) for name, v in found.parts.items()} == pytest.approx({"mse": mse, "huber": huber})


def test_terms_have_parameters_names_inputs_and_functions_of_their_own() -> None:
    p, y = RNG.normal(size=10), RNG.normal(size=10)

    def size(weights: Any) -> Any:
        return (weights**2).sum()

    terms = [
        Term("huber", parameters={"delta": 2.0}),
        Term("huber", 0.1, name="steep"),
        Term(size, 0.01, inputs=("weights",)),
    ]
    found = losses.combined(p, y, terms=terms, inputs={"weights": np.array([3.0, 4.0])}, parts=True)
    expected = float(losses.huber(p, y, delta=2.0)) + 0.1 * float(losses.huber(p, y)) + 0.25
    assert float(found.total) == pytest.approx(expected, rel=1e-14)
    assert list(found.parts) == ["huber", "steep", "size"]


def test_options_for_all_terms_reach_all_terms() -> None:
    p, y, mask = RNG.normal(size=10), RNG.normal(size=10), np.arange(10) < 4
    found = losses.combined(p, y, terms={"mse": 1.0, "mae": 1.0}, shared={"mask": mask})
    assert float(found) == pytest.approx(float(losses.mse(p[:4], y[:4]) + losses.mae(p[:4], y[:4])), rel=1e-14)


def test_schedules_follow_the_step() -> None:
    ramp, stages = Ramp(0.0, 2.0, steps=10, begin=5), Stages({0: 1.0, 100: 0.5, 200: 0.0})
    assert [ramp(t) for t in (0, 5, 10, 15, 99)] == [0.0, 0.0, 1.0, 2.0, 2.0]
    assert Ramp(1.0, 0.0, steps=10, shape="cosine")(5) == pytest.approx(0.5)
    assert [stages(t) for t in (0, 99, 100, 199, 200)] == [1.0, 1.0, 0.5, 0.5, 0.0]
    p, y = np.ones(3), np.zeros(3)
    assert float(losses.combined(p, y, terms={"mse": 1.0, "mae": ramp}, step=10)) == 2.0
    jax = pytest.importorskip("jax")

    def traced(step: Any) -> Any:
        return losses.combined(jax.numpy.ones(3), jax.numpy.zeros(3), terms={"mse": ramp, "mae": stages}, step=step)

    assert float(jax.jit(traced)(10)) == pytest.approx(2.0)
    assert float(jax.jit(traced)(150)) == pytest.approx(2.5)


def test_uncertainty_finds_the_weights_of_the_paper() -> None:
    """The best log-variance of a term of value l is log l, where the sum is (1 + log l) / 2 a term."""
    criterion = assay.torch.Loss("combined", terms={"mse": 1.0, "mae": 1.0}, uncertainty=True)
    assert list(criterion.state_dict()) == ["log_variances"]
    x, y = torch.full((4,), 3.0), torch.zeros(4)
    steps = torch.optim.SGD(criterion.parameters(), lr=0.5)
    for _ in range(400):
        steps.zero_grad()
        criterion(x, y).backward()
        steps.step()
    np.testing.assert_allclose(criterion.log_variances.detach(), [math.log(9), math.log(3)], atol=1e-4)


@pytest.mark.parametrize(
    "call",
    [
        lambda: losses.combined([1.0], [1.0], terms={}),
        lambda: losses.combined([1.0], [1.0], terms={"mse": "much"}),
        lambda: losses.combined([1.0], [1.0], terms={"mze": 1.0}),
        lambda: losses.combined([1.0], [1.0], terms=[Term("mse"), Term("mse")]),
        lambda: losses.combined([1.0], [1.0], terms={"mse": Ramp(0.0, 1.0, 5)}),
        lambda: losses.combined([1.0], [1.0], terms=[Term("mse", inputs=("mask",))]),
        lambda: losses.combined([1.0], [1.0], terms={"mse": 1.0}, log_variances=np.zeros(2)),
        lambda: Ramp(0.0, 1.0, steps=0),
        lambda: Stages({}),
        lambda: losses.combined([1.0], [1.0], terms="mse"),
        lambda: losses.combined([1.0], [1.0], terms=["mse"]),
        lambda: Term("mse", weight=math.nan),
        lambda: Term("mse", parameters={"reduction": "none"}),
        lambda: losses.combined([[1.0]], [0], terms={"arcface": 1.0}),
    ],
)
def test_sums_refuse(call: Any) -> None:
    with refusal(assay.AssayError):
        call()


# ---- metrics and scorers


def test_the_mean_of_a_loss_has_intervals_and_comparisons() -> None:
    y, a, b = RNG.normal(size=300), RNG.normal(size=300), 0.5 * RNG.normal(size=300)
    metric = assay.metrics.MeanLoss("huber", delta=1.0)
    assert metric(y, a) == pytest.approx(float(losses.huber(a, y, delta=1.0)), rel=1e-12)
    score = metric.interval(y, a)
    assert score.low < score < score.high
    assert metric.compare(y, a, b).p < 0.05
    assert assay.metrics.MeanLoss("huber", delta=1.0) == metric
    plain = assay.metrics.MeanLoss("mse").interval(y, a)
    assert (plain.low, plain.high) == pytest.approx(
        (assay.metrics.MSE().interval(y, a).low, assay.metrics.MSE().interval(y, a).high)
    )
    state = metric.state(y[:100], a[:100]) + metric.state(y[100:], a[100:])
    assert state.value() == pytest.approx(metric(y, a), rel=1e-12)


def test_the_mean_of_a_loss_is_that_of_the_loss_where_places_are_ignored() -> None:
    z, t = RNG.normal(size=(6, 3)), np.array([0, -100, 2, 1, -100, 0])
    metric = assay.metrics.MeanLoss("cross_entropy")
    assert metric(t, logits=z) == pytest.approx(float(losses.cross_entropy(z, t)), rel=1e-12)
    maps, labels = RNG.normal(size=(5, 3, 4, 4)), RNG.integers(0, 3, (5, 4, 4))
    labels[0, :3] = -100
    assert metric(labels, logits=maps) == pytest.approx(float(losses.cross_entropy(maps, labels)), rel=1e-12)
    soft = RNG.dirichlet(np.ones(3), 6)
    assert metric(soft, logits=z) == pytest.approx(float(losses.cross_entropy(z, soft)), rel=1e-12)
    with refusal(assay.ParameterError):
        assay.metrics.MeanLoss("cross_entropy", class_weight=(1.0, 2.0, 3.0))
    with refusal(assay.ParameterError):
        assay.metrics.MeanLoss("dice")


def test_the_mean_of_a_loss_refuses_what_has_no_rows_or_no_such_parameter() -> None:
    with refusal(assay.ParameterError):
        assay.metrics.MeanLoss("combined")
    with refusal(assay.ParameterError):
        assay.metrics.MeanLoss("huber", detla=1.0)
    with refusal(assay.InputError):
        assay.metrics.MeanLoss("cross_entropy")([0, 1], y_pred=[0.0, 1.0])


def test_scorers_are_what_scikit_learn_takes() -> None:
    sk = pytest.importorskip("sklearn")
    del sk
    from sklearn.datasets import load_breast_cancer, load_iris
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    for ours, theirs in (("roc_auc", "roc_auc"), ("f1", "f1"), ("log_loss", "neg_log_loss"), ("accuracy", "accuracy")):
        np.testing.assert_allclose(
            cross_val_score(model, X, y, scoring=assay.sklearn.scorer(ours), cv=3),
            cross_val_score(model, X, y, scoring=theirs, cv=3),
            rtol=1e-9,
        )
    by_loss = cross_val_score(model, X, y, scoring=assay.sklearn.scorer("binary_cross_entropy"), cv=3)
    np.testing.assert_allclose(by_loss, cross_val_score(model, X, y, scoring="neg_log_loss", cv=3), rtol=1e-9)
    flowers, kinds = load_iris(return_X_y=True)
    names = np.array(["c", "a", "b"])[kinds]
    many = cross_val_score(model, flowers, names, scoring=assay.sklearn.scorer("cross_entropy"), cv=3)
    np.testing.assert_allclose(many, cross_val_score(model, flowers, names, scoring="neg_log_loss", cv=3), rtol=1e-9)
    search = GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, scoring=assay.sklearn.scorer("huber", delta=0.5)).fit(X, y)
    assert search.best_score_ < 0
    assert assay.sklearn.scorer("mse", sign=False)(search, X, y) > 0
    with refusal(assay.InputError):
        assay.sklearn.scorer("log_loss")(search, X, y)


# ---- checked


@pytest.mark.parametrize(
    "call",
    [
        lambda f: f("mse")([1.0, math.nan], [1.0, 2.0]),
        lambda f: f("cross_entropy")(np.zeros((2, 3)), [0, 3]),
        lambda f: f("cross_entropy")(probabilities=np.full((2, 3), 0.5), target=[0, 1]),
        lambda f: f("binary_cross_entropy")(probabilities=np.array([1.5]), target=[1.0]),
        lambda f: f("binary_cross_entropy")(np.zeros(2), [0.0, 2.0]),
        lambda f: f("hinge")(np.zeros(2), [0.0, 1.0]),
        lambda f: f("poisson_nll")(np.zeros(1), [-1.0]),
        lambda f: f("mse")([1.0], [1.0], weight=np.array([-1.0])),
        lambda f: f("giou")(np.array([[2.0, 0, 1, 1]]), np.array([[0.0, 0, 1, 1]])),
        lambda f: f("poisson_nll")(np.array([1e4]), [1.0]),
    ],
)
def test_checked_losses_say_where(call: Any) -> None:
    with refusal(assay.InputError):
        call(assay.checked)


def test_checked_losses_change_nothing_that_is_right() -> None:
    z = torch.randn(6, 3, requires_grad=True)
    t = torch.tensor([0, 1, 2, -100, 1, 0])
    torch.testing.assert_close(assay.checked(losses.cross_entropy)(z, t), losses.cross_entropy(z, t))
    half = torch.randn(6, dtype=torch.bfloat16)
    torch.testing.assert_close(assay.checked("mse")(half, half), losses.mse(half, half))


def test_every_loss_can_be_found_by_the_module() -> None:
    for loss in every_loss():
        learned = {"classes": 3, "dimension": 4} if loss.record.learned else {}
        terms: Any = {"terms": {"mse": 1.0}} if loss.key == "combined" else {}
        assert assay.torch.Loss(loss.key, **learned, **terms).name == loss.key
