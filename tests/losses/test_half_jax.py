"""Half precision on JAX: every loss and its gradient against double precision, on the numbers as half precision holds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay import losses
from assay.core.loss import find_loss
from assay.core.loss import losses as every
from assay.testing.examples import Example, examples_of
from assay.testing.loss_laws import total

jax: Any = pytest.importorskip("jax")
torch: Any = pytest.importorskip("torch")
STEP = {"float16": 2.0**-10, "bfloat16": 2.0**-7}
TOP = 3e4  # well within float16
QUICK = ("mse", "cross_entropy", "dice", "cosine", "gaussian_kl", "poisson_nll")
NAMES = [
    pytest.param(loss.key, marks=() if loss.key in QUICK else pytest.mark.slow, id=loss.key)
    for loss in every()
    if not any(callable(value) for one in examples_of(loss) for value in one.inputs.values())
]


def held(example: Example, kind: str) -> dict[str, Any]:
    """The inputs as JAX arrays, floats in half precision."""
    given = {name: np.asarray(value) for name, value in example.inputs.items()}
    return {n: jax.numpy.asarray(v, dtype=kind if v.dtype.kind == "f" else None) for n, v in given.items()}


def in_double(loss: Any, example: Example, inputs: dict[str, Any]) -> tuple[float, list[Any]]:
    """The value and the gradients in double precision, by PyTorch."""
    plain = {n: np.asarray(v, np.float64 if "float" in str(v.dtype) else None) for n, v in inputs.items()}
    there = {name: torch.tensor(value) for name, value in plain.items()}
    leaves = [there[name].requires_grad_() for name in example.vary]
    value = total(loss(**there, **example.options))
    slopes = torch.autograd.grad(value, leaves, allow_unused=True)
    return float(value.detach()), [
        np.zeros(x.shape) if s is None else s.numpy() for x, s in zip(leaves, slopes, strict=True)
    ]


@pytest.mark.parametrize("kind", STEP)
@pytest.mark.parametrize("name", NAMES)
def test_values_and_gradients_in_half_precision(name: str, kind: str) -> None:
    loss = find_loss(name)
    for example in examples_of(loss)[: 1 if name in QUICK else None]:
        inputs = held(example, kind)

        def of(given: list[Any], example: Example = example, inputs: dict[str, Any] = inputs) -> Any:
            varied = dict(zip(example.vary, given, strict=True))
            return total(loss(**{**inputs, **varied}, **example.options)).astype(jax.numpy.float32)

        value, slopes = jax.jit(jax.value_and_grad(of))([inputs[n] for n in example.vary])
        want, wanted = in_double(loss, example, inputs)
        assert abs(want) < TOP
        np.testing.assert_allclose(float(value), want, rtol=40 * STEP[kind], atol=STEP[kind])
        for slope, right in zip(slopes, wanted, strict=True):
            near = np.abs(right) < TOP
            size = np.abs(right[near]).max(initial=0.0)
            np.testing.assert_allclose(
                np.asarray(slope, np.float64)[near], right[near], rtol=0, atol=60 * STEP[kind] * (size + 1e-6)
            )


LARGE = {"mean": [[1.0], [2.0], [0.0], [0.5]], "log_variance": [[12.0], [0.0], [0.0], [0.0]]}
OVERFLOWS = {
    "gaussian_kl": (LARGE, "log_variance"),
    "poisson_nll": ({"prediction": [12.0, 0.0, 0.0, 0.0], "target": [1.0, 2.0, 0.0, 1.0]}, "prediction"),
    "gaussian_nll": (
        {"prediction": [300.0, 1.0, 0.0, 0.0], "target": [0.0, 0.0, 0.0, 0.0], "log_variance": [0.0, 1.0, 0.0, 0.0]},
        "log_variance",
    ),
}


@pytest.mark.parametrize("name", OVERFLOWS)
def test_what_overflows_on_the_way_to_a_number_in_range_does_not(name: str) -> None:
    """exp(12) and 300² are beyond float16; the mean of four and the gradient are not."""
    given, vary = OVERFLOWS[name]
    loss, example = find_loss(name), Example(given, (vary,))
    inputs = {key: jax.numpy.asarray(value, dtype="float16") for key, value in given.items()}
    found = jax.value_and_grad(lambda x: loss(**{**inputs, vary: x}))(inputs[vary])
    value, (slope,) = in_double(loss, example, inputs)
    assert found[0].dtype == found[1].dtype == np.float16
    np.testing.assert_allclose(float(found[0]), value, rtol=1e-2)
    np.testing.assert_allclose(np.asarray(found[1], np.float64), slope, rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("kind", STEP)
def test_absolute_errors_are_mapped_and_differentiated_forwards(kind: str) -> None:
    p, y = (jax.numpy.asarray(x, dtype=kind) for x in ([[0.5, -1.0], [2.0, 0.0]], [[0.0, 1.0], [2.5, 1.0]]))
    for f in (losses.mae, lambda p, y: losses.denoising(p, y, form="absolute")):
        mapped = jax.vmap(f)(jax.numpy.stack([p, p + 1]), jax.numpy.stack([y, y]))
        np.testing.assert_allclose(np.asarray(mapped, np.float64), [float(f(p, y)), float(f(p + 1, y))], rtol=1e-2)
        value, slope = jax.jvp(lambda p, f=f: f(p, y), (p,), (jax.numpy.ones_like(p),))
        assert float(value) == pytest.approx(1.0, rel=1e-2)
        assert float(slope) == pytest.approx(-0.5, rel=1e-2)  # signs +, -, -, -, over four


@pytest.mark.slow  # two derivatives through the iterations take long to compile
@pytest.mark.parametrize("kind", STEP)
def test_the_second_derivative_of_sinkhorn(kind: str) -> None:
    """Against single precision on the same points, through the unrolled iterations."""
    x = jax.numpy.asarray([[0.0, 0.5], [1.0, -0.5]], dtype=kind)
    y = jax.numpy.asarray([[0.5, 1.5], [2.0, 0.25]], dtype=kind)

    def bent(x: Any, y: Any) -> Any:
        def of(x: Any) -> Any:
            value = losses.sinkhorn(x, y, epsilon=0.5, iterations=4, unrolled=True)
            return value.astype(jax.numpy.float32)

        return jax.grad(lambda x: jax.numpy.sum(jax.grad(of)(x).astype(jax.numpy.float32) ** 2))(x)

    found, want = (np.asarray(jax.jit(bent)(x.astype(k), y.astype(k)), np.float64) for k in (kind, "float32"))
    assert np.abs(want).max() > 0.1
    np.testing.assert_allclose(found, want, atol=20 * STEP[kind] * np.abs(want).max())
