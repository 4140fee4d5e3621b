"""Embeddings that are left out, far away, half or mixed in precision: none of them may spoil what the others get."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from messages import refusal

RNG = np.random.default_rng(8)
X, W = RNG.normal(size=(12, 4)), RNG.normal(size=(3, 4))
Y = np.arange(12) % 3
KEEP = np.arange(12) > 0
BAD = [np.nan, np.inf, 1e6]
BATCH: list[Any] = [losses.triplet, losses.contrastive, losses.circle, losses.info_nce]
CLASSES: list[Any] = [losses.softmax, losses.arcface, losses.cosface, losses.sphereface, losses.center]


def spoilt(bad: float) -> Any:
    x = X.copy()
    x[0] = bad
    return x


def graded(torch: Any, call: Any, x: Any) -> tuple[float, Any]:
    x = torch.tensor(x, requires_grad=True)
    value = call(x)
    value.backward()
    return float(value.detach()), x.grad.numpy()


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("f", BATCH, ids=lambda f: f.key)
def test_a_masked_embedding_counts_nowhere(f: Any, bad: float) -> None:
    torch = pytest.importorskip("torch")
    expected, slope = graded(torch, lambda x: f(x, torch.tensor(Y[1:])), X[1:])
    found, grown = graded(torch, lambda x: f(x, torch.tensor(Y), mask=torch.tensor(KEEP)), spoilt(bad))
    assert found == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(grown[1:], slope, rtol=1e-9, atol=1e-12)
    assert (grown[0] == 0).all()
    assert float(f(spoilt(bad), Y, mask=KEEP)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("f", CLASSES, ids=lambda f: f.key)
@pytest.mark.parametrize("how", ["mask", "label"])
def test_an_ignored_embedding_counts_nowhere(f: Any, how: str, bad: float) -> None:
    torch = pytest.importorskip("torch")
    w = torch.tensor(W)
    label = torch.tensor(Y) if how == "mask" else torch.tensor(np.where(KEEP, Y, -100))
    form: Any = {"mask": torch.tensor(KEEP)} if how == "mask" else {}
    expected, slope = graded(torch, lambda x: f(x, torch.tensor(Y[1:]), w), X[1:])
    found, grown = graded(torch, lambda x: f(x, label, w, **form), spoilt(bad))
    assert found == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(grown[1:], slope, rtol=1e-9, atol=1e-12)
    assert (grown[0] == 0).all()


@pytest.mark.parametrize("bad", BAD)
def test_a_masked_partner_counts_nowhere(bad: float) -> None:
    torch = pytest.importorskip("torch")
    a, b = torch.tensor(X), torch.tensor(X[::-1].copy())
    same, keep = torch.tensor(Y % 2), torch.tensor(KEEP)
    calls: list[Any] = [
        lambda x, a, b, y, **form: losses.contrastive(x, y, other=a, **form),
        lambda x, a, b, y, **form: losses.triplet(x, positive=a, negative=b, margin=9.0, **form),
        lambda x, a, b, y, **form: losses.info_nce(x, other=a, **form),
        lambda x, a, b, y, **form: losses.info_nce(x, other=a, form="nt_xent", **form),
        lambda x, a, b, y, **form: losses.info_nce(x, other=a, negatives=b[:, None, :], **form),
        lambda x, a, b, y, **form: losses.simsiam(x, a, a, b, **form),
    ]
    for call in calls:
        expected, slope = graded(torch, lambda x, call=call: call(x, a[1:], b[1:], same[1:]), X[1:])
        found, grown = graded(torch, lambda x, call=call: call(x, a, b, same, mask=keep), spoilt(bad))
        assert found == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(grown[1:], slope, rtol=1e-9, atol=1e-12)
        assert (grown[0] == 0).all()


def test_centres_do_not_move_by_rows_of_no_class() -> None:
    label = np.where(KEEP, Y, -100)
    found = losses.update_centers(W, spoilt(np.nan), label)
    np.testing.assert_allclose(found, losses.update_centers(W, X[1:], Y[1:]), rtol=1e-12)


# ---- far rows


@pytest.mark.parametrize("far", [1e4, 1e7])
@pytest.mark.parametrize("rows", [10, 300])
def test_a_far_row_leaves_the_digits_of_the_others(rows: int, far: float) -> None:
    torch = pytest.importorskip("torch")
    jax = pytest.importorskip("jax")
    x = RNG.normal(size=(rows, 40)).astype(np.float32)
    x[0] = far
    y = np.arange(rows) % 2
    form: Any = {"margin": 9.0, "reduction": "none"}
    wide = torch.tensor(x.astype(np.float64), requires_grad=True)
    exact = losses.contrastive(wide, torch.tensor(y), **form)
    exact[2::2].sum().backward()  # the far row is of the other kind, and too far for a loss
    exact = exact.detach().numpy()
    part = torch.tensor(x, requires_grad=True)
    ours = losses.contrastive(part, torch.tensor(y), **form)
    np.testing.assert_allclose(ours.detach().numpy(), exact, rtol=2e-5)
    np.testing.assert_allclose(losses.contrastive(x, y, **form), exact, rtol=2e-5)
    np.testing.assert_allclose(losses.contrastive(jax.numpy.asarray(x), jax.numpy.asarray(y), **form), exact, rtol=2e-5)
    assert wide.grad is not None


def test_gradients_beside_a_far_row() -> None:
    torch = pytest.importorskip("torch")
    x = RNG.normal(size=(300, 40))
    x[1] = 1e6
    x, y = x.astype(np.float32), torch.arange(300) % 2
    slopes: list[Any] = []
    for kind in (torch.float64, torch.float32):
        part = torch.tensor(x, dtype=kind, requires_grad=True)
        losses.contrastive(part, y, margin=9.0, reduction="none")[::2].sum().backward()
        slopes.append(part.grad.double().numpy())
    np.testing.assert_allclose(slopes[1], slopes[0], rtol=1e-4, atol=1e-3)


def test_a_far_negative_hides_no_triplet() -> None:
    x = np.array([[0, 0], [1, 0], [0, 1.05], [1000, 0]], dtype=np.float32)
    found = losses.triplet(x, np.array([0, 0, 1, 1]), reduction="none")
    assert float(found[0]) == pytest.approx(0.0975, rel=1e-5)


def test_equal_rows_are_at_zero() -> None:
    geometry = pytest.importorskip("assay.losses.embedding.geometry")
    torch = pytest.importorskip("torch")
    for rows in (6, 400):
        x = np.repeat(1e3 + RNG.normal(size=(rows // 2, 30)).astype(np.float32), 2, axis=0)
        for array, xp in ((x, "numpy"), (torch.tensor(x), "torch")):
            space = __import__(f"array_api_compat.{xp}", fromlist=["x"])
            apart = np.asarray(geometry.squared_distances(space, array))
            assert (apart[np.arange(0, rows, 2), np.arange(1, rows, 2)] == 0).all()
            assert (apart == apart.T).all()


def test_the_fast_distances_are_those_of_the_pure_body() -> None:
    torch = pytest.importorskip("torch")
    geometry = pytest.importorskip("assay.losses.embedding.geometry")
    fast = pytest.importorskip("assay.torch.embedding")
    import array_api_compat.torch as xp

    up = torch.tensor(RNG.normal(size=(130, 130)))
    found: list[Any] = []
    for body in (lambda x: fast.distance_squares(geometry.many_squares, x), lambda x: geometry.many_squares(xp, x)):
        x = torch.tensor(np.random.default_rng(1).normal(size=(130, 70)), requires_grad=True)
        value = body(x)
        (slope,) = torch.autograd.grad((value * up).sum(), x, retain_graph=True)
        (kept,) = torch.autograd.grad((value**2 * up).sum(), x, create_graph=True)
        (curve,) = torch.autograd.grad((kept**2).sum(), x)
        found.append((value.detach(), slope, kept.detach(), curve))
    x = torch.tensor(np.random.default_rng(1).normal(size=(130, 70)), requires_grad=True)
    direct = ((x[:, None] - x[None]) ** 2).sum(-1)
    (slope,) = torch.autograd.grad((direct * up).sum(), x)
    torch.testing.assert_close(found[0][:2], (direct.detach(), slope), rtol=1e-11, atol=1e-10)
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-7)


# ---- precision


@pytest.mark.parametrize("rows", [24, 600])
@pytest.mark.parametrize("name", ["arcface", "cosface", "softmax", "circle", "triplet", "contrastive", "info_nce"])
def test_autocast_changes_nothing(name: str, rows: int) -> None:
    torch = pytest.importorskip("torch")
    start, w = (
        RNG.normal(size=(rows, 512)).astype(np.float32),
        torch.tensor(RNG.normal(size=(6, 512)), dtype=torch.float32),
    )
    y = torch.arange(rows) % 6
    more = (w,) if name in ("arcface", "cosface", "softmax") else ()
    results: list[Any] = []
    for enabled in (False, True):
        x = torch.tensor(start, requires_grad=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            value = getattr(losses, name)(x, y, *more)
        value.backward()
        assert value.dtype == torch.float32
        results.append((value.detach(), x.grad))
    torch.testing.assert_close(results[0], results[1], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("f", CLASSES, ids=lambda f: f.key)
def test_the_wider_of_two_kinds_is_taken(f: Any) -> None:
    torch = pytest.importorskip("torch")
    narrow = W.astype(np.float32)
    exact = f(torch.tensor(X), torch.tensor(Y), torch.tensor(narrow.astype(np.float64)))
    found = f(torch.tensor(X), torch.tensor(Y), torch.tensor(narrow))
    assert found.dtype == torch.float64
    assert float(found) == pytest.approx(float(exact), rel=1e-14)


# ---- the mean of nothing, and refusals


def test_undefined_counts_once() -> None:
    for undefined in (0, 1, 2.5):
        form: Any = {"average": "active_by_kind", "mask": np.zeros(12), "undefined": undefined}
        assert float(losses.contrastive(X, Y, **form)) == undefined
    with refusal(assay.UndefinedError):
        losses.contrastive(X, Y, average="active_by_kind", mask=np.zeros(12), undefined="error")


def test_similarities_without_one_kind_are_of_nothing() -> None:
    for p, n in ((2, 0), (0, 2), (0, 0)):
        sides: Any = {"positive_similarity": np.ones((3, p)), "negative_similarity": np.ones((3, n))}
        assert float(losses.circle(**sides)) == 0
        assert float(losses.circle(**sides, undefined=4)) == 4
        assert losses.circle(**sides, reduction="none").tolist() == [0, 0, 0]


REFUSED: list[tuple[Any, str]] = [
    (lambda: losses.contrastive(X, None, other=X), "contrastive: target is missing"),
    (lambda: losses.contrastive(X, None), "contrastive: target is missing"),
    (lambda: losses.arcface(X, None, W), "arcface: target is missing"),
    (lambda: losses.circle(X, Y, margin=None), "circle: margin must be a number"),  # type: ignore[arg-type]
    (lambda: losses.triplet(X, Y, margin=None), "triplet: margin must be a number above 0, got None"),  # type: ignore[arg-type]
    (lambda: losses.info_nce(X, Y, temperature=None), "info_nce: temperature must be a number"),  # type: ignore[arg-type]
    (lambda: losses.arcface(X, Y, W, margin=None), "arcface: margin must be an angle"),  # type: ignore[arg-type]
    (lambda: losses.arcface(X, Y, W, scale=None), "arcface: scale must be a number"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("call", [call for call, _ in REFUSED], ids=[words for _, words in REFUSED])
def test_what_is_missing_is_named(call: Any) -> None:
    with refusal(assay.AssayError):
        call()
