"""`classification_report` in one call: the numbers of scikit-learn's, each with its interval."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import assay
from messages import refuses

RNG = np.random.default_rng(2)
NAMES = np.array(["cat", "cow", "dog"])
Y = RNG.choice(NAMES, 150)
P = np.where(RNG.random(150) < 0.7, Y, RNG.choice(NAMES, 150))
W = RNG.random(150) + 0.5


@pytest.mark.parametrize("weight", [None, W], ids=["plain", "weighted"])
def test_the_numbers_are_those_of_scikit_learn(weight: Any) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    theirs = metrics.classification_report(Y, P, sample_weight=weight, output_dict=True)
    ours = assay.classification_report(Y, P, weight=weight)
    for name in NAMES:
        for key, other in (("precision", "precision"), ("recall", "recall"), ("f1", "f1-score")):
            assert ours[name][key] == pytest.approx(theirs[name][other], rel=1e-12)
        assert ours.support[name] == pytest.approx(theirs[name]["support"], rel=1e-12)
    for name in ("macro", "weighted"):
        assert ours[name]["f1"] == pytest.approx(theirs[f"{name} avg"]["f1-score"], rel=1e-12)
    assert ours.accuracy == pytest.approx(theirs["accuracy"], rel=1e-12)


def test_intervals_are_those_of_the_metrics() -> None:
    report = assay.classification_report(Y, P, groups=np.arange(150) // 3, level=0.9)
    one = assay.metrics.Recall().interval(Y == "cow", P == "cow", groups=np.arange(150) // 3, level=0.9)
    assert report["cow"]["recall"].to_dict() == one.to_dict()
    many = assay.metrics.F1(average="macro").interval(Y, P, groups=np.arange(150) // 3, level=0.9)
    assert report["macro"]["f1"].to_dict() == many.to_dict()


def test_by_hand() -> None:
    """Cats: one of two found, and nothing else called cat. Dogs: the one found, and a cat called dog. Cows: the one, and no other."""
    report = assay.classification_report(["cat", "cow", "cat", "dog"], ["cat", "cow", "dog", "dog"])
    found = {name: [float(score) for score in report[name].values()] for name in report}
    assert found == {"cat": [1, 0.5, pytest.approx(2 / 3)], "cow": [1, 1, 1], "dog": [0.5, 1, pytest.approx(2 / 3)]}
    assert report.support == {"cat": 2, "cow": 1, "dog": 1}
    assert float(report.accuracy) == 0.75


def test_probabilities_and_named_classes() -> None:
    chances = RNG.dirichlet([1, 1, 1], 150)
    report = assay.classification_report(Y, y_prob=chances, classes=["cat", "cow", "dog"])
    assert list(report) == ["cat", "cow", "dog"]
    labels = assay.classification_report(Y, NAMES[chances.argmax(1)])
    assert report["dog"]["f1"] == labels["dog"]["f1"]


def test_a_class_that_is_never_predicted_has_no_precision() -> None:
    report = assay.classification_report([0, 1, 2, 1], [0, 1, 1, 1])
    assert np.isnan(report[2]["precision"])
    assert float(report["macro"]["precision"]) == pytest.approx((1 + 2 / 3) / 2)


def test_it_is_shown_and_taken_along() -> None:
    report = assay.classification_report(Y, P)
    text = str(report)
    assert "macro average" in text
    assert "95 % intervals" in text
    assert "[" in report._repr_html_()
    assert report.to_markdown().startswith("**classification report**")
    frame = report.to_polars()
    assert frame["class"].to_list() == ["cat", "cow", "dog", "micro", "macro", "weighted"]
    assert frame["recall_low"][0] == report["cat"]["recall"].low
    assert report.to_csv().startswith("class,average,precision,precision_low")
    assert json.loads(json.dumps(report.to_dict()))["rates"]["cat"]["f1"]["n"] == 150
    assert len(report) == 3


def test_refused() -> None:
    refuses(lambda: assay.classification_report(Y))
    refuses(lambda: assay.classification_report(np.eye(3, dtype=int), np.eye(3, dtype=int)))
    refuses(lambda: assay.classification_report(Y, P)["horse"])
    refuses(lambda: assay.classification_report(Y, P, output_dict=True))  # type: ignore[call-arg]
