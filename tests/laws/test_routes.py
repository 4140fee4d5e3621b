"""Two routes, one value: kernels and plain arrays; and tensors that stay where they are."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pytest

import assay
from assay import kernels
from assay.core.errors import UndefinedWarning
from assay.core.monoids import Counts, Joint, Moments, Sum
from assay.metrics.classification import labels
from assay.metrics.regression.information_criteria import InformationCriterion
from assay.testing.law_values import is_plain
from assay.testing.metric_laws import agree
from registered import all_variants, cases_of, one_per_statistic

N = 4000
MOST = 400_000  # numbers in a column of pictures


@pytest.fixture
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every threshold from which compiled, threaded or polars routes serve, at a handful of rows."""
    whole = kernels.over_chunks
    monkeypatch.setattr(kernels, "LARGE", 8)
    monkeypatch.setattr(
        kernels,
        "over_chunks",
        lambda n, work, least=0, most=None: whole(n, work, least=min(least or 32, 32), most=most),
    )
    monkeypatch.setattr(labels, "MANY_TEXTS", 8)


def values(metric: Any, case: Any) -> list[Any]:
    """Plain, weighted and single-precision values of one case."""
    weight = 0.5 + np.arange(case.size(metric)) % 3 / 2
    single = {k: np.asarray(v, np.float32) if np.asarray(v).dtype.kind == "f" else v for k, v in case.inputs.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        return [metric(**case.inputs), metric(**case.inputs, weight=weight), metric(**single)]


def test_kernels_equal_the_agnostic_route(variant: Any, request: pytest.FixtureRequest) -> None:
    plain = [values(variant, case) for case in cases_of(variant)]
    request.getfixturevalue("small_is_large")
    for case, wanted in zip(cases_of(variant), plain, strict=True):
        for got, want, rtol in zip(values(variant, case), wanted, (1e-9, 1e-9, 2e-5), strict=True):
            agree(variant, case, "the kernel gives another value", got, want, rtol=rtol)


@pytest.mark.usefixtures("small_is_large")
def test_replicates_and_states_on_kernels(default: Any) -> None:
    rng = np.random.default_rng(1)
    for case in cases_of(default):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedWarning)
            value, n = default(**case.inputs), case.size(default)
            halves = [default.state(**case.taken(default, at)) for at in np.array_split(rng.permutation(n), 2)]
            agree(default, case, "kernel states do not merge", (halves[0] + halves[1]).value(), value)
            if is_plain(value):
                weights = rng.integers(0, 3, (3, n)).astype(float)
                loop = np.stack([default(**case.inputs, weight=w) for w in weights])
                agree(default, case, "kernel replicates differ", default.replicates(weights, **case.inputs), loop)


@pytest.mark.usefixtures("small_is_large")
def test_read_only_input_on_kernels(default: Any) -> None:
    """Columns of pandas, polars and pyarrow and memory maps are read-only; kernels take them, and change nothing."""
    for case in cases_of(default):
        frozen = {k: np.array(v) if k in case.rows(default) else v for k, v in case.inputs.items()}
        before = {k: v.copy() for k, v in frozen.items() if isinstance(v, np.ndarray)}
        for array in before:
            frozen[array].flags.writeable = False
        weight = np.broadcast_to(2.0, case.size(default))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedWarning)
            got, want = default(**frozen), default(**case.inputs)
            weighted = default(**frozen, weight=weight)
        agree(default, case, "read-only input gives another value", got, want)
        if not default.weights_count:
            agree(default, case, "read-only weights give another value", weighted, want, rtol=1e-9)
        for name, array in before.items():
            np.testing.assert_array_equal(frozen[name], array)


@pytest.mark.parametrize("column", ["pandas", "polars", "pyarrow", "memory map"])
def test_large_read_only_columns(column: str, tmp_path: Any) -> None:
    """Above the border of the kernels as it is, with nothing patched."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    numbers = np.linspace(0, 1, kernels.LARGE)
    np.save(tmp_path / "numbers.npy", numbers)
    read_only = {
        "pandas": lambda: pd.Series(numbers, copy=False),
        "polars": lambda: pl.Series(numbers),
        "pyarrow": lambda: pa.array(numbers),
        "memory map": lambda: np.load(tmp_path / "numbers.npy", mmap_mode="r"),
    }[column]()
    assert assay.mse(read_only, numbers + 1) == pytest.approx(1.0)
    assert assay.r2(read_only, numbers) == 1.0


# ---- tensors stay where they are


def bounded(element: Any) -> bool:
    """Whether the element is a sum of fixed size."""
    return (
        all(map(bounded, element.parts)) if isinstance(element, Joint) else isinstance(element, Sum | Counts | Moments)
    )


def large(metric: Any, case: Any, convert: Any) -> dict[str, Any]:
    row = max(np.asarray(v)[0].size for v in case.rows(metric).values())
    at = np.resize(np.arange(case.size(metric)), min(N, max(16, MOST // row)))
    return {k: convert(v) if k in case.rows(metric) else v for k, v in case.taken(metric, at).items()}


def on_host(metric: Any) -> bool:
    """Label maps are walked along by kernels, image by image; texts are Python strings; rankings are sorted on the host; arrays know no
    logarithm of factorials.
    """
    factorials = isinstance(metric, InformationCriterion) and metric.distribution == "poisson"
    return metric.task in ("segmentation", "text", "ranking") or factorials


BOUNDED = [
    metric
    for metric in all_variants()
    if not on_host(metric) and bounded(metric.statistic().of(metric.inputs(**cases_of(metric)[0].inputs)))
]


@pytest.fixture
def crossings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sizes of the foreign arrays that come to the host, wherever `to_host` is called."""
    from assay.core import arrays

    seen: list[int] = []
    original = arrays.to_host

    def spy(array: Any) -> Any:
        if not isinstance(array, np.ndarray):
            seen.append(int(np.prod(array.shape, dtype=np.int64)))
        return original(array)

    for name, module in list(sys.modules.items()):
        if name.startswith("assay") and getattr(module, "to_host", None) is original:
            monkeypatch.setattr(module, "to_host", spy)
    return seen


def check_crossings(metric: Any, cases: list[Any], convert: Any, crossings: list[int]) -> None:
    ran = 0
    for case in cases:
        if any(np.asarray(v).dtype.kind == "U" for v in case.inputs.values()):
            continue
        inputs = large(metric, case, convert)
        weight = convert(0.5 + np.arange(len(inputs[next(iter(case.rows(metric)))])) % 3 / 2)
        metric.state(**inputs)
        metric.state(**inputs, weight=weight)
        assert max(crossings) < N / 4, f"{case.name}: an array of {max(crossings)} numbers came to the host"
        ran += 1
    assert ran


@pytest.mark.parametrize("metric", BOUNDED, ids=lambda metric: metric.signature())
def test_torch_tensors_stay_on_their_device(metric: Any, crossings: list[int]) -> None:
    torch = pytest.importorskip("torch")
    check_crossings(metric, cases_of(metric), torch.from_numpy, crossings)


@pytest.mark.parametrize("metric", [m for m in one_per_statistic() if m in BOUNDED], ids=lambda m: m.signature())
def test_jax_arrays_stay_on_their_device(metric: Any, crossings: list[int]) -> None:
    jax = pytest.importorskip("jax")
    check_crossings(metric, cases_of(metric)[:1], jax.numpy.asarray, crossings)


def test_enough_metrics_are_bounded() -> None:
    assert len(BOUNDED) > sum(not on_host(metric) for metric in all_variants()) / 3
