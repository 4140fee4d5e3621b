"""The difference of two models: a number that knows how sure it is and what it could have seen."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

from assay.core import notebook
from assay.core.call_checks import guarded
from assay.core.distributions import upper_tail
from assay.core.errors import ParameterError
from assay.core.plain_data import plain_data
from assay.core.score import Score, digits

POWER = 0.8


class Comparison(float):
    """The difference ``a - b`` of two models on the same data, as a float with its interval, p value and method.

    ``a`` and ``b`` are the scores and ``favours`` says for which of them the difference speaks, whether it is sure or not.
    Among several comparisons ``adjusted_p`` is Holm's and decides; the limits hold jointly for all ``among`` pairs of a metric.
    ``metrics`` is how many metrics ``adjusted_p`` allows for besides; 1 if it is not corrected for their number.
    Without ``paired`` the models were measured on different rows, ``n`` in all.
    ``mde`` is the smallest difference that this many rows detect with 80 % power. With a ``margin``, ``p_noninferior``
    belongs to the claim that ``a`` is not worse than ``b`` by the margin, ``p_equivalent`` to both being within it.
    """

    a: Score
    b: Score
    n: int
    low: float | None
    high: float | None
    level: float | None
    p: float | None
    adjusted_p: float | None
    among: int
    metrics: int
    method: str | None
    reliable: bool
    reason: str
    favours: str | None
    better: str
    error: float | None
    df: float
    margin: float | None
    signature: str
    paired: bool

    def __new__(
        cls,
        effect: float,
        *,
        a: Score,
        b: Score,
        n: int,
        favours: str | None = None,
        better: str = "none",
        low: float | None = None,
        high: float | None = None,
        level: float | None = None,
        p: float | None = None,
        adjusted_p: float | None = None,
        among: int = 1,
        metrics: int = 1,
        method: str | None = None,
        reliable: bool | None = None,
        reason: str = "",
        error: float | None = None,
        df: float = math.inf,
        margin: float | None = None,
        signature: str = "",
        paired: bool = True,
    ) -> Comparison:
        """Keep the facts beside the number."""
        self = super().__new__(cls, effect)
        self.a, self.b, self.n, self.favours, self.signature = a, b, n, favours, signature or a.signature
        self.low, self.high, self.level, self.p, self.adjusted_p = low, high, level, p, adjusted_p
        self.among, self.metrics = among, metrics
        self.method, self.reliable, self.reason = method, (not reason) if reliable is None else reliable, reason
        self.error, self.df, self.better, self.margin, self.paired = error, df, better, margin, paired
        return self

    @property
    def effect(self) -> float:
        """The plain difference ``a - b``."""
        return float(self)

    @property
    def significant(self) -> bool:
        """Whether the p value, corrected where several were taken, lies below one minus the level."""
        p = self.p if self.adjusted_p is None else self.adjusted_p
        return p is not None and self.level is not None and p < 1 - self.level

    @property
    def mde(self) -> float | None:
        """The smallest true difference that this many rows find with a chance of 80 %."""
        return self.detectable()

    @guarded
    def detectable(self, power: float = POWER) -> float | None:
        """The smallest true difference that this many rows find with the chance ``power``."""
        return None if self.error is None or self.level is None else self._reach(power) * self.error

    @guarded
    def rows_for(self, effect: float, power: float = POWER) -> int:
        """How many rows of this kind find a true difference of ``effect`` with the chance ``power``."""
        if not effect or not math.isfinite(effect):
            raise ParameterError("rows_for", "effect", f"must be a difference other than zero, got {effect!r}")
        if not self.error or self.level is None:
            raise ParameterError(
                "rows_for", "", "these rows show no difference between the models, so nothing follows for other rows"
            )
        return max(2, math.ceil(self.n * (self._reach(power) * self.error / abs(effect)) ** 2))

    def _reach(self, power: float) -> float:
        """How many standard errors a difference must measure to be found, allowing for the number of comparisons."""
        if not 0 < power < 1:
            raise ParameterError("", "power", f"must lie between 0 and 1, got {power!r}")
        normal = NormalDist()
        each = (self.level or 0.95) ** (1 / self.among)
        return normal.inv_cdf((1 + each) / 2) + normal.inv_cdf(power)

    @property
    def p_noninferior(self) -> float | None:
        """The p value of «a is not worse than b by the margin»; None without a margin or a direction."""
        if self.margin is None or self.better == "none":
            return None
        return self._beyond(self.margin, 1 if self.better == "higher" else -1)

    @property
    def p_equivalent(self) -> float | None:
        """The p value of «a and b are within the margin» (two one-sided tests); None without a margin."""
        sides = [self._beyond(self.margin, side) for side in (1, -1)] if self.margin is not None else []
        return max((p for p in sides if p is not None), default=None)

    def _beyond(self, margin: float, side: int) -> float | None:
        """The one-sided p value of «side times the difference is above minus the margin»."""
        if self.error is None:
            return None
        gap = side * float(self) + margin
        if self.error == 0:
            return 0.0 if gap > 0 else 1.0
        return upper_tail(gap / self.error, self.df)

    def but(self, **facts: Any) -> Comparison:
        """The same with other facts."""
        return Comparison(float(self), **{**self.__dict__, **facts})

    def __getnewargs_ex__(self) -> tuple[tuple[float], dict[str, Any]]:
        return (float(self),), dict(self.__dict__)

    def __str__(self) -> str:
        sign = "+" if self >= 0 else "-"
        text = sign + digits(abs(self), self.low, self.high)
        if self.low is not None and self.high is not None and self.level is not None:
            text += f" [{digits(self.low, self.low, self.high)}, {digits(self.high, self.low, self.high)}] {100 * self.level:g} %"
            text += "" if self.reliable else " *"
        if self.p is not None:
            text += f" p={self.p:.3g}"
        over = "" if self.metrics == 1 else f" over {self.metrics} metrics"
        text += "" if self.adjusted_p is None else f" (Holm{over} {self.adjusted_p:.3g})"
        kind = "paired" if self.paired else "unpaired"
        return " · ".join([text, f"n={self.n}", ", ".join([*([self.method] if self.method else []), kind])])

    def __repr__(self) -> str:
        return str(self)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def _repr_html_(self) -> str:
        return notebook.sentence(str(self), [f"* {self.reason}"] if self.reason and not self.reliable else [])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        derived = {"mde": self.mde, "p_noninferior": self.p_noninferior, "p_equivalent": self.p_equivalent}
        facts = {**self.__dict__, "df": self.df if math.isfinite(self.df) else None}
        return plain_data({"effect": float(self), **facts, **derived, "a": self.a.to_dict(), "b": self.b.to_dict()})
