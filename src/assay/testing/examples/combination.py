"""Examples of sums of losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.testing.examples import Example, examples


@examples("combined")
def _sums(rng: Any) -> list[Example]:
    pair = {"prediction": rng.normal(size=20), "target": rng.normal(size=20)}
    learned = {**pair, "log_variances": np.array([0.3, -0.2])}
    terms = {"mse": 1.0, "huber": 0.5}
    return [
        Example(pair, ("prediction",), options={"terms": terms}),
        Example(learned, ("prediction", "log_variances"), options={"terms": terms}),
    ]
