"""The same value from every array library and container, in double and in single precision."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay.core.errors import InputError, UndefinedError, UndefinedWarning
from assay.testing.metric_laws import agree
from registered import cases_of

jax = pytest.importorskip("jax")
strict = pytest.importorskip("array_api_strict")
torch = pytest.importorskip("torch")


def read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


def strided(array: np.ndarray) -> np.ndarray:
    return np.repeat(array, 2, axis=0)[::2]


def elsewhere(array: np.ndarray) -> Any:
    """On a device that is not the default: whatever is made without naming a device does not mix with it."""
    return strict.asarray(array, device=strict.Device("device1"))


LIBRARIES = {
    "read-only": read_only,
    "array-api-strict": strict.asarray,
    "array-api-strict elsewhere": elsewhere,
    "torch": torch.from_numpy,
}
FORMS = {
    "strided": strided,
    "big-endian": lambda a: a.astype(a.dtype.newbyteorder(">")),
    "torch with grad": lambda a: torch.tensor(a, requires_grad=a.dtype.kind == "f"),
    "list": lambda a: a.tolist() if a.dtype != np.uint8 else a,  # a list has no type, which tells the range of pictures
}
COLUMNS = {
    "pandas": pd.Series,
    "polars": pl.Series,
    "pyarrow": pa.array,
    "chunked": lambda a: pa.chunked_array([a[:50], a[50:]]),
}
FOREIGN = ("array-api-strict", "array-api-strict elsewhere", "torch", "torch with grad")


def converted(metric: Any, case: Any, convert: Any, text: bool) -> dict[str, Any] | None:
    """The rows in another library; None where it has no text and the labels are, and for mappings with the objects of images."""
    rows = {name: np.asarray(value) for name, value in case.rows(metric).items()}
    if not text and any(a.dtype.kind in "UO" for a in rows.values()):
        return None
    return {**{name: convert(a) for name, a in rows.items()}, **case.free(metric)}


def compare(metric: Any, case: Any, inputs: dict[str, Any], convert: Any, **tolerance: float) -> None:
    weight = 0.5 + np.arange(case.size(metric)) % 3 / 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        agree(metric, case, "another library gives another value", metric(**inputs), metric(**case.inputs), **tolerance)
        got, wanted = metric(**inputs, weight=convert(weight)), metric(**case.inputs, weight=weight)
    agree(metric, case, "another library gives another weighted value", got, wanted, **tolerance)


def check(metric: Any, convert: Any, *, text: bool = False, **tolerance: float) -> None:
    ran = 0
    for case in cases_of(metric):
        inputs = converted(metric, case, convert, text)
        if inputs is not None:
            compare(metric, case, inputs, convert, **tolerance)
            ran += 1
    assert ran


@pytest.mark.parametrize("library", LIBRARIES)
def test_libraries_in_double_precision(array_variant: Any, library: str) -> None:
    check(array_variant, LIBRARIES[library], text=library not in FOREIGN)


def check_states(metric: Any, convert: Any, **tolerance: float) -> None:
    ran = 0
    for case in cases_of(metric)[:2]:
        inputs = None if metric.task == "ranking" else converted(metric, case, convert, text=False)
        if inputs is None or not isinstance(metric(**case.inputs), float):
            continue
        for weight in (None, 0.5 + np.arange(case.size(metric)) % 3 / 2):
            wanted = metric.state(**case.inputs, weight=weight)
            got = metric.state(**inputs, weight=None if weight is None else convert(weight))
            limits = [_limits(state) for state in (got, wanted)]
            agree(metric, case, "a state of another library has another interval", *limits, **tolerance)
            ran += 1
    if not ran:
        pytest.skip("curves, rankings and images of objects")


def _limits(state: Any) -> Any:
    try:
        found = state.interval(replicates=100)
    except (InputError, UndefinedError):
        return np.array([np.nan, np.nan])
    return np.array([found.low, found.high])


@pytest.mark.parametrize("library", ["array-api-strict", "torch"])
def test_states_have_the_same_interval(default: Any, library: str) -> None:
    check_states(default, LIBRARIES[library])


def test_states_in_single_precision_have_nearly_the_same_interval(jax_default: Any) -> None:
    check_states(jax_default, jax.numpy.asarray, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_the_same_numbers(array_default: Any, form: str) -> None:
    check(array_default, FORMS[form], text="torch" not in form)


def test_jax_in_double_precision(array_jax_default: Any) -> None:
    with jax.enable_x64(True):
        check(array_jax_default, jax.numpy.asarray)


def test_jax_in_single_precision(array_jax_default: Any) -> None:
    check(array_jax_default, jax.numpy.asarray, rtol=2e-4, atol=2e-5)


@pytest.mark.slow
def test_jax_in_single_precision_with_all_parameters(array_variant: Any) -> None:
    check(array_variant, jax.numpy.asarray, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("frame", COLUMNS)
def test_columns_of_frames(default: Any, frame: str) -> None:
    for case in cases_of(default):
        convert = COLUMNS[frame]
        rows = {name: np.asarray(v) for name, v in case.rows(default).items()}
        inputs = {name: convert(a) if a.ndim == 1 and a.dtype.kind != "O" else a for name, a in rows.items()}
        compare(default, case, {**inputs, **case.free(default)}, convert)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_frames_of_outputs(frame: Any) -> None:
    from assay.metrics.regression.errors import RMSE

    y, p = np.arange(12.0).reshape(6, 2), np.arange(12.0).reshape(6, 2)[::-1]
    names = ("a", "b")
    got = RMSE(outputs="each")(*(frame({n: a[:, j].copy() for j, n in enumerate(names)}) for a in (y, p)))
    np.testing.assert_allclose(got, RMSE(outputs="each")(y, p), rtol=1e-12)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_column_names_of_probabilities_are_the_classes(frame: Any) -> None:
    from assay.metrics.classification.probabilities import LogLoss

    p = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]])
    truth = ["dog", "ant", "cat"]
    named = frame({"dog": p[:, 0].copy(), "ant": p[:, 1].copy(), "cat": p[:, 2].copy()})
    assert LogLoss()(truth, y_prob=named) == pytest.approx(-np.log([0.7, 0.8, 0.5]).mean(), rel=1e-12)
