"""Compiles losses cold and says what came of it: each in a forked child that has called no loss before.

Run as ``python compiled_losses.py BACKEND FEWEST NAME ...``: the first ``FEWEST`` examples of each loss. One line per example on
standard output: the name, its number, and nothing or what went wrong.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any, cast

import numpy as np
import torch as _torch

import assay
from assay.core.loss import find_loss
from assay.testing.examples import Example, examples_of
from assay.testing.loss_laws import total

torch = cast(Any, _torch)


def made(name: str, example: Example) -> tuple[Any, dict[str, Any]]:
    """The module and its inputs in single precision; what the loss learns is a parameter of the module."""
    torch.manual_seed(0)
    given = {key: torch.tensor(np.asarray(value)) for key, value in example.inputs.items()}
    given = {key: value.float() if value.is_floating_point() else value for key, value in given.items()}
    own = {key: torch.nn.Parameter(given.pop(key)) for key in find_loss(name).record.learned if key in given}
    for key in example.vary:
        if key in given:
            given[key].requires_grad_()
    return assay.torch.Loss(name, **own, **example.options), given


def compared(name: str, example: Example, backend: str) -> None:
    """Value and gradients of the compiled module, which comes first, against those of the module as it is."""
    found = []
    for compiled in (True, False):
        module, given = made(name, example)
        run = torch.compile(module, fullgraph=True, backend=backend) if compiled else module
        value = total(run(**given))
        if value.requires_grad:
            value.backward()
        slopes = [x.grad for x in (*given.values(), *module.parameters()) if x.grad is not None]
        found.append((value.detach(), slopes))
    (value, slopes), (plain, plain_slopes) = found
    np.testing.assert_allclose(value, plain, rtol=5e-5, atol=1e-6)
    assert len(slopes) == len(plain_slopes)
    for slope, plain_slope in zip(slopes, plain_slopes, strict=True):
        np.testing.assert_allclose(slope, plain_slope, rtol=1e-3, atol=1e-5)


def in_child(name: str, number: int, example: Example, backend: str) -> None:
    """A fork costs milliseconds, importing PyTorch again seconds."""
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        return
    said = ""
    try:
        compared(name, example, backend)
    except BaseException as error:
        said = f"{type(error).__name__}: {' | '.join(str(error).split(chr(10)))[:2000]}"
    os.write(1, f"{name} {number} {said}\n".encode())
    os._exit(0)


if __name__ == "__main__":
    import torch._dynamo

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for one in sys.argv[3:]:
        for at, each in enumerate(examples_of(find_loss(one))[: int(sys.argv[2])]):
            in_child(one, at, each, sys.argv[1])
