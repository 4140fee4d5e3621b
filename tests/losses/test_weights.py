"""A weight is one number a row or a place; where it could be one a class, it is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay import losses

RNG = np.random.default_rng(4)
Z, Y = RNG.normal(size=(3, 3)), np.array([0, 2, 1])
MAPS, LABELS = RNG.normal(size=(3, 3, 4, 2)), RNG.integers(0, 3, (3, 4, 2))
WEIGHT = np.array([1.0, 2.0, 4.0])
BY_CLASS = ("cross_entropy", "label_smoothing", "nll", "dice", "jaccard", "tversky", "lovasz_softmax")


@pytest.mark.parametrize("name", BY_CLASS)
@pytest.mark.parametrize("maps", [False, True], ids=["rows", "maps"])
def test_as_many_weights_as_rows_and_classes_are_refused(name: str, maps: bool) -> None:
    """PyTorch's weight is one number a class: of a batch as large as there are classes, nobody can tell."""
    f, (z, y) = getattr(losses, name), ((MAPS, LABELS) if maps else (Z, Y))
    for weight in (WEIGHT, WEIGHT.tolist()):
        with pytest.raises(
            assay.ParameterError, match=r"3 classes and 3 rows.*class_weight=.*weight of shape \(3, 1\)"
        ):
            f(z, y, weight=weight)


@pytest.mark.parametrize("name", BY_CLASS)
@pytest.mark.parametrize("maps", [False, True], ids=["rows", "maps"])
def test_a_column_is_one_number_a_row(name: str, maps: bool) -> None:
    f, (z, y) = getattr(losses, name), ((MAPS, LABELS) if maps else (Z, Y))
    full = np.broadcast_to(WEIGHT.reshape(-1, *[1] * (y.ndim - 1)), y.shape)
    four = (
        np.concatenate([z, z[:1]]),
        np.concatenate([y, y[:1]]),
    )  # a fourth row without weight, so that nothing is unclear
    want = f(*four, weight=np.append(WEIGHT, 0.0))
    assert float(f(z, y, weight=WEIGHT[:, None])) == pytest.approx(float(want), rel=1e-12)
    assert maps is False or float(f(z, y, weight=full)) == pytest.approx(float(want), rel=1e-12)


def test_weights_of_classes_beside_it_make_it_clear() -> None:
    found = losses.cross_entropy(Z, Y, weight=WEIGHT, class_weight=np.ones(3))
    assert float(found) == pytest.approx(float(losses.cross_entropy(Z, Y, weight=WEIGHT[:, None])), rel=1e-12)


def test_focal_names_its_alpha() -> None:
    with pytest.raises(assay.ParameterError, match=r"3 rows.*alpha="):
        losses.focal(Z, Y, weight=WEIGHT)
    assert float(losses.focal(Z, Y, weight=WEIGHT[:, None])) > 0


def test_other_lengths_and_losses_without_weights_of_classes_are_as_they_were() -> None:
    assert float(losses.cross_entropy(Z[:2], Y[:2], weight=WEIGHT[:2])) > 0
    assert float(losses.hinge(Z, Y, weight=WEIGHT)) > 0
    assert float(losses.dice(MAPS[:1, :1], LABELS[:1, None] > 0, mode="multilabel", weight=[2.0])) > 0


def test_the_shapes_alone_decide_so_that_it_is_refused_under_jit_too() -> None:
    jax: Any = pytest.importorskip("jax")
    with pytest.raises(assay.ParameterError, match="class_weight="):
        jax.jit(lambda w: losses.cross_entropy(jax.numpy.asarray(Z), jax.numpy.asarray(Y), weight=w))(WEIGHT)
    found = jax.jit(lambda w: losses.cross_entropy(jax.numpy.asarray(Z), jax.numpy.asarray(Y), weight=w))(
        WEIGHT[:, None]
    )
    assert float(found) == pytest.approx(float(losses.cross_entropy(Z, Y, weight=WEIGHT[:, None])), rel=1e-5)


def test_pytorch_refuses_it_too() -> None:
    torch: Any = pytest.importorskip("torch")
    with pytest.raises(assay.ParameterError, match="class_weight="):
        losses.cross_entropy(torch.tensor(Z), torch.tensor(Y), weight=torch.tensor(WEIGHT))
