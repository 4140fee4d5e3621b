"""Deviances of single rows, and what a distribution makes impossible: shared by deviances and information criteria."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from assay.core.arrays import Array, namespace, to_host
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs

Distribution: TypeAlias = Literal["gaussian", "poisson", "gamma", "binomial"]
DISTRIBUTIONS = ("gaussian", "poisson", "gamma", "binomial")
TAKES = ("y_true: values, counts or events", "y_pred: values, the predicted means")


def log_ratio(y: Array, p: Array) -> Array:
    """``y log(y / p)``, 0 where y is 0; NaN stays NaN."""
    xp = namespace(y, p)
    there = y > 0
    one = xp.ones_like(y)
    return xp.where(there, y, 0 * y) * xp.log(xp.where(there, y, one) / xp.where(there, p, one)) + 0 * (y + p)


def refuse_outside(inputs: Inputs, distribution: str, y: Array, p: Array) -> None:
    """Targets that the distribution never has, and predicted means under which a target is impossible."""
    if distribution == "gaussian":
        return
    top = 1.0 if distribution == "binomial" else np.inf
    least = "above 0" if distribution == "gamma" else "at least 0" if top > 1 else "between 0 and 1"
    low = distribution == "gamma"
    for name, values in (("y_true", y), ("y_pred", p)):
        _refuse(inputs, name, values, (values < 0) | (values > top) | ((values == 0) & low), f"must be {least}")
    impossible = ((p == 0) & (y > 0)) | ((p == top) & (y < top))
    problem = f"makes {arg('y_true')} impossible, so that the deviance is infinite"
    _refuse(inputs, "y_pred", p, impossible, problem)


def _refuse(inputs: Inputs, name: str, values: Array, bad: Array, problem: str) -> None:
    if bool(namespace(bad).any(bad)):
        row = int(np.argmax(to_host(bad)))
        fix = (
            f"Name the {arg('distribution')} that the targets have, and give predicted means, not logarithms or logits."
        )
        raise InputError(inputs.who, name, f"{problem}, got {float(values[row]):g} in row {row}", fix)


@dataclass(frozen=True)
class DevianceRows:
    """The deviance of each row."""

    distribution: Distribution

    def __call__(self, inputs: Inputs) -> Array:
        """One number per row."""
        y, p = inputs.numbers("y_true"), inputs.numbers("y_pred")
        refuse_outside(inputs, self.distribution, y, p)
        xp = namespace(y, p)
        if self.distribution == "gaussian":
            return (y - p) ** 2
        if self.distribution == "poisson":
            return 2 * (log_ratio(y, p) - y + p)
        if self.distribution == "gamma":
            return 2 * (xp.log(p / y) + y / p - 1)
        return 2 * (log_ratio(y, p) + log_ratio(1 - y, 1 - p))
