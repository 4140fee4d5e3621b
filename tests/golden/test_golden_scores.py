"""Metrics of scores and their curves on data small enough to rank by hand."""

from __future__ import annotations

from fractions import Fraction as F  # noqa: N817
from typing import Any

import numpy as np
import pytest
from golden_cases import Case, check, check_undefined, params

import assay
from assay.core.registry import find
from messages import refusal, warned

# From the top: 0.8 +, 0.4 -, 0.35 +, 0.1 -. Steps (fpr, tpr): (0, 0) (0, 1/2) (1/2, 1/2) (1/2, 1) (1, 1).
FOUR = {"y_true": [0, 0, 1, 1], "y_score": [0.1, 0.4, 0.35, 0.8]}
HEAVY = {**FOUR, "weight": [1.0, 2.0, 1.0, 3.0]}
TEXT = {"y_true": ["no", "no", "yes", "yes"], "y_score": [0.1, 0.4, 0.35, 0.8]}
TIED = {"y_true": [1, 0, 1, 0], "y_score": [0.5, 0.5, 0.9, 0.1]}
LONG = {"y_true": [1, 0, 0, 1, 1], "y_score": [5, 4, 3, 2, 1]}  # precision at the hits: 1, 2/4, 3/5
THREE = {
    "y_true": [0, 1, 2, 2],
    "y_prob": [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.4, 0.3], [0.1, 0.2, 0.7]],
}  # class 2 against the rest: 0.3 and 0.7 against 0.2 and 0.3, one tie
LABELS = {"y_true": [[1, 0], [0, 1], [1, 1]], "y_score": [[0.9, 0.2], [0.1, 0.3], [0.5, 0.1]]}
TOP = {"y_true": [0, 1, 2, 2], "y_score": [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3], [0.7, 0.2, 0.1]]}

CASES = [
    Case("roc_auc", FOUR, F(3, 4)),  # 3 of 4 pairs
    Case("roc_auc", TIED, F(7, 8)),  # 3 of 4 pairs and half of a tie
    Case("roc_auc", HEAVY, F(10, 12)),  # 1*1 + 3*(1+2) of (1+3)*(1+2)
    Case("roc_auc", TEXT, F(3, 4), {"positive": "yes"}),
    Case("roc_auc", TEXT, F(1, 4), {"positive": "no"}),
    # Area left of 1/2: 1/4; guessing 1/8, perfect 1/2: (1 + (1/8) / (3/8)) / 2.
    Case("roc_auc", FOUR, F(2, 3), {"max_fpr": 0.5}),
    Case("roc_auc", FOUR, F(5, 7), {"max_fpr": 0.25}),  # (1 + (1/8 - 1/32) / (1/4 - 1/32)) / 2
    Case("roc_auc", THREE, [1, 1, F(7, 8)], {"average": None}),
    Case("roc_auc", THREE, F(23, 24), {"average": "macro"}),
    Case("roc_auc", THREE, F(15, 16), {"average": "weighted"}),  # 1/4, 1/4, 1/2
    # Cells 0.5 0.5 0.3 0.7 against 0.3 0.2 0.2 0.3 0.3 0.4 0.1 0.2: 8 + 8 + (4 + 3/2) + 8 of 32.
    Case("roc_auc", THREE, F(59, 64), {"average": "micro"}),
    # Pairs (0,1) 1, (0,2) 1, (1,2) (1 + 3/4) / 2; weighted by shares 1/2, 3/4, 3/4.
    Case("roc_auc", THREE, F(23, 24), {"average": "macro", "multiclass": "ovo"}),
    Case("roc_auc", THREE, F(61, 64), {"average": "weighted", "multiclass": "ovo"}),
    Case("roc_auc", LABELS, [1, F(1, 2)], {"average": None}),
    Case("roc_auc", LABELS, (2 * 1 + 2 * F(1, 2)) / 4, {"average": "weighted"}),
    Case("average_precision", FOUR, F(5, 6)),  # 1/2 * 1 + 1/2 * 2/3
    Case("average_precision", TIED, F(5, 6)),  # 1/2 * 1 + 1/2 * 2/3: the tie is one step
    Case("average_precision", HEAVY, F(11, 12)),  # 3/4 * 1 + 1/4 * 4/6
    Case("average_precision", LONG, F(7, 10)),  # (1 + 1/2 + 3/5) / 3
    Case("average_precision", LONG, F(11, 15), {"interpolated": True}),  # (1 + 3/5 + 3/5) / 3
    Case("average_precision", THREE, [1, 1, F(5, 6)], {"average": None}),
    Case("average_precision", THREE, F(17, 18), {"average": "macro"}),
    Case("average_precision", THREE, F(11, 12), {"average": "weighted"}),
    Case("tpr_at_fpr", FOUR, F(1, 2), {"fpr": 0.1}),
    Case("tpr_at_fpr", FOUR, 1, {"fpr": 0.5}),
    Case("tpr_at_fpr", HEAVY, F(3, 4), {"fpr": 0.5}),  # negatives 1 and 2 of 3: 2/3 is too much
    Case("tpr_at_fpr", THREE, [1, 1, F(1, 2)], {"fpr": 0.1, "average": None}),
    # From the top, weighted: precision 1, 3/5, 4/6, 4/7; recall 3/4, 3/4, 1, 1; specificity 1, 1/3, 1/3, 0.
    Case("recall_at_precision", FOUR, 1, {"precision": 0.6}),  # 2/3 at 0.35
    Case("recall_at_precision", FOUR, F(1, 2)),  # 1 at 0.8
    Case("recall_at_precision", HEAVY, F(3, 4)),
    Case("recall_at_precision", {"y_true": [0, 1], "y_score": [0.9, 0.1]}, 0),  # no threshold has a precision above 1/2
    Case("recall_at_precision", THREE, [1, 1, F(1, 2)], {"average": None}),
    Case("precision_at_recall", FOUR, F(2, 3)),
    Case("precision_at_recall", FOUR, 1, {"recall": 0.5}),
    Case("precision_at_recall", HEAVY, F(2, 3)),
    Case("specificity_at_sensitivity", FOUR, F(1, 2)),
    Case("specificity_at_sensitivity", FOUR, 1, {"sensitivity": 0.5}),
    Case("specificity_at_sensitivity", HEAVY, F(1, 3)),
    Case("equal_error_rate", FOUR, F(1, 2)),  # at (1/2, 1/2)
    Case("equal_error_rate", FOUR, F(1, 4), {"hull": True}),  # the hull runs from (0, 1/2) to (1/2, 0)
    Case("equal_error_rate", HEAVY, F(1, 4)),  # misses stay 1/4 from fpr 0 to 2/3
    Case("equal_error_rate", TIED, F(1, 4)),  # from (0, 1/2) to (1/2, 0) in one step
    Case("top_k_accuracy", TOP, F(2, 4), {"k": 1}),
    Case("top_k_accuracy", TOP, F(3, 4), {"k": 2}),
    Case("top_k_accuracy", {**TOP, "weight": [1, 1, 1, 3]}, F(3, 6), {"k": 2}),
    Case("top_k_accuracy", {"y_true": [1], "y_score": [[0.4, 0.4, 0.2]]}, F(1, 2), {"k": 1}),  # a tie for one place
    Case("top_k_accuracy", {"y_true": [1], "y_score": [[3, 3, 3]]}, F(2, 3), {"k": 2}),  # a tie of three for two places
    Case("top_k_accuracy", {"y_true": ["b"], "logits": [[1, 2, 3]]}, 1, {"k": 2, "classes": ("a", "b", "c")}),
]


@pytest.mark.parametrize("case", params(CASES))
def test_value(case: Case) -> None:
    check(case)


ONE_CLASS = {"y_true": [1, 1], "y_score": [0.2, 0.3]}
NO_POSITIVE = {"y_true": [0, 0], "y_score": [0.2, 0.3]}


@pytest.mark.parametrize(
    ("key", "inputs"),
    [
        ("roc_auc", ONE_CLASS),
        ("roc_auc", NO_POSITIVE),
        ("average_precision", NO_POSITIVE),
        ("tpr_at_fpr", ONE_CLASS),
        ("tpr_at_fpr", NO_POSITIVE),
        ("recall_at_precision", NO_POSITIVE),
        ("precision_at_recall", NO_POSITIVE),
        ("specificity_at_sensitivity", ONE_CLASS),
        ("specificity_at_sensitivity", NO_POSITIVE),
        ("equal_error_rate", ONE_CLASS),
        ("equal_error_rate", NO_POSITIVE),
    ],
)
def test_undefined(key: str, inputs: dict) -> None:
    check_undefined(key, inputs, {})


def test_average_precision_without_negatives_exists() -> None:
    assert assay.average_precision(**ONE_CLASS) == 1.0


def test_absent_class_in_averages() -> None:
    data = {"y_true": [0, 1, 0], "y_prob": [[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.5, 0.5, 0.0]]}
    with warned(assay.UndefinedWarning):
        assert assay.roc_auc(**data, average="macro") == 1.0
    assert assay.roc_auc(**data, average="macro", undefined=0) == pytest.approx(2 / 3, rel=1e-15)
    with warned(assay.UndefinedWarning):
        assert assay.roc_auc(**data, average="macro", multiclass="ovo") == 1.0


def test_roc_curve() -> None:
    curve = assay.roc_curve(**FOUR)
    assert curve.fpr.tolist() == [0, 0, 0.5, 0.5, 1]
    assert curve.tpr.tolist() == [0, 0.5, 0.5, 1, 1]
    assert curve.threshold.tolist() == [np.inf, 0.8, 0.4, 0.35, 0.1]
    assert assay.roc_curve(**TIED).tpr.tolist() == [0, 0.5, 1, 1]  # the tie is one point
    assert assay.roc_curve(**HEAVY).fpr.tolist() == [0, 0, 2 / 3, 2 / 3, 1]
    assert assay.roc_curve(**LABELS)[1].tpr.tolist() == [0, 0.5, 0.5, 1]
    assert curve.to_dict()["tpr"] == [0, 0.5, 0.5, 1, 1]


def test_pr_curve() -> None:
    curve = assay.pr_curve(**FOUR)
    assert curve.recall.tolist() == [0.5, 0.5, 1, 1]
    assert curve.precision.tolist() == [1, 0.5, 2 / 3, 0.5]
    assert curve.threshold.tolist() == [0.8, 0.4, 0.35, 0.1]
    assert assay.pr_curve(**TEXT, positive="yes").recall.tolist() == [0.5, 0.5, 1, 1]


def test_threshold_sweep() -> None:
    sweep = find("threshold_sweep")()(**FOUR)
    cells = (sweep.tp, sweep.fp, sweep.fn, sweep.tn)
    assert [c.tolist() for c in cells] == [[0, 1, 1, 2, 2], [0, 0, 1, 1, 2], [2, 1, 1, 0, 0], [2, 2, 1, 1, 0]]
    assert sweep.threshold.tolist() == [np.inf, 0.8, 0.4, 0.35, 0.1]
    np.testing.assert_allclose(sweep.values("f1"), [0, 2 / 3, 1 / 2, 4 / 5, 2 / 3], rtol=1e-15)
    assert sweep.best("f1") == (0.35, 0.8)
    assert sweep.best("precision") == (0.8, 1.0)  # of nobody there is no precision
    assert sweep.best("false_positive_rate") == (np.inf, 0.0)
    assert sweep.cheapest([[0, 1], [5, 0]]) == (0.35, 0.25)  # one false alarm and no miss
    assert sweep.cheapest([[0, 9], [1, 0]]) == (0.8, 0.25)  # one miss and no false alarm


def test_threshold_sweep_may_call_nobody_positive() -> None:
    """The only positive row has the lowest score: every threshold that finds it raises three false alarms."""
    sweep: Any = assay.threshold_sweep([0, 0, 0, 1], [0.9, 0.8, 0.7, 0.1])
    assert sweep.cheapest([[0, 100], [1, 0]]) == (np.inf, 0.25)
    assert sweep.best("specificity") == (np.inf, 1.0)


@pytest.mark.parametrize("key", ["roc_curve", "pr_curve"])
def test_curve_undefined(key: str) -> None:
    """Without a positive row the true positive rate and recall do not exist at any threshold."""
    name = {"roc_curve": "tpr", "pr_curve": "recall"}[key]
    function = getattr(assay, key)
    assert np.isnan(getattr(function(**NO_POSITIVE), name)).all()
    assert set(getattr(function(**NO_POSITIVE, undefined=1), name)) == {1.0}
    assert set(getattr(function(**NO_POSITIVE, undefined=0), name)) == {0.0}
    with refusal(assay.UndefinedError):
        function(**NO_POSITIVE, undefined="error")
