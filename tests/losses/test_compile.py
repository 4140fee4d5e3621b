"""torch.compile gives the values and gradients of eager PyTorch, for a dozen losses of all families in one compilation."""

from __future__ import annotations

import shutil
import warnings
from typing import Any

import numpy as np
import pytest

from assay.core.loss import find_loss
from assay.testing.examples import examples_of
from assay.testing.loss_laws import total

torch: Any = pytest.importorskip("torch")
DOZEN = (
    "huber",
    "log_cosh",
    "cross_entropy",
    "focal",
    "hinge",
    "giou",
    "ciou",
    "yolo",
    "dice",
    "arcface",
    "kl_divergence",
    "token_cross_entropy",
)
pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="torch.compile needs a C++ compiler")


def call(name: str, given: dict[str, Any]) -> Any:
    loss = find_loss(name)
    return total(loss(**given, **examples_of(loss)[0].options))


def inputs(name: str) -> tuple[str, dict[str, Any]]:
    """The first example in single precision, and the name of what learns."""
    example = examples_of(find_loss(name))[0]
    given = {key: torch.tensor(np.asarray(value)) for key, value in example.inputs.items()}
    given = {key: value.float() if value.is_floating_point() else value for key, value in given.items()}
    given[example.vary[0]].requires_grad_()
    return example.vary[0], given


# The first takes the graph and its gradient apart and runs it as it is; the second makes C++ of it, which takes a minute.
@pytest.fixture(scope="module", params=["aot_eager", pytest.param("inductor", marks=pytest.mark.slow)])
def compiled(request: pytest.FixtureRequest) -> dict[str, tuple[Any, Any]]:
    """The value and the gradient of each loss, all compiled together, since a compilation takes seconds."""
    made = {name: inputs(name) for name in DOZEN}
    options = {name: (find_loss(name), examples_of(find_loss(name))[0].options) for name in DOZEN}

    def together(given: dict[str, dict[str, Any]]) -> dict[str, Any]:
        return {name: total(options[name][0](**given[name], **options[name][1])) for name in DOZEN}

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = torch.compile(together, backend=request.param)({name: given for name, (_, given) in made.items()})
    leaves = [given[key] for key, given in made.values()]
    slopes = torch.autograd.grad(sum(values.values()), leaves)
    return {name: (values[name].detach(), slope) for name, slope in zip(DOZEN, slopes, strict=True)}


@pytest.mark.parametrize("name", DOZEN)
def test_compiled_is_eager(name: str, compiled: dict[str, tuple[Any, Any]]) -> None:
    key, given = inputs(name)
    value = call(name, given)
    (slope,) = torch.autograd.grad(value, given[key])
    np.testing.assert_allclose(compiled[name][0], value.detach(), rtol=2e-6)
    np.testing.assert_allclose(compiled[name][1], slope, rtol=1e-4, atol=1e-6)


@pytest.mark.slow  # a compilation of its own
def test_nan_shows_when_compiled() -> None:
    """In the value and in the gradient, also of margins and of linear losses, whose slopes do not look at their inputs."""

    def together(z: Any) -> Any:
        target = torch.tensor([1, 0, 1])
        signs = torch.tensor([1.0, -1.0, 1.0])
        return (
            find_loss("hinge")(z[:, 0], signs),
            find_loss("mae")(z[:, 0], signs),
            find_loss("dice")(z, target),
            find_loss("margin_ranking")(z[:, 0], z[:, 1]),
        )

    whole = torch.compile(together)
    for spoilt in (torch.full((3, 2), torch.nan), torch.tensor([[0.5, 1.0], [torch.nan, 0.0], [1.0, 2.0]])):
        z = spoilt.requires_grad_()
        for value in whole(z):
            (slope,) = torch.autograd.grad(value, z, retain_graph=True)
            assert bool(value.isnan())
            assert bool(slope.isnan().any())
