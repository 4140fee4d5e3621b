"""What a caller may say about an interval or a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.core.errors import ParameterError
from assay.core.parameters import number, whole


@dataclass(frozen=True)
class Options:
    """Level, method, and how resampling is done."""

    level: float = 0.95
    method: str = "auto"
    replicates: int = 2000
    seed: int = 0

    def checked(self, who: str) -> Options:
        """Refuse what makes no sense."""
        number(who, "level", self.level, low=0, high=1, open_low=True)
        if self.level >= 1:
            raise ParameterError(f"{who}: level must lie between 0 and 1, such as 0.95, got {self.level}.")
        whole(who, "replicates", self.replicates, low=100)
        whole(who, "seed", self.seed, low=0)
        _text(who, self.method)
        return self


def _text(who: str, method: Any) -> None:
    if not isinstance(method, str):
        raise ParameterError(f"{who}: method must be a name such as 'auto' or 'bootstrap', got {method!r}.")
