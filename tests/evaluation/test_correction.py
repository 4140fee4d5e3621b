"""Findings over several metrics allow for their number, and say whether they do."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import assay
from assay.cli import run
from messages import refusal

RNG = np.random.default_rng(12)
N = 400
Y = RNG.integers(0, 2, N)
METRICS = ["accuracy", "f1", "recall", "specificity", "matthews_correlation"]


def decisions(wrong: int) -> Any:
    """Right but for the first rows."""
    return np.where(np.arange(N) < wrong, 1 - Y, Y)


def compared(models: Any = None, **options: Any) -> Any:
    models = models or {"a": decisions(40), "b": decisions(48)}
    return assay.compare(task="binary", y_true=Y, models=models, metrics=METRICS, **options)


def test_holm_over_metrics_and_pairs_is_that_of_statsmodels() -> None:
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    models = {"a": decisions(40), "b": decisions(49), "c": np.where(np.arange(N) % 9 == 0, 1 - Y, Y)}
    found = compared(models)
    flat = [c for metric in found for c in found.pairs(metric).values()]
    theirs = multipletests([c.p for c in flat], method="holm")[1]
    assert [c.adjusted_p for c in flat] == pytest.approx(theirs.tolist(), rel=1e-12)
    assert {c.metrics for c in flat} == {len(METRICS)}
    for metric in found:
        own = found.pairs(metric).values()
        apart = multipletests([c.p for c in own], method="holm")[1]
        alone = compared(models, correction="pairs").pairs(metric).values()
        assert [c.adjusted_p for c in alone] == pytest.approx(apart.tolist(), rel=1e-12)


def test_a_difference_by_one_of_five_metrics_is_no_finding() -> None:
    """Eight rows on one side have p = 2 / 2^8 = 0.008; five metrics make it 0.04, and seven rows (0.016) 0.08."""
    seven = {"a": decisions(40), "b": decisions(47)}
    loose, strict = compared(seven, correction="pairs"), compared(seven)
    assert loose.pair("accuracy").p == strict.pair("accuracy").p == pytest.approx(2 / 2**7)
    assert loose.best("accuracy") == ["a"]
    assert strict.best("accuracy") == ["a", "b"]
    assert strict.pair("accuracy").adjusted_p == pytest.approx(5 * 2 / 2**7)
    assert "(Holm over 5 metrics 0.0781)" in str(strict.pair("accuracy"))
    assert assay.metrics.Accuracy().compare(Y, seven["a"], seven["b"]).adjusted_p is None


def test_every_form_says_whether_it_is_corrected() -> None:
    strict, loose = compared(), compared(correction="pairs")
    said = "corrected for 5 metrics (Holm)"
    other = "not corrected for the number of metrics looked at (5)"
    for found, words in ((strict, said), (loose, other)):
        assert found.findings[-1] == f"Findings are {words}."
        for form in (str(found), found.to_markdown(), found.to_latex(), found._repr_html_()):
            assert words in " ".join(form.split())
        data = json.loads(json.dumps(found.to_dict()))
        assert words in data["corrected_for"]
        assert data["findings"] == found.findings
    assert strict.to_dict()["correction"] == "metrics"
    assert "p (Holm)" in str(strict)
    assert "p (Holm)" not in str(loose)
    assert strict.to_frame()["metrics"].to_list() == [5] * 5
    assert loose.to_frame()["metrics"].to_list() == [1] * 5
    one = assay.compare(task="binary", y_true=Y, models={"a": decisions(40), "b": decisions(47)}, metrics=["accuracy"])
    assert one.findings == ["a is best by accuracy."]
    assert "number of metrics" not in str(one)


def test_a_metric_without_a_p_value_does_not_stop_the_others() -> None:
    models = {"a": np.zeros(N, int), "b": Y}
    found = assay.compare(task="binary", y_true=Y, models=models, metrics=["precision", "accuracy"])
    assert found.pair("precision").adjusted_p is None
    assert not math.isnan(found.pair("accuracy").adjusted_p)


def test_an_unknown_correction_is_refused() -> None:
    with refusal(assay.ParameterError):
        compared(correction="bonferroni")


def test_the_command_line_has_the_option(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for name, wrong in (("a", 40), ("b", 47)):
        rows = "\n".join(f"{t},{p}" for t, p in zip(Y, decisions(wrong), strict=True))
        (tmp_path / f"{name}.csv").write_text(f"y,p\n{rows}\n")
    files = [str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--truth", "y", "--pred", "p", "--json"]
    for option, best in (([], ["a", "b"]), (["--correction", "pairs"], ["a"])):
        metrics = [part for metric in METRICS for part in ("-m", metric)]
        assert run(["compare", *files, *metrics, *option]) == 0
        data = json.loads(capsys.readouterr().out)
        assert data["metrics"]["accuracy"]["best"] == best
