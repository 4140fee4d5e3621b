"""Full citations of the works that records of losses name."""

from __future__ import annotations

LOSS_REFERENCES: dict[str, str] = {
    "nix1994": (
        "D. A. Nix, A. S. Weigend (1994). Estimating the mean and variance of the target probability distribution. "
        "IEEE International Conference on Neural Networks, 55–60."
    ),
}
