"""Losses of generation where tools part ways: the number of the wrong reading beside ours, worked by hand."""

from __future__ import annotations

from math import exp, inf, log, pi

import numpy as np
import pytest

from assay import losses
from assay.explain.pitfalls import PITFALLS

P = [[0.5, 0.5], [0.75, 0.25]]
Q = [[0.25, 0.75], [0.5, 0.5]]
ROWS = [0.5 * log(2) + 0.5 * log(2 / 3), 0.75 * log(1.5) + 0.25 * log(0.5)]


def test_trap_31_the_mean_of_a_divergence_is_over_rows() -> None:
    """PyTorch's 'mean' divides by all four elements, half of the truth; its 'batchmean' by the two rows."""
    ours = float(losses.kl_divergence(probabilities=Q, target=P))
    assert ours == pytest.approx(sum(ROWS) / 2, rel=1e-12)
    assert 31 in losses.kl_divergence.record.traps
    assert "batchmean" in PITFALLS[31].text
    torch = pytest.importorskip("torch")
    logs, p = torch.tensor(Q, dtype=torch.float64).log(), torch.tensor(P, dtype=torch.float64)
    with pytest.warns(UserWarning, match="batchmean"):
        wrong = torch.nn.functional.kl_div(logs, p, reduction="mean")
    assert float(wrong) == pytest.approx(ours / 2, rel=1e-12)
    assert float(torch.nn.functional.kl_div(logs, p, reduction="batchmean")) == pytest.approx(ours, rel=1e-12)


def test_trap_31_empty_selections_are_a_stated_number() -> None:
    assert float(losses.kl_divergence(probabilities=Q, target=P, mask=[False, False])) == 0
    assert float(losses.kl_divergence(probabilities=Q, target=P, weight=[[1.0], [3.0]])) == pytest.approx(
        (ROWS[0] + 3 * ROWS[1]) / 4, rel=1e-12
    )


def test_the_divergence_is_not_symmetric_and_its_sides_are_named() -> None:
    turned = float(losses.kl_divergence(probabilities=P[1:], target=Q[1:]))
    assert turned == pytest.approx(0.5 * log(2 / 3) + 0.5 * log(2), rel=1e-12)
    assert float(losses.kl_divergence(probabilities=Q[1:], target=P[1:])) == pytest.approx(ROWS[1], rel=1e-12)
    assert turned > 1.09 * ROWS[1]


def test_adding_a_small_number_to_the_target_is_not_needed() -> None:
    """The survey adds 1e-7 to target probabilities of zero; 0 log 0 is 0, and the sum stays exact."""
    exact = float(losses.kl_divergence(probabilities=[[0.5, 0.5]], target=[[1.0, 0.0]]))
    assert exact == pytest.approx(log(2), rel=1e-15)
    p = np.array([1.0, 0.0]) + 1e-7
    assert float((p * np.log(p / 0.5)).sum()) != pytest.approx(log(2), rel=1e-7)


def test_erratum_equation_105_climbs_the_energy_of_the_data() -> None:
    """Energy theta x; data at x = 1, samples at x = 0. Likelihood grows as theta falls; the survey's step raises it."""
    torch = pytest.importorskip("torch")
    theta = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    data, samples = torch.tensor([1.0, 1.0]), torch.tensor([0.0, 0.0])
    losses.contrastive_divergence(theta * data, theta * samples).backward()
    assert theta.grad.item() == 1.0

    def likelihood(t: float) -> float:
        return -t - log(1 + exp(-t))  # of x = 1 among {0, 1}

    assert likelihood(0.5 - 0.1) > likelihood(0.5) > likelihood(0.5 + 0.1)


GOLDEN = [
    (lambda: losses.reconstruction([[1.0, 2.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 3.0]]), (5 + 9) / 2),
    (lambda: losses.reconstruction(logits=[[0.0, 0.0]], target=[[1.0, 0.0]]), 2 * log(2)),
    (lambda: losses.gaussian_kl([[0.0]], [[log(4.0)]]), 0.5 * (4 - 1 - log(4))),
    (lambda: losses.gaussian_kl([[1.0]], [[0.0]], target_mean=[[3.0]], target_log_variance=[[log(4.0)]]),
     0.5 * (0.25 + 1 - 1 + log(4))),
    (lambda: losses.vae([[1.0]], [[0.0]], mean=[[2.0]], log_variance=[[0.0]], beta=3.0), 1 + 3 * 2),
    (lambda: losses.adversarial([0.0], [0.0], role="discriminator"), 2 * log(2)),
    (lambda: losses.adversarial([0.0], form="minimax"), -log(2)),
    (lambda: losses.wasserstein([2.0, 4.0]), -3.0),
    (lambda: losses.wasserstein_distance([0.0, 2.0], [1.0, 5.0], p=2), 5**0.5),
    (lambda: losses.sinkhorn([[0.0, 0.0]], [[3.0, 4.0]]), 25.0),
    (lambda: losses.sinkhorn([[0.0, 0.0]], [[3.0, 4.0]], p=1), 5.0),
    (lambda: losses.flow_nll([[1.0, 1.0]], [3.0]), log(2 * pi) + 1 - 3),
    (lambda: losses.contrastive_divergence([1.0, 3.0], [5.0]), -3.0),
    (lambda: losses.noise_contrastive([log(3.0)], [0.0], data_log_noise=[0.0], noise_log_noise=[0.0]), -log(0.75) + log(2)),
    (lambda: losses.denoising([[2.0], [2.0]], [[0.0], [0.0]], snr=[10.0, inf]), 4 * 0.5 / 2),
]  # fmt: skip


@pytest.mark.parametrize(("call", "value"), GOLDEN)
def test_by_hand(call: object, value: float) -> None:
    assert float(call()) == pytest.approx(value, rel=1e-12)  # type: ignore[operator]
