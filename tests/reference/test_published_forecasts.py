"""The M4 competition's published sMAPE and MASE, and scoringrules' values, which come from R's scoringRules."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

import assay
import fixtures

M4 = ("14_forecasting", "m4_hourly_shared")
RULES = ("14_forecasting", "scoringrules", "parametric_and_ensemble_cases.json")
METHODS = ("Naive2", "sNaive", "SES", "218")


@cache
def table(name: str) -> Any:
    """(series, steps); every file lists the series in the same order."""
    columns = fixtures.load_csv(*M4, f"{name}.csv")
    ids, *steps = columns.values()
    assert ids == [f"H{i}" for i in range(1, 415)]
    return np.array(steps, dtype=float).T


@cache
def training() -> list[Any]:
    lines = fixtures.path(*M4, "train.jsonl").read_text().splitlines()
    return [np.array(json.loads(line)["y"], dtype=float) for line in lines]


@cache
def scales() -> Any:
    return np.array(fixtures.load_csv(*M4, "mase_scale_from_train.csv")["mase_scale"], dtype=float)


def published(method: str, name: str) -> tuple[float, float]:
    values = fixtures.load_json(*M4, "expected.json")["methods"][method]
    return values["published"][name], values["computed_here"][name]


@pytest.mark.parametrize("method", METHODS)
def test_m4(method: str) -> None:
    """All points of all series in one call, a scale for each row. Two of the files are rounded to 6 decimals."""
    y, p = table("test").ravel(), table(f"forecast_{method}").ravel()
    rounded, exact = published(method, "sMAPE")
    value = assay.smape(y, p, percent=True)
    assert value == pytest.approx(exact, rel=1e-8)
    assert round(value, 3) == rounded
    rounded, exact = published(method, "MASE")
    value = assay.mase(y, p, scale=np.repeat(scales(), 48), season=24)
    assert value == pytest.approx(exact, rel=1e-8)
    assert value == pytest.approx(rounded, abs=6e-4)


def test_m4_owa() -> None:
    """The overall weighted average of the competition, from our two numbers."""
    y = table("test").ravel()
    scale = np.repeat(scales(), 48)
    naive = table("forecast_Naive2").ravel()
    base = assay.smape(y, naive), assay.mase(y, naive, scale=scale)
    for method in METHODS:
        p = table(f"forecast_{method}").ravel()
        owa = (assay.smape(y, p) / base[0] + assay.mase(y, p, scale=scale) / base[1]) / 2
        assert owa == pytest.approx(published(method, "OWA")[1], rel=1e-8)


def test_m4_series_by_series() -> None:
    """From the training series themselves, and as a sum of states; both equal the one call."""
    y, p = table("test"), table("forecast_sNaive")
    metric = assay.metrics.MASE(season=24)
    states = [metric.state(a, b, y_train=t) for a, b, t in zip(y, p, training(), strict=True)]
    assert sum(states).value() == pytest.approx(published("sNaive", "MASE")[1], rel=1e-12)


def cases(function: str) -> list[dict[str, Any]]:
    return fixtures.load_json(*RULES)["functions"][function]


def test_crps_ensemble() -> None:
    plain = [c for c in cases("crps_ensemble") if "ens_w" not in c["args"]]
    assert len(plain) == 1
    for case in plain:
        value = assay.crps([case["args"]["obs"]], members=[case["args"]["fct"]])
        assert value == pytest.approx(case["result"], rel=1e-9)  # "qd" equals the standard estimator
    published = fixtures.load_json("14_forecasting", "scoringrules", "published_literals_excerpt.json")
    assert value == pytest.approx(published["crps_ensemble (see test_crps_ensemble_correctness)"], abs=1e-6)


def test_crps_ensemble_with_member_weights() -> None:
    """We take no weights of members; whole ones are copies of members."""
    (case,) = [c for c in cases("crps_ensemble") if "ens_w" in c["args"]]
    members = np.repeat(case["args"]["fct"], case["args"]["ens_w"])
    assert assay.crps([case["args"]["obs"]], members=members[None, :]) == pytest.approx(case["result"], rel=1e-9)


def test_crps_normal() -> None:
    for case in cases("crps_normal"):
        obs, mu, sigma = np.broadcast_arrays(*(np.asarray(case["args"][k], float) for k in ("obs", "mu", "sigma")))
        result = np.broadcast_to(np.asarray(case["result"], float), obs.shape)
        ours = [assay.crps([o], mean=[m], sd=[s]) for o, m, s in zip(obs.flat, mu.flat, sigma.flat, strict=True)]
        np.testing.assert_allclose(ours, result.ravel(), rtol=1e-10)


def test_interval_score() -> None:
    for case in cases("interval_score"):
        a = case["args"]
        lower, upper, obs = (np.atleast_1d(np.asarray(a[k], float)) for k in ("lower", "upper", "obs"))
        result = np.atleast_1d(case["result"])
        level = 1 - a["alpha"]
        assert assay.interval_score(obs, lower, upper, level=level) == pytest.approx(result.mean(), rel=1e-12)
        for o, low, high, r in zip(obs, lower, upper, result, strict=True):
            assert assay.interval_score([o], [low], [high], level=level) == pytest.approx(r, rel=1e-12)


def test_quantile_score() -> None:
    for case in cases("quantile_score"):
        a = case["args"]
        values = np.broadcast_arrays(*(np.asarray(a[k], float) for k in ("obs", "fct", "alpha")))
        result = np.broadcast_to(np.asarray(case["result"], float), values[0].shape)
        for o, f, q, r in zip(*(v.flat for v in values), result.flat, strict=True):
            assert assay.pinball([o], [f], quantile=float(q)) == pytest.approx(r, abs=1e-15)


def test_brier_score() -> None:
    (case,) = cases("brier_score")
    assert assay.brier([case["args"]["obs"]], y_prob=[case["args"]["fct"]]) == pytest.approx(case["result"], rel=1e-12)
