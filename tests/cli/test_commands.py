"""`list`, `explain`, `demo` and the entry point itself."""

import json
import math
import os
import re
import subprocess
import sys
import time
from typing import get_args

import pytest
from cli_support import binary, call, refused

from assay.core.record import FamilyKey
from assay.core.registry import metrics
from assay.explain.formula import to_unicode
from assay.explain.metric_explanation import explanation
from assay.explain.pitfalls import PITFALLS
from assay.explain.references import REFERENCES
from assay.explain.topics.methods import METHODS
from assay.explain.topics.metric_groups import METRIC_GROUPS
from assay.inference.families import FAMILIES

KEYS = [cls.key for cls in metrics()]


def test_list_json_is_valid_and_complete(capsys):
    found = call(capsys, "list", "--json")
    entries = json.loads(found.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    groups = {topic.key for topic in METRIC_GROUPS}
    assert {e["key"] for e in entries if e["kind"] == "metric"} == {*KEYS, *groups}
    assert {e["key"] for e in entries if e["kind"] == "inference"} == {
        "interval", "compare", "plan", "prediction_powered", "learner_interval", *(topic.key for topic in METHODS),
    }  # fmt: skip
    for entry in (e for e in entries if e["kind"] == "metric" and e["key"] not in groups):
        assert set(entry) == {"kind", "task", "key", "title", "range", "better", "aliases"}
        low, high = (float(b) for b in entry["range"])
        assert low < high
        assert entry["better"] in ("higher", "lower", "none")
    assert any(math.isinf(float(b)) for e in entries for b in e.get("range", ()))


def test_list_table(capsys):
    found = call(capsys, "list", "--task", "regression", "--kind", "metric")
    assert found.code == 0
    assert "regression metrics" in found.out
    assert "Mean absolute error" in found.out
    assert "roc_auc" not in found.out


@pytest.mark.parametrize("key", KEYS)
def test_every_metric_is_explained(capsys, key):
    text = call(capsys, "explain", key)
    assert text.code == 0
    assert key in text.out
    for part in ("range", "direction", "undefined", "References", "Example"):
        assert part in text.out
    data = json.loads(call(capsys, "explain", key, "-f", "json").out)
    assert data["formula"]
    assert all(p["meaning"] for p in data["parameters"]), [p["name"] for p in data["parameters"] if not p["meaning"]]
    markdown = call(capsys, "explain", key, "-f", "markdown").out
    assert markdown.startswith("# ")
    assert data["latex"] in markdown


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("interval", ("Wilson", "DeLong on the logit scale", "star", "groups", "bca")),
        ("compare", ("McNemar", "Holm", "margin", "detectable", "cannot", "5x2cv F", "Friedman", "Demšar")),
        ("learner-interval", ("corrected_t", "nested_cv", "refused", "about", "Nadeau", "Bates", "Bayle")),
        ("plan", ("discordance", "width", "--effect")),
        ("ppi", ("ppi.mean", "PPI++")),
        ("prediction-powered", ("ppi.mean", "PPI++", "50 labels", "power")),
    ],
)
def test_inference_is_explained(capsys, key, says):
    text = call(capsys, "explain", key).out
    for word in says:
        assert word in text
    data = json.loads(call(capsys, "explain", key, "-f", "json").out)
    assert data["kind"] == "inference"
    assert data["references"]
    assert call(capsys, "explain", key, "-f", "markdown").out.startswith(f"# {data['title']}")


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("cross_validation", ("R̂ = 1/k", "When it misleads", "interval is about", "naive t", "Nadeau")),
        ("resampling.scheme.bootstrap", ("Erratum", "63.2 %", ".632+", "Efron")),
        ("cv", ("cross_validation · resampling scheme",)),
        ("bias-variance", ("Erratum", "SQUARED bias", "MSE = σ² + bias² + variance")),
    ],
)
def test_resampling_is_explained(capsys, key, says):
    text = call(capsys, "explain", key).out
    for word in says:
        assert word in text
    data = json.loads(call(capsys, "explain", key, "-f", "json").out)
    assert data["kind"] == "resampling"
    assert data["latex"] in call(capsys, "explain", key, "-f", "markdown").out


def test_resampling_is_listed(capsys):
    text = call(capsys, "list", "--kind", "resampling").out
    assert "resampling schemes" in text
    assert "resampling estimates" in text
    assert "leave_one_group_out" in text
    assert "leave_one_object_out" in text  # its former name
    assert "19 entries" in text


def test_list_of_inference(capsys):
    found = call(capsys, "list", "--kind", "inference").out
    assert "prediction_powered" in found
    assert f"{5 + len(METHODS)} entries" in found
    refused(call(capsys, "list", "--kind", "inference", "--task", "regression"))
    refused(call(capsys, "explain", "intervall"))
    refused(call(capsys, "explain", "f1", "--json", "-f", "markdown"))


def test_explain_says_everything(capsys):
    found = call(capsys, "explain", "F-Beta").out
    for text in (
        "F-beta score",
        "TP",
        "ignores true negatives",
        "higher is better",
        "0 … 1",
        "beta = 1",
        "Rijsbergen",
        "fbeta_score",
        "Means over batches",
        "neither occurs nor is predicted",
    ):
        assert text in found
    assert "Erratum" in call(capsys, "explain", "mape").out


@pytest.mark.parametrize("cls", list(metrics()), ids=KEYS)
def test_formulas_are_readable(cls):
    formula = explanation(cls).formula
    assert formula
    assert "\\" not in formula
    assert not re.search(r"\b(frac|hat|bar|mathrm|sqrt|sum)\b", formula)
    assert formula.count("(") == formula.count(")")


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{1}{n} \sum_i (y_i - \hat y_i)^2", "1/n Σᵢ (yᵢ - ŷᵢ)²"),
        (r"\sqrt{\frac{a + b}{c}}", "√((a + b) / c)"),
        (r"\tfrac12 x", "½ x"),
        (r"F_\beta = \frac{(1+\beta^2)\,TP}{TP + FP}", "Fᵦ = ((1+β²) TP) / (TP + FP)"),
        (r"\alpha \le \infty, \quad x \cdots y", "α ≤ ∞, x ⋯ y"),
        (r"\bar{\hat y}", "ȳ̂"),
        (r"\mathrm{log}\,p_{k-1}^{n+1}", "log pₖ₋₁ⁿ⁺¹"),
        (r"x_{\hat y}^{ab}", "x_ŷ^(ab)"),
        (r"\{a : b\}", "{a : b}"),
        (r"-\log\frac{e^{s\cos\theta}}{Z}", "-log(e^(s cos θ) / Z)"),
        (r"\tfrac{4}{\pi^2}(\arctan\tfrac{w'}{h'})^2", "4/π² (arctan(w'/h'))²"),
        (r"q\max(y, 0) + |x|\ln 2", "q max(y, 0) + |x| ln 2"),
        (r"\log\cosh e + \sum_j w_j^\top x", "log cosh e + Σⱼ wⱼᵀ x"),
        (r"\log\det \frac{\partial f}{\partial x}", "log det(∂f / ∂x)"),
    ],
)
def test_latex_to_unicode(latex, text):
    assert re.sub(" +", " ", to_unicode(latex)) == text


@pytest.mark.parametrize("cls", list(metrics()), ids=KEYS)
def test_what_records_name_exists(cls):
    assert cls.record.references, "every entry cites its source"
    assert set(cls.record.references) <= set(REFERENCES)
    assert set(cls.record.traps) <= set(PITFALLS)


def test_every_interval_family_has_words():
    assert set(FAMILIES) == set(get_args(FamilyKey))


def test_a_terminal_without_unicode():
    for module in ("assay", "assay.cli"):
        command = [sys.executable, "-m", module, "explain", "rmse"]
        found = subprocess.run(
            command, capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": "ascii"}
        )
        assert found.returncode == 0
        assert b"RMSE" in found.stdout


def test_demo(capsys):
    found = call(capsys, "demo")
    assert found.code == 0, found.err
    for text in ("Regression", "Binary", "Multiclass", "Multilabel", "ridge", "forest", "logistic", "baseline"):
        assert text in found.out
    markdown = call(capsys, "demo", "-f", "markdown")
    assert markdown.out.count("| metric |") == 9
    for text in ("Detection", "Segmentation", "nearest class mean"):
        assert text in found.out
    assert "cannot be told apart by" in found.out
    assert "[0.9635, 0.9879]" in found.out
    assert "**0." in markdown.out


def test_help_and_version(capsys):
    for arguments in (["--help"], ["score", "--help"], ["explain", "-h"], ["list", "--help"], ["demo", "--help"]):
        found = call(capsys, *arguments)
        assert found.code == 0
        assert "Usage" in found.out
    bare = call(capsys)
    assert (bare.code, bare.err) == (0, "")
    assert "Usage" in bare.out
    assert call(capsys, "--version").out.startswith("assay 0.")


def test_the_program_itself(tmp_path):
    """In a process of its own: exit codes, streams, a pipe that closes early, and a quick start."""
    binary().write_csv(tmp_path / "preds.csv")
    command = [sys.executable, "-c", "from assay.cli import main; main()"]
    score = ["score", str(tmp_path / "preds.csv"), "--task", "binary", "--truth", "y", "--prob", "p"]
    passed = subprocess.run([*command, *score, "--fail-under", "f1=0.1"], capture_output=True, text=True, check=False)
    assert (passed.returncode, passed.stderr) == (0, "")
    failed = subprocess.run(
        [*command, *score, "--fail-under", "f1=0.9999"], capture_output=True, text=True, check=False
    )
    assert failed.returncode == 1
    bad = subprocess.run(
        [*command, "score", "nowhere.csv", "--truth", "y", "--prob", "p"], capture_output=True, text=True, check=False
    )
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr == "assay: nowhere.csv: no such file.\n"
    piped = subprocess.Popen([*command, "explain", "f1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert piped.stdout is not None
    piped.stdout.close()
    assert piped.stderr is not None
    assert b"Traceback" not in piped.stderr.read()
    piped.wait()


def test_start_is_quick():
    """Loading what `--help` needs must not load the heavy libraries; the bound on time is a loose one."""
    program = (
        "import sys; from assay.cli import run; run(['--help']); run(['list', '--json']); "
        "print([m for m in ('polars', 'scipy', 'numba', 'pandas', 'torch') if m in sys.modules], file=sys.stderr)"
    )
    start = time.perf_counter()
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stderr.strip() == "[]"
    assert time.perf_counter() - start < 20
