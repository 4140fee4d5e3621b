"""Images that are labelled with some classes only, as in LVIS: which detections can be judged there, and how they match."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.core.errors import InputError
from assay.core.inputs import Inputs, memo
from assay.core.monoids import Rows
from assay.core.ragged import Ragged
from assay.metrics.detection.matching import Matches, coded
from assay.metrics.detection.shapes import area_of


@dataclass(frozen=True)
class FederatedMatches(Matches):
    """As `Matches`, by the rules of LVIS: ``most`` detections of an image over all classes, the best first.

    Of these, detections of classes that were not looked for in their image are left out; those of classes that are not labelled
    exhaustively there count only if they are right. There are no crowds. ``frequency`` is that of the class of each truth.
    """

    @memo
    def of(self, inputs: Inputs) -> Rows:
        """Match all images by the rules of LVIS."""
        truth, found = self.sides(inputs)
        pairs = _SearchedClasses(truth, found, inputs.who)
        found, partly = found.keep(pairs.judged), pairs.partly[pairs.judged]
        rows = self.matched(truth, found, inputs)
        every = np.array((1 << len(self.thresholds)) - 1, rows["skip"].dtype)
        rows["skip"][partly] |= every & ~rows["hit"][partly]
        unsaid = "frequency" not in truth
        frequency = np.full(len(truth["label"]), "") if unsaid else truth["frequency"]
        return replace(rows, columns={**rows.columns, "frequency": frequency.astype("U1")})

    def sides(self, inputs: Inputs) -> tuple[Ragged, Ragged]:
        """The best detections, and of both sides those that have an area: LVIS knows no others, but counts them up to its cap."""
        truth, found = self.alike(inputs)
        return _plain(truth), _plain(_best(found, self.most))


def _plain(objects: Ragged) -> Ragged:
    """Objects that have an area, none of them a crowd."""
    kept = objects.keep(area_of(objects) > 0)
    return replace(kept, items={**kept.items, "crowd": np.zeros_like(kept["crowd"])})


def _best(found: Ragged, most: int) -> Ragged:
    """At most so many detections of an image, by decreasing score; among equals those that come first."""
    long = found.counts > most
    if not long.any():
        return found
    kept = ~long[found.row]
    asked = np.flatnonzero(~kept)
    row = found.row[asked]
    order = asked[np.lexsort((-found["score"][asked], row))]
    sizes = found.counts[long]
    rank = np.arange(len(asked)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    kept[order[rank < most]] = True
    return found.keep(kept)


class _SearchedClasses:
    """Of each detection, whether its class was looked for in its image, and whether it is labelled there only in part."""

    def __init__(self, truth: Ragged, found: Ragged, who: str) -> None:
        listed = [_flat(truth, name, who) for name in ("negative", "not_exhaustive")]
        sets = [(truth["label"], truth.row), (found["label"], found.row), *listed]
        texts = {labels.dtype.kind in "USO" for labels, _ in sets if len(labels)}
        if len(texts) > 1:
            raise InputError(
                who,
                "",
                "labels, neg_category_ids and not_exhaustive_category_ids must all be text or all be numbers, got both",
            )
        names, codes = coded(np.concatenate([labels for labels, _ in sets if len(labels)] or [np.zeros(0, np.int64)]))
        ends = np.cumsum([len(labels) for labels, _ in sets])[:-1]
        cells = [row * max(len(names), 1) + code for (_, row), code in zip(sets, np.split(codes, ends), strict=True)]
        self.judged = np.isin(cells[1], np.concatenate([cells[0], cells[2]]))
        self.partly = np.isin(cells[1], cells[3])


def _flat(truth: Ragged, name: str, who: str) -> tuple[Any, Any]:
    """(labels, images) of what the images list."""
    if name not in truth.facts:
        raise InputError(
            who,
            "y_true",
            "must say which classes were looked for in each image: neg_category_ids and not_exhaustive_category_ids, as in LVIS's json",
            "For images labelled with all classes use coco and average_recall.",
        )
    lists = truth.facts[name].tolist()
    sizes = [len(one) for one in lists]
    full = [one for one in lists if len(one)]
    return np.concatenate(full) if full else np.zeros(0, np.int64), np.repeat(np.arange(truth.n), sizes)
