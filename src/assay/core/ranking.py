"""Several models on the same rows: all pairs, and a ranking that says which cannot be told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.core import notebook
from assay.core.call_checks import guarded
from assay.core.comparison import Comparison
from assay.core.errors import ParameterError, UnknownNameError, did_you_mean
from assay.core.escaping import visible
from assay.core.frames import Framed, FrameData
from assay.core.score import Score, in_cells
from assay.core.value_checks import Name

_SCHEMA: dict[str, type] = {
    "model": str, "value": float, "low": float, "high": float, "best_rank": int, "worst_rank": int, "n": int, "method": str,
    "reliable": bool,
}  # fmt: skip


@dataclass(frozen=True, repr=False)
class Ranking(Framed):
    """Models from best to worst, with all pairs.

    ``scores`` are in order. ``pairs`` hold every comparison (better ranked first) with p values adjusted by Holm and intervals
    that hold together. ``places`` gives the ranks that each model may have: how many are surely better, how many surely worse.
    """

    metric: str
    scores: dict[str, Score]
    pairs: dict[tuple[str, str], Comparison]
    level: float

    @property
    def order(self) -> list[str]:
        """The models from best to worst."""
        return list(self.scores)

    @guarded
    def pair(self, a: Name, b: Name) -> Comparison:
        """The comparison of two models as it was made: with the one that ranks first as ``a``."""
        for name in (a, b):
            if name not in self.scores:
                raise UnknownNameError("", "", f"unknown model {name!r}", did_you_mean(name, self.scores))
        if a == b:
            raise ParameterError("pair", "", f"{a!r} cannot be compared with itself")
        return self.pairs[(a, b)] if (a, b) in self.pairs else self.pairs[(b, a)]

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """The best and the worst rank that the data leave open for each model."""
        found: dict[str, tuple[int, int]] = {}
        for name in self.scores:
            better = sum(1 for (_, second), c in self.pairs.items() if second == name and c.significant)
            worse = sum(1 for (first, _), c in self.pairs.items() if first == name and c.significant)
            found[name] = (1 + better, len(self.scores) - worse)
        return found

    @property
    def ties(self) -> list[tuple[str, ...]]:
        """The largest runs of the ranking within which no two models can be told apart."""
        order, runs = self.order, list[tuple[str, ...]]()
        for start in range(len(order)):
            stop = start + 1
            while stop < len(order) and all(not self.pairs[(x, order[stop])].significant for x in order[start:stop]):
                stop += 1
            if stop - start > 1 and not (runs and set(order[start:stop]) <= set(runs[-1])):
                runs.append(tuple(order[start:stop]))
        return runs

    def __str__(self) -> str:
        width = max(len(visible(name)) for name in self.scores)
        lines = [
            f"{_place(*self.places[name]):>5}  {visible(name):<{width}}  {score.short()}"
            for name, score in self.scores.items()
        ]
        return "\n".join([f"{self.metric}, {len(self.scores)} models", *lines, *map(visible, self.findings())])

    def findings(self) -> list[str]:
        """What there is to say, in words."""
        said = [f"{_listed(run)} cannot be told apart." for run in self.ties]
        first = self.order[0]
        if all(c.significant for (a, _), c in self.pairs.items() if a == first):
            said.insert(0, f"{first} is best.")
        marked = sorted({s.reason for s in self.scores.values() if s.reason})
        return said + [f"* {reason}." for reason in marked]

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        places = self.places
        rows = [[_place(*places[name]), name, *in_cells(score)] for name, score in self.scores.items()]
        head = ["place", "model", "value", f"{100 * self.level:g} % interval"]
        return notebook.page([notebook.Table(self.metric, head, rows)], self.findings())

    def frame_data(self) -> FrameData:
        """One row per model, from best to worst, with its interval and the ranks that are left open."""
        places = self.places
        rows = [
            {"model": name, "value": float(s), "low": s.low, "high": s.high, "best_rank": places[name][0],
             "worst_rank": places[name][1], "n": s.n, "method": s.method, "reliable": s.reliable}
            for name, s in self.scores.items()
        ]  # fmt: skip
        return FrameData(rows, _SCHEMA)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return {
            "metric": self.metric,
            "level": self.level,
            "scores": {name: score.to_dict() for name, score in self.scores.items()},
            "places": {name: list(place) for name, place in self.places.items()},
            "ties": [list(run) for run in self.ties],
            "pairs": [{"first": a, "second": b, **c.to_dict()} for (a, b), c in self.pairs.items()],
            "findings": self.findings(),
        }


def _place(best: int, worst: int) -> str:
    return f"{best}" if best == worst else f"{best}-{worst}"


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
