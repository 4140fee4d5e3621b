"""The facts that every entry carries as data: documentation, ``explain``, the laws and the intervals read them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Better = Literal["higher", "lower", "none"]
Transform = Literal["identity", "log", "logit", "fisher_z", "log_one_minus"]
Direction = Literal["maximize", "minimize"]
_DIRECTIONS: dict[Better, Direction | None] = {"higher": "maximize", "lower": "minimize", "none": None}
FamilyKey = Literal[
    "mean", "bounded_mean", "root_mean", "proportion", "overlap", "confusion", "agreement", "balanced", "auc",
    "average_precision", "calibration", "correlation", "rank_correlation", "r2", "quantile", "total", "bootstrap", "envelope", "curve",
    "frechet", "kernel_distance", "manifold", "ratio", "extreme", "youden", "corpus", "training_fit", "query_mean",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Record:
    """What is known about an entry.

    ``transform`` and ``family`` say on which scale and by which method its interval is built; ``properties`` are
    promises that the law tests check; ``traps`` name rows of the list of pitfalls (see :mod:`assay.explain.pitfalls`).
    ``aliases`` are other names that people use for it, in their spelling (``sensitivity``, ``AUROC``); they resolve everywhere.
    ``equals`` names tools that give the same number, with the setting that does (each is tested), ``differs`` where they part ways.
    """

    title: str
    range: tuple[float, float]
    better: Better
    family: FamilyKey
    transform: Transform = "identity"
    takes: tuple[str, ...] = ()
    undefined: str = "never on valid data"
    use: str = ""
    misleads: str = ""
    equals: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    erratum: str = ""
    traps: tuple[int, ...] = ()
    properties: frozenset[str] = field(default_factory=lambda: frozenset[str]())
    aliases: tuple[str, ...] = ()

    @property
    def direction(self) -> Direction | None:
        """What a tuner (Optuna, Ray Tune) does with the value; None where neither way is better."""
        return _DIRECTIONS[self.better]

    @property
    def optimum(self) -> float | None:
        """The best value there is, or None where there is no direction or no bound."""
        if self.better == "none":
            return None
        return self.range[1] if self.better == "higher" else self.range[0]

    @property
    def is_curve(self) -> bool:
        """Whether the value is a curve or a table, which no single number can stand for."""
        return self.family == "curve"

    def is_better(self, a: float, b: float) -> bool:
        """Whether value ``a`` is strictly better than value ``b``."""
        return a > b if self.better == "higher" else a < b
