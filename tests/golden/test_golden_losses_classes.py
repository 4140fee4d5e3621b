"""Where losses of classes and of real targets part ways: small numbers worked by hand, the wrong reading beside ours."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay import losses
from assay.explain.pitfalls import PITFALLS


def test_9_focal_alpha_is_for_positives_and_the_rest_for_negatives() -> None:
    """At p = 1/2 the loss is alpha_t / 4 * log 2; one factor for both classes gives a third of it on negatives."""
    unit = math.log(2) / 4
    z, y = [0.0, 0.0], [1.0, 0.0]
    each = losses.focal(z, y, alpha=0.25, reduction="none")
    np.testing.assert_allclose(each, [0.25 * unit, 0.75 * unit], rtol=1e-12)
    one_factor = 0.25 * unit
    assert each[1] == pytest.approx(3 * one_factor, rel=1e-12)
    assert float(losses.focal(z, y, alpha=None)) == pytest.approx(unit, rel=1e-12)
    # Five elements with one positive: the paper divides by 1, the plain mean by 5.
    many = ([0.0] * 5, [1.0, 0.0, 0.0, 0.0, 0.0])
    whole = (0.25 + 4 * 0.75) * unit
    assert float(losses.focal(*many)) == pytest.approx(whole / 5, rel=1e-12)
    assert float(losses.focal(*many, normalize="positives")) == pytest.approx(whole, rel=1e-12)


def test_9_focal_of_three_classes_one_against_the_rest_or_softmax() -> None:
    z = np.log([[0.5, 0.25, 0.25]])
    softmax = float(losses.focal(z, [0], gamma=1.0))
    assert softmax == pytest.approx(0.5 * math.log(2), rel=1e-12)
    rest = float(losses.focal(z, np.array([[1.0, 0.0, 0.0]]), gamma=1.0, alpha=None, reduction="sum"))
    p = np.exp(z[0]) / (1 + np.exp(z[0]))  # 1/3, 1/5, 1/5
    np.testing.assert_allclose(p, [1 / 3, 0.2, 0.2])
    assert rest == pytest.approx(2 / 3 * math.log(3) + 2 * 0.2 * math.log(1.25), rel=1e-12)


def test_10_smoothing_among_the_others_or_among_all() -> None:
    """Two classes, logits 2 and 0: -log p = 0.126928 and 2.126928; epsilon = 0.5."""
    near, far = math.log1p(math.exp(-2)), 2 + math.log1p(math.exp(-2))
    others = float(losses.label_smoothing([[2.0, 0.0]], [0], epsilon=0.5))
    uniform = float(losses.label_smoothing([[2.0, 0.0]], [0], epsilon=0.5, convention="uniform"))
    assert others == pytest.approx(0.5 * near + 0.5 * far, rel=1e-12)
    assert uniform == pytest.approx(0.75 * near + 0.25 * far, rel=1e-12)
    assert others - uniform == pytest.approx(0.5, rel=1e-12)


def test_11_huber_is_delta_times_smooth_l1() -> None:
    """An error of 3 with delta = beta = 2: Huber 2 (3 - 1) = 4, smooth L1 3 - 1 = 2; without its half Huber would give 8."""
    assert float(losses.huber([3.0], [0.0], delta=2.0)) == 4.0
    assert float(losses.smooth_l1([3.0], [0.0], beta=2.0)) == 2.0
    e = np.linspace(-5, 5, 101)
    np.testing.assert_allclose(
        losses.huber(e, 0 * e, delta=2.0, reduction="none"),
        2.0 * np.asarray(losses.smooth_l1(e, 0 * e, beta=2.0, reduction="none")),
        rtol=1e-12,
    )


def test_12_balanced_l1_has_no_jump_in_its_slope() -> None:
    """With beta = 0.1 a common implementation has slope 1.724 below and 1.5 above; ours reaches 1.5 and stays."""

    def slopes(form: str) -> tuple[float, float]:
        at = np.array([0.1 - 2e-6, 0.1 - 1e-6, 0.1 + 1e-6, 0.1 + 2e-6])
        v = np.asarray(losses.balanced_l1(at, 0 * at, beta=0.1, form=form, reduction="none"))  # type: ignore[arg-type]
        return float((v[1] - v[0]) / 1e-6), float((v[3] - v[2]) / 1e-6)

    below, above = slopes("smooth")
    assert below == pytest.approx(1.5, abs=1e-4)
    assert above == pytest.approx(1.5, abs=1e-6)
    below, above = slopes("mmdet")
    assert above == pytest.approx(1.5, abs=1e-6)
    assert below == pytest.approx(1.724, abs=1e-3)


def test_31_the_weighted_mean_divides_by_the_weights_of_the_true_classes() -> None:
    """Losses log 2 twice, class weights 1 and 3: 4 log 2 over 4, not over 2 rows; all ignored is 0, where PyTorch has NaN."""
    z, t = [[0.0, 0.0], [0.0, 0.0]], [0, 1]
    each = losses.cross_entropy(z, t, class_weight=(1.0, 3.0), reduction="none")
    np.testing.assert_allclose(each, [math.log(2), 3 * math.log(2)], rtol=1e-12)
    assert float(each.mean()) == pytest.approx(2 * math.log(2), rel=1e-12)  # the reading that divides by rows
    assert float(losses.cross_entropy(z, t, class_weight=(1.0, 3.0))) == pytest.approx(math.log(2), rel=1e-12)
    assert float(losses.nll(np.log([[0.5, 0.5]] * 2), t, class_weight=(1.0, 3.0))) == pytest.approx(
        math.log(2), rel=1e-12
    )
    ignored = [-100, -100]
    assert float(losses.cross_entropy(z, ignored)) == 0
    assert np.isnan(losses.cross_entropy(z, ignored, undefined="nan"))
    torch = pytest.importorskip("torch")
    assert torch.isnan(torch.nn.functional.cross_entropy(torch.zeros(2, 2), torch.tensor(ignored)))


@pytest.mark.parametrize("row", [9, 10, 11, 12, 31])
def test_every_row_has_its_paragraph(row: int) -> None:
    assert len(PITFALLS[row].text) > 100
