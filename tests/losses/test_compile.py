"""torch.compile takes every loss in one graph, cold, and gives the values and gradients of eager PyTorch."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.loss import find_loss, losses
from assay.testing.examples import examples_of

torch: Any = pytest.importorskip("torch")
FEW = ("huber", "cross_entropy", "dice", "wasserstein_distance")
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
pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="torch.compile needs a C++ compiler"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="each loss is compiled in a forked process"),
]


def cold(backend: str, fewest: int, *names: str) -> dict[str, str]:
    """What went wrong in each compilation, by loss and example; nothing where the values and gradients are those of eager PyTorch."""
    command = [sys.executable, str(Path(__file__).with_name("compiled_losses.py")), backend, str(fewest), *names]
    path = os.pathsep.join([str(Path(assay.__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path})
    lines = [line.split(" ", 2) for line in run.stdout.splitlines()]
    return {f"{name} {number}": said for name, number, said in lines}


def test_losses_compile_cold_in_one_graph() -> None:
    """A few of all families, run as they are: what takes long is the compiler behind the graph."""
    found = cold("eager", 1, *FEW)
    assert found == {f"{name} 0": "" for name in FEW}


@pytest.mark.slow
def test_every_loss_compiles_cold_in_one_graph() -> None:
    found = cold("eager", 99, *(loss.key for loss in losses()))
    assert {name.split()[0] for name in found} == {loss.key for loss in losses() if examples_of(loss)}
    assert {name: said for name, said in found.items() if said} == {}


@pytest.mark.slow  # which makes C++ of each
def test_losses_are_compiled_to_machine_code() -> None:
    assert set(cold("inductor", 1, *DOZEN).values()) == {""}


def test_compilation_warns_of_nothing(recwarn: pytest.WarningsRecorder) -> None:
    """Caches of array libraries, seen by a compiler, would be a page of warnings for each loss."""
    x, y = torch.randn(4, 3), torch.tensor([0, 1, 2, 0])
    for name, inputs in {"huber": (x, x), "cross_entropy": (x, y), "info_nce": (x, x)}.items():
        torch.compile(assay.torch.Loss(name), fullgraph=True, backend="eager")(*inputs)
    assert [str(found.message) for found in recwarn if "Dynamo" in str(found.message)] == []


def test_modules_that_learn_compile_in_one_graph() -> None:
    """Also the rule that moves centres."""
    x, y = torch.tensor([[2.0, 0.0], [4.0, 0.0], [0.0, 1.0]]), torch.tensor([0, 0, 2])
    criterion = assay.torch.Loss("center", classes=3, dimension=2, rate=0.5)
    torch.compile(criterion, fullgraph=True, backend="eager")(x, y)
    torch.testing.assert_close(criterion.centers, torch.tensor([[1.0, 0.0], [0.0, 0.0], [0.0, 0.25]]))


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
