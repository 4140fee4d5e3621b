"""Losses called as people are used to: three embeddings, two views, names in the style of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay import losses
from assay.core.errors import AssayError

RNG = np.random.default_rng(0)
A, P, N = RNG.normal(size=(3, 7, 4))


def numpy_arrays(x: Any) -> Any:
    return x


def torch_arrays(x: Any) -> Any:
    return pytest.importorskip("torch").tensor(x)


def jax_arrays(x: Any) -> Any:
    jax = pytest.importorskip("jax")
    return jax.numpy.asarray(x)


LIBRARIES = pytest.mark.parametrize("made", [numpy_arrays, torch_arrays, jax_arrays])
Made = Callable[[Any], Any]


@LIBRARIES
def test_three_embeddings_are_anchor_positive_and_negative(made: Made) -> None:
    torch = pytest.importorskip("torch")
    for p, swapped in ((2, (A, P, N)), (2, (P, N, A))):
        want = torch.nn.functional.triplet_margin_loss(*map(torch.tensor, swapped), margin=1.0, p=p, eps=0)
        ours = losses.triplet(*map(made, swapped), margin=1.0, squared=False)
        assert type(ours).__module__.split(".")[0] == type(made(A).sum()).__module__.split(".")[0]
        np.testing.assert_allclose(float(ours), float(want), rtol=1e-6)
        np.testing.assert_allclose(
            float(losses.triplet(made(swapped[0]), positive=made(swapped[1]), negative=made(swapped[2]))),
            float(losses.triplet(*map(made, swapped))),
            rtol=0,
        )


def test_labels_are_still_labels() -> None:
    labels = [0, 0, 1, 1, 2, 2, 0]
    assert float(losses.triplet(A, labels)) == float(losses.triplet(A, target=labels))
    with pytest.raises(AssayError, match="not both"):
        losses.triplet(A, labels, N)
    with pytest.raises(AssayError, match="both positive and negative"):
        losses.triplet(A, negative=N)


def simclr(z1: Any, z2: Any, temperature: float) -> float:
    """NT-Xent by its definition, one anchor after the other."""
    z = np.concatenate([z1, z2])
    z = z / np.linalg.norm(z, axis=1, keepdims=True)
    n, costs = len(z1), list[float]()
    for i in range(2 * n):
        products = [float(z[i] @ z[k]) / temperature for k in range(2 * n)]
        others = sum(np.exp(s) for k, s in enumerate(products) if k != i)
        costs.append(float(np.log(others)) - products[(i + n) % (2 * n)])
    return float(np.mean(costs))


def one_way(z1: Any, z2: Any, temperature: float) -> float:
    """InfoNCE by its definition: row i of the second view among all of its rows."""
    a, b = (z / np.linalg.norm(z, axis=1, keepdims=True) for z in (z1, z2))
    s = a @ b.T / temperature
    return float(np.mean([np.log(np.exp(row).sum()) - row[i] for i, row in enumerate(s)]))


@LIBRARIES
def test_two_views_are_paired_row_by_row(made: Made) -> None:
    for temperature in (0.07, 0.5):
        ours = losses.info_nce(made(A), made(P), temperature=temperature)
        np.testing.assert_allclose(float(ours), one_way(A, P, temperature), rtol=2e-6)
        both = losses.info_nce(made(A), made(P), temperature=temperature, form="nt_xent")
        np.testing.assert_allclose(float(both), simclr(A, P, temperature), rtol=2e-6)


def test_two_views_may_be_lists() -> None:
    assert float(losses.info_nce(A.tolist(), P.tolist())) == float(losses.info_nce(A, other=P))
    with pytest.raises(AssayError, match="one of them"):
        losses.info_nce(A, P, other=P)
    with pytest.raises(AssayError, match="same shape"):
        losses.info_nce(A, P[:5])


def test_names_in_the_style_of_classes_make_losses() -> None:
    named: Any = losses
    logits, labels = A[:, :3], np.array([0, 1, 2, 0, 1, 2, 0])
    criterion = named.CrossEntropy(label_smoothing=0.1)
    assert float(criterion(logits, labels)) == float(losses.cross_entropy(logits, labels, label_smoothing=0.1))
    assert float(criterion(logits, labels, label_smoothing=0.0)) == float(losses.cross_entropy(logits, labels))
    assert repr(criterion) == "CrossEntropy(label_smoothing=0.1)"
    assert named.MSELoss()([1.0], [3.0]) == 4.0
    assert named.Huber.__name__ == "Huber"
    assert "losses.huber" in named.Huber.__doc__


def test_names_in_the_style_of_classes_refuse_what_the_loss_does_not_take() -> None:
    named: Any = losses
    with pytest.raises(AssayError, match=r"has no parameter 'smoothing'.*label_smoothing"):
        named.CrossEntropy(smoothing=0.1)
    with pytest.raises(AssayError, match=r"losses\.cross_entropy\(inputs"):
        named.CrossEntropy(A, [0] * 7)


def test_the_names_of_others_lead_to_the_function() -> None:
    """They are not taken as ours: the weight of CrossEntropyLoss is one per class."""
    named: Any = losses
    for name, ours in (("CrossEntropyLoss", "cross_entropy"), ("TripletMarginLoss", "triplet"), ("GIoULoss", "giou")):
        with pytest.raises(AttributeError, match=rf"Did you mean '{ours}'\?.*assay\.torch\.Loss"):
            getattr(named, name)
    with pytest.raises(AttributeError, match="no attribute 'Foo'"):
        _ = named.Foo
