"""A stream goes on over a batch without rows and over one whose weights are all zero (the law `neutral` covers every metric)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import assay
from assay.core.state import State
from assay.metrics import COCO, F1, FID, MASE, MSE, RocAuc, RocCurve
from messages import refusal, warned

Y, P = np.array([0, 1, 1, 0, 1]), np.array([0.2, 0.8, 0.4, 0.3, 0.9])


def test_lists_arrays_and_tensors_without_rows() -> None:
    for empty in ([], np.zeros(0), torch.zeros(0)):
        state = RocAuc().state(Y, P) + RocAuc().state(empty, empty)
        assert state.value() == RocAuc()(Y, P)
        assert state.n == 5


def test_the_interval_survives() -> None:
    whole = F1().interval(Y, y_pred=P > 0.5)
    state = F1().state(Y, P > 0.5) + F1().state([], []) + F1().state([1, 0], [1, 1], weight=[0.0, 0.0])
    assert str(state.interval()) == str(whole)


def test_a_padding_batch_need_not_be_valid() -> None:
    """Rows that only fill up a batch carry any label; of weight zero they are not looked at."""
    assert (MSE().state([1.0], [2.0]) + MSE().state([np.nan], [np.inf], weight=[0.0])).value() == 1.0


def test_images_and_samples_without_rows() -> None:
    truth = [{"boxes": [[0.0, 0, 2, 2]], "labels": [1]}]
    found = [{"boxes": [[0.0, 0, 2, 2]], "labels": [1], "scores": [0.9]}]
    assert (COCO().state([], []) + COCO().state(truth, found)).value() == COCO()(truth, found)
    rng = np.random.default_rng(0)
    real, fake = rng.normal(size=(2, 20, 3))
    none = np.zeros((0, 3))
    state = FID().state(real=real, fake=fake) + FID().state(real=none, fake=none)
    assert state.value() == FID()(real=real, fake=fake)


def test_nothing_at_all_is_undefined() -> None:
    nothing: Any = State.from_bytes((MSE().state([], []) + MSE().state([1.0], [1.0], weight=[0.0])).to_bytes())
    assert nothing.n == 0
    with warned(assay.UndefinedWarning):
        assert np.isnan(nothing.value())
    assert MSE(undefined=0).state([], []).value() == 0
    with refusal(assay.UndefinedError):
        MSE(undefined="error").state([], []).value()
    with refusal(assay.UndefinedError):
        nothing.interval()
    with refusal(assay.UndefinedError):
        RocCurve().state([], []).value()


def test_what_is_wrong_besides_is_still_refused() -> None:
    with refusal(assay.InputError):
        MSE().state([], [1.0])
    with refusal(assay.InputError):
        MSE().state([1.0], [1.0], weight=[np.nan])
    with refusal(assay.InputError):
        COCO().state([], [{"boxes": [], "labels": [], "scores": []}])
    with refusal(assay.InputError):
        MASE().state([], [1.0], scale=2.0)
    with refusal(assay.StateError):
        _ = MSE().state([], []) + F1().state(Y, Y)


@pytest.mark.parametrize("weight", [None, []])
def test_a_call_without_rows_is_refused(weight: Any) -> None:
    with refusal(assay.InputError):
        assay.mse([], [], weight=weight)
