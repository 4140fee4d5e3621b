"""The program of ``test_mask_fuzz``: damaged strings and polygons through the decoders; the report is printed."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from assay.kernels import boundary_bands, masks, polygons
from assay.kernels.jit import exact

report: dict[str, Any] = {}


@exact("f8[::1]")
def beyond(a: Any) -> Any:
    return a[len(a)]


try:
    beyond(np.zeros(3))
    report["checked"] = False
except IndexError:
    report["checked"] = True

rng = np.random.default_rng(6)
STRINGS, POLYGONS, H, W = 700_000, 300_000, 9, 12


def sane(counts: Any, starts: Any, good: Any, size: Any) -> None:
    """Every mask that was let through has runs that add up, and can be measured, compared and written again."""
    total = np.add.reduceat(np.append(counts, 0).astype(np.int64), starts[:-1]) * (starts[1:] > starts[:-1])
    assert np.array_equal(total[good], size[good])
    counts, starts = masks.take(counts, starts, np.flatnonzero(good))
    height, width = np.full(len(starts) - 1, H), np.full(len(starts) - 1, W)
    area, box = masks.area(counts, starts), masks.boxes(counts, starts, height)
    assert np.all((area >= 0) & (area <= H * W) & (box[:, 2] * box[:, 3] >= area))
    assert np.all((box[:, 0] + box[:, 2] <= W) & (box[:, 1] + box[:, 3] <= H))
    text, offsets = masks.encoded(counts, starts)
    again, places, fault = masks.decoded(text, offsets, height * width)
    assert not fault.any()
    assert np.array_equal(again, counts)
    assert np.array_equal(places, starts)
    some = min(len(height), 300)
    side = counts, starts[: some + 1], box[:some], area[:some]
    overlap = masks.iou(side, side, np.arange(some, dtype=np.uint8) % 2)
    assert np.all((overlap >= 0) & (overlap <= 1))
    few = slice(0, min(len(height), 20_000))
    begin = starts[: few.stop + 1]
    band, ends = boundary_bands.bands(counts, begin, height[few], width[few], rng.integers(1, 6, few.stop))
    assert np.all(masks.area(band, ends) <= area[few])


# Strings: written from pixels, then one in three is left alone; the others have a character changed, the end cut off, or are noise.
images = (rng.random((50_000, H, W)) < rng.choice([0, 0.03, 0.3, 0.97], (50_000, 1, 1))).astype(np.uint8)
counts, starts = masks.take(*masks.from_pixels(images, by_row=True), rng.integers(0, 50_000, STRINGS))
text, offsets = masks.encoded(counts, starts)
text, kind, length = text.copy(), rng.integers(0, 6, STRINGS), np.diff(offsets)
change = np.flatnonzero(kind == 2)
text[offsets[change] + (rng.random(len(change)) * length[change]).astype(np.int64)] = rng.integers(0, 256, len(change))
near = np.flatnonzero(kind == 3)
text[offsets[near] + (rng.random(len(near)) * length[near]).astype(np.int64)] = rng.integers(48, 112, len(near))
noise = np.repeat(kind == 4, length)
text[noise] = rng.integers(40, 120, noise.sum())
left = np.where(kind == 5, rng.integers(0, 12, STRINGS), length)
text = text[np.arange(len(text)) - np.repeat(offsets[:-1], length) < np.repeat(left, length)]
offsets = masks.starts_of(np.minimum(left, length))
size = np.full(STRINGS, H * W)
counts, starts, fault = masks.decoded(text, offsets, size)
report["strings"] = np.bincount(fault[:, 0], minlength=6).tolist()
sane(counts, starts, fault[:, 0] == 0, size)
report["lists"] = int((masks.checked(rng.integers(-2, 60, len(text)), offsets, size)[:, 0] == 0).sum())

# Polygons: on and off the grid, far away, repeated, cut short, not numbers.
each = rng.integers(2, 9, POLYGONS) * 2
each[rng.random(POLYGONS) < 0.03] += 1
places = np.concatenate([[0], np.cumsum(each)])
xy = rng.uniform(-6, 18, places[-1])
style = np.repeat(rng.integers(0, 5, POLYGONS), each)
xy = np.where(style == 0, np.round(xy), np.where(style == 1, np.round(xy * 5) / 5 + 0.1, xy))
xy = np.where(style == 2, np.where(rng.random(len(xy)) < 0.3, xy * 10.0 ** rng.integers(0, 7, len(xy)), xy), xy)
xy[style == 3] = np.round(xy[style == 3] / 4) * 4
odd = rng.random(len(xy)) < 0.004
xy[odd] = rng.choice([np.nan, np.inf, -np.inf, 1e8, -1e8, 1.1e8, 1e308, 5e-324], odd.sum())
owners = np.unique(np.concatenate([[0, POLYGONS], rng.integers(0, POLYGONS, POLYGONS // 2)]))
owners = np.insert(owners, rng.integers(1, len(owners), 50), -1)
owners = np.maximum.accumulate(owners)  # some masks have no polygon at all
height, width = np.full(len(owners) - 1, H), np.full(len(owners) - 1, W)
counts, starts, fault = polygons.drawn(xy, places, owners, height, width)
report["polygons"] = np.bincount(fault[:, 0], minlength=7).tolist()
sane(counts, starts, fault[:, 0] == 0, height * width)
report["cases"] = STRINGS + POLYGONS
np.savez(
    sys.argv[1],
    text=text,
    offsets=offsets,
    counts=counts,
    starts=starts,
    xy=xy,
    places=places,
    owners=owners,
    fault=fault,
)
sys.stdout.write(json.dumps(report))
