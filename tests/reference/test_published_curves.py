"""bob.measure's scores of genuine and impostor pairs with its published areas and error rates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference_data import crossing

import assay
import fixtures
from messages import refusal

HOME = ("13_losses_metric_learning", "bob_measure")


def pair_scores(name: str) -> dict[str, Any]:
    data = fixtures.load_json(*HOME, "scores.json")
    positive, negative = data[f"{name}-positives"], data[f"{name}-negatives"]
    return {"y_true": [1] * len(positive) + [0] * len(negative), "y_score": [*positive, *negative]}


def expected(*path: str) -> Any:
    value = fixtures.load_json(*HOME, "expected.json")
    for name in path:
        value = value[name]
    return value


def test_area() -> None:
    assert assay.roc_auc(**pair_scores("nonsep")) == pytest.approx(expected("nonsep", "roc_auc"), abs=1e-12)
    assert assay.roc_auc(**pair_scores("linsep")) == 1.0


def test_equal_error_rate_on_the_convex_hull() -> None:
    value = assay.equal_error_rate(**pair_scores("nonsep"), hull=True)
    assert value == pytest.approx(expected("nonsep", "EER on ROC convex hull (Bosaris 1.06)"), abs=1e-12)
    assert assay.equal_error_rate(**pair_scores("linsep")) == 0.0


def test_hull_of_the_curve() -> None:
    """Every vertex of the published hull is a point of our curve, and none of our points lies below it.

    The file calls its rows [pmiss; pfa]; its own far and frr at a requested rate say that the first row is the false
    alarms: (0.1, 0.12) is far 0.1 and frr 0.12.
    """
    curve = assay.roc_curve(**pair_scores("nonsep"))
    points = {(round(f, 9), round(1 - t, 9)) for f, t in zip(curve.fpr, curve.tpr, strict=True)}
    alarm, miss = expected("nonsep", "rocch [pmiss;pfa]")
    assert {(round(f, 9), round(m, 9)) for f, m in zip(alarm, miss, strict=True)} <= points
    assert (1 - curve.tpr >= np.interp(curve.fpr, alarm[::-1], miss[::-1]) - 1e-9)[1:].all()


def test_misses_at_a_false_alarm_rate() -> None:
    """Upstream's far of a request is the largest not above it: 0.01 gives 0.0, so 0.48 are missed."""
    far, frr = expected("nonsep", "roc_for_far requested [.01,.1,1] -> far,frr")
    for limit, miss in zip((0.01, 0.1, 1.0), frr, strict=True):
        assert 1 - assay.tpr_at_fpr(**pair_scores("nonsep"), fpr=limit) == pytest.approx(miss, abs=1e-12)
    assert far == [0.0, 0.1, 1]


def test_reference_curve() -> None:
    """The published ROC over 100 thresholds: each of its points is one of ours."""
    false, miss = fixtures.load_json(*HOME, "reference_curves_100pts.json")["nonsep-roc"]
    curve = assay.roc_curve(**pair_scores("nonsep"))
    points = {(round(f, 6), round(1 - t, 6)) for f, t in zip(curve.fpr, curve.tpr, strict=True)}
    published = {(round(f, 6), round(m, 6)) for f, m in zip(false, miss, strict=True)}
    assert published <= points
    assert len(published) > 10


def test_perfect_separation() -> None:
    """At 3.0 no pair of these scores is wrong; calling all pairs genuine gives F1 2/3 and F2 5/6."""
    data = pair_scores("linsep")
    called = (np.array(data["y_score"]) >= 3.0).astype(int)
    rates = (assay.false_positive_rate(data["y_true"], called), assay.false_negative_rate(data["y_true"], called))
    assert list(rates) == expected("linsep", "far,frr at 3.0")
    everything = np.ones(100, dtype=int)
    assert assay.f1(data["y_true"], everything) == pytest.approx(expected("linsep", "f1 at (min-0.1)"), abs=1e-8)
    assert assay.f_beta(data["y_true"], everything, beta=2.0) == pytest.approx(
        expected("linsep", "f2 at (min-0.1)"), abs=1e-8
    )


@pytest.mark.parametrize("name", ["dev-1", "dev-2", "test-1", "test-2"])
def test_score_files(name: str) -> None:
    """No value is published for these; scikit-learn is the witness. Missing scores must be dropped by hand."""
    sk = pytest.importorskip("sklearn.metrics")
    table = np.loadtxt(fixtures.path(*HOME, f"{name}.txt"))
    y, s = table[:, 0].astype(int), table[:, 1]
    with refusal(assay.InputError):
        assay.roc_auc(y, s)
    y, s = y[~np.isnan(s)], s[~np.isnan(s)]
    assert set(np.unique(y)) == {-1, 1}
    assert assay.roc_auc(y, s) == pytest.approx(sk.roc_auc_score(y, s), abs=1e-12)
    fpr, tpr, _ = sk.roc_curve(y, s, drop_intermediate=False)
    assert assay.equal_error_rate(y, s) == pytest.approx(crossing(fpr, 1 - tpr), abs=1e-12)
