"""What a caller can specify about an interval or a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.core.errors import ParameterError, arg
from assay.core.parameters import whole

MOST = 10_000_000  # replicates: beyond, memory and time go for digits that nobody reads


@dataclass(frozen=True)
class InferenceOptions:
    """Level, method, and how resampling is done."""

    level: float = 0.95
    method: str = "auto"
    replicates: int = 2000
    seed: int = 0

    def text(self, *, drawn: bool) -> str:
        """How a signature records an interval, so that it can be reproduced."""
        level = "" if self.level == 0.95 else f",level:{self.level:g}"
        return self.method + level + (f",b:{self.replicates},seed:{self.seed}" if drawn else "")

    def checked(self, who: str) -> InferenceOptions:
        """Refuse what makes no sense."""
        if not isinstance(_plain(self.level), int | float) or not 0 < self.level < 1:
            problem = f"must lie between 0 and 1, such as 0.95, got {self.level!r}"
            raise ParameterError(who, "level", problem, _meant(self.level))
        whole(who, "replicates", _plain(self.replicates), low=100, high=MOST)
        whole(who, "seed", _plain(self.seed), low=0)
        _text(who, self.method)
        return InferenceOptions(float(self.level), self.method, int(self.replicates), int(self.seed))


def _plain(value: Any) -> Any:
    """A NumPy scalar as Python's own number."""
    return value.item() if hasattr(value, "item") else value


def _meant(level: Any) -> str:
    return f"{level} % is {arg('level', level / 100)}." if isinstance(level, int | float) and 50 <= level < 100 else ""


def _text(who: str, method: Any) -> None:
    if not isinstance(method, str):
        raise ParameterError(who, "method", f"must be a name such as 'auto' or 'bootstrap', got {method!r}")
