"""Structured hinge: every labelling tried, paths of networkx, sequences cut short, gradients of every score, refusals."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from assay import losses
from messages import refuses

RNG = np.random.default_rng(31)
B, T, C = 4, 5, 3
Z, Y = 1.5 * RNG.normal(size=(B, T, C)), RNG.integers(0, C, (B, T))
A, START, END = RNG.normal(size=(C, C)), RNG.normal(size=C), RNG.normal(size=C)
TABLE = RNG.random((C, C)) * (1 - np.eye(C))
CHAIN: Any = {"transitions": A, "start": START, "end": END}


def scored(z: Any, labels: Any, chain: Any) -> float:
    value = sum(z[i, c] for i, c in enumerate(labels))
    if "transitions" in chain:
        value += sum(chain["transitions"][a, b] for a, b in itertools.pairwise(labels))
    return value + (chain["start"][labels[0]] + chain["end"][labels[-1]] if "start" in chain else 0.0)


def by_hand(z: Any, y: Any, chain: Any, table: Any) -> float:
    """The definition, over all labellings."""
    ways = itertools.product(range(C), repeat=len(y))
    best = max(scored(z, way, chain) + sum(table[t, c] for t, c in zip(y, way, strict=True)) for way in ways)
    return best - scored(z, y, chain)


@pytest.mark.parametrize("chain", [{}, {"transitions": A}, CHAIN], ids=["apart", "chain", "ends"])
@pytest.mark.parametrize("cost", [1.0, 0, 2.5, TABLE], ids=["one", "perceptron", "more", "table"])
def test_it_is_the_maximum_over_all_labellings(chain: Any, cost: Any) -> None:
    table = cost if isinstance(cost, np.ndarray) else cost * (1 - np.eye(C))
    wanted = [by_hand(z, y, chain, table) for z, y in zip(Z, Y, strict=True)]
    found = losses.structured_hinge(Z, Y, cost=cost, reduction="none", **chain)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    assert float(losses.structured_hinge(Z, Y, cost=cost, **chain)) == pytest.approx(np.mean(wanted), rel=1e-12)


def test_padding_and_gaps_are_cut_from_the_sequence() -> None:
    keep = np.array([[1, 1, 1, 0, 0], [0, 1, 1, 0, 1], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0]], dtype=bool)
    short = [by_hand(z[k], y[k], CHAIN, TABLE) for z, y, k in zip(Z[:3], Y[:3], keep[:3], strict=True)]
    bad = np.where(keep[..., None], Z, np.inf)  # what is left out may be anything
    for given in ({"target": np.where(keep, Y, -100)}, {"target": Y, "mask": keep}):
        each = losses.structured_hinge(bad, cost=TABLE, reduction="none", **CHAIN, **given)
        np.testing.assert_allclose(each, [*short, 0.0], rtol=1e-12)
        mean = losses.structured_hinge(bad, cost=TABLE, **CHAIN, **given)
        assert float(mean) == pytest.approx(np.mean(short), rel=1e-12)  # a sequence without a position does not count
    weight = np.array([1.0, 2.0, 0.5, 3.0])
    weighed = losses.structured_hinge(Z, np.where(keep, Y, -100), cost=TABLE, weight=weight, **CHAIN)
    assert float(weighed) == pytest.approx(np.average(short, weights=weight[:3]), rel=1e-12)
    whole = losses.structured_hinge(Z, Y, mask=np.array([True, False, False, True]), **CHAIN)
    both = losses.structured_hinge(Z[[0, 3]], Y[[0, 3]], **CHAIN)
    assert float(whole) == pytest.approx(float(both), rel=1e-12)


def test_rows_are_crammer_singer() -> None:
    z, y = Z.reshape(-1, C), Y.flatten()
    same = losses.hinge(z, y, reduction="none")
    np.testing.assert_allclose(losses.structured_hinge(z, y, reduction="none"), same, rtol=1e-12)
    y[3] = -100
    assert float(losses.structured_hinge(z, y)) == pytest.approx(float(losses.hinge(z, y)), rel=1e-12)


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_gradients_are_the_labels_of_the_best_less_the_true_ones(library: str) -> None:
    """Of the logits, and of transitions, start and end: counts of what each labelling uses."""
    ways = list(itertools.product(range(C), repeat=T))
    slopes = [np.zeros((B, T, C)), np.zeros((C, C)), np.zeros(C), np.zeros(C)]
    for n in range(B):
        costs = [sum(TABLE[t, c] for t, c in zip(Y[n], way, strict=True)) for way in ways]
        best = ways[int(np.argmax([scored(Z[n], way, CHAIN) + c for way, c in zip(ways, costs, strict=True)]))]
        for sign, way in ((1 / B, best), (-1 / B, Y[n])):
            slopes[0][n, np.arange(T), list(way)] += sign
            for a, b in itertools.pairwise(way):
                slopes[1][a, b] += sign
            slopes[2][way[0]] += sign
            slopes[3][way[-1]] += sign
    names = ("logits", "transitions", "start", "end")
    values = dict(zip(names, (Z, A, START, END), strict=True))
    if library == "torch":
        torch = pytest.importorskip("torch")
        given = {name: torch.tensor(value, requires_grad=True) for name, value in values.items()}
        losses.structured_hinge(target=torch.tensor(Y), cost=TABLE, **given).backward()
        found = [given[name].grad.numpy() for name in names]
    else:
        jax = pytest.importorskip("jax")
        with jax.enable_x64(True):
            given = {name: jax.numpy.asarray(value) for name, value in values.items()}
            loss = lambda given: losses.structured_hinge(target=jax.numpy.asarray(Y), cost=TABLE, **given)  # noqa: E731
            taken = jax.jit(jax.grad(loss))(given)
            found = [np.asarray(taken[name]) for name in names]
    for ours, wanted in zip(found, slopes, strict=True):
        np.testing.assert_allclose(ours, wanted, atol=1e-12)


def test_a_chain_learns_to_alternate() -> None:
    """With flat logits only the transitions can tell the labels; the module keeps and trains them."""
    torch = pytest.importorskip("torch")
    from assay.torch import Loss

    torch.manual_seed(0)
    criterion = Loss("structured_hinge", transitions=torch.nn.Parameter(torch.zeros(2, 2)))
    step = torch.optim.SGD(criterion.parameters(), lr=0.1)
    target = torch.arange(8)[None, :] % 2
    logits = torch.zeros(1, 8, 2)
    logits[0, 0, 0] = 3.0
    for _ in range(60):
        step.zero_grad()
        value = criterion(logits, target)
        value.backward()
        step.step()
    assert float(value.detach()) == 0
    learned = criterion.state_dict()["transitions"]
    assert learned[0, 1] > learned[0, 0]
    assert learned[1, 0] > learned[1, 1]


@pytest.mark.parametrize(
    "call",
    [
        lambda: losses.structured_hinge(Z[0, 0], Y[0, 0]),
        lambda: losses.structured_hinge(Z, Y[:, :2]),
        lambda: losses.structured_hinge(Z, Y.astype(float)),
        lambda: losses.structured_hinge(Z, np.full((B, T), C)),
        lambda: losses.structured_hinge(Z[0], Y[0], transitions=A),
        lambda: losses.structured_hinge(Z, Y, transitions=A[:2]),
        lambda: losses.structured_hinge(Z, Y, start=A),
        lambda: losses.structured_hinge(Z, Y, cost=-1.0),
        lambda: losses.structured_hinge(Z, Y, cost=TABLE[0]),
        lambda: losses.structured_hinge(Z, Y, cost=TABLE + np.eye(C)),
        lambda: losses.structured_hinge(Z[:, :0], Y[:, :0]),
    ],
    ids=["axes", "labels", "floats", "class", "rows", "square", "start", "negative", "table", "diagonal", "empty"],
)
def test_refusals(call: Any) -> None:
    refuses(call)
