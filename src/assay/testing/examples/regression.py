"""Examples of losses of real targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.testing.examples import Example, examples

PAIR = ("prediction", "target")


def _pair(rng: Any, **options: Any) -> Example:
    return Example({"prediction": 3 * rng.normal(size=30), "target": rng.normal(size=30)}, PAIR[:1], PAIR, options)


@examples("mse", "mae", "huber", "smooth_l1", "log_cosh", "quantile", "balanced_l1", "wing")
def _errors(rng: Any) -> list[Example]:
    grid = {"prediction": rng.normal(size=(4, 5)), "target": rng.normal(size=(4, 5))}
    return [_pair(rng), Example(grid, PAIR[:1], PAIR)]


@examples("cvar")
def _worst(rng: Any) -> list[Example]:
    values = {"values": 3 * rng.normal(size=30)}
    return [
        Example(values, ("values",), (), {"level": 0.75}),
        Example({**values, "threshold": np.array(1.0)}, ("values", "threshold"), ("values",), {"level": 0.75}),
    ]


@examples("poisson_nll")
def _counts(rng: Any) -> list[Example]:
    target = rng.poisson(2.0, 30).astype(float)
    rates = {"prediction": rng.random(30) + 0.1, "target": target}
    return [
        Example({"prediction": rng.normal(size=30), "target": target}, PAIR[:1], PAIR, {"full": True}),
        Example(rates, PAIR[:1], PAIR, {"log_input": False}, wide=0.0),
    ]


@examples("gaussian_nll")
def _spreads(rng: Any) -> list[Example]:
    base = {"prediction": rng.normal(size=30), "target": rng.normal(size=30)}
    return [
        Example({**base, name: value}, ("prediction", name), (*PAIR, name))
        for name, value in (("variance", rng.random(30) + 0.5), ("log_variance", rng.normal(size=30)))
    ]
