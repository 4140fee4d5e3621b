"""Lovász losses: the definition by brute force, the convex closure, the authors' values, ties, places left out, both routes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import assay
import fixtures
from assay import kernels, losses
from assay.core.arrays import namespace
from assay.losses.segmentation.lovasz import extension
from messages import refusal

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(64)


def jaccard_loss(wrong: Any, truth: Any) -> float:
    """The Jaccard loss of a set of wrong places: 1 - |truth without wrong| / |truth or wrong|; of no place at all 0."""
    union = (truth | wrong).sum()
    return 0.0 if union == 0 else float(1 - (truth & ~wrong).sum() / union)


def by_hand(errors: Any, truth: Any) -> float:
    """The paper's definition: add the places to the set from the largest error on."""
    wrong, value, before = np.zeros(len(errors), bool), 0.0, 0.0
    for i in np.argsort(-errors, kind="stable"):
        wrong[i] = True
        now = jaccard_loss(wrong, truth)
        value += errors[i] * (now - before)
        before = now
    return value


def closure(errors: Any, truth: Any) -> float:
    """The convex closure: the least mean loss of a random set that holds each place with the chance of its error."""
    sets = np.array(list(itertools.product([False, True], repeat=len(errors))))
    cost = [jaccard_loss(s, truth) for s in sets]
    held = np.vstack([sets.T.astype(float), np.ones(len(sets))])
    return float(optimize.linprog(cost, A_eq=held, b_eq=np.append(errors, 1.0), bounds=(0, None)).fun)


def ours(errors: Any, truth: Any, share: Any = None) -> float:
    share = np.ones(len(errors)) if share is None else share
    return float(extension(namespace(errors), errors, truth.astype(float), share))


@pytest.mark.parametrize("seed", range(12))
def test_the_extension_is_the_definition_and_the_convex_closure(seed: int) -> None:
    rng = np.random.default_rng(seed)
    errors, truth = rng.random(6), rng.random(6) < [0.5, 0.2, 0.9][seed % 3]
    if seed % 4 == 0:
        errors = np.round(errors * 3) / 3  # ties
    assert ours(errors, truth) == pytest.approx(by_hand(errors, truth), rel=1e-12)
    assert ours(errors, truth) == pytest.approx(closure(errors, truth), rel=1e-7, abs=1e-9)
    turned = rng.permutation(6)
    assert ours(errors[turned], truth[turned]) == pytest.approx(ours(errors, truth), rel=1e-12)


def test_hard_predictions_give_the_jaccard_loss_itself() -> None:
    for _ in range(20):
        wrong, truth = RNG.random(9) < 0.4, RNG.random(9) < 0.5
        assert ours(wrong.astype(float), truth) == pytest.approx(jaccard_loss(wrong, truth), abs=1e-12)


def test_a_weight_is_a_place_given_so_often() -> None:
    errors, truth = RNG.random(8), RNG.random(8) < 0.5
    times = np.array([0, 1, 2, 3, 0, 1, 1, 2])
    often = np.repeat(errors, times), np.repeat(truth, times)
    assert ours(errors, truth, times.astype(float)) == pytest.approx(by_hand(*often), rel=1e-12)


Z, Y = RNG.normal(size=(3, 4, 5, 6)), RNG.integers(0, 3, (3, 5, 6))


def reference(z: Any, y: Any, classes: Any, ignore: int) -> float:
    """The mean over classes of the definition, places to ignore removed."""
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    rows, labels = np.moveaxis(p, 1, -1)[y != ignore], y[y != ignore]
    if classes == "present":
        classes = np.unique(labels)
    elif classes == "all":
        classes = range(z.shape[1])
    return float(np.mean([by_hand(np.abs((labels == c) - rows[:, c]), labels == c) for c in classes]))


@pytest.mark.parametrize("classes", ["present", "all", [0, 3]], ids=str)
def test_softmax_over_batch_and_image(classes: Any) -> None:
    y = np.where(RNG.random(Y.shape) < 0.2, 255, Y)
    given: Any = {"classes": classes, "ignore_index": 255}
    assert float(losses.lovasz_softmax(Z, y, **given)) == pytest.approx(reference(Z, y, classes, 255), rel=1e-12)
    images = [reference(Z[n : n + 1], y[n : n + 1], classes, 255) for n in range(3)]
    assert float(losses.lovasz_softmax(Z, y, over="image", **given)) == pytest.approx(np.mean(images), rel=1e-12)
    each = losses.lovasz_softmax(Z, y, reduction="none", **{**given, "classes": "all"})
    assert each.shape == (4,)


def hinge_errors(z: Any, t: Any) -> Any:
    return np.maximum(0, 1 - z * (2 * t - 1))


def test_hinge_over_batch_image_and_labels() -> None:
    z, t = 2 * RNG.normal(size=(3, 4, 5)), RNG.integers(0, 2, (3, 4, 5))
    t[1] = 0  # an image without foreground
    whole = by_hand(hinge_errors(z, t).ravel(), t.ravel() == 1)
    images = [by_hand(hinge_errors(z[n], t[n]).ravel(), t[n].ravel() == 1) for n in range(3)]
    assert float(losses.lovasz_hinge(z, t)) == pytest.approx(whole, rel=1e-12)
    assert float(losses.lovasz_hinge(z, t.astype(float), over="image")) == pytest.approx(np.mean(images), rel=1e-12)
    assert images[1] == pytest.approx(hinge_errors(z[1], 0).max())
    masks = [by_hand(hinge_errors(z[:, c], t[:, c]).ravel(), t[:, c].ravel() == 1) for c in range(4)]
    assert float(losses.lovasz_hinge(z, t, form="multilabel")) == pytest.approx(np.mean(masks), rel=1e-12)
    void = np.where(RNG.random(t.shape) < 0.3, 255, t)
    kept = by_hand(hinge_errors(z, t)[void != 255], t[void != 255] == 1)
    assert float(losses.lovasz_hinge(z, void, ignore_index=255)) == pytest.approx(kept, rel=1e-12)


def test_the_authors_values() -> None:
    """In single precision, by their code, on label maps with a corner to ignore."""
    data = np.load(fixtures.path("13_losses_metric_learning", "lovasz", "inputs.npz"))
    values = fixtures.load_json("13_losses_metric_learning", "lovasz", "expected_computed.json")["values"]
    void: Any = {"ignore_index": 255}
    for over, name in (("batch", "False"), ("image", "True")):
        for classes in ("present", "all"):
            found = losses.lovasz_softmax(data["logits"], data["labels"], classes=classes, over=over, **void)
            wanted = values[f"lovasz_softmax classes={classes} per_image={name} ignore=255"]
            assert float(found) == pytest.approx(wanted, rel=2e-6)
        found = losses.lovasz_hinge(data["bin_logits"], data["bin_labels"], over=over, **void)
        assert float(found) == pytest.approx(values[f"lovasz_hinge per_image={name} ignore=255"], rel=2e-6)


# ---- one mask


MASK = RNG.integers(0, 2, (3, 5, 6))
ONE = np.exp(Z[:, 0]) / (1 + np.exp(Z[:, 0]))


def test_one_mask_in_the_shape_of_the_target_or_with_one_channel() -> None:
    wanted = by_hand(np.abs(MASK - ONE).ravel(), MASK.ravel() == 1)
    images = [by_hand(np.abs(m - p).ravel(), m.ravel() == 1) for m, p in zip(MASK, ONE, strict=True)]
    forms: list[tuple[Any, Any]] = [
        (Z[:, 0], MASK), (Z[:, :1], MASK), (Z[:, :1], MASK[:, None]), (Z[:, :1], MASK[:, None].astype(float)),
        (torch.tensor(Z[:, 0]), torch.tensor(MASK)), (torch.tensor(Z[:, :1]), torch.tensor(MASK) > 0),
    ]  # fmt: skip
    for z, y in forms:
        for classes in ("present", "all", [1]):
            assert float(losses.lovasz_softmax(z, y, classes=classes)) == pytest.approx(wanted, rel=1e-12)
        assert float(losses.lovasz_softmax(z, y, over="image")) == pytest.approx(np.mean(images), rel=1e-12)
    assert float(losses.lovasz_softmax(probabilities=ONE, target=MASK)) == pytest.approx(wanted, rel=1e-12)
    flat = losses.lovasz_softmax(Z[:, 0].reshape(3, 30), MASK.reshape(3, 30), form="binary")
    assert float(flat) == pytest.approx(wanted, rel=1e-12)
    void = np.where(RNG.random(MASK.shape) < 0.3, 255, MASK)
    kept = by_hand(np.abs(MASK - ONE)[void != 255], MASK[void != 255] == 1)
    assert float(losses.lovasz_softmax(Z[:, 0], void, ignore_index=255)) == pytest.approx(kept, rel=1e-12)


def test_an_image_without_foreground_has_no_present_class() -> None:
    none = np.zeros_like(MASK)
    assert float(losses.lovasz_softmax(Z[:, 0], none)) == 0
    assert np.isnan(losses.lovasz_softmax(Z[:, 0], none, undefined="nan"))
    assert float(losses.lovasz_softmax(Z[:, 0], none, classes=[1])) == pytest.approx(ONE.max(), rel=1e-12)


def test_what_could_be_one_hot_is_not_taken_for_a_mask() -> None:
    hot = np.eye(4)[Y].transpose(0, 3, 1, 2)
    with refusal(assay.InputError):
        losses.lovasz_softmax(Z, hot)
    with refusal(assay.InputError):
        losses.lovasz_softmax(Z, hot.astype(np.int64))
    with refusal(assay.ParameterError):
        losses.lovasz_softmax(Z[:, 0], MASK, classes=[0])
    with refusal(assay.ParameterError):
        losses.lovasz_softmax(Z, Y, form="multilabel")  # type: ignore[arg-type]


# ---- the compiled route


@pytest.fixture
def always_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.torch import blocks

    monkeypatch.setattr(blocks, "FEWEST", 1)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"over": "image"},
    {"classes": "all"},
    {"over": "image", "classes": "all", "class_weight": [1.0, 2.0, 0.5, 1.0]},
    {"ignore_index": 1, "over": "image", "classes": "all"},
    {"weight": RNG.random((3, 5, 6)) * (RNG.random((3, 5, 6)) > 0.3)},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_compiled_route_is_the_plain_one(always_fast: None, options: Any) -> None:
    options = {k: torch.tensor(v) if k == "weight" else v for k, v in options.items()}
    fast, plain = torch.tensor(Z, dtype=torch.float32, requires_grad=True), torch.tensor(Z, requires_grad=True)
    y = torch.tensor(Y)
    a, b = (losses.lovasz_softmax(z, y, **options) for z in (fast, plain))
    assert a.grad_fn is not None
    torch.testing.assert_close(a.double(), b, rtol=1e-6, atol=1e-7)
    (first,) = torch.autograd.grad(3 * a, fast, retain_graph=True)
    (again,) = torch.autograd.grad(3 * a, fast)  # the kept slopes were used up, and are made again
    (other,) = torch.autograd.grad(3 * b, plain)
    torch.testing.assert_close(first, again)
    torch.testing.assert_close(first.double(), other, rtol=1e-5, atol=1e-7)


def test_second_derivatives_of_the_compiled_route(always_fast: None) -> None:
    found: list[Any] = []
    for kind in (torch.float32, torch.float64):
        z = torch.tensor(Z, dtype=kind, requires_grad=True)
        (slope,) = torch.autograd.grad(losses.lovasz_softmax(z, torch.tensor(Y)), z, create_graph=True)
        found.append(torch.autograd.grad((slope**2).sum(), z)[0].double())
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-7)


def test_large_single_precision_arrays_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "LARGE", 1)
    called: list[Any] = []
    whole = kernels.lovasz.extension
    monkeypatch.setattr(kernels.lovasz, "extension", lambda *a, **named: called.append(a) or whole(*a, **named))
    for options in OPTIONS[:-1]:
        plain = float(losses.lovasz_softmax(Z, Y, **options))
        assert not called  # double precision has no kernel
        found = losses.lovasz_softmax(Z.astype(np.float32), Y, **options)
        assert float(found) == pytest.approx(plain, rel=1e-6)
        assert called.pop()
