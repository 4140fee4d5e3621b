"""Labels of every width, labels that are no class, and weights of classes: refused with words, never misread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from messages import refusal

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(3)
LARGE = 300_000
TAKERS: list[Any] = [
    losses.cross_entropy,
    losses.label_smoothing,
    losses.focal,
    losses.poly,
    losses.nll,
    losses.hinge,
    losses.token_cross_entropy,
    losses.dice,
    losses.lovasz_softmax,
]


def tensors(rows: int, classes: int = 5) -> tuple[Any, Any]:
    """Logits and labels."""
    z = torch.tensor(RNG.normal(size=(rows, classes)), dtype=torch.float32)
    return z, torch.tensor(RNG.integers(0, min(classes, 100), rows))


# ---- labels

NARROW = ("uint8", "int8", "int16", "int32")


@pytest.mark.parametrize("f", TAKERS)
@pytest.mark.parametrize("kind", NARROW)
def test_narrow_labels_are_those_of_64_bits(f: Any, kind: str) -> None:
    """A uint8 of 156 is not the ignore_index of -100, and PyTorch can look up no narrow label."""
    narrow_is_wide(f, kind, 30)


@pytest.mark.parametrize("f", TAKERS)
@pytest.mark.parametrize("kind", ["uint8", *(pytest.param(kind, marks=pytest.mark.slow) for kind in NARROW[1:])])
def test_narrow_labels_of_many_rows(f: Any, kind: str) -> None:
    narrow_is_wide(f, kind, LARGE // 4)


def narrow_is_wide(f: Any, kind: str, rows: int) -> None:
    z, t = tensors(rows)
    torch.testing.assert_close(f(z, t.to(getattr(torch, kind))), f(z, t))
    if rows == 30:
        narrow = f(z.numpy(), t.numpy().astype(kind))
        np.testing.assert_allclose(narrow, f(z.numpy(), t.numpy()), rtol=1e-12)


@pytest.mark.parametrize("f", TAKERS)
def test_more_classes_than_a_byte_counts(f: Any) -> None:
    """Classes 0 and 256 are one in uint8, and 156 is -100: neither may happen."""
    z = torch.randn(12, 300, dtype=torch.float64)
    t = torch.tensor([0, 156, 1, 44, 255, 7, 156, 3, 2, 9, 8, 0])
    torch.testing.assert_close(f(z, t.to(torch.uint8)), f(z, t))
    np.testing.assert_allclose(f(z.numpy(), t.numpy().astype(np.uint8)), float(f(z, t)), rtol=1e-10)


@pytest.mark.parametrize("f", TAKERS)
@pytest.mark.parametrize("label", [-1, 5])
@pytest.mark.parametrize("rows", [8, LARGE])
def test_a_label_that_is_no_class_is_refused(f: Any, label: int, rows: int) -> None:
    z, t = tensors(rows)
    t[3] = label
    words = f"target holds class {label}; there are classes 0 to 4 and ignore_index=-100"
    with pytest.raises(assay.InputError, match=words):
        f(z, t)
    with pytest.raises(assay.InputError, match=words):
        f(z.numpy(), t.numpy())
    with refusal(assay.InputError):
        f(z, t, ignore_index=None)
    assert np.isfinite(float(f(z, t, ignore_index=label)))


@pytest.mark.parametrize("f", TAKERS)
def test_booleans_are_no_classes(f: Any) -> None:
    z, t = tensors(8, 2)
    if f in (losses.hinge, losses.focal, losses.poly):
        pytest.skip("booleans are two classes there, in the shape of the logits")
    with refusal(assay.InputError):
        f(z, t.bool())
    with refusal(assay.InputError):
        f(z.numpy(), t.numpy() > 0)


@pytest.mark.parametrize("f", [losses.cross_entropy, losses.focal, losses.dice, losses.lovasz_softmax])
def test_labels_are_not_looked_at_under_a_transformation(f: Any) -> None:
    """Batches of images through vmap, of which the values cannot be seen."""
    z, t = torch.randn(3, 2, 4, 5, 5), torch.randint(0, 4, (3, 2, 5, 5))
    torch.testing.assert_close(torch.func.vmap(f)(z, t), torch.stack([f(a, b) for a, b in zip(z, t, strict=True)]))


@pytest.mark.parametrize("f", [losses.dice, losses.lovasz_softmax, losses.cross_entropy])
def test_labels_changed_before_the_backward_pass_are_refused(f: Any) -> None:
    z, t = torch.randn(4, 5, 20_000, requires_grad=True), torch.randint(0, 5, (4, 20_000))
    value = f(z, t)
    t.copy_((t + 1) % 5)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        value.backward()


# ---- weights of classes


@pytest.mark.parametrize("f", [losses.cross_entropy, losses.label_smoothing, losses.nll, losses.dice])
def test_class_weights_of_another_kind(f: Any) -> None:
    z, t = tensors(20)
    w = np.array([1.0, 2.0, 0.5, 0.0, 3.0])
    want = f(z, t, class_weight=torch.tensor(w))
    for same in (w, list(w), tuple(w), w.astype(np.float32)):
        torch.testing.assert_close(f(z, t, class_weight=same), want)
    for wrong in (2.0, {0: 1.0}, "balanced", (1.0, 2.0), [1.0, 2.0, "a", 1.0, 1.0]):
        with refusal(assay.ParameterError):
            f(z, t, class_weight=wrong)
    with refusal(assay.ParameterError):
        f(z, t, class_weight=-w)
    with refusal(assay.ParameterError):
        f(z.numpy(), t.numpy(), class_weight=torch.tensor(w))


def test_alpha_of_several_classes() -> None:
    z, t = tensors(20)
    a = np.linspace(0.1, 0.5, 5)
    torch.testing.assert_close(losses.focal(z, t, alpha=a), losses.focal(z, t, alpha=torch.tensor(a)))
    for wrong, words in (("foo", "alpha must be one of 'paper'"), ({0: 1}, "one number per class"), (-a, "negative")):
        with pytest.raises(assay.ParameterError, match=words):
            losses.focal(z, t, alpha=wrong)


@pytest.mark.parametrize("rows", [20, LARGE])
def test_weights_of_positives_by_column_are_those_of_torch(rows: int) -> None:
    z, y = torch.randn(rows, 3, dtype=torch.float64, requires_grad=True), torch.rand(rows, 3, dtype=torch.float64)
    w = torch.tensor([1.0, 3.0, 0.5], dtype=torch.float64)
    value = losses.binary_cross_entropy(z, y, pos_weight=w)
    other = torch.nn.functional.binary_cross_entropy_with_logits(z, y, pos_weight=w)
    torch.testing.assert_close(value, other)
    ours, theirs = torch.autograd.grad(value, z)[0], torch.autograd.grad(other, z)[0]
    torch.testing.assert_close(ours, theirs)
    p = torch.sigmoid(z).detach()
    torch.testing.assert_close(losses.binary_cross_entropy(probabilities=p, target=y, pos_weight=w), value.detach())
    single = losses.binary_cross_entropy(z, y, pos_weight=[1.0, 3.0, 0.5], reduction="none")
    assert tuple(single.shape) == (rows, 3)
    for wrong in (torch.ones(rows), torch.ones(rows, 1), torch.ones(4), [1.0, 2.0]):
        with refusal(assay.ParameterError):
            losses.binary_cross_entropy(z, y, pos_weight=wrong)
    with refusal(assay.ParameterError):
        losses.binary_cross_entropy(z, y, pos_weight=-w)


def test_two_class_weights() -> None:
    z, y = np.array([0.3, -1.0]), np.array([1.0, 0.0])
    want = losses.binary_cross_entropy(z, y, class_weight=(0.5, 2.0))
    assert losses.binary_cross_entropy(z, y, class_weight=np.array([0.5, 2.0])) == want
    for wrong in ((1.0,), 2.0, "balanced", {0: 1.0, 1: 2.0}, np.ones(3)):
        with refusal(assay.ParameterError):
            losses.binary_cross_entropy(z, y, class_weight=wrong)
    for wrong in ((-1.0, 1.0), (None, 1.0)):
        with refusal(assay.ParameterError):
            losses.binary_cross_entropy(z, y, class_weight=wrong)


# ---- parameters that are none

Z, T = np.zeros((4, 3)), np.array([0, 1, 2, 0])
PARAMETERS: list[tuple[Any, str]] = [
    (lambda: losses.focal(Z, T, gamma=None), "gamma must be a number.*, got None"),
    (lambda: losses.label_smoothing(Z, T, epsilon=None), "epsilon must be a number.*, got None"),
    (lambda: losses.label_smoothing(Z, T, epsilon=1), r"epsilon must lie in \[0, 1\)"),
    (lambda: losses.cross_entropy(Z, T, label_smoothing=np.zeros(2)), "label_smoothing must be a number"),
    (lambda: losses.poly(Z, T, epsilon=None), "epsilon must be a number or several, got None"),
    (lambda: losses.poly(Z, T, epsilon=np.ones(2)), "epsilon must be a number or several"),
    (lambda: losses.hinge(Z, T, margin=None), "margin must be a number.*, got None"),
    (lambda: losses.dice(Z, T, smooth=None), "smooth must be a number.*, got None"),
    (lambda: losses.dice(Z, T, smooth=[0.0, 1.0, 2.0]), r"one number or \(above, below\)"),
    (lambda: losses.dice(Z, T, smooth=np.zeros(2)), "smooth must be a number"),
    (lambda: losses.dice(Z, T, classes=1), "classes must be 'present', 'all' or different numbers from 0 to 2, got 1"),
    (lambda: losses.dice(Z, T, classes=np.array([1])), "classes must be 'present'"),
    (lambda: losses.dice(Z, T, classes=[0.5]), "classes must be 'present'"),
    (lambda: losses.tversky(Z, T, alpha=None), "alpha must be a number.*, got None"),
    (lambda: losses.ngram_reward([1, 2], [1, 2], order=2.5), "order must be an integer of at least 1, got 2.5"),
    (lambda: losses.moving_baseline(None, [1.0]), "value must be a number, got None"),
    (lambda: losses.reinforce([0.0], [1.0], discount=None), "discount must be a number.*, got None"),
    (lambda: losses.gaussian_nll([0.0], [1.0], variance=[1.0], least=None), "least must be a number.*, got None"),
]


@pytest.mark.parametrize(("call", "words"), PARAMETERS, ids=[str(i) for i in range(len(PARAMETERS))])
def test_parameters_that_are_none_are_refused(call: Any, words: str) -> None:
    with pytest.raises(assay.ParameterError, match=words):
        call()


def test_smoothing_as_a_list_is_that_as_a_tuple() -> None:
    assert losses.dice(Z, T, smooth=[0.0, 1.0]) == losses.dice(Z, T, smooth=(0.0, 1.0))


@pytest.mark.parametrize(
    "call",
    [
        lambda: losses.token_cross_entropy(Z, np.zeros(4)),
        lambda: losses.cross_entropy(1.0, 0),
        lambda: losses.focal(1.0, 0, form="softmax"),
        lambda: losses.nll(1.0, 0),
        lambda: losses.token_cross_entropy(1.0, 0),
    ],
)
def test_inputs_that_are_none_are_refused(call: Any) -> None:
    with refusal(assay.InputError):
        call()


def test_jax_reads_narrow_labels_compiled_or_not() -> None:
    """Values are never looked at there, so a constant of a compiled function is as good as an argument."""
    jax = pytest.importorskip("jax")
    z, t = jax.numpy.asarray(RNG.normal(size=(6, 5))), jax.numpy.asarray([0, 1, 2, 3, 4, 0], dtype="uint8")
    want = losses.cross_entropy(z, t)
    for compiled in (jax.jit(lambda a: losses.cross_entropy(a, t))(z), jax.jit(losses.cross_entropy)(z, t)):
        np.testing.assert_allclose(compiled, want, rtol=1e-6)
    np.testing.assert_allclose(jax.jit(lambda a: losses.dice(a, t))(z), losses.dice(z, t), rtol=1e-6)
    binary = jax.jit(lambda a: losses.dice(a, t[None, :] % 2, form="binary"))(z[None, :, 0])
    np.testing.assert_allclose(binary, losses.dice(z[None, :, 0], t[None, :] % 2, form="binary"), rtol=1e-6)
