"""Panoptic quality against hotcoco, which follows panopticapi, against panopticapi where it is there, and published values."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from panoptic_files import segments_of, write_side

import assay
from assay.data.panoptic import PanopticMap
from assay.io.panoptic import read_panoptic
from assay.metrics.segmentation.panoptic_rows import plain_quality, plain_shared
from fixtures import load_json, path

pytestmark = pytest.mark.filterwarnings("ignore::assay.UndefinedWarning")
DEEPLAB = ("02_panoptic", "deeplab_instance_maps")


@st.composite
def pictures(draw: Any) -> tuple[Any, Any, Any, Any]:
    """Truth and prediction of 8 x 8, painted in rectangles, with void, one crowd a class, halves that meet exactly."""
    sides = []
    for _ in range(2):
        ids = np.zeros((8, 8), dtype=np.int64)
        for number in range(1, draw(st.integers(1, 6)) + 1):
            y, x, h, w = (draw(st.sampled_from((0, 2, 4, 6))) for _ in range(4))
            ids[y : y + 2 + h, x : x + 2 + w] = 0 if draw(st.integers(0, 5)) == 0 else 70_000 * number
        classes = {70_000 * number: draw(st.sampled_from((1, 1, 2, 5))) for number in range(7)}
        sides.append((ids, classes))
    (true, classes_t), (predicted, classes_p) = sides
    by_class = {c: i for i, c in sorted(classes_t.items()) if i}
    crowds = tuple(i for c, i in by_class.items() if c != 5 and draw(st.booleans()))
    listed = draw(st.booleans())  # a prediction may list 0, which is then a segment like any other
    return true, segments_of(true, classes_t, crowds), predicted, segments_of(predicted, classes_p, zero=listed)


def theirs(truth: Path, prediction: Path) -> dict[str, Any]:
    evaluation = pytest.importorskip("hotcoco").panoptic.PanopticEval(str(truth), str(prediction))
    evaluation.evaluate()
    return evaluation.results()


def ours(truth: Path, prediction: Path) -> dict[Any, dict[str, float]]:
    data = read_panoptic(truth, prediction)
    return assay.metrics.PanopticQuality(things=data.things, classes=data.classes).table(data.y_true, data.y_pred)


@settings(max_examples=60, deadline=None)
@given(st.lists(pictures(), min_size=1, max_size=3))
def test_made_up_files_give_the_numbers_of_the_reference(sets: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        truth = write_side(folder, "truth", [s[0] for s in sets], [s[1] for s in sets])
        prediction = write_side(folder, "prediction", [s[2] for s in sets], [s[3] for s in sets])
        got = ours(truth, prediction)
        for module, run in (("hotcoco", theirs), ("panopticapi", _panopticapi)):
            if module == "panopticapi" and not _there(module):
                continue
            wanted = run(truth, prediction)
            for group in ("All", "Things", "Stuff"):
                for part in ("pq", "sq", "rq"):
                    value = got[group.lower()][part]
                    if not wanted[group]["n"]:
                        assert np.isnan(value)
                    else:
                        assert value == pytest.approx(wanted[group][part], abs=1e-12), (module, group, part)


def _there(module: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(module) is not None


def _panopticapi(truth: Path, prediction: Path) -> dict[str, Any]:
    import contextlib
    import io
    import json

    from panopticapi import evaluation

    categories = {c["id"]: c for c in json.loads(truth.read_text())["categories"]}
    records = [json.loads(p.read_text())["annotations"] for p in (truth, prediction)]
    with contextlib.redirect_stdout(io.StringIO()):
        stat = evaluation.pq_compute_single_core(
            0, list(zip(*records, strict=True)), str(truth.with_suffix("")), str(prediction.with_suffix("")), categories
        )
    found: dict[str, Any] = {}
    for name, thing in (("All", None), ("Things", True), ("Stuff", False)):
        try:
            found[name] = stat.pq_average(categories, thing)[0]
        except ZeroDivisionError:
            found[name] = {"n": 0}
    return found


@settings(max_examples=100, deadline=None)
@given(pictures())
def test_the_kernel_is_its_plain_twin(picture: Any) -> None:
    from assay.kernels import panoptic

    true, info_t, predicted, info_p = picture
    pairs = panoptic.shared(true.reshape(-1), predicted.reshape(-1))
    np.testing.assert_array_equal(pairs, plain_shared(true.reshape(-1), predicted.reshape(-1)))
    narrow = [m.reshape(-1).astype(np.uint32) for m in (true, predicted)]  # as png files give them
    for cut in (64, 63, 1):
        flat = [m[:cut].copy() for m in narrow]
        np.testing.assert_array_equal(panoptic.shared(*flat), plain_shared(*flat))
    rows = [PanopticMap.of(ids, info).segments for ids, info in ((true, info_t), (predicted, info_p))]
    got, wanted = panoptic.quality(pairs, *rows, 6), plain_quality(pairs, *rows, 6)
    np.testing.assert_allclose(got[0], wanted[0], rtol=1e-15)
    assert got[1:] == wanted[1:] == (0, 0)
    short = rows[0][1:], rows[1][1:]  # a segment that is not listed, on either side
    for lists in ((short[0], rows[1]), (rows[0], short[1])):
        assert panoptic.quality(pairs, *lists, 6)[1:] == plain_quality(pairs, *lists, 6)[1:]


def test_many_segments_do_not_fit_the_first_table() -> None:
    from assay.kernels import panoptic

    ids = np.arange(200_000) // 3
    pairs = panoptic.shared(ids, ids[::-1].copy())
    np.testing.assert_array_equal(pairs, plain_shared(ids, ids[::-1]))


# ---- published values


def test_published_mmdet() -> None:
    expected = load_json("02_panoptic", "mmdet_synthetic", "expected.json")
    with np.load(path("02_panoptic", "mmdet_synthetic", "maps.npz")) as maps:
        sides = [maps[name].astype(np.int64) for name in ("gt", "pred")]
    classes = {1: 1, 2: 1, 3: 2, 4: 5}
    data = [[(ids, segments_of(ids, classes))] for ids in sides]
    table = assay.metrics.PanopticQuality(things=(1, 2)).table(*data)
    for group, suffix in (("all", ""), ("things", "_th"), ("stuff", "_st")):
        for part in ("pq", "sq", "rq"):
            assert 100 * table[group][part] == pytest.approx(expected[f"{part.upper()}{suffix}"], abs=1e-10)


def deeplab(name: str, truth: str, expected: Any) -> tuple[Any, Any]:
    """(class, instance) of truth and prediction."""
    from PIL import Image

    grey = [
        np.asarray(Image.open(path(*DEEPLAB, f)).convert("L")).astype(np.int64)
        for f in (truth, f"{name}_pred_instance.png")
    ]
    colours = np.asarray(Image.open(path(*DEEPLAB, f"{name}_pred_class.png")).convert("RGB")).astype(np.int64)
    table = expected["class_color_map_for_*_pred_class.png (RGB->class)"]
    coded = colours @ (65536, 256, 1)
    predicted = np.zeros(grey[1].shape, dtype=np.int64)
    for colour, label in table.items():
        predicted[coded == np.array([int(c) for c in colour.split(",")]) @ (65536, 256, 1)] = label
    by_value = expected["gt_instance_value_to_class"][truth]
    true = np.vectorize(lambda value: by_value.get(str(value), 0))(grey[0])
    return np.stack([true, grey[0]], axis=-1), np.stack([predicted, grey[1]], axis=-1)


@pytest.mark.parametrize("which", ["team_single_image", "three_images"])
def test_published_deeplab(which: str) -> None:
    expected = load_json(*DEEPLAB, "expected.json")
    files = {"team": "team_gt_instance.png", "bird": "bird_gt.png", "cat": "cat_gt.png"}
    names = ["team"] if which == "team_single_image" else ["bird", "cat", "team"]
    true, predicted = zip(*(deeplab(name, files[name], expected) for name in names), strict=True)
    for quality, short in (("panoptic", "PQ"), ("segmentation", "SQ"), ("recognition", "RQ")):
        got = assay.panoptic_quality(list(true), list(predicted), void=0, quality=quality)
        assert got == pytest.approx(expected[which][short], abs=2e-6)


def test_published_monai() -> None:
    """Instances of one class: their cases with a metric name and an IoU threshold of one half."""
    cases = load_json("03_segmentation", "monai_metric_cases", "test_compute_panoptic_quality.json")["cases"]
    short = {"pq": "panoptic", "sq": "segmentation", "rq": "recognition"}
    checked = 0
    for case in cases.values():
        given = case[0]
        if (
            not (isinstance(given, dict) and {"pred", "gt"} <= set(given))
            or given.get("match_iou_threshold", 0.5) != 0.5
        ):
            continue
        quality = short.get(str(given.get("metric_name", "pq")).lower())
        maps = [np.array(given[side]["data"]) for side in ("gt", "pred")]
        if quality is None or maps[0].ndim != 2 or not isinstance(case[1], int | float):
            continue
        pairs = [np.stack([np.where(m > 0, 1, 0), m], axis=-1)[None] for m in maps]
        got = assay.panoptic_quality(*pairs, quality=quality, classes=(0, 1), average=None)[1]
        assert got == pytest.approx(case[1], abs=1e-3)
        checked += 1
    assert checked
