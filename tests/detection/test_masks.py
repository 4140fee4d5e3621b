"""Masks against pycocotools, bit for bit; bands against faster-coco-eval; malformed input by name."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.errors import InputError, ParameterError
from assay.data.masks import Masks, mask_iou
from fixtures import path
from messages import refusal

coco = pytest.importorskip("pycocotools.mask")
MANY = settings(max_examples=300, deadline=None, derandomize=True)
FEW = settings(max_examples=80, deadline=None, derandomize=True)

sides = st.integers(1, 24)
numbers = st.one_of(
    st.integers(-8, 32).map(float),
    st.floats(-10, 34, allow_nan=False),
    st.integers(-50, 170).map(lambda k: k / 5),
    st.integers(-50, 170).map(lambda k: (k + 0.5) / 5),
    st.sampled_from([0.0, -0.0, 0.5, 0.1, -0.1, 1e-9, -1e-9, 5e4, -5e4]),
)
polygon = st.lists(numbers, min_size=3, max_size=10).flatmap(
    lambda xs: st.lists(numbers, min_size=len(xs), max_size=len(xs)).map(
        lambda ys: [v for pair in zip(xs, ys, strict=True) for v in pair]
    )
)


@st.composite
def pictures(draw: Any, least: int = 1, most: int = 4) -> Any:
    """Some masks of one size: blocks, noise, nothing and everything."""
    h, w, m = draw(sides), draw(sides), draw(st.integers(least, most))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    share = rng.choice([0, 0.02, 0.5, 0.98, 1], (m, 1, 1))
    noise = rng.random((m, h, w)) < share
    blocks = np.kron(rng.random((m, -(-h // 5), -(-w // 5))) < 0.5, np.ones((1, 5, 5), bool))[:, :h, :w]
    return np.where(rng.random((m, 1, 1)) < 0.5, noise, blocks)


def theirs(pixels: Any) -> list[Any]:
    return coco.encode(np.asfortranarray(pixels.transpose(1, 2, 0).astype(np.uint8)))


def same(masks: Masks, wanted: list[Any]) -> None:
    assert [masks.to_coco(i)["counts"].encode() for i in range(len(masks))] == [r["counts"] for r in wanted]
    assert [masks.to_coco(i)["size"] for i in range(len(masks))] == [r["size"] for r in wanted]


@MANY
@given(parts=st.lists(polygon, min_size=1, max_size=3), h=sides, w=sides)
def test_polygons(parts: list[list[float]], h: int, w: int) -> None:
    same(Masks.from_coco([parts], [(h, w)]), [coco.merge(coco.frPyObjects(parts, h, w))])


@pytest.mark.parametrize("corners", [
    [5, 5] * 3,
    [5, 5, 5, 5, 12, 5, 12, 5, 12, 12],
    [2, 2, 9, 2, 2, 9, 9, 9],
    [-40, -40, -40, -30, -30, -30],
    [100, 100, 120, 100, 120, 120],
    [-100, -100, -100, 100, 100, 100, 100, -100],
    [3.1, 3.1, 3.2, 3.1, 3.2, 3.2],
    [0.5, 0.5, 0.5, 14.5, 14.5, 14.5, 14.5, 0.5],
    [2.5, 0, 2.5, 15, 2.5, 0],
    [0, 7, 15, 7, 0, 7],
    [-1e6, 3, 1e6, 4, 5, 9],
    [1, 1, 13, 4, 2, 9, 14, 14, 3, 3, 8, 1],
], ids=["one point", "repeated points", "bow tie", "far left", "far right", "around", "tiny", "half pixels", "upright line",
        "level line", "thin and long", "crossing itself"])  # fmt: skip
def test_odd_polygons(corners: list[float]) -> None:
    for h, w in ((16, 16), (1, 16), (16, 1), (9, 30)):
        same(Masks.from_coco([[corners]], [(h, w)]), coco.frPyObjects([corners], h, w))


def test_a_polygon_with_hundreds_of_crossings_in_a_column() -> None:
    rng = np.random.default_rng(0)
    xy = np.stack([np.tile([1.0, 18.0], 150), rng.uniform(-5, 60, 300)], 1).ravel().tolist()
    same(Masks.from_coco([[xy]], [(50, 20)]), coco.frPyObjects([xy], 50, 20))


@MANY
@given(pixels=pictures())
def test_pixels_to_runs_and_back(pixels: Any) -> None:
    wanted = theirs(pixels)
    by_column = np.asfortranarray(pixels.transpose(1, 2, 0)).transpose(2, 0, 1)
    for images in (
        pixels,
        pixels.astype(np.uint8) * 255,
        pixels.astype(np.int64) * 3,
        by_column,
        pixels[:, ::1, ::-1][:, :, ::-1],
        list(pixels),
    ):
        same(Masks.from_dense(images), wanted)
    masks = Masks.from_coco(wanted)
    for i, image in enumerate(pixels):
        np.testing.assert_array_equal(masks.dense(i), image)
        np.testing.assert_array_equal(masks.dense(i), coco.decode(wanted[i]))


@FEW
@given(h=st.integers(1, 5), w=st.integers(500, 2200), seed=st.integers(0, 10**6))
def test_pixels_of_wide_images(h: int, w: int, seed: int) -> None:
    pixels = np.random.default_rng(seed).random((2, h, w)) < 0.003
    same(Masks.from_dense(pixels), theirs(pixels))
    same(Masks.from_dense(pixels.transpose(0, 2, 1)), theirs(pixels.transpose(0, 2, 1)))


def test_pixels_that_turn_at_every_step_outgrow_the_first_buffer() -> None:
    board = (np.indices((70, 90)).sum(0) % 2)[None].astype(bool)
    same(Masks.from_dense(board), theirs(board))
    same(Masks.from_dense(np.asfortranarray(board[0])[None]), theirs(board))


def test_values_other_than_one_are_inside_also_beside_each_other() -> None:
    image = np.array([[0, 1, 2], [255, 7, 0]], np.uint8)
    same(Masks.from_dense(image[None]), theirs(image[None] > 0))


@MANY
@given(pixels=pictures())
def test_area_and_boxes(pixels: Any) -> None:
    wanted = theirs(pixels)
    masks = Masks.from_coco(wanted)
    np.testing.assert_array_equal(masks.area(), coco.area(wanted))
    np.testing.assert_array_equal(masks.boxes(), coco.toBbox(wanted))


@MANY
@given(a=pictures(2, 5), seed=st.integers(0, 999), data=st.data())
def test_iou(a: Any, seed: int, data: Any) -> None:
    rng = np.random.default_rng(seed)
    b = rng.permutation(a ^ (rng.random(a.shape) < rng.choice([0, 0.1, 0.5])))
    crowd = data.draw(st.lists(st.booleans(), min_size=len(b), max_size=len(b)))
    first, second = Masks.from_dense(a), Masks.from_dense(b)
    wanted = coco.iou(theirs(a), theirs(b), np.array(crowd, np.uint8))
    np.testing.assert_array_equal(mask_iou(first, second, crowd), wanted)
    np.testing.assert_array_equal(mask_iou(first, second), coco.iou(theirs(a), theirs(b), np.zeros(len(b), np.uint8)))


def test_runs_of_no_pixels_change_nothing() -> None:
    # pycocotools stops where both masks have such a run, and finds an IoU of 0 here; the pixels say otherwise.
    a = Masks.from_coco([{"size": [4, 5], "counts": [0, 3, 2, 0, 4, 6, 5]}])
    b = Masks.from_coco([{"size": [4, 5], "counts": [5, 0, 0, 0, 4, 6, 5, 0]}])
    np.testing.assert_array_equal(mask_iou(a, b), [[6 / 9]])
    assert a.boxes().tolist() == [[0, 0, 4, 4]]
    assert b.boxes().tolist() == [[2, 0, 2, 4]]
    assert Masks.from_coco([{"size": [4, 5], "counts": [20, 0]}]).boxes().tolist() == [[0, 0, 0, 0]]


@FEW
@given(pixels=pictures(), runs=st.booleans())
def test_all_kinds_of_coco_mixed(pixels: Any, runs: bool) -> None:
    h, w = pixels.shape[1:]
    corners = [1, 1, w - 2, 1, w - 2, h - 1.5]
    plain = [{"size": [h, w], "counts": Masks.from_dense(p[None]).counts.tolist()} for p in pixels]
    text = [{**r, "counts": r["counts"].decode() if runs else r["counts"]} for r in theirs(pixels)]
    mixed = [x for pair in zip(plain, [[corners]] * len(pixels), text, strict=True) for x in pair]
    masks = Masks.from_coco(mixed, [(h, w)] * len(mixed))
    drawn = coco.merge(coco.frPyObjects([corners], h, w))
    same(masks, [r for one in theirs(pixels) for r in (one, drawn, one)])


def test_take_and_join() -> None:
    pixels = np.random.default_rng(1).random((7, 6, 9)) < 0.4
    masks = Masks.from_dense(pixels)
    same(masks.take([6, 0, 0, 3]), [theirs(pixels)[i] for i in (6, 0, 0, 3)])
    same(masks.take(np.arange(7) % 2 == 1), theirs(pixels)[1::2])
    same(Masks.joined([masks, masks.take([2])]), [*theirs(pixels), theirs(pixels)[2]])
    assert len(masks.take([])) == len(Masks.joined([])) == len(Masks.from_coco([])) == 0
    assert mask_iou(masks.take([]), masks).shape == (0, 7)
    assert Masks.from_coco([]).area().shape == (0,)
    assert Masks.from_dense(np.zeros((0, 4, 4), bool)).boxes().shape == (0, 4)
    for bad in ([7], [-1]):
        with refusal(InputError):
            masks.take(bad)


def test_polygons_on_an_image_of_the_largest_size() -> None:
    far = Masks.from_coco([[[2e7, 0, 2e7, 9, 2.0001e7, 9, 2.0001e7, 0]]], [(100, 21_000_000)])
    np.testing.assert_array_equal(far.boxes(), [[2e7, 0, 1000, 9]])
    assert far.area().tolist() == [9000]
    with refusal(InputError):
        Masks.from_coco([[[0, 0, 1e8, 0, 1e8, 1]]], [(1, 10**8)])


def test_strings_round_trip() -> None:
    masks = Masks.from_dense(np.random.default_rng(2).random((300, 30, 41)) < np.linspace(0, 1, 300)[:, None, None])
    text, offsets = masks.strings()
    again = Masks.from_strings(text, offsets, masks.height, masks.width)
    np.testing.assert_array_equal(again.counts, masks.counts)
    np.testing.assert_array_equal(again.starts, masks.starts)


def test_real_masks() -> None:
    """The ground truth and the detections of 100 images of COCO."""
    truth = json.loads(path("01_detection/coco_val2014_100/instances_val2014_100.json").read_text())
    size = {i["id"]: (i["height"], i["width"]) for i in truth["images"]}
    records = [r for r in truth["annotations"] if r["image_id"] in size]
    sizes = [size[r["image_id"]] for r in records]
    masks = Masks.from_coco([r["segmentation"] for r in records], sizes)
    wanted: list[Any] = []
    for r, (h, w) in zip(records, sizes, strict=True):
        made = coco.frPyObjects(r["segmentation"], h, w)
        wanted.append(coco.merge(made) if isinstance(made, list) else made)
    assert len(wanted) > 500
    same(masks, wanted)
    found = json.loads(path("01_detection/coco_val2014_100/fakesegm100_results.json").read_text())
    masks = Masks.from_coco([r["segmentation"] for r in found])
    strings = [r["segmentation"] for r in found]
    np.testing.assert_array_equal(masks.area(), [coco.area(s) for s in strings])
    np.testing.assert_array_equal(masks.boxes(), coco.toBbox(strings))


def plain_band(image: Any, d: int) -> Any:
    """Every pixel of the square is looked at."""
    h, w = image.shape
    framed = np.pad(image, d)
    left = np.ones_like(image)
    for dy in range(2 * d + 1):
        for dx in range(2 * d + 1):
            left &= framed[dy : dy + h, dx : dx + w]
    return image & ~left


@FEW
@given(pixels=pictures(), ratio=st.sampled_from([0.001, 0.02, 0.05, 0.1, 0.3, 5.0]))
def test_bands(pixels: Any, ratio: float) -> None:
    d = max(1, round(ratio * float(np.hypot(*pixels.shape[1:]))))
    wanted = np.stack([plain_band(p, d) for p in pixels])
    same(Masks.from_dense(pixels).boundary(ratio), theirs(wanted))


def test_bands_agree_with_faster_coco_eval() -> None:
    peer = pytest.importorskip("faster_coco_eval.core.mask")
    yy, xx = np.mgrid[:120, :150]
    rng = np.random.default_rng(5)
    pixels = np.stack([
        np.hypot((yy - rng.uniform(0, 120)) / rng.uniform(5, 60), (xx - rng.uniform(0, 150)) / rng.uniform(5, 60)) < 1
        for _ in range(60)
    ])  # fmt: skip
    same(Masks.from_dense(pixels).boundary(), [peer.rleToBoundary(r) for r in theirs(pixels)])
    truth = json.loads(path("01_detection/fce_small/gt_dataset.json").read_text())["annotations"]
    masks = Masks.from_coco([r["segmentation"] for r in truth], [(256, 256)] * len(truth))
    wanted = [coco.merge(coco.frPyObjects(r["segmentation"], 256, 256)) for r in truth]
    for ratio in (0.005, 0.02, 0.1):
        same(masks.boundary(ratio), [peer.rleToBoundary(r, ratio) for r in wanted])


def test_bands_of_runs_that_touch_are_those_of_the_pixels() -> None:
    split = Masks.from_coco([{"size": [10, 1], "counts": [1, 3, 0, 4, 2]}])
    whole = Masks.from_coco([{"size": [10, 1], "counts": [1, 7, 2]}])
    np.testing.assert_array_equal(split.boundary().dense(0), whole.boundary().dense(0))


def test_ratio_must_be_positive() -> None:
    with refusal(ParameterError):
        Masks.from_coco([]).boundary(0)


def square(counts: Any) -> dict[str, Any]:
    return {"size": [4, 5], "counts": counts}


@pytest.mark.parametrize(("segment", "words"), [
    (square([3, 2]), r"counts: the runs add up to 5, not to the 20 pixels of size \[4, 5\]"),
    (square([30, 2]), "run 0 is negative or goes beyond the 20 pixels"),
    (square([3, -2, 19]), "run 1 is negative"),
    (square([]), "add up to 0"),
    (square(""), "add up to 0"),
    (square([1.5, 18.5]), "counts must hold integers only"),
    (square([[1], [2]]), "integers only"),
    (square([1, "a"]), "integers only"),
    (square([1, None]), "integers only"),
    (square([1e300]), "integers only"),
    (square([2**70]), "integers only"),
    (square("3 2"), "character 1 is ' '"),
    (square("3\x00"), "character 1 is"),
    (square("3p"), "character 1 is 'p'"),
    (square("日"), "letters that compressed runs never hold"),
    (square("32Q"), "ends within a number, after 3 characters"),
    (square("3" + "o" * 9), "longer than any run can be"),
    (square(7), "must be a string or a list, got int"),
    ({"size": [4, 5]}, r"needs 'size' and 'counts', got keys \['size'\]"),
    ({"size": [4], "counts": [20]}, r"size must be \[height, width\]"),
    ({"size": None, "counts": [20]}, r"size must be \[height, width\]"),
    ({"size": [4, 2.5], "counts": [10]}, r"size must be \[height, width\]"),
    ([[1, 2, 3]], "polygon 0 has 3 numbers, and x and y come in pairs"),
    ([[1, 2, 3, 4]], "polygon 0 has 4 numbers, and three corners need 6"),
    ([[1, 1, 3, 1, 3, 3], [1, 2, 3, 4, 5, 6, 7]], "polygon 1 has 7 numbers"),
    ([[1, 1, 3, 1, 3, float("nan")]], "polygon 0 has a coordinate that is NaN or infinite"),
    ([[1, 1, 3, 1, 3, -float("inf")]], "NaN or infinite"),
    ([[1, 1, 3, 1, 3, 1e9]], r"beyond 1e\+08 pixels"),
    ([[1, 1, 3, 1, 3, None]], "must hold numbers only"),
    ([[1, 1, 3, 1, 3, "4"]], "must hold numbers only"),
    ([[1, 1, 3, 1, 3, 3], 7], "a polygon is a list of numbers, got int"),
    ([1, 1, 3, 1, 3, 3], r"give a list of polygons: \[\[x, y, ...\]\]"),
    ([], "is empty; give at least one polygon"),
    (None, "got NoneType"),
    ("abc", "got str"),
])  # fmt: skip
def test_malformed_segments_are_named(segment: Any, words: str) -> None:
    good = [square([20]), square("d0"), [[1, 1, 3, 1, 3, 3]]]
    with refusal(InputError):
        Masks.from_coco([*good, segment], [(4, 5)] * 4, where=lambda i: f"annotation {i + 41}")
    with refusal(InputError):
        Masks.from_coco([segment, *good], [(4, 5)] * 4, where=["first", "second", "third", "fourth"])


@pytest.mark.parametrize("size", [[0, 5], [-4, 5], [2**16, 2**16], [2**80, 1], [5, 0]])
def test_impossible_sizes(size: list[int]) -> None:
    with refusal(InputError):
        Masks.from_coco([{"size": size, "counts": [20]}])


def test_wrong_calls() -> None:
    with refusal(InputError):
        Masks.from_coco([[[1, 1, 3, 1, 3, 3]]])
    with refusal(InputError):
        Masks.from_coco([square([20])] * 2, [(4, 5)])
    with refusal(InputError):
        Masks.from_dense(np.zeros((1, 4, 4)))
    with refusal(InputError):
        Masks.from_dense(np.zeros((4, 4), bool))
    with refusal(InputError):
        Masks.from_dense([np.zeros((4, 4), bool), np.zeros(4, bool)])
    with refusal(InputError):
        Masks.from_dense(np.zeros((1, 0, 4), bool))
    one, other = Masks.from_coco([square([20])]), Masks.from_coco([{"size": [5, 4], "counts": [20]}])
    with refusal(InputError):
        mask_iou(one, other)
    with refusal(InputError):
        mask_iou(one, one, [True, False])
    for offsets in ([0], [0, 9], [1, 0], [-1, 2]):
        with refusal(InputError):
            Masks.from_strings(np.frombuffer(b"d0", np.uint8), offsets, [4], [5])
    with refusal(InputError):
        Masks.from_strings(np.frombuffer(b"d0", np.uint8), [0, 2], [4, 4], [5])
    with refusal(InputError):
        Masks.from_strings(np.frombuffer(b"d0", np.uint8), [0, 2], [4.5], [5])
