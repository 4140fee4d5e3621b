"""Dice, Jaccard and Tversky: direct sums in double precision, all forms of input, means, hard cases, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from messages import refusal

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(61)
N, C, H, W = 3, 4, 5, 6
Z, Y = 2 * RNG.normal(size=(N, C, H, W)), RNG.integers(0, 3, (N, H, W))  # class 3 is absent
Y[0, Y[0] == 2] = 1  # and class 2 in the first image
OVERLAPS = [losses.dice, losses.jaccard, losses.tversky]


def softmax(z: Any) -> Any:
    grown = np.exp(z - z.max(axis=1, keepdims=True))
    return grown / grown.sum(axis=1, keepdims=True)


P, T = softmax(Z), np.moveaxis(np.eye(C)[Y], -1, 1)


def ratio(name: str, p: Any, t: Any) -> float:
    """One minus the ratio of one mask, from its definition."""
    both = (p * t).sum()
    if name == "dice":
        return float(1 - 2 * both / (p.sum() + t.sum()))
    if name == "jaccard":
        return float(1 - both / (p.sum() + t.sum() - both))
    return float(1 - both / (both + 0.3 * (p * (1 - t)).sum() + 0.7 * ((1 - p) * t).sum()))


@pytest.mark.parametrize("f", OVERLAPS, ids=lambda f: f.key)
def test_the_definition_over_batch_and_image(f: Any) -> None:
    batch = [ratio(f.key, P[:, c], T[:, c]) for c in range(C)]
    image = np.array([[ratio(f.key, P[n, c], T[n, c]) for c in range(C)] for n in range(N)])
    there = T.sum(axis=(2, 3)) > 0
    near = {"rel": 1e-12}
    assert float(f(Z, Y)) == pytest.approx(np.mean(batch[:3]), **near)
    assert float(f(Z, Y, classes="all")) == pytest.approx(np.mean(batch), **near)
    assert float(f(Z, Y, classes=[1, 3])) == pytest.approx((batch[1] + batch[3]) / 2, **near)
    assert float(f(Z, Y, reduction="sum")) == pytest.approx(sum(batch[:3]), **near)
    np.testing.assert_allclose(f(Z, Y, reduction="none", classes="all"), batch, rtol=1e-12)
    np.testing.assert_allclose(f(Z, Y, reduction="none", classes="all", over="image"), image, rtol=1e-12)
    np.testing.assert_allclose(f(Z, Y, reduction="none", undefined="nan")[3], np.nan)
    by_image = [image[n][there[n]].mean() for n in range(N)]
    assert float(f(Z, Y, over="image")) == pytest.approx(np.mean(by_image), **near)
    weight = np.array([1.0, 2.0, 0.5, 3.0])
    weighted = [np.average(image[n][there[n]], weights=weight[there[n]]) for n in range(N)]
    assert float(f(Z, Y, over="image", class_weight=weight)) == pytest.approx(np.mean(weighted), **near)


@pytest.mark.parametrize("f", OVERLAPS, ids=lambda f: f.key)
def test_one_ratio_of_all_classes(f: Any) -> None:
    assert float(f(Z, Y, average="micro", classes="all")) == pytest.approx(ratio(f.key, P, T), rel=1e-12)
    each = f(Z, Y, average="micro", classes=[0, 1], over="image", reduction="none")
    np.testing.assert_allclose(each, [ratio(f.key, P[n, :2], T[n, :2]) for n in range(N)], rtol=1e-12)
    weight = np.array([1.0, 2.0, 0.5, 3.0])
    sizes = [(x.sum(axis=(0, 2, 3)) * weight).sum() for x in (P * T, P, T)]
    found = losses.dice(Z, Y, average="micro", classes="all", class_weight=weight)
    assert float(found) == pytest.approx(1 - 2 * sizes[0] / (sizes[1] + sizes[2]), rel=1e-12)


@pytest.mark.parametrize("f", OVERLAPS, ids=lambda f: f.key)
def test_forms_of_input_agree(f: Any) -> None:
    value = float(f(Z, Y))
    assert float(f(probabilities=P, target=Y)) == pytest.approx(value, rel=1e-12)
    assert float(f(Z, T)) == pytest.approx(value, rel=1e-12)
    assert float(f(probabilities=P, target=T, form="multilabel")) == pytest.approx(value, rel=1e-12)
    volume = Z.reshape(N, C, H, W // 2, 2), Y.reshape(N, H, W // 2, 2)
    assert float(f(*volume)) == pytest.approx(value, rel=1e-12)
    rows = np.moveaxis(Z, 1, -1).reshape(-1, C), Y.reshape(-1)
    assert float(f(*rows)) == pytest.approx(value, rel=1e-12)
    for dtype in (np.uint8, np.int16, np.int32):
        assert float(f(Z, Y.astype(dtype), ignore_index=255)) == pytest.approx(value, rel=1e-12)
    s = 1 / (1 + np.exp(-Z[:, 0]))
    for truth in (T[:, 0], T[:, 0].astype(int), T[:, 0].astype(bool)):
        assert float(f(Z[:, 0], truth, form="binary")) == pytest.approx(ratio(f.key, s, T[:, 0]), rel=1e-12)
    several = [ratio(f.key, 1 / (1 + np.exp(-Z[:, c])), T[:, c]) for c in range(C)]
    assert float(f(Z, T, form="multilabel", classes="all")) == pytest.approx(np.mean(several), rel=1e-12)


@pytest.mark.parametrize("f", OVERLAPS, ids=lambda f: f.key)
def test_what_is_left_out_counts_nothing(f: Any) -> None:
    keep = RNG.random((N, H, W)) > 0.4
    z = np.where(keep[:, None], Z, 1e30)
    mean = np.mean([ratio(f.key, P[:, c] * keep, T[:, c] * keep) for c in range(3)])
    if f.key == "tversky":  # (1 - p) t of the reference is not 0 where p is
        rows = np.moveaxis(Z, 1, -1)[keep], Y[keep]
        mean = float(f(*rows))
    assert float(f(z, Y, mask=keep)) == pytest.approx(mean, rel=1e-12)
    assert float(f(z, np.where(keep, Y, 255), ignore_index=255)) == pytest.approx(mean, rel=1e-12)
    assert float(f(z, np.where(keep, Y, -100))) == pytest.approx(mean, rel=1e-12)
    twice = np.where(keep, 2.0, 1.0)
    rows = np.concatenate([np.moveaxis(Z, 1, -1).reshape(-1, C), np.moveaxis(Z, 1, -1)[keep]]), np.append(Y, Y[keep])
    assert float(f(Z, Y, weight=twice)) == pytest.approx(float(f(*rows)), rel=1e-12)
    void = np.where(keep, T[:, 0], 7)
    rows = Z[:, 0][keep], T[:, 0][keep]
    assert float(f(Z[:, 0], void, form="binary", ignore_index=7)) == pytest.approx(
        float(f(*rows, form="binary")), rel=1e-12
    )
    images = np.array([True, False, True])
    assert float(f(Z, Y, mask=images)) == pytest.approx(float(f(Z[images], Y[images])), rel=1e-12)


def test_smoothing_squares_logarithms_and_powers() -> None:
    both, p, t = ((x).sum(axis=(0, 2, 3)) for x in (P * T, P, T))
    every: Any = {"classes": "all", "reduction": "none"}
    near = np.testing.assert_allclose
    near(losses.dice(Z, Y, smooth=1.0, **every), 1 - (2 * both + 1) / (p + t + 1), rtol=1e-12)
    near(losses.dice(Z, Y, smooth=(0.0, 2.0), **every), 1 - 2 * both / (p + t + 2), rtol=1e-12)
    near(losses.jaccard(Z, Y, smooth=1.0, **every), 1 - (both + 1) / (p + t - both + 1), rtol=1e-12)
    near(losses.dice(Z, Y, log=True, reduction="none")[:3], -np.log((2 * both / (p + t))[:3]), rtol=1e-12)
    squares = (P * P).sum(axis=(0, 2, 3))
    near(losses.dice(Z, Y, squared=True, **every), 1 - 2 * both / (squares + t), rtol=1e-12)
    near(losses.jaccard(Z, Y, squared=True, **every), 1 - both / (squares + t - both), rtol=1e-12)
    plain = losses.tversky(Z, Y, alpha=0.2, beta=1.1, **every)
    near(plain, 1 - both / (both + 0.2 * (p - both) + 1.1 * (t - both)), rtol=1e-12)
    near(losses.tversky(Z, Y, alpha=0.2, beta=1.1, focal=0.75, **every), plain**0.75, rtol=1e-12)
    same = losses.tversky(Z, Y, alpha=0.5, beta=0.5), losses.tversky(Z, Y, alpha=1.0, beta=1.0)
    assert float(same[0]) == pytest.approx(float(losses.dice(Z, Y)), rel=1e-12)
    assert float(same[1]) == pytest.approx(float(losses.jaccard(Z, Y)), rel=1e-12)


def test_the_errata_of_the_texts() -> None:
    """Dice divides by the sum of the sizes, not the union; IoU is one ratio of the mask; alpha weighs false positives."""
    p, t = np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 0.0, 1.0, 0.0])
    one: Any = {"probabilities": p, "target": t, "form": "binary"}
    union = np.maximum(p, t).sum()
    assert float(losses.dice(**one)) == pytest.approx(1 - 2 * 1 / 4)
    assert 1 - 2 * 1 / union == pytest.approx(1 / 3)  # the tutorial's denominator
    soft, hits = np.array([0.5, 0.25, 0.0, 1.0]), np.array([1.0, 0.0, 1.0, 0.0])
    found = losses.jaccard(probabilities=soft, target=hits, form="binary")
    assert float(found) == pytest.approx(1 - 0.5 / (1.75 + 2 - 0.5))
    by_pixel = 1 - np.mean(soft * hits / (soft + hits - soft * hits))
    assert by_pixel == pytest.approx(0.875)  # eq. 62 as printed, a mean over pixels
    alarms = {"probabilities": np.array([1.0, 1.0, 1.0]), "target": np.array([1.0, 0.0, 0.0]), "form": "binary"}
    assert float(losses.tversky(**alarms, alpha=1.0, beta=0.0)) == pytest.approx(2 / 3)
    assert float(losses.tversky(**alarms, alpha=0.0, beta=1.0)) == 0  # the text's reading: no miss, so no loss


# ---- hard cases

ALL = [*OVERLAPS, losses.lovasz_softmax]


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize("f", [*ALL, losses.lovasz_hinge], ids=lambda f: f.key)
def test_hard_numbers_stay_finite(f: Any, dtype: str) -> None:
    kind = getattr(torch, dtype)
    hinge = f is losses.lovasz_hinge
    z = torch.tensor(np.where(Z > 0, 1e4, -1e4), dtype=kind, requires_grad=True)
    y = torch.tensor(T if hinge else Y)
    for given in (z, torch.zeros_like(z, requires_grad=True)):
        value = f(given, y, **({"form": "multilabel"} if hinge else {}))
        value.backward()
        assert value.dtype == kind
        assert torch.isfinite(value)
        assert torch.isfinite(given.grad).all()


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("f", ALL, ids=lambda f: f.key)
def test_certain_probabilities(f: Any, dtype: str) -> None:
    kind = getattr(torch, dtype)
    right = torch.tensor(T, dtype=kind, requires_grad=True)
    wrong = torch.tensor(np.roll(T, 1, axis=1), dtype=kind, requires_grad=True)
    for p, wanted in ((right, 0.0), (wrong, 1.0)):
        value = f(probabilities=p, target=torch.tensor(Y), **({"focal": 0.75} if f is losses.tversky else {}))
        value.backward()
        assert float(value.detach()) == wanted
        assert torch.isfinite(p.grad).all()
    if f in (losses.dice, losses.jaccard):
        value = f(probabilities=wrong, target=torch.tensor(Y), log=True)
        assert float(value.detach()) > 10  # minus the logarithm of the smallest number, or infinite in half precision


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.key)
def test_nothing_to_count_follows_the_policy(f: Any) -> None:
    void = torch.full((N, H, W), -100)
    z = torch.tensor(Z, requires_grad=True)
    for over in ("batch", "image"):
        value = f(z, void, over=over)
        (slope,) = torch.autograd.grad(value, z)
        assert float(value.detach()) == 0
        assert (slope == 0).all()
        assert np.isnan(float(f(z.detach(), void, over=over, undefined="nan")))
        assert float(f(z.detach(), void, over=over, undefined=1)) == 1
        for reduction in ("mean", "none"):
            with pytest.raises(assay.UndefinedError):
                f(z, void, over=over, undefined="error", reduction=reduction)
    one = np.where(np.arange(N)[:, None, None] == 1, Y, -100)  # images without any place do not dilute the mean
    assert float(f(Z, one, over="image")) == pytest.approx(float(f(Z[1:2], Y[1:2])), rel=1e-12)


@pytest.mark.parametrize("f", OVERLAPS, ids=lambda f: f.key)
def test_empty_masks(f: Any) -> None:
    """No foreground: left out; or, with smooth and all classes, less loss for less predicted foreground."""
    empty = np.zeros((2, 4))
    z = torch.tensor([[-3.0, 0.0, 2.0, 1.0]] * 2, dtype=torch.float64, requires_grad=True)
    assert float(f(z.detach(), torch.tensor(empty), form="binary")) == 0
    value = f(z, torch.tensor(empty), form="binary", classes="all", smooth=1.0)
    value.backward()
    assert 0 < float(value.detach()) < 1
    assert (z.grad > 0).all()
    both = np.zeros((2, 4))
    assert float(f(probabilities=both, target=empty, form="binary", classes="all", smooth=1.0)) == 0
    assert np.isnan(float(f(probabilities=both, target=empty, form="binary", classes="all", undefined="nan")))


REFUSED: list[tuple[Any, str]] = [
    (lambda: losses.dice(Z), "give logits and target"),
    (lambda: losses.dice(Z, Y, probabilities=P), "give logits and target"),
    (lambda: losses.dice(Z[:, :1], Y), "one channel is not a choice"),
    (lambda: losses.dice(Z, Y[:, 1:]), "one class for each place"),
    (lambda: losses.dice(Z, T[:, 1:]), "the shape of the scores"),
    (lambda: losses.dice(Z[:, 0], Y, form="multilabel", over="batches"), "over must be one of 'batch', 'image'"),
    (lambda: losses.dice(Z, Y, form="several"), "form must be one of"),
    (lambda: losses.dice(Z, Y, average="weighted"), "average must be one of"),
    (lambda: losses.dice(Z, Y, classes="absent"), "classes must be one of"),
    (lambda: losses.dice(Z, Y, classes=[]), "different numbers from 0 to 3"),
    (lambda: losses.jaccard(Z, Y, classes=[1, 1]), "different numbers from 0 to 3"),
    (lambda: losses.jaccard(Z, Y, classes=[4]), "different numbers from 0 to 3"),
    (lambda: losses.dice(Z, Y, smooth=-1.0), "smooth must be a number at least 0"),
    (lambda: losses.dice(Z, Y, smooth=(1.0, 1.0, 1.0)), r"one number or \(above, below\)"),
    (lambda: losses.dice(Z, Y, class_weight=[1.0]), "one number for each of 4 classes"),
    (
        lambda: losses.dice(Z, np.where(Y == 1, 255, Y)),
        "holds class 255; there are classes 0 to 3 and.*pass ignore_index=255",
    ),
    (lambda: losses.tversky(Z, Y, alpha=-0.1), "alpha must be a number at least 0"),
    (lambda: losses.tversky(Z, Y, focal=0.0), "focal must be a number above 0"),
    (lambda: losses.dice(Z, Y, weight=np.ones((N, W))), "weight must have the shape"),
    (lambda: losses.dice(Z, Y, smoth=1.0), "dice has no parameter 'smoth'"),
    (lambda: losses.lovasz_softmax(Z, T), "soft targets have no set"),
    (lambda: losses.lovasz_hinge(Z, Y), "the shape of the scores"),
    (lambda: losses.lovasz_hinge(Z, T, form="multiclass"), "form must be one of 'binary', 'multilabel'"),
]


@pytest.mark.parametrize("call", [call for call, _ in REFUSED], ids=[str(i) for i in range(len(REFUSED))])
def test_refusals_say_why(call: Any) -> None:
    with refusal(assay.AssayError):
        call()
