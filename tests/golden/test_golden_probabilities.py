"""Scores of probabilities and calibration on data small enough to work out by hand."""

from __future__ import annotations

import math
from fractions import Fraction as F  # noqa: N817
from math import log

import numpy as np
import pytest
from golden_cases import Case, check, params

import assay
from assay.core.registry import find
from messages import refusal, warned

PAIR = {"y_true": [1, 0], "y_prob": [0.5, 0.25]}  # what happened had 1/2 and 3/4
CLASSES = {"y_true": [0, 2], "y_prob": [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]]}
NAMED = {"y_true": ["a", "c"], "y_prob": [[0.25, 0.5, 0.25], [0.5, 0.25, 0.25]]}  # columns c, a, b
SOFT = {"y_true": [[0.5, 0.5]], "y_prob": [[0.25, 0.75]]}
LABELS = {"y_true": [[1, 0], [0, 0]], "y_prob": [[0.5, 0.75], [0.25, 0.5]]}  # had 1/2 1/4, 3/4 1/2
LOGITS = {"y_true": [1, 0], "logits": [log(3), -log(3)]}  # probabilities 3/4 and 1/4
SURE = {"y_true": [1, 0], "y_prob": [1.0, 0.0]}
# Above one half: 0.75 three times, right twice; below: 0.25 once, did not happen.
BINS = {"y_true": [1, 1, 0, 0], "y_prob": [0.75, 0.75, 0.75, 0.25]}
# One bin: confidence 9/10, frequency 1/4, gap 13/20; its noise ((3*0.81 + 0.01) - 4*(13/20)^2) / (4*3) = 1/16.
NOISY = {"y_true": [0, 0, 0, 1], "y_prob": [0.9, 0.9, 0.9, 0.9]}
MASS = {"y_true": [0, 1, 1, 1], "y_prob": [0.1, 0.2, 0.3, 0.4]}
EDGE = {"y_true": [1, 0], "y_prob": [0.5, 0.25]}  # 0.5 belongs to (0, 0.5]
POSITIVE = {"of_what": "positive", "bins": 2}

CASES = [
    Case("log_loss", PAIR, -(log(1 / 2) + log(3 / 4)) / 2),
    Case("log_loss", {**PAIR, "weight": [1, 3]}, -(log(1 / 2) + 3 * log(3 / 4)) / 4),
    Case("log_loss", {"y_true": ["x", "y"], "y_prob": [0.5, 0.25]}, -(log(1 / 2) + log(3 / 4)) / 2, {"positive": "x"}),
    Case("log_loss", CLASSES, log(2)),
    Case("log_loss", NAMED, log(2), {"classes": ("c", "a", "b")}),
    Case("log_loss", SOFT, -(log(1 / 4) + log(3 / 4)) / 2, {"soft": True}),
    Case("log_loss", LABELS, -(log(1 / 2) + log(1 / 4) + log(3 / 4) + log(1 / 2)) / 4),
    Case("log_loss", LOGITS, -log(3 / 4)),
    Case("log_loss", {"y_true": [1], "logits": [[0.0, log(3)]]}, -log(3 / 4)),
    Case("log_loss", {"y_true": [0], "logits": [1000.0]}, 1000),  # in log space nothing saturates
    Case("log_loss", {"y_true": [0], "logits": [[0.0, 1000.0]]}, 1000),
    Case("log_loss", SURE, 0),  # exactly
    Case("brier", PAIR, F(5, 32)),  # (1/4 + 1/16) / 2
    Case("brier", {**PAIR, "weight": [1, 3]}, F(7, 64)),  # (1/4 + 3/16) / 4
    Case("brier", CLASSES, F(3, 8)),  # 1/4 + 1/16 + 1/16 in both rows
    Case("brier", CLASSES, F(3, 16), {"halve": True}),
    Case("brier", {"y_true": [0], "y_prob": [[0.0, 1.0]]}, 2),  # the upper end of the range
    Case("brier", LABELS, F(9, 32)),  # (1/4 + 9/16 + 1/16 + 1/4) / 4
    Case("brier", LOGITS, F(1, 16)),
    Case("brier", SURE, 0),
    Case(
        "calibration_error", BINS, 0, {"bins": 2, "of_what": "top_label"}
    ),  # top label: 3/4 four times, right three times
    Case("calibration_error", BINS, F(1, 8), {"bins": 2}),  # of two classes the positive one
    Case("calibration_error", BINS, F(1, 8), POSITIVE),  # 3/4 * |2/3 - 3/4| + 1/4 * 1/4
    Case("calibration_error", BINS, math.sqrt(1 / 48), {**POSITIVE, "norm": "l2"}),  # 3/4 * 1/144 + 1/4 * 1/16
    Case("calibration_error", BINS, F(1, 4), {**POSITIVE, "norm": "max"}),
    Case("calibration_error", BINS, F(1, 8), {"of_what": "classwise", "bins": 2}),
    Case("calibration_error", {**BINS, "weight": [1, 1, 1, 3]}, F(1, 6), POSITIVE),  # 1/2 * 1/12 + 1/2 * 1/4
    Case("calibration_error", NOISY, F(13, 20), {**POSITIVE, "norm": "l2"}),
    Case("calibration_error", NOISY, F(3, 5), {**POSITIVE, "norm": "l2", "debiased": True}),  # 169/400 - 1/16 = 9/25
    Case("calibration_error", MASS, F(1, 2), {**POSITIVE, "binning": "mass"}),  # |1/2 - 0.15|, |1 - 0.35|
    Case("calibration_error", EDGE, F(1, 8), POSITIVE),  # one bin: |1/2 - 3/8|
    Case("calibration_error", CLASSES, F(1, 2), {"bins": 4}),  # top label: 1/2 twice, right twice
    Case("calibration_error", LABELS, (F(1, 8) + F(5, 8)) / 2, {"bins": 1}),  # labels: |1/2-3/8|, |0-5/8|
]


@pytest.mark.parametrize("case", params(CASES))
def test_value(case: Case) -> None:
    check(case)


def test_log_loss_of_the_impossible() -> None:
    """Probability 0 for what happened: infinite, counted and said; clipped only on request."""
    data = {"y_true": [1, 0], "y_prob": [0.0, 0.5]}
    with warned(assay.UndefinedWarning):
        assert assay.log_loss(**data) == math.inf
    with warned(assay.UndefinedWarning):
        assert assay.log_loss(**data, clip=1e-15) == pytest.approx((15 * log(10) + log(2)) / 2, rel=1e-14)
    with warned(assay.UndefinedWarning):  # 2^-52, the step of float64
        assert assay.log_loss(**data, clip="eps") == pytest.approx((52 * log(2) + log(2)) / 2, rel=1e-14)
    single = {"y_true": [1, 0], "y_prob": np.array([0.0, 0.5], dtype=np.float32)}
    with warned(assay.UndefinedWarning):  # 2^-23, the step of float32
        assert assay.log_loss(**single, clip="eps") == pytest.approx((23 * log(2) + log(2)) / 2, rel=1e-6)
    score = assay.metrics.LogLoss().score(**data)
    assert list(score.notes.values()) == [1.0]
    perfect = assay.log_loss(**SURE, clip="eps")
    assert perfect == pytest.approx(0, abs=1e-15)


def test_the_dtype_decides_on_which_side_of_an_edge_a_value_falls() -> None:
    """A hair above 0.1 is in the second bin in double precision and 0.1 itself, in the first, in single precision."""
    value, exact = np.array([0.1 + 1e-12, 0.9]), np.array([0.1, 0.9])
    counts = {
        (name, kind): assay.reliability_curve(
            [0, 1], y_prob=p.astype(kind), bins=10, of_what="positive"
        ).weight.tolist()
        for name, p in (("above", value), ("on", exact))
        for kind in ("float64", "float32")
    }
    first, second = [1.0, *[0.0] * 7, 1.0, 0.0], [0.0, 1.0, *[0.0] * 6, 1.0, 0.0]
    assert counts == {
        ("above", "float64"): second,
        ("above", "float32"): first,
        ("on", "float64"): first,
        ("on", "float32"): first,
    }


def test_reliability_curve() -> None:
    curve = find("reliability_curve")(**POSITIVE)(**BINS)
    assert curve.low.tolist() == [0, 0.5]
    assert curve.high.tolist() == [0.5, 1]
    assert curve.weight.tolist() == [1, 3]
    assert curve.confidence.tolist() == [0.25, 0.75]
    assert curve.frequency.tolist() == [0, 2 / 3]
    mass = assay.reliability_curve(**MASS, **POSITIVE, binning="mass")
    assert mass.weight.tolist() == [2, 2]
    assert mass.high.tolist() == [0.2, 1]
    assert len(assay.reliability_curve(**BINS, bins=2, of_what="classwise")) == 2


def test_reliability_curve_with_empty_bins() -> None:
    data = {"y_true": [1], "y_prob": [0.9]}
    assert np.isnan(assay.reliability_curve(**data, **POSITIVE).frequency).tolist() == [True, False]
    assert assay.reliability_curve(**data, **POSITIVE, undefined=0).frequency.tolist() == [0, 1]
    with refusal(assay.UndefinedError):
        assay.reliability_curve(**data, **POSITIVE, undefined="error")
