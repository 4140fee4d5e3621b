"""Metrics of decisions on data small enough to count by hand."""

from __future__ import annotations

import math
from fractions import Fraction as F  # noqa: N817

import pytest
from golden_cases import Case, check, check_undefined, params

import assay
from messages import refusal, warned

# Binary: tp 2, fp 1, fn 1, tn 4.
TRUE, PRED = [1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0]
TWO = {"y_true": TRUE, "y_pred": PRED}
# The false alarm counts three times: tp 2, fp 3, fn 1, tn 4.
HEAVY = {**TWO, "weight": [1, 1, 1, 3, 1, 1, 1, 1]}
TEXT = {"y_true": ["ill" if v else "well" for v in TRUE], "y_pred": ["ill" if v else "well" for v in PRED]}
# The same decisions from probabilities at 1/2, and other ones at 0.3: tp 3, fp 2, fn 0, tn 3.
PROB = {"y_true": TRUE, "y_prob": [0.9, 0.5, 0.4, 0.6, 0.3, 0.1, 0.2, 0.0]}
LOGIT = {"y_true": TRUE, "logits": [3.0, 0.0, -0.4, 0.5, -1.0, -3.0, -2.0, -9.0]}
# Three classes, rows true:  a: 2 0 0 / b: 1 1 1 / c: 0 0 1.
THREE = {"y_true": ["a", "a", "b", "b", "b", "c"], "y_pred": ["a", "a", "a", "b", "c", "c"]}
SHARES = {  # the columns are a, b, c; the largest gives THREE's predictions, as column numbers
    "y_true": [0, 0, 1, 1, 1, 2],
    "y_prob": [[0.8, 0.1, 0.1], [0.5, 0.25, 0.25], [0.6, 0.4, 0.0], [0.1, 0.7, 0.2], [0.2, 0.3, 0.5], [0.0, 0.1, 0.9]],
}
# Labels x, y, z; tp 1 1 0, fp 1 0 0, fn 0 1 1, tn 1 1 2.
LABELS = {"y_true": [[1, 0, 0], [0, 1, 1], [0, 1, 0]], "y_pred": [[1, 0, 0], [1, 1, 0], [0, 0, 0]]}
ABSENT = {"y_true": [0, 0, 1], "y_pred": [0, 1, 1]}  # with classes 0, 1, 2 the class 2 neither occurs nor is predicted
KAPPA3 = {"y_true": [0, 0, 1, 2], "y_pred": [0, 2, 1, 1]}
COST = [[0, 1], [5, 0]]
COST3 = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]

BINARY = {  # tp 2, fp 1, fn 1, tn 4 and, weighted, fp 3
    "precision": (F(2, 3), F(2, 5)),
    "recall": (F(2, 3), F(2, 3)),
    "specificity": (F(4, 5), F(4, 7)),
    "false_positive_rate": (F(1, 5), F(3, 7)),
    "false_negative_rate": (F(1, 3), F(1, 3)),
    "negative_predictive_value": (F(4, 5), F(4, 5)),
    "false_discovery_rate": (F(1, 3), F(3, 5)),
    "false_omission_rate": (F(1, 5), F(1, 5)),
    "positive_likelihood_ratio": (F(10, 3), F(14, 9)),  # 2/3 over 1/5, over 3/7
    "negative_likelihood_ratio": (F(5, 12), F(7, 12)),  # 1/3 over 4/5, over 4/7
    "youden": (F(7, 15), F(5, 21)),  # 2/3 + 4/5 - 1, 2/3 + 4/7 - 1
    "net_benefit": (F(1, 8), F(-1, 10)),  # (2 - 1) / 8, (2 - 3) / 10: at 1/2 a false alarm costs a hit
    "f1": (F(2, 3), F(1, 2)),
    "jaccard": (F(1, 2), F(1, 3)),
    "accuracy": (F(6, 8), F(6, 10)),
    "misclassification": (F(2, 8), F(4, 10)),
    "hamming": (F(2, 8), F(4, 10)),
    "balanced_accuracy": ((F(2, 3) + F(4, 5)) / 2, (F(2, 3) + F(4, 7)) / 2),
    "cohen_kappa": (
        1 - F(2 * 8, 2 * 3 * 5),
        1 - F(4 * 10, 3 * 5 + 7 * 5),
    ),  # 1 - wrong * n / (sum of row * other column)
    "matthews_correlation": ((2 * 4 - 1) / 15, (2 * 4 - 3) / math.sqrt(5 * 3 * 7 * 5)),
}

CASES = [
    *(Case(key, TWO, plain) for key, (plain, _) in BINARY.items()),
    *(Case(key, HEAVY, heavy) for key, (_, heavy) in BINARY.items()),
    Case("net_benefit", PROB, (3 - 2 * F(3, 7)) / 8, {"threshold": 0.3}),  # tp 3, fp 2; a false alarm costs 3/7
    Case("net_benefit", PROB, F(3, 8), {"threshold": 0.0}),  # acting on everybody at no price: the prevalence
    Case("net_benefit", TWO, (2 - F(1, 4)) / 8, {"threshold": 0.2}),  # decisions given: the price alone
    *(Case(key, TEXT, plain, {"positive": "ill"}) for key, (plain, _) in BINARY.items()),
    *(Case(key, PROB, plain) for key, (plain, _) in BINARY.items()),
    *(Case(key, LOGIT, plain) for key, (plain, _) in BINARY.items()),
    Case("f_beta", TWO, F(2, 3), {"beta": 2.0}),  # 5*2 / (5*2 + 4*1 + 1)
    Case("f_beta", HEAVY, F(10, 17), {"beta": 2.0}),  # 10 / (10 + 4 + 3)
    Case("f_beta", HEAVY, F(10, 23), {"beta": 0.5}),  # 5/4*2 / (5/4*2 + 1/4*1 + 3)
    Case("recall", TEXT, F(4, 5), {"positive": "well"}),  # the other class: tp 4, fn 1
    Case("recall", PROB, 1, {"threshold": 0.3}),
    Case("precision", PROB, F(3, 5), {"threshold": 0.3}),
    # a, b, c of THREE: precision 2/3, 1, 1/2; recall 1, 1/3, 1; F1 4/5, 1/2, 2/3; support 2, 3, 1.
    Case("precision", THREE, [F(2, 3), 1, F(1, 2)], {"average": None}),
    Case("precision", THREE, F(13, 18), {"average": "macro"}),
    Case("precision", THREE, F(4, 6), {"average": "micro"}),
    Case("precision", THREE, (F(4, 3) + 3 + F(1, 2)) / 6, {"average": "weighted"}),
    Case("recall", THREE, F(7, 9), {"average": "macro"}),
    Case("recall", THREE, F(4, 6), {"average": "weighted"}),  # weighted recall is accuracy
    Case("f1", THREE, [F(4, 5), F(1, 2), F(2, 3)], {"average": None}),
    Case("f1", THREE, F(59, 90), {"average": "macro"}),
    Case("f1", SHARES, F(59, 90), {"average": "macro"}),
    Case("f1", THREE, [F(2, 3), F(4, 5), F(1, 2)], {"average": None, "classes": ("c", "a", "b")}),
    Case("f_beta", THREE, [F(5, 7), F(5, 7), F(5, 9)], {"average": None, "beta": 0.5}),  # 5tp / (5tp + fn + 4fp)
    Case("jaccard", THREE, F(3, 6), {"average": "macro"}),  # 2/3, 1/3, 1/2
    Case("specificity", THREE, [F(3, 4), 1, F(4, 5)], {"average": None}),
    Case("false_positive_rate", THREE, [F(1, 4), 0, F(1, 5)], {"average": None}),
    Case("false_negative_rate", THREE, F(2, 9), {"average": "macro"}),
    Case("negative_predictive_value", THREE, [1, F(3, 5), 1], {"average": None}),
    Case("false_discovery_rate", THREE, F(5, 18), {"average": "macro"}),
    Case("false_omission_rate", THREE, [0, F(2, 5), 0], {"average": None}),
    Case("accuracy", THREE, F(4, 6)),
    Case("balanced_accuracy", THREE, F(7, 9)),
    Case("balanced_accuracy", THREE, F(2, 3), {"adjusted": True}),  # (7/9 - 1/3) / (2/3)
    # (hits n - sum of row * column) / sqrt of (n^2 - sum row^2)(n^2 - sum column^2); rows 2 3 1, columns 3 1 2
    Case("matthews_correlation", THREE, (4 * 6 - 11) / math.sqrt((36 - 14) * (36 - 14))),
    Case("cohen_kappa", THREE, F(13, 25)),  # (24 - 11) / (36 - 11)
    # Distances 0 2 0 1. By chance, from row sums 2 1 1 and column sums 1 2 1: distance 1 has weight 4 + 1 + 1 + 2 = 8
    # and distance 2 has 2 + 1 = 3, over n = 4.
    Case("cohen_kappa", KAPPA3, 1 - F(3 * 4, 8 + 2 * 3), {"weights": "linear"}),
    Case("cohen_kappa", KAPPA3, 1 - F(5 * 4, 8 + 4 * 3), {"weights": "quadratic"}),
    Case("accuracy", LABELS, F(1, 3)),  # rows that are right in all labels
    Case("misclassification", LABELS, F(2, 3)),
    Case("hamming", LABELS, F(3, 9)),
    Case("f1", LABELS, [F(2, 3), F(2, 3), 0], {"average": None}),
    Case("f1", LABELS, F(4, 9), {"average": "macro"}),
    Case("f1", LABELS, F(4, 7), {"average": "micro"}),  # tp 2, fp 1, fn 2
    Case("f1", LABELS, (F(2, 3) + 2 * F(2, 3)) / 4, {"average": "weighted"}),  # support 1, 2, 1
    Case("f1", LABELS, F(1, 2), {"average": "samples"}),  # rows 1, 1/2, 0
    Case("recall", LABELS, F(1, 2), {"average": "samples"}),  # rows 1, 1/2, 0
    Case("recall", {**LABELS, "weight": [1, 1, 2]}, F(3, 8), {"average": "samples"}),
    Case("jaccard", LABELS, F(4, 9), {"average": "samples"}),  # rows 1, 1/3, 0
    Case("specificity", LABELS, [F(1, 2), 1, 1], {"average": None}),
    Case("confusion_matrix", TWO, [[4, 1], [1, 2]]),
    Case("confusion_matrix", THREE, [[2, 0, 0], [1, 1, 1], [0, 0, 1]]),
    Case("confusion_matrix", THREE, [[1, 0, 0], [0, 2, 0], [1, 1, 1]], {"classes": ("c", "a", "b")}),
    Case("confusion_matrix", LABELS, [[[1, 1], [0, 1]], [[1, 0], [1, 1]], [[2, 0], [1, 0]]]),
    Case("confusion_matrix", HEAVY, [[4, 3], [1, 2]]),
    Case("confusion_matrix", TWO, [[F(4, 5), F(1, 5)], [F(1, 3), F(2, 3)]], {"normalize": "true"}),
    Case("confusion_matrix", TWO, [[F(4, 5), F(1, 3)], [F(1, 5), F(2, 3)]], {"normalize": "predicted"}),
    Case("confusion_matrix", TWO, [[F(4, 8), F(1, 8)], [F(1, 8), F(2, 8)]], {"normalize": "all"}),
    Case("expected_cost", TWO, F(6, 8), {"cost": COST}),  # one false alarm at 1, one miss at 5
    Case("expected_cost", HEAVY, F(8, 10), {"cost": COST}),
    Case("expected_cost", PROB, F(3, 8), {"cost": COST}),  # positive from 1/6 on: false alarms 0.6, 0.3, 0.2, no miss
    Case("expected_cost", THREE, F(3 + 4, 6), {"cost": COST3, "classes": ("a", "b", "c")}),  # b as a, b as c
    Case("expected_cost", TEXT, F(6, 8), {"cost": COST, "positive": "ill"}),
    Case("expected_cost", TEXT, F(6, 8), {"cost": COST, "classes": ("well", "ill")}),
]


@pytest.mark.parametrize("case", params(CASES))
def test_value(case: Case) -> None:
    check(case)


NONE_CALLED = {"y_true": [0, 1, 1], "y_pred": [0, 0, 0]}
ALL_CALLED = {"y_true": [0, 1, 1], "y_pred": [1, 1, 1]}
NO_POSITIVE = {"y_true": [0, 0, 0], "y_pred": [0, 1, 0]}
NO_NEGATIVE = {"y_true": [1, 1, 1], "y_pred": [0, 1, 1]}
NOTHING = {"y_true": [0, 0], "y_pred": [0, 0]}
UNDEFINED = [
    ("precision", NONE_CALLED, {}),
    ("false_discovery_rate", NONE_CALLED, {}),
    ("recall", NO_POSITIVE, {}),
    ("false_negative_rate", NO_POSITIVE, {}),
    ("specificity", NO_NEGATIVE, {}),
    ("false_positive_rate", NO_NEGATIVE, {}),
    ("negative_predictive_value", ALL_CALLED, {}),
    ("false_omission_rate", ALL_CALLED, {}),
    ("f1", NOTHING, {}),
    ("f_beta", NOTHING, {"beta": 2.0}),
    ("jaccard", NOTHING, {}),
    ("matthews_correlation", NONE_CALLED, {}),
    ("matthews_correlation", NO_POSITIVE, {}),
    ("cohen_kappa", NOTHING, {}),
    ("balanced_accuracy", NO_POSITIVE, {"adjusted": True}),
]


@pytest.mark.parametrize(("key", "inputs", "options"), UNDEFINED)
def test_undefined(key: str, inputs: dict, options: dict) -> None:
    check_undefined(key, inputs, options)


def test_absent_class_in_averages() -> None:
    """Recall 1/2, 1 and none: left out and counted, or counted as the number that was asked for."""
    options = {"average": "macro", "classes": (0, 1, 2)}
    with warned(assay.UndefinedWarning):
        assert assay.recall(**ABSENT, **options) == 0.75
    assert assay.recall(**ABSENT, **options, undefined=0) == 0.5
    assert assay.recall(**ABSENT, **options, undefined=1) == pytest.approx(2.5 / 3, rel=1e-15)
    with refusal(assay.UndefinedError):
        assay.recall(**ABSENT, **options, undefined="error")
    assert assay.recall(**ABSENT, average="macro") == 0.75  # classes that occur, none of them without a value
    score = assay.metrics.Recall(**options).score(**ABSENT)
    assert score.undefined == 1
    assert score.parts[0] == 0.5


def test_rows_without_labels_in_the_mean_over_rows() -> None:
    """F1 of rows: 1, and none where nothing is true and nothing called."""
    data = {"y_true": [[1, 0], [0, 0]], "y_pred": [[1, 0], [0, 0]]}
    with warned(assay.UndefinedWarning):
        assert assay.f1(**data, average="samples") == 1.0
    with warned(assay.UndefinedWarning):
        assert assay.f1(**data, average="samples", undefined=0) == 0.5
    with refusal(assay.UndefinedError):
        assay.f1(**data, average="samples", undefined="error")


def test_normalised_table_with_an_empty_row() -> None:
    with warned(assay.UndefinedWarning):
        table = assay.confusion_matrix([0, 0], [0, 1], normalize="true")
    assert table[0].tolist() == [0.5, 0.5]
    assert assay.confusion_matrix([0, 0], [0, 1], normalize="true", undefined=0).tolist() == [[0.5, 0.5], [0, 0]]
    with refusal(assay.UndefinedError):
        assay.confusion_matrix([0, 0], [0, 1], normalize="true", undefined="error")


def test_decisions_by_cost() -> None:
    assert assay.cost_minimal_threshold([[0, 1], [4, 0]]) == 0.2  # 1 / (1 + 4)
    assert assay.cost_minimal_threshold([[1, 3], [7, 1]]) == 0.25  # (3 - 1) / (3 - 1 + 7 - 1)
    # Expected costs of (0.7, 0.3): 1.2 and 0.7; of (0.9, 0.1): 0.4 and 0.9.
    assert assay.cost_minimal_decisions([[0.7, 0.3], [0.9, 0.1]], [[0, 1], [4, 0]]).tolist() == [1, 0]
    assert assay.cost_minimal_decisions([0.3, 0.1, 0.2], [[0, 1], [4, 0]]).tolist() == [1, 0, 1]
    assert assay.cost_minimal_decisions([[0.4, 0.35, 0.25]], COST3).tolist() == [1]  # 2.3, 1.9, 2.2
