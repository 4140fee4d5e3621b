"""Losses of the pairs and triplets of a batch: loops in double precision, peers, ties, empty batches, masks, refusals."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from messages import refusal

RNG = np.random.default_rng(4)
N, D = 15, 4
X = RNG.normal(size=(N, D))
Y = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3, 4, 0, 1])  # class 4 has one member
EVEN = RNG.integers(0, 2, size=(N, D)).astype(float)  # many equal distances
BATCH: list[Any] = [losses.triplet, losses.contrastive, losses.circle, losses.info_nce]
ids: Any = {"ids": [f.key for f in BATCH]}


def distance(a: Any, b: Any, squared: bool) -> float:
    square = float(((a - b) ** 2).sum())
    return square if squared else math.sqrt(square)


def short(d: Any) -> Any:
    return d / np.linalg.norm(d, axis=1, keepdims=True)


def triplets(x: Any, y: Any, squared: bool, margin: float, mining: str) -> list[float]:
    """The loss of every mined triplet, by loops."""
    d = np.array([[distance(a, b, squared) for b in x] for a in x])
    found: list[float] = []
    for a in range(len(x)):
        like = [p for p in range(len(x)) if p != a and y[p] == y[a]]
        unlike = [n for n in range(len(x)) if y[n] != y[a]]
        if mining == "hard":
            if like and unlike:
                found.append(max(0.0, max(d[a, like]) - min(d[a, unlike]) + margin))
            continue
        for p in like:
            mined = [n for n in unlike if mining == "all" or d[a, p] < d[a, n] < d[a, p] + margin]
            found += [max(0.0, d[a, p] - d[a, n] + margin) for n in mined]
    return found


@pytest.mark.parametrize("average", ["all", "active"])
@pytest.mark.parametrize("mining", ["all", "hard", "semi_hard"])
@pytest.mark.parametrize("squared", [True, False])
@pytest.mark.parametrize("x", [X, EVEN], ids=["normal", "ties"])
def test_triplets_are_those_of_loops(x: Any, squared: bool, mining: Any, average: Any) -> None:
    for margin in (0.3, 1.0, 2.0):
        each = triplets(x, Y, squared, margin, mining)
        expected = sum(each) / max(1, len(each) if average == "all" else sum(v > 0 for v in each))
        form: Any = {"squared": squared, "margin": margin, "mining": mining}
        value = losses.triplet(x, Y, average=average, **form)
        assert float(value) == pytest.approx(expected, rel=1e-10, abs=1e-12)
        assert float(losses.triplet(x, Y, reduction="sum", **form)) == pytest.approx(sum(each), rel=1e-10, abs=1e-11)


@pytest.mark.parametrize("mining", ["all", "semihard"])
def test_triplets_are_those_of_pytorch_metric_learning(mining: str) -> None:
    torch = pytest.importorskip("torch")
    peer = pytest.importorskip("pytorch_metric_learning.losses")
    miners = pytest.importorskip("pytorch_metric_learning.miners")
    a, b, y = torch.tensor(X, requires_grad=True), torch.tensor(X, requires_grad=True), torch.tensor(Y)
    chosen = None if mining == "all" else miners.TripletMarginMiner(margin=0.3, type_of_triplets=mining)(b, y)
    theirs = peer.TripletMarginLoss(margin=0.3)(b, y, chosen)
    name: Any = {"all": "all", "semihard": "semi_hard"}[mining]
    ours = losses.triplet(a, y, margin=0.3, squared=False, normalize=True, average="active", mining=name)
    torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-12)
    ours.backward()
    theirs.backward()
    torch.testing.assert_close(a.grad, b.grad, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("rows", [9, 3000])
def test_given_triplets_are_those_of_torch(rows: int) -> None:
    """Few rows go through the pure body, many through the closed form."""
    torch = pytest.importorskip("torch")
    three = [torch.tensor(RNG.normal(size=(rows, 96)), requires_grad=True) for _ in range(3)]
    other = [x.detach().clone().requires_grad_() for x in three]
    ours = losses.triplet(three[0], positive=three[1], negative=three[2], squared=False, margin=1.0)
    theirs = torch.nn.functional.triplet_margin_loss(*other, eps=0.0)
    torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-12)
    ours.backward()
    theirs.backward()
    for a, b in zip(three, other, strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-8, atol=1e-12)
    square = sum((-1) ** i * ((three[0] - x) ** 2).sum(1) for i, x in enumerate(three[1:]))
    expected = torch.relu(square + 0.2).detach()
    each = losses.triplet(three[0], positive=three[1], negative=three[2], reduction="none")
    torch.testing.assert_close(each.detach(), expected, rtol=1e-9, atol=1e-9)
    active = losses.triplet(three[0], positive=three[1], negative=three[2], average="active")
    assert float(active.detach()) == pytest.approx(float(expected.sum() / (expected > 0).sum()), rel=1e-9)


def test_all_triplets_of_a_batch_need_no_cube() -> None:
    n = 600
    x, y = RNG.normal(size=(n, 8)), np.arange(n) % 6
    losses.triplet(x[:12], y[:12])
    tracemalloc.start()
    losses.triplet(x, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30 * n * n * 8  # a cube would take 600


def test_distances_far_from_the_origin_keep_their_digits() -> None:
    near = losses.triplet(X, Y, squared=False)
    assert float(losses.triplet(X + 1e6, Y, squared=False)) == pytest.approx(float(near), rel=1e-8)


# ---- pairs


def pairs(x: Any, y: Any, form: str, margin: float) -> tuple[list[float], list[float]]:
    like: list[float] = []
    unlike: list[float] = []
    for a in range(len(x)):
        for b in range(len(x)):
            d = distance(x[a], x[b], squared=False)
            if a != b and y[a] == y[b]:
                like.append(d if form == "linear" else d * d)
            elif a != b:
                hinge = max(0.0, margin - (d * d if form == "squared" else d))
                unlike.append(hinge**2 if form == "hadsell" else hinge)
    return like, unlike


@pytest.mark.parametrize("form", ["hadsell", "squared", "linear"])
@pytest.mark.parametrize("x", [X, EVEN], ids=["normal", "ties"])
def test_contrastive_is_that_of_loops(x: Any, form: Any) -> None:
    like, unlike = pairs(x, Y, form, 2.0)
    both = np.array(like + unlike)
    options: Any = {"form": form, "margin": 2.0}
    kinds = [np.array(k) for k in (like, unlike)]
    by_kind = sum(k.sum() / (k > 0).sum() for k in kinds)
    assert float(losses.contrastive(x, Y, **options)) == pytest.approx(both.mean(), rel=1e-10)
    assert float(losses.contrastive(x, Y, average="active", **options)) == pytest.approx(
        both.sum() / (both > 0).sum(), rel=1e-10
    )
    assert float(losses.contrastive(x, Y, average="active_by_kind", **options)) == pytest.approx(by_kind, rel=1e-10)
    i, j = np.nonzero(~np.eye(len(x), dtype=bool))
    given = losses.contrastive(x[i], (Y[i] == Y[j]).astype(int), other=x[j], **options)
    assert float(given) == pytest.approx(both.mean(), rel=1e-10)


def test_contrastive_is_that_of_pytorch_metric_learning() -> None:
    torch = pytest.importorskip("torch")
    theirs = pytest.importorskip("pytorch_metric_learning.losses").ContrastiveLoss()
    a, b, y = torch.tensor(X, requires_grad=True), torch.tensor(X, requires_grad=True), torch.tensor(Y)
    ours = losses.contrastive(a, y, form="linear", normalize=True, average="active_by_kind")
    other = theirs(b, y)
    torch.testing.assert_close(ours, other, rtol=1e-10, atol=1e-12)
    ours.backward()
    other.backward()
    torch.testing.assert_close(a.grad, b.grad, rtol=1e-8, atol=1e-10)


# ---- circle


def circles(s_p: Any, s_n: Any, m: float, gamma: float) -> float:
    pull = sum(math.exp(-gamma * max(0.0, 1 + m - s) * (s - 1 + m)) for s in s_p)
    push = sum(math.exp(gamma * max(0.0, s + m) * (s - m)) for s in s_n)
    return math.log1p(pull * push)


def test_circle_is_that_of_loops() -> None:
    s = short(X) @ short(X).T
    same = (Y[:, None] == Y[None, :]) & ~np.eye(N, dtype=bool)
    different = Y[:, None] != Y[None, :]
    each = [circles(s[i][same[i]], s[i][different[i]], 0.3, 20.0) for i in range(N) if same[i].any()]
    options: Any = {"margin": 0.3, "gamma": 20.0}
    assert float(losses.circle(X, Y, **options)) == pytest.approx(np.mean(each), rel=1e-10)
    once = np.triu(np.ones((N, N), dtype=bool), 1)
    pooled = circles(s[same & once], s[different & once], 0.3, 20.0)
    assert float(losses.circle(X, Y, pooled=True, **options)) == pytest.approx(pooled, rel=1e-10)
    given = losses.circle(positive_similarity=s[0][same[0]], negative_similarity=s[0][different[0]], **options)
    assert float(given) == pytest.approx(each[0], rel=1e-10)


def test_circle_is_that_of_pytorch_metric_learning() -> None:
    torch = pytest.importorskip("torch")
    theirs = pytest.importorskip("pytorch_metric_learning.losses").CircleLoss()
    a, b, y = torch.tensor(X, requires_grad=True), torch.tensor(X, requires_grad=True), torch.tensor(Y)
    ours, other = losses.circle(a, y, margin=0.4, gamma=80.0), theirs(b, y)
    torch.testing.assert_close(ours, other, rtol=1e-10, atol=1e-12)
    ours.backward()
    other.backward()
    torch.testing.assert_close(a.grad, b.grad, rtol=1e-8, atol=1e-10)


def test_circle_with_optima_and_margins_of_their_own() -> None:
    """Theirs keeps O and Δ as attributes; values and gradients agree, by rows, by labels and on the fast route."""
    torch = pytest.importorskip("torch")
    theirs = pytest.importorskip("pytorch_metric_learning.losses").CircleLoss(gamma=30)
    theirs.op, theirs.on, theirs.delta_p, theirs.delta_n = 1.1, -0.3, 0.7, 0.35
    aims: Any = {"positive_optimum": 1.1, "negative_optimum": -0.3, "positive_margin": 0.7, "negative_margin": 0.35}
    for repeats in (1, 40):  # a few rows, and enough for the closed form
        x = np.tile(X, (repeats, 1)) + 0.1 * RNG.normal(size=(repeats * N, X.shape[1]))
        y = torch.tensor(np.tile(Y, repeats))
        a, b = torch.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
        ours, other = losses.circle(a, y, gamma=30.0, **aims), theirs(b, y)
        torch.testing.assert_close(ours, other, rtol=1e-10, atol=1e-12)
        ours.backward()
        other.backward()
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-8, atol=1e-10)
    usual: Any = {"positive_optimum": 1.3, "negative_optimum": -0.3, "positive_margin": 0.7, "negative_margin": 0.3}
    assert float(losses.circle(X, Y, **usual)) == pytest.approx(float(losses.circle(X, Y, margin=0.3)), rel=1e-12)
    one = float(losses.circle(positive_similarity=[0.6], negative_similarity=[0.2], gamma=4.0, positive_optimum=0.9))
    wanted = math.log1p(math.exp(-4 * 0.3 * (0.6 - 0.75)) * math.exp(4 * 0.45 * (0.2 - 0.25)))
    assert one == pytest.approx(wanted, rel=1e-12)


def test_weights_of_circle_are_constants_for_the_gradient() -> None:
    torch = pytest.importorskip("torch")
    p, n = torch.tensor([0.6, 0.1], requires_grad=True), torch.tensor([0.3, -0.1], requires_grad=True)
    losses.circle(positive_similarity=p, negative_similarity=n, gamma=4.0).backward()
    slopes = p.grad.clone(), n.grad.clone()
    p.grad = n.grad = None
    pull, push = (1.25 - p.detach()).clamp(min=0), (n.detach() + 0.25).clamp(min=0)
    log = torch.logsumexp(-4 * pull * (p - 0.75), 0) + torch.logsumexp(4 * push * (n - 0.25), 0)
    torch.nn.functional.softplus(log).backward()
    torch.testing.assert_close(slopes, (p.grad, n.grad))


# ---- InfoNCE


def test_info_nce_from_labels_is_that_of_loops() -> None:
    s = short(X) @ short(X).T / 0.2
    each = [
        math.log(np.exp(s[a][Y[a] != Y]).sum() + math.exp(s[a, p])) - s[a, p]
        for a in range(N)
        for p in range(N)
        if a != p and Y[a] == Y[p]
    ]
    assert float(losses.info_nce(X, Y, temperature=0.2)) == pytest.approx(np.mean(each), rel=1e-10)


def test_info_nce_is_that_of_pytorch_metric_learning() -> None:
    torch = pytest.importorskip("torch")
    theirs = pytest.importorskip("pytorch_metric_learning.losses").NTXentLoss(temperature=0.3)
    a, b, y = torch.tensor(X, requires_grad=True), torch.tensor(X, requires_grad=True), torch.tensor(Y)
    ours, other = losses.info_nce(a, y, temperature=0.3), theirs(b, y)
    torch.testing.assert_close(ours, other, rtol=1e-10, atol=1e-12)
    ours.backward()
    other.backward()
    torch.testing.assert_close(a.grad, b.grad, rtol=1e-8, atol=1e-10)


def test_info_nce_of_two_sides() -> None:
    q, d = X[:6], RNG.normal(size=(6, D))
    hard, shared = RNG.normal(size=(6, 2, D)), RNG.normal(size=(5, D))
    s = q @ d.T

    def found(logits: Any, own: Any) -> float:
        return float(np.mean(np.log(np.exp(logits).sum(axis=1)) - own))

    plain: Any = {"temperature": 1.0, "normalize": False}
    one = found(s, np.diag(s))
    assert float(losses.info_nce(q, other=d, **plain)) == pytest.approx(one, rel=1e-10)
    both = 0.5 * (one + found(s.T, np.diag(s)))
    assert float(losses.info_nce(q, other=d, form="symmetric", **plain)) == pytest.approx(both, rel=1e-10)
    extra = np.concatenate([s, np.einsum("nd,nkd->nk", q, hard)], axis=1)
    assert float(losses.info_nce(q, other=d, negatives=hard, **plain)) == pytest.approx(
        found(extra, np.diag(s)), rel=1e-10
    )
    extra = np.concatenate([s, q @ shared.T], axis=1)
    assert float(losses.info_nce(q, other=d, negatives=shared, **plain)) == pytest.approx(
        found(extra, np.diag(s)), rel=1e-10
    )
    together = losses.info_nce(np.concatenate([q, d]), np.tile(np.arange(6), 2), temperature=0.2)
    assert float(losses.info_nce(q, other=d, form="nt_xent", temperature=0.2)) == pytest.approx(
        float(together), rel=1e-10
    )


@pytest.mark.parametrize("form", ["one_way", "symmetric", "nt_xent"])
def test_masked_rows_are_no_negatives(form: Any) -> None:
    q, d, keep = X[:6], RNG.normal(size=(6, D)), np.array([1, 1, 0, 1, 0, 1], bool)
    masked = losses.info_nce(q, other=d, mask=keep, form=form)
    assert float(masked) == pytest.approx(float(losses.info_nce(q[keep], other=d[keep], form=form)), rel=1e-12)


def test_two_sides_without_rows() -> None:
    assert float(losses.info_nce(X[:0], other=X[:0])) == 0
    assert float(losses.triplet(X[:0], positive=X[:0], negative=X[:0])) == 0
    assert float(losses.contrastive(X[:0], Y[:0], other=X[:0])) == 0


# ---- all of them


@pytest.mark.parametrize("f", BATCH, **ids)
def test_a_mask_leaves_embeddings_out_and_weights_count_anchors(f: Any) -> None:
    keep = np.arange(N) % 4 > 0
    assert float(f(X, Y, mask=keep)) == pytest.approx(float(f(X[keep], Y[keep])), rel=1e-12)
    each = np.asarray(f(X, Y, reduction="none"))
    assert each.shape == (N,)
    weight = RNG.random(N)
    assert float(f(X, Y, weight=weight, reduction="sum")) == pytest.approx(float(weight @ each), rel=1e-12)
    assert float(f(X, Y, weight=np.full(N, 2.0))) == pytest.approx(float(f(X, Y)), rel=1e-12)


EMPTY = [
    ("one row", X[:1], Y[:1]),
    ("one class", X[:3], np.zeros(3, int)),
    ("singletons", X[:3], np.arange(3)),
    ("identical", np.ones((4, D)), np.array([0, 0, 1, 1])),
    ("zeros", np.zeros((4, D)), np.array([0, 0, 1, 1])),
    ("far", 1e4 * X, Y),
    ("opposite", np.array([[1.0, 0], [-1.0, 0], [1.0, 0], [-1.0, 0]]), np.array([0, 0, 1, 1])),
]


@pytest.mark.parametrize("f", BATCH, **ids)
@pytest.mark.parametrize(("what", "x", "y"), EMPTY, ids=[e[0] for e in EMPTY])
@pytest.mark.parametrize("kind", ["float64", "float32", "bfloat16", "float16"])
def test_batches_without_pairs_and_hard_ones_stay_finite(f: Any, what: str, x: Any, y: Any, kind: str) -> None:
    torch = pytest.importorskip("torch")
    forms: list[Any] = [{}]
    if f is losses.triplet:
        forms += [{"mining": m, "squared": s} for m in ("all", "hard", "semi_hard") for s in (True, False)]
    for form in forms:
        z = torch.tensor(x, dtype=getattr(torch, kind), requires_grad=True)
        value = f(z, torch.tensor(y), **form)
        value.backward()
        assert torch.isfinite(value)
        assert torch.isfinite(z.grad).all()


@pytest.mark.parametrize("f", BATCH, **ids)
def test_no_pairs_follow_undefined(f: Any) -> None:
    assert float(f(X[:1], Y[:1])) == 0
    assert float(f(X[:0], Y[:0])) == 0
    assert np.asarray(f(X[:0], Y[:0], reduction="none")).shape == (0,)
    assert np.isnan(f(X[:1], Y[:1], undefined="nan"))
    with refusal(assay.UndefinedError):
        f(X[:1], Y[:1], undefined="error")


REFUSED = [
    (lambda: losses.triplet(X), "or both positive and negative"),
    (lambda: losses.triplet(X, Y, positive=X), "not both"),
    (lambda: losses.triplet(X, positive=X, negative=X[:2]), "must have the same shape"),
    (lambda: losses.triplet(X, Y, margin=0), "margin must be a number above 0"),
    (lambda: losses.triplet(X, Y, mining="easy"), "mining must be one of 'all', 'hard', 'semi_hard'"),  # type: ignore
    (lambda: losses.triplet(X, Y, average="mean"), "average must be one of"),  # type: ignore
    (lambda: losses.triplet(X, Y[:4]), "one label for each of 15 embeddings"),
    (lambda: losses.contrastive(X, Y, form="cosine"), "form must be one of"),  # type: ignore
    (lambda: losses.contrastive(X, Y, other=X[:2]), "must have the same shape"),
    (lambda: losses.contrastive(X, Y[:2], other=X), "1 or 0 for each of 15 pairs"),
    (lambda: losses.circle(X), "give embeddings and target, or"),
    (lambda: losses.circle(positive_similarity=[0.1]), "give embeddings and target, or"),
    (lambda: losses.circle(positive_similarity=[0.1], negative_similarity=[[0.1]]), "same anchors"),
    (lambda: losses.circle(X, Y, gamma=-1.0), "gamma must be a number above 0"),
    (lambda: losses.circle(X, Y, negative_optimum="0"), "negative_optimum must be a number"),  # type: ignore[arg-type]
    (lambda: losses.info_nce(X), "give target"),
    (lambda: losses.info_nce(X, Y, negatives=X), "belong to other="),
    (lambda: losses.info_nce(X, other=X, negatives=X[:, :2]), "negatives must have shape"),
    (lambda: losses.info_nce(X, Y, temperature=0.0), "temperature must be a number above 0"),
]


@pytest.mark.parametrize("call", [call for call, _ in REFUSED], ids=[words for _, words in REFUSED])
def test_refusals_say_why(call: Any) -> None:
    with refusal(assay.AssayError):
        call()
