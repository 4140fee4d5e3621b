"""SVG charts: places, ticks, gaps, colours for both kinds of screens, and texts that cannot break out."""

from __future__ import annotations

import itertools
import math
import re
import xml.etree.ElementTree as ET

import pytest

import assay
from assay.figures.line_panels import Line, Panel, draw
from assay.figures.svg import log_ticks, ticks
from messages import refusal

NS = "{http://www.w3.org/2000/svg}"
FIRST = Line("first", [1, 10, 100], [0.0, 0.5, 1.0])


def tree(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def places(element: ET.Element) -> list[tuple[float, float]]:
    return [(float(a), float(b)) for a, b in (p.split(",") for p in element.attrib["points"].split())]


def luminance(colour: str) -> float:
    """Of WCAG 2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def test_points_stand_where_the_axes_say() -> None:
    """On a log axis 1, 10 and 100 are evenly spaced; on a linear one they are not; y grows upwards."""
    for scale, share in (("log", 0.5), ("linear", 9 / 99)):
        root = tree(draw(Panel(lines=[FIRST], x_scale=scale)))  # pyright: ignore
        (a, low), (b, _), (c, high) = places(next(root.iter(f"{NS}polyline")))
        assert (b - a) / (c - a) == pytest.approx(share, abs=1e-3)
        assert high < low
        assert high > 0
        assert low < float(root.attrib["height"])
        labels = {t.text: float(t.attrib["x"]) for t in root.iter(f"{NS}text") if "x" in t.attrib}
        assert labels["100"] == pytest.approx(c, abs=0.02)


def test_a_log_axis_upwards() -> None:
    root = tree(draw(Panel(lines=[Line("a", [0, 1, 2], [0.01, 0.1, 1.0])], y_scale="log")))
    (_, a), (_, b), (_, c) = places(next(root.iter(f"{NS}polyline")))
    assert a - b == pytest.approx(b - c, abs=0.02)
    labels = [t.text for t in root.iter(f"{NS}text") if t.attrib.get("text-anchor") == "end"]
    assert labels == ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1"]


def test_a_value_that_does_not_exist_leaves_a_gap() -> None:
    line = Line("a", [1, 2, 3, 4, 5], [1, 2, math.nan, 4, 5], [0, 1, 2, 3, 4], [2, 3, 4, math.inf, 6])
    root = tree(draw(Panel(lines=[line])))
    assert [len(places(p)) for p in root.iter(f"{NS}polyline")] == [2, 2]
    assert [len(places(p)) for p in root.iter(f"{NS}polygon")] == [6, 2]
    assert "nan" not in draw(Panel(lines=[line]))


def test_a_single_point_is_a_mark_and_flat_lines_have_room() -> None:
    root = tree(draw(Panel(lines=[Line("one", [0.6], [0.3]), Line("flat", [0.6], [0.3])])))
    assert not list(root.iter(f"{NS}polyline"))
    assert len(list(root.iter(f"{NS}circle"))) == 2  # in the panel and in the legend


def test_texts_are_escaped() -> None:
    nasty = "</style><script>alert(1)</script>&\"'"
    panel = Panel(lines=[Line(nasty, [1, 2], [1, 2])], title=nasty, x_label=nasty, y_label=nasty, x_names=[(1, nasty)])
    svg = draw(panel, title=nasty)
    assert "<script" not in svg
    texts = [t.text for t in tree(svg).iter(f"{NS}text")]
    assert texts.count(nasty) == 6


def test_one_name_one_colour_in_all_panels() -> None:
    second = Line("second", [1, 2], [1, 2])
    root = tree(draw([Panel(lines=[FIRST, second]), Panel(lines=[second])]))
    kinds = [p.attrib["class"] for p in root.iter(f"{NS}polyline")]
    assert kinds == ["l l0", "l l1", "l l1"]
    assert [t.text for t in root.iter(f"{NS}text")][:2] == ["first", "second"]


def test_light_and_dark_are_both_readable() -> None:
    """WCAG: 4.5 for text, 3 for lines, against the ground that the chart draws itself."""
    svg = draw(Panel(lines=[Line(str(i), [1, 2], [i, i]) for i in range(6)]))
    light, dark = re.search(r"<style>(.*?)</style>", svg).group(1).split("@media (prefers-color-scheme:dark)")  # pyright: ignore
    for rules in (light, dark):
        ground = re.search(r"\.b\{fill:(#\w+)\}", rules).group(1)  # pyright: ignore
        ink = re.search(r"text\{fill:(#\w+)\}", rules).group(1)  # pyright: ignore
        assert contrast(ground, ink) > 7
        lines = re.findall(r"\.l\d\{stroke:(#\w+)\}", rules)
        assert len(set(lines)) == 6
        assert min(contrast(ground, colour) for colour in lines) > 4.5


def test_a_long_legend_wraps() -> None:
    names = [f"a curve with a long name {i}" for i in range(6)]
    root = tree(draw(Panel(lines=[Line(n, [1, 2], [1, 2]) for n in names])))
    at = {t.text: (float(t.attrib["x"]), float(t.attrib["y"])) for t in root.iter(f"{NS}text") if t.text in names}
    assert len({y for _, y in at.values()}) > 1
    assert len(set(at.values())) == 6
    assert all(x + 6.6 * len(n) <= 420 for n, (x, _) in at.items())


@pytest.mark.parametrize("scale", [1e-7, 1e-3, 1, 30, 1e6])
@pytest.mark.parametrize(("low", "high"), [(0, 1), (-0.3, 0.7), (2.1, 2.9), (-9, -1)])
def test_ticks_are_few_round_and_inside(low: float, high: float, scale: float) -> None:
    found = ticks(low * scale, high * scale)
    assert 3 <= len(found) <= 7
    assert low * scale - 1e-9 * scale <= found[0]
    assert found[-1] <= high * scale + 1e-9 * scale
    steps = [b - a for a, b in itertools.pairwise(found)]
    assert max(steps) == pytest.approx(min(steps))
    assert float(f"{steps[0]:.6g}") == pytest.approx(steps[0])
    assert f"{steps[0]:.1e}"[:3] in ("1.0", "2.0", "5.0")


@pytest.mark.parametrize(("low", "high"), [(1, 10), (3, 700), (1e-6, 1e6), (20, 25), (1e-3, 1)])
def test_log_ticks_are_few_and_inside(low: float, high: float) -> None:
    found = log_ticks(low, high)
    assert 2 <= len(found) <= 8
    assert low * 0.999 <= found[0] < found[-1] <= high * 1.001
    assert found == sorted(set(found))


def test_refusals() -> None:
    with refusal(assay.InputError):
        draw(Panel(lines=[Line("a", [0, 1], [1, 2])], x_scale="log"))
    with refusal(assay.InputError):
        draw(Panel(lines=[Line("a", [0, 1], [1, 2], [0, 1], [2, 3])], y_scale="log"))
    with refusal(assay.InputError):
        draw(Panel(lines=[FIRST], y_scale="log", zero=True))
    with refusal(assay.InputError):
        draw(Panel(lines=[Line("a", [0, 1], [1])]))
    with refusal(assay.InputError):
        draw(Panel(lines=[Line("a", [0, 1], [1, 2], low=[0, 1])]))
    with refusal(assay.InputError):
        draw(Panel(lines=[Line("a", [0], [math.nan])]))
    with refusal(assay.ParameterError):
        draw(Panel(lines=[FIRST], x_scale="root"))  # pyright: ignore
