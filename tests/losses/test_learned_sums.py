"""Sums of losses whose terms learn: softmax and centre loss as one module that trains, is saved and moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from assay.core.errors import AssayError

torch: Any = pytest.importorskip("torch")
TERMS = {"softmax": 1.0, "center": 0.1}


def made(**more: Any) -> Any:
    torch.manual_seed(0)
    return assay.torch.Loss("combined", terms=TERMS, classes=3, dimension=2, **more)


def batch() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    x = np.array([[2.0, 0.0], [-1.0, 2.0], [-1.0, -2.0]])[y] + rng.normal(size=(60, 2))
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


def test_value_is_the_sum_of_its_terms() -> None:
    criterion, (x, y) = made(), batch()
    soft, centre = criterion.learning["softmax"], criterion.learning["center"]
    centre.centers.copy_(torch.randn(3, 2))
    want = losses.softmax(x, y, soft.prototypes) + 0.1 * losses.center(x, y, centre.centers)
    torch.testing.assert_close(criterion.eval()(x, y), want)
    total, parts = criterion(x, y, parts=True)
    torch.testing.assert_close(total, parts["softmax"] + 0.1 * parts["center"])


def test_it_trains() -> None:
    """A layer before it, the class vectors in it and the centres beside them, for a few steps."""
    torch.manual_seed(1)
    criterion, layer, (x, y) = made(), torch.nn.Linear(2, 2), batch()
    step = torch.optim.SGD([*layer.parameters(), *criterion.parameters()], lr=0.2)
    values: list[float] = []
    for _ in range(40):
        step.zero_grad()
        value = criterion(layer(x), y)
        value.backward()
        step.step()
        values.append(float(value.detach()))
    assert values[-1] < 0.5 * values[0]
    features = layer(x).detach()
    means = torch.stack([features[y == c].mean(0) for c in range(3)])
    torch.testing.assert_close(criterion.learning["center"].centers, means, rtol=0.2, atol=0.2)
    assert [name for name, _ in criterion.named_parameters()] == ["learning.softmax.prototypes"]


def test_evaluation_moves_no_centre() -> None:
    criterion, (x, y) = made().eval(), batch()
    criterion(x, y)
    assert not criterion.learning["center"].centers.any()


def test_it_is_saved_and_moves() -> None:
    criterion, (x, y) = made(), batch()
    criterion(x, y)
    other = made()
    other.load_state_dict(criterion.state_dict())
    torch.testing.assert_close(other.eval()(x, y), criterion.eval()(x, y))
    assert set(criterion.state_dict()) == {"learning.softmax.prototypes", "learning.center.centers"}
    double = other.to(torch.float64)
    assert double(x.double(), y).dtype == torch.float64
    assert other.to("meta").learning["center"].centers.is_meta


def test_centres_may_learn_by_gradients_and_have_inputs_of_their_own() -> None:
    """Logits for cross entropy, features for the centres, with parameters of the term."""
    own = {"classes": 3, "dimension": 2, "learn_centers": True}
    centre = losses.Term("center", 0.5, own, inputs=("features", "target"))
    criterion = assay.torch.Loss("combined", terms=[losses.Term("cross_entropy"), centre])
    x, y = batch()
    value = criterion(torch.zeros(60, 3), y, inputs={"features": x})
    centers = criterion.learning["center"].centers
    torch.testing.assert_close(value, np.log(3) + 0.5 * losses.center(x, y, centers), check_dtype=False)
    value.backward()
    assert centers.grad is not None


def test_uncertainty_weighs_terms_that_learn() -> None:
    criterion, (x, y) = made(uncertainty=True), batch()
    criterion(x, y).backward()
    assert criterion.log_variances.grad.shape == (2,)


def test_it_compiles_in_one_graph() -> None:
    plain, compiled, (x, y) = made(), made(), batch()
    run = torch.compile(compiled, fullgraph=True, backend="eager")
    torch.testing.assert_close(run(x, y), plain(x, y))
    torch.testing.assert_close(compiled.learning["center"].centers, plain.learning["center"].centers)


def test_what_is_missing_or_useless_is_told() -> None:
    with pytest.raises(AssayError, match="classes= and dimension="):
        assay.torch.Loss("combined", terms=TERMS)
    with pytest.raises(AssayError, match="no term of this sum learns"):
        assay.torch.Loss("combined", terms={"mse": 1.0}, classes=3)


def test_weights_of_a_critic_are_clipped() -> None:
    torch.manual_seed(0)
    critic = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
    before = [p.detach().clone() for p in critic.parameters()]
    mean = critic[1].running_var.clone()
    assay.torch.clip_weights(critic, 0.1)
    for old, new in zip(before, critic.parameters(), strict=True):
        torch.testing.assert_close(new.detach(), torch.from_numpy(np.clip(old.numpy(), -0.1, 0.1)))
    torch.testing.assert_close(critic[1].running_var, mean)
    with pytest.raises(AssayError, match="limit"):
        assay.torch.clip_weights(critic, 0.0)
    with pytest.raises(AssayError, match="module"):
        assay.torch.clip_weights([1.0])  # pyright: ignore[reportArgumentType]


def test_a_clipped_critic_learns_the_distance_of_two_samples() -> None:
    """A linear critic with weights within 1 finds the distance of the means along the sign of their difference."""
    real, fake = torch.tensor([[3.0, 1.0], [1.0, -1.0]]), torch.zeros(2, 2)
    critic = torch.nn.Linear(2, 1, bias=False)
    step = torch.optim.SGD(critic.parameters(), lr=0.5)
    for _ in range(50):
        step.zero_grad()
        losses.wasserstein(critic(fake), critic(real), role="critic").backward()
        step.step()
        assay.torch.clip_weights(critic, 1.0)
    value = losses.wasserstein(critic(fake), critic(real), role="critic")
    assert float(-value.detach()) == pytest.approx(2.0)
