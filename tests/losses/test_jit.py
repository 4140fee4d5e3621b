"""Under JAX's jit every loss is traced once: other values of the same shapes need no new trace and no concrete number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.core.loss import losses
from assay.testing.examples import examples_of
from assay.testing.loss_laws import total

jax: Any = pytest.importorskip("jax")


@pytest.mark.parametrize("loss", losses(), ids=lambda f: f"{f.task}.{f.key}")
def test_one_trace_serves_all_values(loss: Any) -> None:
    example = examples_of(loss)[0]
    traces: list[int] = []

    def of(given: Any) -> Any:
        traces.append(1)
        return total(loss(**given, **example.options))

    compiled = jax.jit(of)
    with jax.enable_x64(True):
        for turn in (0, 1):
            rolled = {name: jax.numpy.asarray(np.roll(value, turn, axis=0)) for name, value in example.inputs.items()}
            assert np.isfinite(float(compiled(rolled)))
    assert len(traces) == 1
