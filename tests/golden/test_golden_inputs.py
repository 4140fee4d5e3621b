"""One meaning for every form of the same data: columns, names, dtypes and devices change how inputs are read, never the value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay

TWO = [[0.6, 0.4], [0.6, 0.4], [0.3, 0.7]]  # at 0.3 every row is called positive: tp 2, fp 1, fn 0, f1 = 4/5


@pytest.mark.parametrize("form", [{"y_prob": TWO}, {"y_prob": [0.4, 0.4, 0.7]}, {"logits": np.log(TWO)}])
def test_a_threshold_decides_between_two_columns_as_it_does_on_one(form: dict[str, Any]) -> None:
    assert assay.f1([0, 1, 1], **form, threshold=0.3) == 0.8
    assert assay.confusion_matrix([0, 1, 1], **form, threshold=0.3).tolist() == [[0, 1], [0, 2]]
    assert assay.confusion_matrix([0, 1, 1], **form).tolist() == [[1, 0], [1, 1]]


def test_the_threshold_is_for_the_positive_column() -> None:
    """With class "a" positive its column (0.6, 0.6, 0.3) is compared: from 0.5 on two rows, from 0.7 on none."""
    data = {"y_true": ["a", "b", "b"], "y_prob": TWO, "classes": ("a", "b")}
    assert assay.precision(**data, positive="a") == 0.5
    assert assay.accuracy(**data, positive="a", threshold=0.7) == pytest.approx(2 / 3, rel=1e-15)
    assert assay.accuracy(**data, positive="b", threshold=0.7) == pytest.approx(2 / 3, rel=1e-15)
    tie = [[0.5, 0.5], [0.5, 0.5]]
    assert assay.recall([0, 1], y_prob=tie) == assay.recall([0, 1], y_prob=[0.5, 0.5]) == 1.0
