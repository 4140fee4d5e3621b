"""The critical-difference diagram: what is drawn where, read back from the SVG."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import assay
from assay.figures.critical_difference import critical_difference, shortened
from assay.resampling.compare.rank_tests import friedman
from messages import refusal

SVG = "{http://www.w3.org/2000/svg}"
RANKS = {"tree": 3.2, "forest": 1.4, "linear": 2.1, "nearest": 3.3}


def _drawn(text: str, tag: str, kind: str) -> list[Any]:
    root = ElementTree.fromstring(text)
    return [e for e in root.iter(SVG + tag) if kind in (e.get("class") or "").split()]


def _x(text: str) -> dict[float, float]:
    """Where the whole ranks lie, by the numbers on the axis."""
    words = [w for w in _drawn(text, "text", "acd-soft") if (w.text or "").isdigit()]
    return {float(w.text): float(w.get("x")) for w in words}


def test_learners_stand_at_their_mean_ranks() -> None:
    text = critical_difference(RANKS, 1.2)
    axis = _x(text)
    expected = sorted(axis[1] + (rank - 1) * (axis[4] - axis[1]) / 3 for rank in RANKS.values())
    assert sorted(float(c.get("cx")) for c in _drawn(text, "circle", "acd-dot")) == pytest.approx(expected, abs=0.11)
    names = ["".join(w.itertext()) for w in _drawn(text, "text", "acd-text") if "acd-soft" not in w.get("class")]
    assert names == ["forest  1.40", "linear  2.10", "3.30  nearest", "3.20  tree"]


def test_bars_join_the_groups_and_lie_apart() -> None:
    text = critical_difference(RANKS, 1.2, [("forest", "linear"), ("linear", "tree"), ("tree", "nearest")])
    axis = _x(text)
    unit = (axis[4] - axis[1]) / 3
    bars = [(float(b.get("x1")), float(b.get("x2")), float(b.get("y1"))) for b in _drawn(text, "line", "acd-bar")]
    spans = [(1.4, 2.1), (2.1, 3.2), (3.2, 3.3)]
    for (low, high, _), (a, b) in zip(bars, spans, strict=True):
        assert low + 4 == pytest.approx(axis[1] + (a - 1) * unit, abs=0.11)
        assert high - 4 == pytest.approx(axis[1] + (b - 1) * unit, abs=0.11)
    assert bars[0][2] == bars[2][2] != bars[1][2]  # the first and the third do not meet
    first = min(float(w.get("y")) for w in _drawn(text, "text", "acd-text") if "acd-soft" not in w.get("class"))
    assert max(y for *_, y in bars) < first


def test_the_ruler_is_as_long_as_the_critical_difference() -> None:
    text = critical_difference(RANKS, 1.2, level=0.9)
    axis = _x(text)
    ruler = next(e for e in _drawn(text, "line", "acd-axis") if e.get("y1") == "36.0")
    assert float(ruler.get("x2")) - float(ruler.get("x1")) == pytest.approx(1.2 * (axis[2] - axis[1]), abs=0.2)
    assert "critical difference 1.2 (90 %)" in text
    long = critical_difference(RANKS, 5.0)
    ruler = next(e for e in _drawn(long, "line", "acd-axis") if e.get("y1") == "36.0")
    assert float(ruler.get("x2")) == _x(long)[4]
    assert "longer than the axis" in long


def test_lines_of_one_side_never_cross() -> None:
    """Each line runs down and then outwards; an inner one turns below all outer ones."""
    rng = np.random.default_rng(3)
    found = friedman(rng.normal(size=(30, 20)) + np.linspace(0, 3, 20), [f"learner {j}" for j in range(20)])
    lines = [
        tuple(map(float, re.findall(r"-?[\d.]+", p.get("d")))) for p in _drawn(found.diagram(), "path", "acd-line")
    ]
    assert len(lines) == 20
    for (x1, _, y1, end1), (x2, _, y2, end2) in combinations(lines, 2):
        if end1 == end2:
            inner = x1 > x2 if end1 < x1 else x1 < x2
            assert x1 == x2 or (y1 > y2) == inner
            assert abs(y1 - y2) >= 20  # names do not touch


def test_words_stay_inside_the_picture() -> None:
    """Widths are those of a wide font: nothing may reach over the edge, however long the names are."""
    ranks = {"W" * 60: 1.0, "決定木" * 20: 2.0, "i" * 60: 3.5, "a learner of moderate name": 3.5}
    text = critical_difference(ranks, 1.0)
    width = float(ElementTree.fromstring(text).get("width") or 0)
    for word in _drawn(text, "text", "acd-text"):
        shown = "".join(part for part in [word.text, *(p for s in word for p in (s.text, s.tail))] if part)
        if word[:1] and word[0].tag == SVG + "title":
            shown = shown.replace(word[0].text or "", "")
        size = sum(13.6 if c in "W決定木" else 8 for c in shown)
        x, anchor = float(word.get("x") or 0), word.get("text-anchor")
        left = x - size * {"start": 0, "middle": 0.5, "end": 1}[str(anchor)]
        assert left >= 0, shown
        assert left + size <= width, shown


def test_long_names_keep_both_ends_and_their_tooltip() -> None:
    a, b = (f"gradient boosting with early stopping, depth {d}" for d in (3, 5))
    assert shortened(a) != shortened(b)
    assert shortened(a).startswith("gradient boosting")
    assert shortened("short") == "short"
    text = critical_difference({a: 1.0, b: 2.0}, 0.5)
    assert f"<title>{a}</title>" in text


def test_text_is_escaped() -> None:
    name = '<script>alert("x")</script> & \x00\x1b'
    text = critical_difference({name: 1.2, "b": 1.8}, 0.5, [(name, "b")])
    assert "<script" not in text
    root = ElementTree.fromstring(text)  # well-formed, or this fails
    assert '<script>alert("x")</script> &' in (root.get("aria-label") or "")


def test_light_and_dark_have_their_own_colours() -> None:
    """Every class that is painted is painted again for dark pages, on its own paper."""
    style = _style(critical_difference(RANKS, 1.0))
    light, dark = style.split("@media (prefers-color-scheme:dark)")
    colours = [dict(re.findall(r"\.(acd-\w+)\{(?:fill|stroke):(#\w{6})", part)) for part in (light, dark)]
    assert set(colours[0]) == set(colours[1]) >= {"acd-paper", "acd-text", "acd-line", "acd-bar"}
    for found in colours:
        for kind, colour in found.items():
            if kind != "acd-paper":
                assert _contrast(colour, found["acd-paper"]) >= 4.5, kind


def _style(text: str) -> str:
    return next(ElementTree.fromstring(text).iter(SVG + "style")).text or ""


def _contrast(one: str, other: str) -> float:
    """As the accessibility guidelines (WCAG 2) define it."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_refusals() -> None:
    with refusal(assay.InputError):
        critical_difference({"a": 0.5, "b": 2.0}, 1.0)
    with refusal(assay.InputError):
        critical_difference({"a": 1.0}, 1.0)
    with refusal(assay.InputError):
        critical_difference(RANKS, float("nan"))
    with refusal(assay.InputError):
        critical_difference(RANKS, 1.0, [("tree", "svm")])
