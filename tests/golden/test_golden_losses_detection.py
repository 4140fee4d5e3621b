"""Where tools of box losses go wrong: the number of the wrong reading beside ours."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.losses import ciou, giou, iou, yolo


def test_ciou_of_a_box_without_area_has_a_gradient() -> None:
    """torchvision divides width by height: 0/0 for a point, and every number of the gradient is NaN."""
    torch = pytest.importorskip("torch")
    point, target = [1.0, 1.0, 1.0, 1.0], torch.tensor([[0.0, 0.0, 4.0, 2.0]])
    x = torch.tensor([point], requires_grad=True)
    w, h = x[:, 2] - x[:, 0], x[:, 3] - x[:, 1]
    v = 4 / math.pi**2 * (math.atan(2.0) - torch.atan(w / h)) ** 2
    (theirs,) = torch.autograd.grad(v.sum(), x)
    assert bool(torch.isnan(theirs).all())
    (ours,) = torch.autograd.grad(ciou(x, target), x)
    assert bool(torch.isfinite(ours).all())
    assert float(ciou(x.detach(), target)) == pytest.approx(
        1 + 1 / 20
    )  # no overlap; centres 1 apart, diagonal² 20; no shape


def test_an_eps_in_the_divisor_is_no_small_thing_for_small_boxes() -> None:
    """Boxes in shares of a large image: equal ones of 1/4000 by 1/4000 have an IoU of 0.38 with torchvision's 1e-7."""
    side = 1 / 4000
    box = np.array([[0.5, 0.5, 0.5 + side, 0.5 + side]])
    assert 1 - side**2 / (side**2 + 1e-7) == pytest.approx(0.615, abs=1e-3)
    assert float(iou(box, box)) == 0.0
    assert float(giou(box, box)) == 0.0


def test_a_box_the_wrong_way_round_is_not_worth_its_negative_area() -> None:
    """Signed sides make an area of 1 from two wrongs, and of -1 from one: the union then shrinks below the target."""
    target = np.array([[0.0, 0.0, 2.0, 2.0]])
    wrong = np.array([[1.5, 0.5, 0.5, 1.5]])
    signed = (0.5 - 1.5) * (1.5 - 0.5)
    assert (
        1 + (4 - (4 + signed)) / 4 == 1.25
    )  # torchvision's GIoU loss: more than one that overlaps nothing inside the target
    assert float(giou(wrong, target)) == 1.0


def test_yolo_has_roots_and_a_weight_for_what_is_no_object() -> None:
    """The survey's equations 56 and 57 leave both out; the paper has them, and so do we by default."""
    target = np.array([[[[0.5, 0.5, 0.04, 0.04, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0]]]])
    prediction = np.array([[[[0.5, 0.5, 0.01, 0.01, 0.0625], [0.5, 0.5, 0.5, 0.5, 0.4]]]])
    paper = 5 * 2 * (0.1 - 0.2) ** 2 + 0.5 * 0.4**2  # the objectness is the IoU, 1/16
    survey = 5 * 2 * (0.01 - 0.04) ** 2 + 0.4**2
    assert float(yolo(prediction, target)) == pytest.approx(paper, rel=1e-12)
    assert float(yolo(prediction, target, square_root=False, lambda_noobj=1.0)) == pytest.approx(survey, rel=1e-12)
    assert paper == pytest.approx(0.18)
    assert survey == pytest.approx(0.169)
