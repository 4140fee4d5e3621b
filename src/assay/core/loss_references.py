"""Full citations of the works that records of losses name."""

from __future__ import annotations

LOSS_REFERENCES: dict[str, str] = {
    "isensee2021": (
        "F. Isensee, P. F. Jaeger, S. A. A. Kohl, J. Petersen, K. H. Maier-Hein (2021). nnU-Net: a self-configuring method for "
        "deep learning-based biomedical image segmentation. Nature Methods 18(2), 203–211."
    ),
    "kendall2018": (
        "A. Kendall, Y. Gal, R. Cipolla (2018). Multi-task learning using uncertainty to weigh losses for scene geometry and "
        "semantics. CVPR 2018, 7482–7491."
    ),
    "nix1994": (
        "D. A. Nix, A. S. Weigend (1994). Estimating the mean and variance of the target probability distribution. "
        "IEEE International Conference on Neural Networks, 55–60."
    ),
    "vapnik1992": (
        "V. Vapnik (1992). Principles of risk minimization for learning theory. Advances in Neural Information Processing "
        "Systems 4, 831–838."
    ),
}
