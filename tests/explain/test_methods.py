"""Every method that is printed below a table has a page."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.cli import run
from assay.core.loss import losses
from assay.core.registry import metrics
from assay.explain.errata import errata
from assay.explain.topics import TOPICS
from assay.explain.topics.methods import METHODS, printed_method
from assay.explain.topics.topic import ERRATUM

SOURCE = Path(assay.__file__).parent
NAMES = {"Interval": 2, "Limits": 4}  # which argument of these names the method


def _literals():
    """The names of methods as they stand in the code, what is filled in left out."""
    for path in [*(SOURCE / "inference").rglob("*.py"), *(SOURCE / "resampling").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in NAMES:
                continue
            at = NAMES[node.func.id]
            texts = [node.args[at]] if len(node.args) > at else [k.value for k in node.keywords if k.arg == "method"]
            for text in texts:
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    yield text.value
                elif isinstance(text, ast.JoinedStr):
                    yield "".join(str(p.value) for p in text.values if isinstance(p, ast.Constant))


LITERALS = sorted({text for text in _literals() if re.search("[A-Za-z]", text)} - {"none", "root of "})


def test_the_code_names_methods():
    assert {"Boyd logit", "order statistics", "shrunk logit"} <= set(LITERALS)


@pytest.mark.parametrize("text", LITERALS)
def test_every_method_in_the_code_has_a_page(text):
    assert printed_method(text) in TOPICS, text


def _printed():
    rng = np.random.default_rng(0)
    for n in (12, 200):
        y = rng.integers(0, 2, n)
        p = np.clip(0.3 + 0.4 * y + 0.25 * rng.normal(size=n), 0.01, 0.99)
        q = np.clip(p + 0.1 * rng.normal(size=n), 0.01, 0.99)
        r = rng.normal(5, 1, n)
        x, z = r + rng.normal(size=n), r + rng.normal(size=n)
        for more in ({}, {"method": "bootstrap", "replicates": 100}, {"groups": np.arange(n) % 10}):
            yield assay.evaluate(task="binary", y_true=y, y_prob=p, **more)
            yield assay.evaluate(task="regression", y_true=r, y_pred=x, **more)
            yield assay.compare(task="binary", y_true=y, models={"a": p, "b": q}, kind="y_prob", **more)
            yield assay.compare(task="regression", y_true=r, models={"a": x, "b": z}, kind="y_pred", **more)


@pytest.mark.filterwarnings("ignore")
def test_every_method_that_is_printed_has_a_page():
    found = set()
    for result in _printed():
        if hasattr(result, "scores"):
            found |= {score.method for score in result.scores.values()}
        else:
            found |= {c.method for metric in result for c in result.pairs(metric).values()}
    found -= {None, "none"}
    assert len(found) > 12
    assert {text for text in found if printed_method(text) not in TOPICS} == set()


PRINTED = {
    "Wilson on the Jaccard index": "wilson", "DeLong on the logit scale": "delong", "Newcombe 5": "newcombe",
    "Hall t, heavy upper tail": "hall_t", "Bonett-Price, mid-p McNemar": "mcnemar", "paired bootstrap, 2000 replicates": "paired_bootstrap",
    "exact randomisation of ranks, 20 discordant rows": "randomisation", "delta t on the Fisher z scale, 12 groups": "delta_method",
    "bounded bias, debiased L2": "debiased_l2", "corrected resampled t": "learner_interval", "t, 20 groups": "delta_method",
}  # fmt: skip


@pytest.mark.parametrize(("text", "key"), PRINTED.items())
def test_as_it_is_printed(capsys, text, key):
    assert printed_method(text) == key
    assert run(["explain", text]) == 0
    assert TOPICS[key].title in capsys.readouterr().out


@pytest.mark.parametrize("key", [topic.key for topic in METHODS])
@pytest.mark.parametrize("columns", ["80", "120"])
def test_pages(capsys, monkeypatch, key, columns):
    monkeypatch.setenv("COLUMNS", columns)
    assert run(["explain", key]) == 0
    out = capsys.readouterr().out
    assert TOPICS[key].references
    assert "When to use it" in out
    assert "References" in out
    assert all(len(line) <= int(columns) for line in out.splitlines())


def test_every_erratum_is_on_the_page(capsys):
    page = errata()
    items = [text for texts in page.sections.values() for text in texts]
    texts = [e.record.erratum for e in (*metrics(), *losses()) if e.record.erratum]
    texts += [text for topic in TOPICS.values() for text in topic.sections.get(ERRATUM, [])]
    assert len(items) == len(texts) > 20
    assert all(any(item.endswith(text) for item in items) for text in texts)
    assert run(["explain", "errata", "--json"]) == 0
    assert "Performance Evaluation" in capsys.readouterr().out
