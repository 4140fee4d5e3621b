"""Results in notebooks: styled for light and dark pages, and no interval breaks across lines."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import assay
from assay.core import notebook

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
P = np.clip(0.4 * Y + 0.6 * RNG.random(200), 0, 1)
AUC = assay.metrics.RocAuc()
RESULTS = {
    "score": lambda: AUC.interval(Y, P),
    "plain score": lambda: AUC.score(Y, P),
    "unreliable score": lambda: assay.metrics.R2().interval([1.0, 2.0, 4.0], [1.0, 2.5, 3.0]),
    "comparison": lambda: AUC.compare(Y, P, P[::-1]),
    "ranking": lambda: AUC.rank(Y, {"a": P, "b": P**2, "<b>": RNG.random(200)}),
    "slices": lambda: AUC.by(RNG.integers(0, 3, 200), Y, P),
    "pooled slices": lambda: assay.metrics.Accuracy().by(RNG.integers(0, 3, 200), Y, P > 0.5, pool=True),
    "curve": lambda: assay.roc_curve(Y, P),
    "result": lambda: assay.evaluate(task="binary", y_true=Y, y_prob=P, slices={"g": RNG.integers(0, 2, 200)}),
    "comparisons": lambda: assay.compare(task="binary", y_true=Y, kind="y_prob", models={"a": P, "b": P**2}, metrics=["brier"]),
}  # fmt: skip


class Reader(HTMLParser):
    """Which texts may break: those outside cells and spans that do not wrap."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.loose: list[str] = []
        self.whole: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        self.open.append((tag, tag in ("td", "th", "style") or "i" in classes))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        fixed = any(held for _, held in self.open)
        (self.whole if fixed else self.loose).append(data)


@pytest.mark.parametrize("name", RESULTS)
def test_no_interval_breaks(name: str) -> None:
    html = RESULTS[name]()._repr_html_()
    reader = Reader()
    reader.feed(html)
    assert not reader.open
    assert not [text for text in reader.loose if re.search(r"\[[^\]]*,[^\]]*\]", text)]
    if name not in ("curve", "plain score"):
        assert any("[" in text for text in reader.whole)
    assert "<b></b>" not in html
    assert "<b>:" not in html  # a model of that name is text


@pytest.mark.parametrize("name", RESULTS)
def test_pages_are_styled_for_light_and_dark(name: str) -> None:
    html = RESULTS[name]()._repr_html_()
    assert html.count("<style>") == 1
    assert "prefers-color-scheme:dark" in html
    assert "[data-jp-theme-light=false] .assay-result" in html
    assert ".assay-result td{" in html.replace(",.assay-result td", "{}.assay-result td").replace("{}", "")
    assert ".i{white-space:nowrap}" in html


def test_an_unreliable_interval_says_why() -> None:
    score = AUC.interval([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.2])
    assert not score.reliable
    assert score.reason.split(".")[0] in notebook.escaping.markup.unescape(score._repr_html_())


def test_long_tables_are_shortened() -> None:
    rows = [[str(i), "x"] for i in range(100)]
    shown = notebook.shortened(rows)
    assert [row[0] for row in shown][5:8] == ["5", "… 88 more", "94"]
    assert notebook.shortened(rows[:12]) == rows[:12]


def test_notes_keep_intervals_together() -> None:
    assert notebook.line("the gap -0.1 [-0.2, 0.0] 95 % is large") == (
        "the gap <span class='i'>-0.1 [-0.2, 0.0] 95 %</span> is large"
    )


def test_rankings_and_slices_are_frames() -> None:
    ranking = RESULTS["ranking"]()
    assert ranking.to_polars()["model"].to_list() == ranking.order
    assert ranking.to_pandas()["best_rank"].iloc[0] == 1
    slices = RESULTS["pooled slices"]()
    assert slices.to_polars()["slice"].to_list() == ["0", "1", "2"]
    assert slices.to_csv().startswith("slice,value,low,high,n,gap")
