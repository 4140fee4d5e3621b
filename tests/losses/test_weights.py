"""A weight is one number per row or per place; where it could be one per class, it is refused."""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from assay.core.loss import find_loss
from assay.core.loss import losses as every
from assay.testing.examples import Example, examples_of
from messages import refusal

RNG = np.random.default_rng(4)
Z, Y = RNG.normal(size=(3, 3)), np.array([0, 2, 1])
MAPS, LABELS = RNG.normal(size=(3, 3, 4, 2)), RNG.integers(0, 3, (3, 4, 2))
WEIGHT = np.array([1.0, 2.0, 4.0])
BY_CLASS = ("cross_entropy", "label_smoothing", "nll", "dice", "jaccard", "tversky", "lovasz_softmax")


@pytest.mark.parametrize("name", BY_CLASS)
@pytest.mark.parametrize("maps", [False, True], ids=["rows", "maps"])
def test_as_many_weights_as_rows_and_classes_are_refused(name: str, maps: bool) -> None:
    """PyTorch's weight is one number per class: of a batch as large as there are classes, nobody can tell."""
    f, (z, y) = getattr(losses, name), ((MAPS, LABELS) if maps else (Z, Y))
    for weight in (WEIGHT, WEIGHT.tolist()):
        with refusal(assay.ParameterError):
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
    with refusal(assay.ParameterError):
        losses.focal(Z, Y, weight=WEIGHT)
    assert float(losses.focal(Z, Y, weight=WEIGHT[:, None])) > 0


def test_other_lengths_are_as_they_were() -> None:
    assert float(losses.cross_entropy(Z[:2], Y[:2], weight=WEIGHT[:2])) > 0
    assert float(losses.hinge(Z[:2], Y[:2], weight=WEIGHT[:2])) > 0
    assert float(losses.binary_cross_entropy(Z[0], Y > 0, weight=WEIGHT)) > 0
    assert float(losses.dice(MAPS[:1, :1], LABELS[:1, None] > 0, form="multilabel", weight=[2.0])) > 0


def test_the_shapes_alone_decide_so_that_it_is_refused_under_jit_too() -> None:
    jax: Any = pytest.importorskip("jax")
    with refusal(assay.ParameterError):
        jax.jit(lambda w: losses.cross_entropy(jax.numpy.asarray(Z), jax.numpy.asarray(Y), weight=w))(WEIGHT)
    found = jax.jit(lambda w: losses.cross_entropy(jax.numpy.asarray(Z), jax.numpy.asarray(Y), weight=w))(
        WEIGHT[:, None]
    )
    assert float(found) == pytest.approx(float(losses.cross_entropy(Z, Y, weight=WEIGHT[:, None])), rel=1e-5)


def test_pytorch_refuses_it_too() -> None:
    torch: Any = pytest.importorskip("torch")
    with refusal(assay.ParameterError):
        losses.cross_entropy(torch.tensor(Z), torch.tensor(Y), weight=torch.tensor(WEIGHT))


# ---- every loss with an axis of classes

CLASS_VECTORS = ("prototypes", "centers", "output")  # one row a class
LABELLED = [f.key for f in every() if "ignore_index" in inspect.signature(f).parameters and f.key != "combined"]
LIBRARIES = {"numpy": "numpy", "torch": "torch", "jax": "jax.numpy", "Loss": "torch"}


def squares(name: str) -> list[tuple[int, Example]]:
    """The examples of a loss with as many rows as there are classes, and that number."""
    found = (_square(name, one) for one in examples_of(find_loss(name)))
    return [one for one in found if one is not None]


def _square(name: str, example: Example) -> tuple[int, Example] | None:
    options, first = example.options, np.asarray(next(iter(example.inputs.values())))
    one_foreground = options.get("form", "binary" if name == "lovasz_hinge" else "") == "binary"
    one_foreground |= name == "lovasz_softmax" and (first.ndim == 3 or first.shape[1] == 1)
    if one_foreground or "weight" in example.inputs or options.get("class_weight") or options.get("alpha"):
        return None
    if first.ndim == 1:  # elements of two classes, as a table of labels; or one row of classes, which has no weight
        elements = {key: np.resize(value, (4, 4)) for key, value in example.inputs.items()}
        return (4, example.replaced(**elements)) if name != "kl_divergence" else None
    by_class = [example.inputs[key] for key in CLASS_VECTORS if key in example.inputs]
    count = len(by_class[0]) if by_class else first.shape[-1 if find_loss(name).task == "text" else 1]
    own = (*CLASS_VECTORS, "bias", "transitions", "start", "end")
    rows = {k: v[np.arange(count) % len(v)] for k, v in example.inputs.items() if k not in own}
    return count, example.replaced(**rows)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", [*LABELLED, "kl_divergence"])
def test_every_loss_with_classes_refuses_an_unclear_weight(name: str, library: str) -> None:
    found = squares(name)
    assert found, "no example shows the classes of this loss"
    refuse_and_agree(name, library, found[:1] if library == "jax" else found)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in [*LABELLED, "kl_divergence"] if len(squares(name)) > 1])
def test_every_example_on_jax(name: str) -> None:
    refuse_and_agree(name, "jax", squares(name)[1:])


def refuse_and_agree(name: str, library: str, found: list[tuple[int, Example]]) -> None:
    made = pytest.importorskip(LIBRARIES[library]).asarray
    for count, example in found:
        inputs = {key: made(value) for key, value in example.inputs.items()}
        loss = functools.partial(find_loss(name), **inputs, **example.options)
        unclear = functools.partial(loss, weight=made(np.ones(count)))
        if library == "Loss":
            module = importlib.import_module("assay.torch").Loss
            learned = {key: inputs.pop(key) for key in CLASS_VECTORS[:2] if key in inputs}
            unclear = functools.partial(module(name, weight=np.ones(count), **learned, **example.options), **inputs)
        with pytest.raises(assay.ParameterError, match=rf"{count} rows.*class_weight"):
            unclear()
        np.testing.assert_allclose(float(loss(weight=made(np.ones((count, 1))))), float(loss()), rtol=1e-5)


@pytest.mark.parametrize("name", ["hinge", "poly", "token_cross_entropy"])
def test_weights_looked_up_by_the_target_are_weights_of_classes(name: str) -> None:
    """The remedy of losses without class_weight: over one class after the other, the mean weighs them as it says."""
    f = getattr(losses, name)
    single = f(Z, Y, reduction="none")
    want = np.sum(WEIGHT[Y] * single) / np.sum(WEIGHT[Y])
    assert float(f(Z, Y, weight=WEIGHT[Y][:, None])) == pytest.approx(float(want), rel=1e-12)


def test_weights_of_two_classes_do_not_tell_what_one_number_a_label_would() -> None:
    target = (Z > 0).astype(float)
    for extra in ({"class_weight": (1.0, 2.0)}, {"pos_weight": WEIGHT}):
        with refusal(assay.ParameterError):
            losses.binary_cross_entropy(Z, target, weight=WEIGHT, **extra)
    labels = losses.binary_cross_entropy(Z, target, weight=np.broadcast_to(WEIGHT, (3, 3)), reduction="none")
    np.testing.assert_allclose(labels, WEIGHT * losses.binary_cross_entropy(Z, target, reduction="none"))
