"""Losses of boxes: hand-worked values, torchvision's formulas, gradients, degenerate boxes, all forms and pairs, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from assay import losses
from assay.core.errors import InputError, ParameterError, UndefinedError
from assay.losses import box_iou, ciou, diou, giou, iou
from messages import refusal

NAMES = ("iou", "giou", "diou", "ciou")
RNG = np.random.default_rng(7)


def boxes(n: int, rng: Any = RNG) -> Any:
    low = 6 * rng.random((n, 2))
    return np.concatenate([low, low + 0.5 + 4 * rng.random((n, 2))], axis=1)


P, T = boxes(200), boxes(200)


def reference(torch: Any, name: str, p: Any, t: Any, eps: float) -> Any:
    """The formulas of torchvision.ops (0.2x), in which ``eps`` is 1e-7."""
    x1, y1, x2, y2 = p.unbind(-1)
    u1, v1, u2, v2 = t.unbind(-1)
    left, top, right, low = torch.max(x1, u1), torch.max(y1, v1), torch.min(x2, u2), torch.min(y2, v2)
    shared = torch.where((right > left) & (low > top), (right - left) * (low - top), torch.zeros_like(x1))
    union = (x2 - x1) * (y2 - y1) + (u2 - u1) * (v2 - v1) - shared
    overlap = shared / (union + eps)
    wide, tall = torch.max(x2, u2) - torch.min(x1, u1), torch.max(y2, v2) - torch.min(y1, v1)
    if name == "iou":
        return 1 - overlap
    if name == "giou":
        return 1 - (overlap - (wide * tall - union) / (wide * tall + eps))
    gap = ((x1 + x2) / 2 - (u1 + u2) / 2) ** 2 + ((y1 + y2) / 2 - (v1 + v2) / 2) ** 2
    near = 1 - overlap + gap / (wide**2 + tall**2 + eps)
    if name == "diou":
        return near
    v = (4 / math.pi**2) * (torch.atan((u2 - u1) / (v2 - v1)) - torch.atan((x2 - x1) / (y2 - y1))) ** 2
    return near + (v / (1 - overlap + v + eps)).detach() * v


@pytest.mark.parametrize("name", NAMES)
def test_values_and_gradients_are_torchvision_s_without_its_eps(name: str) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = (torch.tensor(P, requires_grad=True) for _ in range(2))
    value = getattr(losses, name)(ours, torch.tensor(T), reduction="none")
    wanted = reference(torch, name, theirs, torch.tensor(T), 0.0)
    np.testing.assert_allclose(value.detach(), wanted.detach(), rtol=1e-10, atol=1e-14)
    (value.sum() + wanted.sum()).backward()
    np.testing.assert_allclose(ours.grad, theirs.grad, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_the_eps_of_torchvision_shows_on_small_boxes_and_ours_has_none(name: str) -> None:
    torch = pytest.importorskip("torch")
    scale = 1e-3  # boxes of a thousandth: areas of about 1e-6
    small = reference(torch, name, torch.tensor(scale * P), torch.tensor(scale * T), 1e-7)
    ours = np.asarray(getattr(losses, name)(scale * P, scale * T, reduction="none"))
    np.testing.assert_allclose(ours, getattr(losses, name)(P, T, reduction="none"), rtol=1e-9)
    assert float(np.abs(np.asarray(small) - ours).max()) > 1e-3


def test_values_by_hand() -> None:
    a, b = (
        [[0.0, 0.0, 2.0, 2.0]],
        [[1.0, 1.0, 3.0, 3.0]],
    )  # share 1 of 7; around both 9; centres sqrt(2) apart, diagonal sqrt(18)
    assert float(iou(a, b)) == pytest.approx(6 / 7, rel=1e-15)
    assert float(giou(a, b)) == pytest.approx(6 / 7 + 2 / 9, rel=1e-15)
    assert float(diou(a, b)) == pytest.approx(6 / 7 + 2 / 18, rel=1e-15)
    assert float(ciou(a, b)) == pytest.approx(6 / 7 + 2 / 18, rel=1e-15)  # both square
    flat, tall = (
        [[0.0, 0.0, 2.0, 1.0]],
        [[0.0, 0.0, 1.0, 2.0]],
    )  # share 1 of 3; around both 2 x 2; centres sqrt(1/2) apart
    v = 4 / math.pi**2 * (math.atan(0.5) - math.atan(2.0)) ** 2
    assert float(ciou(flat, tall)) == pytest.approx(2 / 3 + 0.5 / 8 + v * v / (2 / 3 + v), rel=1e-14)
    inside = [
        [0.5, 0.5, 1.0, 1.0]
    ]  # GIoU cannot tell where a box lies within another; DIoU can (Zheng et al., figure 1)
    assert float(giou(inside, a)) == float(iou(inside, a)) == 1 - 0.25 / 4
    assert float(diou(inside, a)) == pytest.approx(1 - 0.25 / 4 + 2 * 0.25**2 / 8, rel=1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_equal_boxes_cost_nothing_and_stay_where_they_are(name: str) -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor(P, requires_grad=True)
    value = getattr(losses, name)(x, torch.tensor(P))
    value.backward()
    assert float(value.detach()) == pytest.approx(0, abs=1e-15)
    assert float(x.grad.abs().max()) < 1e-15  # at a tie both boxes have half of the derivative


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["xywh", "cxcywh"])
def test_forms_are_the_same_boxes(name: str, form: str) -> None:
    def given(corners: Any) -> Any:
        low, size = corners[:, :2], corners[:, 2:] - corners[:, :2]
        return np.concatenate([low if form == "xywh" else low + size / 2, size], axis=1)

    f = getattr(losses, name)
    found = f(given(P), given(T), form=form, reduction="none")
    np.testing.assert_allclose(found, f(P, T, reduction="none"), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_all_pairs_are_the_matrix_of_pairs(name: str) -> None:
    torch = pytest.importorskip("torch")
    f, (a, b) = getattr(losses, name), (P[:5], T[:3])
    single = np.array([[float(f(x[None], y[None])) for y in b] for x in a])
    found = f(a, b, pairs="all", reduction="none")
    assert found.shape == (5, 3)
    np.testing.assert_allclose(found, single, rtol=1e-12)
    assert float(f(a, b, pairs="all")) == pytest.approx(single.mean(), rel=1e-12)
    assert float(f(torch.tensor(a), torch.tensor(b), pairs="all", reduction="sum")) == pytest.approx(single.sum())
    keep = single < np.median(single)
    assert float(f(a, b, pairs="all", mask=keep)) == pytest.approx(single[keep].mean(), rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_gradient_of_all_pairs_reaches_both_sets(name: str) -> None:
    torch = pytest.importorskip("torch")
    f = getattr(losses, name)
    a, b = (torch.tensor(x, requires_grad=True) for x in (P[:5], T[:3]))
    f(a, b, pairs="all").backward()
    wide = [torch.tensor(x, requires_grad=True) for x in (np.repeat(P[:5], 3, axis=0), np.tile(T[:3], (5, 1)))]
    f(*wide).backward()
    np.testing.assert_allclose(a.grad, wide[0].grad.reshape(5, 3, 4).sum(1), rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(b.grad, wide[1].grad.reshape(5, 3, 4).sum(0), rtol=1e-10, atol=1e-15)


# ---- the stop-gradient of CIoU


def shape_part(torch: Any, p: Any, t: Any, constant: bool) -> Any:
    """The gradient of alpha v of one pair in closed form, with alpha a constant or not."""
    w, h, u, k = p[2] - p[0], p[3] - p[1], t[2] - t[0], t[3] - t[1]
    angle = math.atan(u / k) - math.atan(w / h)
    v = 4 / math.pi**2 * angle**2
    dv = 8 / math.pi**2 * angle * np.array([h, -w, -h, w]) / (w * w + h * h)
    a, b = torch.tensor(p, requires_grad=True), torch.tensor(t)
    overlap = 1 - reference(torch, "iou", a, b, 0.0)
    overlap.backward()
    rest = 1 - float(overlap.detach())
    alpha = v / (rest + v)
    moving = 0 if constant else v * (dv * rest + v * a.grad.numpy()) / (rest + v) ** 2
    return alpha * dv + moving


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_the_weight_of_the_shape_is_a_constant(library: str) -> None:
    torch = pytest.importorskip("torch")
    p, t = P[0], T[0]
    if library == "torch":
        x = torch.tensor(p, requires_grad=True)
        (ciou(x, torch.tensor(t)) - diou(x, torch.tensor(t))).backward()
        found = x.grad.numpy()
    else:
        jax = pytest.importorskip("jax")
        with jax.enable_x64(True):
            there = jax.numpy.asarray(t)
            found = np.asarray(jax.grad(lambda x: ciou(x, there) - diou(x, there))(jax.numpy.asarray(p)))
    np.testing.assert_allclose(found, shape_part(torch, p, t, constant=True), rtol=1e-9)
    assert np.abs(found - shape_part(torch, p, t, constant=False)).max() > 1e-2 * np.abs(found).max()


# ---- degenerate boxes

POINT, FLAT, THIN = [1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 2.0, 1.0], [1.0, 0.0, 1.0, 2.0]
WHOLE, WRONG, TINY = [0.0, 0.0, 2.0, 2.0], [1.5, 1.5, 0.5, 0.5], [1.0, 1.0, 1.0 + 1e-30, 1.0 + 1e-30]
ODD = [POINT, FLAT, THIN, WHOLE, WRONG, TINY, [-1e4, -1e4, 1e4, 1e4], [1e-25, 1e-25, 2e-25, 2e-25]]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize("library", ["torch", "jax"])
def test_degenerate_boxes_are_finite_in_value_and_gradient(name: str, kind: str, library: str) -> None:
    f = getattr(losses, name)
    if library == "torch":
        torch = pytest.importorskip("torch")
        x = torch.tensor(ODD, dtype=getattr(torch, kind), requires_grad=True)
        value = f(x, x.detach().clone(), pairs="all", reduction="none")
        slope = torch.autograd.grad(value.sum(), x)[0].double()
        value = value.detach().double()
    else:
        jax = pytest.importorskip("jax")
        with jax.enable_x64(kind == "float64"):
            x = jax.numpy.asarray(ODD, dtype=kind)

            def both(given: Any) -> tuple[Any, Any]:
                slope = jax.grad(lambda one: f(one, given, pairs="all", reduction="sum"))(given)
                return f(given, given, pairs="all", reduction="none").astype(float), slope.astype(float)

            value, slope = jax.jit(both)(x)
    assert np.isfinite(np.asarray(value)).all()
    assert np.isfinite(np.asarray(slope)).all()
    low, high = f.record.range
    assert ((np.asarray(value) >= low - 1e-6) & (np.asarray(value) <= high + 1e-6)).all()


def test_nothing_by_nothing_is_nothing() -> None:
    for f in (iou, giou, diou, ciou):
        assert float(f([POINT], [POINT])) == 1.0  # no overlap, no penalty
    assert float(giou([FLAT], [[3.0, 1.0, 4.0, 1.0]])) == 1.0  # the box around both has no area
    assert float(diou([FLAT], [[3.0, 1.0, 4.0, 1.0]])) == 1 + 2.5**2 / 4**2
    assert float(ciou([POINT], [WHOLE])) == float(diou([POINT], [WHOLE]))  # a point has no shape
    v = 4 / math.pi**2 * (math.pi / 4) ** 2  # no height: an angle of pi/2
    assert float(ciou([FLAT], [WHOLE])) == pytest.approx(float(diou([FLAT], [WHOLE])) + v * v / (1 + v), rel=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_a_box_the_wrong_way_round_is_empty_and_opens_again(name: str) -> None:
    torch = pytest.importorskip("torch")
    f = getattr(losses, name)
    assert float(f([[2.0, 1.0, 0.0, 1.5]], [WHOLE])) == pytest.approx(
        float(f([[1.0, 1.0, 1.0, 1.5]], [WHOLE])), rel=1e-15
    )
    x = torch.tensor([[1.2, 0.5, 0.8, 1.5]], dtype=torch.float64, requires_grad=True)
    for _ in range(100):
        (slope,) = torch.autograd.grad(f(x, torch.tensor([WHOLE], dtype=torch.float64)), x)
        x = (x - 0.05 * slope).detach().requires_grad_()
    assert float(x[0, 2] - x[0, 0]) > 0.5
    assert float(f(x.detach(), [WHOLE])) < 0.9


@pytest.mark.parametrize("name", ["giou", "diou", "ciou"])
def test_boxes_apart_are_drawn_together_and_iou_is_flat(name: str) -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor([[5.0, 0.0, 6.0, 1.0]], requires_grad=True)
    (slope,) = torch.autograd.grad(getattr(losses, name)(x, [[0.0, 0.0, 1.0, 1.0]]), x)
    assert float(slope[0, 0]) > 0
    assert float(torch.autograd.grad(iou(x, [[0.0, 0.0, 1.0, 1.0]]), x)[0].abs().max()) == 0


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_batch_follows_undefined(name: str) -> None:
    f, none = getattr(losses, name), np.zeros((0, 4))
    assert float(f(none, none)) == 0
    assert math.isnan(float(f(none, none, undefined="nan")))
    with refusal(UndefinedError):
        f(P[:2], T[:2], mask=[0, 0], undefined="error")


# ---- IoU itself


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("form", ["xyxy", "xywh", "cxcywh"])
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_the_compiled_matrix_is_that_of_the_pairs(library: str, form: Any, kind: str) -> None:
    rng = np.random.default_rng(1)
    a, b = (np.concatenate([boxes(900, rng), ODD[:5]]).astype(kind) for _ in range(2))
    make = pytest.importorskip("torch").tensor if library == "torch" else np.asarray
    found = np.asarray(box_iou(make(a), make(b), form=form, pairs="all"))
    assert found.dtype == kind
    assert found.shape == (905, 905)
    plain = 1 - np.asarray(iou(a, b, form=form, pairs="all", reduction="none"))
    np.testing.assert_allclose(found, plain, atol=1e-14 if kind == "float64" else 1e-6)
    paired = box_iou(a, b, form=form)
    np.testing.assert_allclose(paired, np.diag(found), atol=1e-14 if kind == "float64" else 1e-6)


def test_a_matrix_that_learns_has_its_gradient() -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(1)
    a = torch.tensor(boxes(800, rng), requires_grad=True)
    (slope,) = torch.autograd.grad(box_iou(a, torch.tensor(boxes(800, rng)), pairs="all").sum(), a)
    assert slope.shape == (800, 4)
    assert bool((slope != 0).any())


# ---- refusals


def test_bad_input_is_refused() -> None:
    with refusal(InputError):
        giou(np.zeros((3, 5)), np.zeros((3, 5)))
    with refusal(InputError):
        iou(np.zeros((3, 4)), np.zeros((2, 3, 4)), pairs="all")
    with refusal(InputError):
        diou(np.zeros((3, 4)), np.zeros((2, 4)))
    with refusal(ParameterError):
        ciou(P, T, form="yxyx")  # pyright: ignore[reportArgumentType]
    with refusal(ParameterError):
        box_iou(P, T, pairs="both")  # pyright: ignore[reportArgumentType]
    with refusal(ParameterError):
        giou(P, T, reductoin="sum")  # pyright: ignore[reportCallIssue]


def test_monai_s_giou_is_ours() -> None:
    torch, monai = pytest.importorskip("torch"), pytest.importorskip("monai.losses")
    a, b = torch.tensor(P, dtype=torch.float32), torch.tensor(T, dtype=torch.float32)
    assert float(giou(a, b)) == pytest.approx(float(monai.BoxGIoULoss()(a, b)), rel=1e-5)
