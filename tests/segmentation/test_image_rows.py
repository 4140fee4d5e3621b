"""What follows from rows per image: lists and files, intervals, comparisons, states of other classes, one walk for all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import assay
from assay.core.errors import StateError
from assay.core.monoids import Sum
from assay.io.label_maps import read_label_maps
from assay.metrics import AverageSurfaceDistance, Dice, Hausdorff, MeanIoU, NormalizedSurfaceDice, PixelAccuracy
from assay.metrics.segmentation import surface_rows
from messages import refusal


def maps(seed: int, n: int = 40) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    true = np.repeat(np.repeat(rng.integers(0, 4, (n, 4, 4)), 3, 1), 3, 2)
    noise = [np.where(rng.random(true.shape) < share, true, rng.integers(0, 4, true.shape)) for share in (0.8, 0.7)]
    return true, noise[0], noise[1]


# ---- sums with classes


def test_sums_of_other_classes_add_up_over_all() -> None:
    a = Sum(("x", "y"), np.array([[1.0, 2.0], [3.0, 4.0]]), 2, labels=(0, 3))
    b = Sum(("x", "y"), np.array([[10.0, 20.0], [30.0, 40.0]]), 1, labels=(1, 3))
    both = a + b
    assert (both.labels, both.n) == ((0, 1, 3), 3)
    np.testing.assert_array_equal(both.totals, [[1, 2], [10, 20], [33, 44]])
    np.testing.assert_array_equal((b + a).totals, both.totals)
    np.testing.assert_array_equal(both["y"], [2, 20, 44])
    with refusal(StateError):
        _ = a + Sum(("x", "z"), b.totals, 1, labels=(1, 3))


def test_states_of_batches_with_other_classes_are_the_whole() -> None:
    true, predicted, _ = maps(0)
    true[:20], predicted[:20] = true[:20] % 2, predicted[:20] % 2  # the first batch has seen two classes only
    metric = MeanIoU()
    state = metric.state(true[:20], predicted[:20]) + metric.state(true[20:], predicted[20:])
    assert state.value() == metric(true, predicted)
    assert assay.State.from_bytes(state.to_bytes()).value() == state.value()
    assert metric.state(true[:20], predicted[:20]).total.labels == (0, 1)


# ---- inputs


def test_lists_of_other_sizes_and_files_are_the_same(tmp_path: Path) -> None:
    true, predicted, _ = maps(1, n=6)
    ragged = [[m[: 6 + i % 3, : 12 - i % 2].astype(np.uint8) for i, m in enumerate(side)] for side in (true, predicted)]
    for side, name in zip(ragged, ("t", "p"), strict=True):
        (tmp_path / name).mkdir()
        for i, m in enumerate(side):
            Image.fromarray(m).save(tmp_path / name / f"{i}.png")
    files = [read_label_maps(tmp_path / name) for name in ("t", "p")]
    t, p = (np.concatenate([m.ravel() for m in side]) for side in ragged)
    for metric in (PixelAccuracy(), MeanIoU(), Dice(level="image"), MeanIoU(average=None)):
        np.testing.assert_array_equal(metric(*files), metric(*ragged))
    assert PixelAccuracy()(*files) == pytest.approx((t == p).mean(), rel=1e-15)
    with_weight = PixelAccuracy()(*files, weight=[1, 0, 0, 0, 0, 0])
    assert with_weight == (ragged[0][0] == ragged[1][0]).mean()


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint16, np.int16, np.int32, np.uint32, np.int64, np.uint64])
def test_every_kind_of_whole_numbers(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    true, predicted, _ = maps(2)
    wanted = MeanIoU()(true, predicted)
    assert MeanIoU()(true.astype(kind), predicted.astype(kind)) == wanted
    from assay import kernels

    monkeypatch.setattr(kernels, "LARGE", 1)  # by the kernels, too
    assert MeanIoU()(true.astype(kind), predicted.astype(kind)) == wanted
    assert MeanIoU(classes=4)(true.astype(kind), predicted.astype(np.uint8)) == wanted
    assert MeanIoU(ignore_index=3)(true.astype(kind), predicted) == pytest.approx(
        MeanIoU(ignore_index=3, classes=3)(true, predicted)
    )


def test_a_predicted_ignored_label_is_a_miss() -> None:
    true, predicted = np.array([[[0, 0, 1, 255]]]), np.array([[[0, 255, 1, 1]]])
    assert assay.pixel_accuracy(true, predicted, ignore_index=255) == pytest.approx(2 / 3)
    np.testing.assert_allclose(assay.mean_iou(true, predicted, ignore_index=255, average=None), [1 / 2, 1])


# ---- what follows


def test_intervals_and_comparisons_resample_images() -> None:
    true, good, bad = maps(3)
    for metric in (MeanIoU(), Dice(level="image"), PixelAccuracy()):
        score = metric.interval(true, good)
        drawn = metric.interval(true, good, method="percentile", replicates=500)
        assert score.low < score < score.high
        assert drawn.high - drawn.low == pytest.approx(score.high - score.low, rel=0.25)
        comparison = metric.compare(true, good, bad)
        assert comparison.low > 0
    by_hand = np.random.default_rng(0)
    values = []
    for _ in range(300):
        at = by_hand.integers(0, len(true), len(true))
        values.append(MeanIoU()(true[at], good[at]))
    assert MeanIoU().interval(true, good).high - MeanIoU()(true, good) == pytest.approx(1.96 * np.std(values), rel=0.25)


def test_surfaces_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    true, predicted = (m > 1 for m in maps(4, n=5)[:2])
    walks: list[int] = []
    original = surface_rows.plain_between
    monkeypatch.setattr(surface_rows, "plain_between", lambda *a, **k: walks.append(1) or original(*a, **k))
    metrics = [Hausdorff(), Hausdorff(percentile=95), AverageSurfaceDistance(), NormalizedSurfaceDice(tolerance=2)]
    inputs = metrics[0].inputs(true, predicted)
    inputs.wanted = frozenset(metric.statistic() for metric in metrics)
    together = [metric.finalize(metric.statistic().of(inputs)) for metric in metrics]
    assert len(walks) == 5
    assert together == [metric(true, predicted) for metric in metrics]


def test_surfaces_of_classes() -> None:
    true, predicted, _ = maps(5, n=8)
    each = Hausdorff(classes=(1, 2), average=None)(true, predicted)
    wanted = [Hausdorff()(true == c, predicted == c) for c in (1, 2)]
    np.testing.assert_allclose(each, wanted, rtol=1e-14)
    images = [
        np.mean([Hausdorff()(t[None] == c, p[None] == c) for c in (1, 2)]) for t, p in zip(true, predicted, strict=True)
    ]
    assert Hausdorff(classes=(1, 2))(true, predicted) == pytest.approx(np.mean(images), rel=1e-14)


def test_slices_of_images() -> None:
    true, predicted, _ = maps(6)
    where = np.array(["a", "b"])[np.arange(len(true)) % 2]
    found = MeanIoU().by(where, true, predicted)
    assert float(found["a"].score) == pytest.approx(MeanIoU()(true[::2], predicted[::2]), rel=1e-12)
