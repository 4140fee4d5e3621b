"""YOLO: a grid worked by hand, the responsible box, parts and options, the survey's form, roots at 0, targets, refusals."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

from assay.core.errors import InputError, ParameterError
from assay.losses import box_iou, yolo, yolo_targets
from messages import refusal

# Two rows and two columns, two boxes a cell, two classes: x, y, w, h, objectness twice, then the classes.
EMPTY = [0.5, 0.5, 0.2, 0.2, 0.1, 0.5, 0.5, 0.2, 0.2, 0.3, 0.4, 0.6]
FULL = [0.5, 0.5, 0.25, 0.25, 0.7, 0.4, 0.6, 0.36, 0.49, 0.8, 0.9, 0.2]
PREDICTION = np.array([[[EMPTY, FULL], [EMPTY, EMPTY]]])
TARGET = np.zeros((1, 2, 2, 7))
TARGET[0, 0, 1] = [0.5, 0.5, 0.49, 0.49, 1.0, 1.0, 0.0]


def by_hand() -> dict[str, float]:
    """The grid above, step by step."""
    # In shares of the image and from the corner of the cell, the object has its centre at (0.25, 0.25), half a cell, and the
    # sides 0.49: from 0.005 to 0.495. The first box has the same centre and the sides 0.25, so it lies inside.
    first = 0.25**2 / 0.49**2
    # The second has its centre at (0.2, 0.3) and the sides 0.36 and 0.49: x from 0.02 to 0.38, y from 0.055 to 0.545.
    shared = (0.38 - 0.02) * (0.495 - 0.055)
    second = shared / (0.36 * 0.49 + 0.49 * 0.49 - shared)
    assert first < second  # 0.26 and 0.61: the second box is responsible
    xy = (0.4 - 0.5) ** 2 + (0.6 - 0.5) ** 2
    wh = (0.6 - 0.7) ** 2 + (0.7 - 0.7) ** 2  # of the roots of 0.36, 0.49 and 0.49, 0.49
    # Without object: both boxes of three cells, and the first box of the cell with the object.
    quiet = 3 * (0.1**2 + 0.3**2) + 0.7**2
    return {
        "xy": 5 * xy,
        "wh": 5 * wh,
        "objectness": (0.8 - second) ** 2,
        "no_object": 0.5 * quiet,
        "classification": (0.9 - 1) ** 2 + 0.2**2,
    }


def test_the_grid_worked_by_hand() -> None:
    total, parts = yolo(PREDICTION, TARGET, parts=True)
    wanted = by_hand()
    assert set(parts) == set(wanted)
    for name, value in wanted.items():
        assert float(parts[name]) == pytest.approx(value, rel=1e-10), name
    assert float(total) == pytest.approx(sum(wanted.values()), rel=1e-12)
    assert float(yolo(PREDICTION, TARGET)) == float(total)


def test_the_survey_s_form_is_another_and_options_give_it() -> None:
    """Its equations 56 and 57 have no square roots and no weight for boxes without object; 58 is a cross entropy."""
    parts = yolo(PREDICTION, TARGET, parts=True).parts
    survey = yolo(
        PREDICTION,
        TARGET,
        square_root=False,
        lambda_noobj=1.0,
        objectness="one",
        classification="cross_entropy",
        parts=True,
    )
    quiet = 3 * (0.1**2 + 0.3**2) + 0.7**2
    equation_56 = 5 * ((0.4 - 0.5) ** 2 + (0.6 - 0.5) ** 2 + (0.36 - 0.49) ** 2)
    equation_58 = -math.log(math.exp(0.9) / (math.exp(0.9) + math.exp(0.2)))
    assert float(survey.parts["xy"] + survey.parts["wh"]) == pytest.approx(equation_56, rel=1e-12)
    assert float(survey.parts["objectness"] + survey.parts["no_object"]) == pytest.approx(
        (0.8 - 1) ** 2 + quiet, rel=1e-12
    )
    assert float(survey.parts["classification"]) == pytest.approx(equation_58, rel=1e-12)
    assert float(parts["wh"]) == pytest.approx(0.05, rel=1e-12)
    assert float(survey.parts["wh"]) == pytest.approx(0.0845, rel=1e-12)  # 5 * 0.13²
    assert float(parts["no_object"]) == pytest.approx(0.395, rel=1e-12)
    assert float(survey.parts["no_object"]) == pytest.approx(0.79, rel=1e-12)


def test_roots_make_a_miss_of_a_small_box_cost_more() -> None:
    def cost(size: float, square_root: bool) -> float:
        target = np.array([[[[0.5, 0.5, size, size, 1.0]]]])
        return float(
            yolo(target + np.array([0, 0, 0.05, 0.05, 0]), target, square_root=square_root, parts=True).parts["wh"]
        )

    assert cost(0.05, True) > 5 * cost(0.8, True)
    assert cost(0.05, False) == pytest.approx(cost(0.8, False), rel=1e-12)


def random_grid(rng: Any) -> tuple[Any, Any]:
    target = np.zeros((4, 3, 5, 8))
    target[..., :4] = rng.uniform(0.1, 0.9, (4, 3, 5, 4))
    target[..., 4] = rng.random((4, 3, 5)) < 0.5
    target[..., 5:] = np.eye(3)[rng.integers(0, 3, (4, 3, 5))]
    return rng.uniform(0.1, 0.9, (4, 3, 5, 18)), target


def slowly(prediction: Any, target: Any) -> float:
    """The paper's sum, cell by cell."""
    total = 0.0
    for cell, truth in zip(prediction.reshape(-1, 18), target.reshape(-1, 8), strict=True):
        boxes = cell[:15].reshape(3, 5)
        scale = np.array([1 / 5, 1 / 3, 1, 1])
        found = [float(box_iou(b[:4] * scale, truth[:4] * scale, form="cxcywh")) for b in boxes]
        best = int(np.argmax(found)) if truth[4] else -1
        for j, (x, y, w, h, c) in enumerate(boxes):
            if j != best:
                total += 0.5 * c**2
                continue
            total += 5 * ((x - truth[0]) ** 2 + (y - truth[1]) ** 2)
            total += 5 * ((math.sqrt(w) - math.sqrt(truth[2])) ** 2 + (math.sqrt(h) - math.sqrt(truth[3])) ** 2)
            total += (c - found[j]) ** 2
        if truth[4]:
            total += float(((cell[15:] - truth[5:]) ** 2).sum())
    return total / len(prediction)


def test_many_cells_against_a_plain_loop() -> None:
    prediction, target = random_grid(np.random.default_rng(2))
    assert float(yolo(prediction, target)) == pytest.approx(slowly(prediction, target), rel=1e-10)


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_choice_and_iou_are_constants_to_the_gradient(library: str) -> None:
    """The derivative in a place is that of the squared error alone, and boxes without object learn their objectness only."""
    if library == "torch":
        torch = pytest.importorskip("torch")
        x = torch.tensor(PREDICTION, requires_grad=True)
        slope = torch.autograd.grad(yolo(x, torch.tensor(TARGET)), x)[0].numpy()
    else:
        jax = pytest.importorskip("jax")
        with jax.enable_x64(True):
            there = jax.numpy.asarray(TARGET)
            slope = np.asarray(jax.jit(jax.grad(lambda x: yolo(x, there)))(jax.numpy.asarray(PREDICTION)))
    cell = slope[0, 0, 1]
    assert cell[:4].tolist() == [0, 0, 0, 0]
    assert cell[4] == pytest.approx(2 * 0.5 * 0.7)
    assert cell[5:7] == pytest.approx([5 * 2 * -0.1, 5 * 2 * 0.1])
    assert cell[7] == pytest.approx(5 * 2 * (0.6 - 0.7) / (2 * 0.6))
    assert cell[10:] == pytest.approx([2 * -0.1, 2 * 0.2])
    assert slope[0, 1, 0, [0, 1, 2, 3, 10, 11]].tolist() == [0] * 6


@functools.cache
def value_and_slope() -> Any:
    """Compiled once per precision, for all sizes."""
    jax = pytest.importorskip("jax")
    return jax.jit(jax.value_and_grad(lambda given, there: yolo(given, there)))


@pytest.mark.parametrize("library", ["torch", "jax"])
@pytest.mark.parametrize("kind", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("size", [0.0, -0.5, 1e-12, 1e2])
def test_sizes_of_zero_and_below_have_finite_gradients_that_open_them(library: str, kind: str, size: float) -> None:
    prediction, target = PREDICTION.copy(), TARGET.copy()
    prediction[..., [2, 3, 7, 8]] = size
    if library == "torch":
        torch = pytest.importorskip("torch")
        x = torch.tensor(prediction, dtype=getattr(torch, kind), requires_grad=True)
        value = yolo(x, torch.tensor(target, dtype=x.dtype))
        slope = torch.autograd.grad(value, x)[0].double().numpy()
        value = value.detach().double()
    else:
        jax = pytest.importorskip("jax")
        x, there = (jax.numpy.asarray(a, dtype=kind) for a in (prediction, target))
        value, slope = value_and_slope()(x, there)
        value, slope = float(value), np.asarray(slope, dtype=float)
    assert np.isfinite(float(value))
    assert np.isfinite(slope).all()
    assert (slope[0, 0, 1, 2] < 0) == (size < 0.1)  # the first box has the tie, and grows


def test_without_objects_only_objectness_counts_and_a_point_is_finite() -> None:
    parts = yolo(PREDICTION, 0 * TARGET, parts=True).parts
    assert [float(parts[name]) for name in ("xy", "wh", "objectness", "classification")] == [0, 0, 0, 0]
    assert float(parts["no_object"]) == pytest.approx(0.5 * (3 * (0.1**2 + 0.3**2) + 0.7**2 + 0.8**2))
    point = np.array([[[[0.5, 0.5, 0.0, 0.0, 0.5]]]])
    assert float(yolo(point, point)) == 0.25  # 0/0 overlap: the objectness aims at 0


def test_images_have_weights_masks_and_reductions() -> None:
    prediction, target = random_grid(np.random.default_rng(3))
    single = np.array([float(yolo(prediction[i : i + 1], target[i : i + 1])) for i in range(4)])
    np.testing.assert_allclose(yolo(prediction, target, reduction="none"), single, rtol=1e-12)
    assert float(yolo(prediction, target, weight=[1, 2, 0, 1])) == pytest.approx((single * [1, 2, 0, 1]).sum() / 4)
    parts = yolo(prediction, target, mask=[1, 0, 0, 1], parts=True)
    assert float(parts.total) == pytest.approx(single[[0, 3]].mean(), rel=1e-12)
    assert float(sum(parts.parts.values())) == pytest.approx(float(parts.total), rel=1e-12)
    assert float(yolo(prediction, target, mask=[0, 0, 0, 0])) == 0


# ---- targets


def test_targets_of_boxes_in_pixels() -> None:
    """An image of 200 x 100 in 4 x 4 cells of 50 x 25: the centre (110, 30) lies in column 2, row 1."""
    target = yolo_targets([[[90.0, 20.0, 130.0, 40.0]]], [[2]], grid=4, classes=3, form="xyxy", size=(200, 100))
    assert target.shape == (1, 4, 4, 8)
    assert target.dtype == np.float32
    np.testing.assert_allclose(target[0, 1, 2], [10 / 50, 5 / 25, 40 / 200, 20 / 100, 1, 0, 0, 1], rtol=1e-6)
    assert target.sum() == pytest.approx(target[0, 1, 2].sum())
    same = yolo_targets([[[90.0, 20.0, 40.0, 20.0]]], [[2]], grid=(4, 4), classes=3, form="xywh", size=(200, 100))
    np.testing.assert_array_equal(same, target)


def test_targets_of_several_images_of_a_full_cell_and_of_the_edge() -> None:
    many = [[[0.1, 0.1, 0.2, 0.2], [0.15, 0.1, 0.3, 0.3], [1.0, 1.0, 0.1, 0.1]], []]
    target = yolo_targets(many, [[0, 1, 1], []], grid=2, classes=2)
    assert target[0, 0, 0].round(6).tolist() == pytest.approx([0.2, 0.2, 0.2, 0.2, 1, 1, 0])  # the first of two is kept
    assert target[0, 1, 1].round(6).tolist() == pytest.approx([1, 1, 0.1, 0.1, 1, 0, 1])
    assert target[1].sum() == 0
    perfect = np.concatenate([target[..., :5], target[..., 5:]], axis=-1)
    assert float(yolo(perfect, target)) == pytest.approx(0, abs=1e-12)


def test_refusals() -> None:
    with refusal(InputError):
        yolo(PREDICTION[..., :-1], TARGET)
    with refusal(InputError):
        yolo(PREDICTION, TARGET[:, :1])
    with refusal(InputError):
        yolo(PREDICTION[0], TARGET[0])
    with refusal(ParameterError):
        yolo(PREDICTION, TARGET, lambda_coord=-1)
    with refusal(ParameterError):
        yolo(PREDICTION, TARGET, least=0)
    with refusal(ParameterError):
        yolo(PREDICTION, TARGET, objectness="two")  # pyright: ignore[reportArgumentType]
    with refusal(ParameterError):
        yolo(PREDICTION, TARGET, classification="hinge")  # pyright: ignore[reportArgumentType]
    with refusal(InputError):
        yolo_targets([[[0.1, 0.1, 0.2, 0.2], [1.2, 0.1, 0.2, 0.2]]], [[0, 0]], grid=2, classes=1)
    with refusal(InputError):
        yolo_targets([[[0.1, 0.1, 0.2, 0.2]]], [[0, 1]], grid=2, classes=2)
    with refusal(InputError):
        yolo_targets([[[0.1, 0.1, 0.2, 0.2]]], [], grid=2, classes=2)
    with refusal(ParameterError):
        yolo_targets([[[0.1, 0.1, 0.2, 0.2]]], [[2]], grid=2, classes=2)
