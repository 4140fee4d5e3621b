"""Where an interval is about a bias-corrected estimate, that estimate stands beside the plain value in every form of the result."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import assay
from assay.inference.delta_method import Interval
from assay.inference.interval import _doubted as doubted

M: Any = assay.metrics
RNG = np.random.default_rng(4)
PROB = RNG.random(300)
TRUTH = (RNG.random(300) < PROB).astype(int)
NOISY = np.clip(PROB + 0.05 * RNG.normal(size=300), 0, 1)
ECE = "calibration_error:of_what=positive"
NOTE = "bias-corrected estimate, which its interval is about"


def test_fid_of_small_samples_prints_what_its_interval_is_about() -> None:
    real, fake = RNG.normal(size=(120, 8)), RNG.normal(size=(120, 8))
    score = M.FID().interval(real, fake)
    assert float(score) > score.high  # the plain distance is too large
    assert score.corrected is not None
    assert score.low <= score.corrected <= score.high
    assert str(score).startswith(f"{float(score):.3f} (bias-corrected {score.corrected:.3f}")
    assert M.FID(correction="richardson").interval(real, fake).corrected is None


def test_a_calibrated_model_has_its_corrected_error_beside_the_plain_one() -> None:
    for norm in ("l1", "l2"):
        score = M.CalibrationError(of_what="positive", norm=norm).interval(TRUTH, y_prob=PROB)
        assert score.corrected is not None
        assert score.low <= score.corrected <= score.high
        assert score.corrected < float(score)
    assert M.CalibrationError(norm="l2", debiased=True).interval(TRUTH, y_prob=PROB).corrected is None
    assert M.Brier().interval(TRUTH, y_prob=PROB).corrected is None


def test_every_form_of_an_evaluation_shows_it() -> None:
    result = assay.evaluate(task="binary", y_true=TRUTH, y_prob=PROB, metrics=[ECE, "brier"])
    score = result[ECE]
    text = f"({score.corrected:.3f}"
    for form in (str(result), result.to_markdown(), result.to_latex(), result._repr_html_()):
        assert text in form
        assert NOTE in " ".join(form.split())
    assert json.loads(json.dumps(result.to_dict()))["scores"][ECE]["corrected"] == score.corrected
    frame = result.to_frame()
    assert frame["corrected"][0] == score.corrected
    assert frame["corrected"][1] is None
    assert "corrected" in result.to_csv().splitlines()[0]
    plain = assay.evaluate(task="binary", y_true=TRUTH, y_prob=PROB, metrics=["brier"])
    assert NOTE not in str(plain)


def test_every_form_of_a_comparison_shows_it() -> None:
    models = {"a": PROB, "b": NOISY}
    found = assay.compare(task="binary", y_true=TRUTH, models=models, kind="y_prob", metrics=[ECE], replicates=200)
    corrected = found[ECE].scores["a"].corrected
    assert corrected is not None
    for form in (str(found), found.to_markdown(), found.to_latex(), found._repr_html_()):
        assert f"({corrected:.3f}" in form
        assert NOTE in " ".join(form.split())
    assert found.to_frame()["corrected_a"][0] == corrected
    assert found.to_dict()["metrics"][ECE]["scores"]["a"]["corrected"] == corrected


def test_limits_that_miss_a_biased_value_are_stretched_and_marked() -> None:
    """Percentiles of a biased value may lie beside it; nobody is told an interval without its own value."""
    beside = doubted(Interval(0.5, 0.6, "percentile bootstrap"), 0.4)
    assert (beside.low, beside.high) == (0.4, 0.6)
    assert "biased" in beside.reason
    about = Interval(0.5, 0.6, "less the bias", corrected=0.55)
    assert doubted(about, 0.7) is about


def test_a_corrected_score_travels() -> None:
    import pickle

    score = M.CalibrationError(of_what="positive").interval(TRUTH, y_prob=PROB)
    again = pickle.loads(pickle.dumps(score))
    assert again.corrected == score.corrected
    assert again.but(corrected=None).corrected is None
