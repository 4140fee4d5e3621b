"""What a colleague would say, and when nothing needs saying."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay

RNG = np.random.default_rng(8)
P = RNG.random(2000)
Y = (RNG.random(2000) < P).astype(int)


def said(text: str, **call: Any) -> bool:
    return any(text in warning for warning in assay.evaluate(**call).warnings)


def test_nothing_to_say_about_a_sound_model() -> None:
    assert assay.evaluate(task="binary", y_true=Y, y_prob=P).warnings == []


def test_accuracy_on_unequal_classes() -> None:
    y = np.repeat([0, 1], [990, 10])
    assert said("99.0% of the rows are 0", task="binary", y_true=y, y_pred=np.zeros(1000, int))
    assert not said("of the rows are", task="binary", y_true=Y, y_prob=P)


def test_zeros_under_mape() -> None:
    y = np.append(np.zeros(1), np.ones(99))
    assert said("targets that are zero", task="regression", y_true=y, y_pred=np.ones(100))
    tiny = np.append([1e-12], np.arange(1.0, 100))
    assert said("close to zero", task="regression", y_true=tiny, y_pred=np.arange(1.0, 101))


def test_constant_target() -> None:
    assert said("the target is constant", task="regression", y_true=np.ones(50), y_pred=RNG.random(50) + 0.5)


def test_probabilities_that_are_not_calibrated() -> None:
    skewed = (RNG.random(2000) < P**2).astype(int)
    assert said("not calibrated", task="binary", y_true=skewed, y_prob=P)
    assert not said("not calibrated", task="binary", y_true=Y, y_prob=P)


def test_worse_than_trivial() -> None:
    assert said("worse than always predicting", task="binary", y_true=1 - Y, y_prob=P)
    assert said("the mean of the targets", task="regression", y_true=RNG.normal(5, 1, 99), y_pred=RNG.normal(9, 1, 99))


def test_small_slices_and_groups() -> None:
    site = np.where(np.arange(2000) < 12, "tiny", "rest")
    assert said("tiny (12)", task="binary", y_true=Y, y_prob=P, slices={"site": site})
    assert said("400 groups", task="binary", y_true=Y, y_prob=P, groups=np.arange(2000) // 5)
    assert said("only 8 rows", task="binary", y_true=Y[:8], y_prob=P[:8])


def test_rare_classes_are_summed_up() -> None:
    y = np.concatenate([np.zeros(500, int), np.arange(1, 41)])
    result = assay.evaluate(task="multiclass", y_true=y, y_pred=y)
    rare = [w for w in result.warnings if "fewer than 10 rows" in w]
    assert len(rare) == 1
    assert "and 35 more" in rare[0]


def test_weights_do_not_pass_for_rows() -> None:
    result = assay.evaluate(
        task="binary", y_true=Y, y_prob=P, weight=np.full(2000, 1 / 2000), metrics=["accuracy", "f1"]
    )
    assert not any("rows are" in w for w in result.warnings)
    uneven = np.where(np.arange(2000) < 20, 1000.0, 1.0)
    assert said("very unequal", task="binary", y_true=Y, y_prob=P, weight=uneven)


def test_infinite_losses_are_counted() -> None:
    p = np.where(np.arange(2000) < 3, 1.0 - Y, P)
    result = assay.evaluate(task="binary", y_true=Y, y_prob=p)
    assert result["log_loss"] == np.inf
    assert any("3 rows gave what happened probability 0" in w for w in result.warnings)
