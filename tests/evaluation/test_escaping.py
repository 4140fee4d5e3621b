"""A nasty name through every format of every result: it is shown, and nothing obeys it."""

from __future__ import annotations

import csv
import io
import json
import re
from functools import cache
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from markdown_it import MarkdownIt

import assay
from assay.cli import run
from assay.cli.output import to_json
from assay.core import escaping
from assay.evaluation.side_by_side import side_by_side
from assay.resampling.compare.rank_tests import friedman

NASTY = "=1+1\x1b[31m<b>x</b>|a&b\\|\n\\input{/etc/passwd}%$ [l](javascript:x) `c` \x9b2J \u202eabc [red]"
OTHER = "@SUM(1)\r\n| --- |"
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 60)
P = np.clip(0.3 * Y + 0.35 + RNG.normal(0, 0.2, 60), 0.01, 0.99)
Q = np.clip(0.3 * Y + 0.35 + RNG.normal(0, 0.3, 60), 0.01, 0.99)
SITES = np.where(np.arange(60) % 2, NASTY, OTHER)
LABELS = np.where(Y == 1, NASTY, OTHER)
X = np.column_stack([P, Q])


class Mean:
    """A learner that needs no package."""

    depth = 1

    def fit(self, X: Any, y: Any) -> Any:
        self.mean = float(np.mean(y))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"depth": self.depth}

    def set_params(self, **given: Any) -> Any:
        vars(self).update(given)
        return self


def learner() -> Any:
    return type(NASTY.replace("\x00", ""), (Mean,), {})()


@cache
def results() -> dict[str, Any]:
    options: dict[str, Any] = {
        "task": "binary",
        "y_true": LABELS,
        "positive": NASTY,
        "metrics": ["accuracy", "f1"],
        "replicates": 100,
    }
    one = assay.evaluate(**options, y_prob=P, slices={NASTY: SITES})
    two: dict[str, Any] = {
        "task": "binary",
        "y_true": LABELS,
        "positive": NASTY,
        "kind": "y_prob",
        "metrics": ["accuracy"],
    }
    many = ["f1:average=macro", "accuracy"]
    resampled: dict[str, Any] = {"resampling": assay.CrossValidation(folds=3), "task": "regression"}
    return {
        "result": one,
        "by class": assay.evaluate(task="multiclass", y_true=LABELS, y_pred=LABELS[::-1], level=None, metrics=many),
        "comparisons": assay.compare(models={NASTY: P, OTHER: Q}, **two),
        "beside": side_by_side({NASTY: one, OTHER: assay.evaluate(**options, y_prob=Q, slices={NASTY: SITES})}, title=NASTY),
        "estimate": assay.estimate(learner(), X, P, metrics=["mae"], **resampled),
        "learning curve": assay.learning_curve(learner(), X, P, "mae", sizes=[10, 20], **resampled),
        "complexity": assay.complexity_curve(learner(), X, P, "depth", [NASTY, OTHER], "mae", **resampled),
        "slices": assay.metrics.Accuracy().by(SITES, Y, (P > 0.5).astype(int)),
        "ranking": assay.metrics.RocAuc().rank(Y, {NASTY: P, OTHER: Q}),
        "ranks": friedman(RNG.random((5, 3)), [NASTY, OTHER, "c"]),
    }  # fmt: skip


TABLES = ["result", "by class", "comparisons", "estimate"]
CURVES = ["learning curve", "complexity"]
PLAIN = ["slices", "ranking", "ranks"]
WAYS = {
    "to_latex": TABLES,
    "to_csv": [*TABLES, *CURVES, "slices", "ranking"],
    "_repr_html_": [*TABLES, *CURVES, "slices", "ranking"],
    "to_markdown": [*TABLES, "beside", *CURVES],
    "to_dict": [*TABLES, *CURVES, *PLAIN],
}


@pytest.mark.parametrize("way", WAYS)
def test_every_result_with_a_format_is_asked(way: str) -> None:
    assert {name for name, result in results().items() if hasattr(result, way)} == set(WAYS[way])


@pytest.mark.parametrize("name", [*TABLES, "beside", *CURVES, *PLAIN])
def test_terminal(name: str) -> None:
    result = results()[name]
    if hasattr(result, "__rich__"):
        from rich.console import Console

        for width in (60, 100, 300):
            out = io.StringIO()
            Console(file=out, width=width, no_color=True).print(result)
            assert not CONTROLS.search(out.getvalue())
    if name != "beside":
        assert not CONTROLS.search(str(result))
        assert not CONTROLS.search(repr(result))


@pytest.mark.parametrize("name", WAYS["to_markdown"])
def test_markdown(name: str) -> None:
    text = results()[name].to_markdown()
    assert not CONTROLS.search(text)
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert not re.search(r"<(b|a|code|img)\b", page)
    assert "<table>" in page
    for table in re.findall(r"<table>.*?</table>", page, re.DOTALL):
        assert len({row.count("<td") + row.count("<th") for row in table.split("<tr>")[1:]}) == 1
    assert page.count("<table>") == text.count("\n|---|")


@pytest.mark.parametrize("name", WAYS["to_latex"])
def test_latex(name: str) -> None:
    text = results()[name].to_latex()
    assert not CONTROLS.search(text)
    body = "\n".join(line for line in text.split("\n") if not line.startswith("%"))
    commands = set(re.findall(r"\\([A-Za-z]+)", body))
    known = {
        "begin",
        "end",
        "toprule",
        "midrule",
        "bottomrule",
        "footnotesize",
        "noindent",
        "par",
        "textbackslash",
        "textasciitilde",
    }
    assert commands <= known | {
        "textasciicircum",
        "uparrow",
        "downarrow",
        "rightarrow",
        "cdot",
        "blacktriangle",
        "blacktriangledown",
    }
    for columns, table in re.findall(r"\\begin\{tabular\}\{(l[r]*)\}(.*?)\\end\{tabular\}", text, re.DOTALL):
        rows = [line for line in table.split("\n") if line.endswith(r" \\")]
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {len(columns) - 1}


@pytest.mark.parametrize("name", WAYS["to_csv"])
def test_csv(name: str) -> None:
    text = results()[name].to_csv()
    assert not CONTROLS.search(text)
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    for cell in cells:
        assert cell[:1] not in ("=", "@", "+") or re.fullmatch(r"\+?[\d.]+", cell)
        assert not cell.startswith("-") or re.fullmatch(r"-[\d.e-]+|-inf", cell)


class Tags(HTMLParser):
    """The tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.add(tag)


@pytest.mark.parametrize("name", WAYS["_repr_html_"])
def test_html_and_figures(name: str) -> None:
    page = results()[name]._repr_html_()
    assert not CONTROLS.search(page)
    tags = Tags()
    tags.feed(page)
    assert "<b>x</b>" not in page
    assert not tags.seen & {"a", "script", "img"}
    for way in ("figure", "diagram", "strip"):
        if hasattr(results()[name], way):
            ElementTree.fromstring(getattr(results()[name], way)())
    ElementTree.fromstring(results()["ranks"].diagram())


@pytest.mark.parametrize("name", WAYS["to_dict"])
def test_json(name: str) -> None:
    data = results()[name].to_dict()
    text = to_json(data)
    assert not CONTROLS.search(text)
    assert json.loads(text) is not None
    if name == "ranking":
        assert NASTY in json.loads(text)["scores"]  # JSON holds the name itself


def test_messages_are_one_line_without_controls(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", f"/nowhere/{NASTY}.csv", "--truth", "y", "--pred", "p"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert not CONTROLS.search(said)
    assert r"\x1b[31m" in said


def test_plain_texts_stay_as_they_are() -> None:
    for text in ("roc_auc", "0.91 [0.89, 0.93]", "p <0.001", "R&D", "a - b", "f_beta:beta=2", "café", "C:/x"):
        assert escaping.markdown(text) == escaping.visible(text) == text
    assert escaping.latex("a_b 5 %") == r"a\_b 5 \%"


def test_a_name_is_one_line_of_a_plain_table() -> None:
    labels = ["a\nb", "c\x1b[31m", "d"]
    text = str(assay.evaluate(task="multiclass", y_true=labels * 10, y_pred=labels * 10, slices={"s\nt": labels * 10}))
    assert "\n a\\nb " in text
    assert not re.search(r"^ b\s", text, re.MULTILINE)
    assert "by s\\nt" in text
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", text)


@pytest.mark.parametrize("name", ["[a]", "*a", "  [1] b", "[0.5ex]"])
def test_the_first_cell_of_a_latex_row_is_no_argument(name: str) -> None:
    r"""LaTeX takes a star or bracket behind \\\\ and behind the rules of booktabs, over spaces and a line break, for their argument."""
    labels = [name, f"{name}2", "d"]
    text = assay.evaluate(task="multiclass", y_true=labels * 10, y_pred=labels * 10).to_latex()
    assert text.count(f"{{}}{name}") == 2
    assert not re.search(r"(\\\\|rule)\s*[\[*]", text)
