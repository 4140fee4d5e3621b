"""A store takes up its own run, also in another process, and no other: whatever changes the answers of a learner is seen."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import assay
from messages import refusal

RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 3))
Y = X[:, 0] + RNG.normal(size=40)
CV = assay.CrossValidation(folds=4)
SHIFT = 0.0


def ran(learner: Any, folder: Path, scheme: Any = CV) -> Any:
    return assay.estimate(learner, X, Y, scheme, ["mse"], store=folder, name="one")


def mean(rows: Any, y: Any) -> float:
    return float(y.mean())


def flat(model: float, rows: Any) -> Any:
    return np.full(len(rows), model)


def higher(model: float, rows: Any) -> Any:
    return np.full(len(rows), model + 1)


def closed(value: Any) -> Any:
    return mean, lambda model, rows: np.full(len(rows), model + float(np.asarray(value).sum()))


def defaulted(value: float) -> Any:
    def predict(model: float, rows: Any, shift: float = value) -> Any:
        return np.full(len(rows), model + shift)

    return mean, predict


def keyworded(value: float) -> Any:
    def predict(model: float, rows: Any, *, shift: float = value) -> Any:
        return np.full(len(rows), model + shift)

    return mean, predict


def helped(by: Any) -> Any:
    return lambda rows, y: lambda new: by(mean(rows, y), new)


class Home:
    """An estimator without parameters to ask for, and without a repr."""

    def __init__(self, shift: float) -> None:
        self.shift = shift

    def fit(self, rows: Any, y: Any) -> Any:
        self.mean = mean(rows, y)
        return self

    def predict(self, rows: Any) -> Any:
        return np.full(len(rows), self.mean + self.shift)


def piped(low: float) -> Any:
    """So long that scikit-learn leaves out the middle when it prints it, and it is the middle that changes."""
    ends = [MinMaxScaler(feature_range=(-9.0, 9.0 + i)) for i in range(24)]
    return make_pipeline(*ends[:12], MinMaxScaler(feature_range=(low, 9.0)), *ends[12:], Ridge())


def many(last: float) -> Any:
    return closed(np.r_[np.zeros(5000), last, np.zeros(5000)])


PAIRS = [
    ((mean, flat), (mean, higher)),
    (closed(0.0), closed(1.0)),
    (defaulted(0.0), defaulted(1.0)),
    (keyworded(0.0), keyworded(1.0)),
    (helped(flat), helped(higher)),
    (many(0.0), many(1.0)),
    (closed(pd.Series(np.arange(900.0))), closed(pd.Series(np.arange(900.0)[::-1] + (np.arange(900) == 450)))),
    (closed(torch.zeros(3000)), closed((torch.arange(3000) == 1500).float())),
    ((partial(mean), partial(flat)), (partial(mean), partial(higher))),
    (Home(0.0), Home(1.0)),
    (piped(1.0), piped(2.0)),
    (RandomForestRegressor(2, max_depth=1), RandomForestRegressor(2, max_depth=2)),
    ({"fit": mean, "predict": flat}, {"fit": mean, "predict": higher}),
]


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=range(len(PAIRS)))
def test_a_changed_learner_is_another(first: Any, second: Any, tmp_path: Path) -> None:
    once = ran(first, tmp_path / "run")
    with refusal(assay.InputError):
        ran(second, tmp_path / "run")
    assert float(ran(first, tmp_path / "run")["mse"]) == float(once["mse"])


def test_a_constant_of_the_module_is_part_of_a_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def predict(model: float, rows: Any) -> Any:
        return np.full(len(rows), model + SHIFT)

    ran((mean, predict), tmp_path / "run")
    monkeypatch.setattr(sys.modules[__name__], "SHIFT", 1.0)
    with refusal(assay.InputError):
        ran((mean, predict), tmp_path / "run")


def test_nested_runs_differ_by_seed_and_grid(tmp_path: Path) -> None:
    def scheme(**more: Any) -> Any:
        return assay.Nested(**{"outer": CV, "grid": {"alpha": [0.1, 1.0]}, **more})

    ran(Ridge(), tmp_path / "run", scheme())
    for other in ({"seed": 5}, {"grid": {"alpha": [0.1, 2.0]}}, {"inner": assay.CrossValidation(folds=3)}):
        with refusal(assay.InputError):
            ran(Ridge(), tmp_path / "run", scheme(**other))
    ran(Ridge(), tmp_path / "run", scheme())


SCRIPT = """
import sys
import numpy as np
import pandas as pd
import assay

class Home:
    def __init__(self, shift):
        self.shift = shift
        self.more = {"b": object, "a": {"x", "y", "z"}}
    def fit(self, rows, y):
        print("fit")
        self.mean = y.mean()
        return self
    def predict(self, rows):
        return np.full(len(rows), self.mean + self.shift)

class Called:
    def __call__(self, rows, y):
        print("fit")
        return lambda new: np.full(len(new), y.mean())

class Config:
    rate = 0.5
    def __init__(self):
        self.depth = 3

def train(rows, y):
    print("fit")
    inner = lambda new: (lambda k: np.full(len(k), y.mean()))(new)
    return lambda new: inner(new) if "a" in {"a", "b", "c", "d"} else None

def configured(config):
    def fit(rows, y):
        print("fit")
        return lambda new: np.full(len(new), config.depth + config.rate)
    return fit

def random(chance):
    return lambda rows, y: train(rows, y) if chance is not None else None

learners = {
    "function": train, "class": Home(1.0), "called": Called(), "closure": configured(Config()),
    "chance": random(np.random.RandomState(3)), "method": (Home(1.0).fit, lambda m, r: m.predict(r)),
}
rows = pd.DataFrame({"a": np.arange(20.0), "b": ["u" + str(i % 3) for i in range(20)]})
for which, learner in learners.items():
    print(which)
    found = assay.estimate(learner, rows, np.arange(20.0), "cv:4", ["mse"], store=f"{sys.argv[1]}/{which}", name="one")
    assert not found.failures
"""


def test_runs_are_resumed_by_another_process(tmp_path: Path) -> None:
    """Two processes for all kinds of learners: the first fits four times each, the second only what is missing."""
    (tmp_path / "script.py").write_text(SCRIPT)
    fits: list[dict[str, int]] = []
    for seed in ("1", "2"):  # of the hashes of texts, which order sets
        done = subprocess.run(
            [sys.executable, str(tmp_path / "script.py"), str(tmp_path / "runs")],
            capture_output=True, text=True, check=False, env={**os.environ, "PYTHONHASHSEED": seed},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        lines = done.stdout.split()
        heads = [at for at, line in enumerate(lines) if line != "fit"]
        fits.append({lines[a]: b - a - 1 for a, b in zip(heads, [*heads[1:], len(lines)], strict=True)})
        if seed == "1":  # as if every run had stopped before its last fit
            for fold in (tmp_path / "runs").glob("*/*3.npz"):
                fold.unlink()
    kinds = ("function", "class", "called", "closure", "chance", "method")
    assert fits == [dict.fromkeys(kinds, 4), dict.fromkeys(kinds, 1)]


def test_a_truncated_fit_is_named(tmp_path: Path) -> None:
    ran((mean, flat), tmp_path / "run")
    file = tmp_path / "run" / "0000001.npz"
    whole = file.read_bytes()
    for size in (len(whole) // 2, len(whole) - 30, 10, 0):
        file.write_bytes(whole[:size])
        with refusal(assay.InputError):
            ran((mean, flat), tmp_path / "run")
    file.unlink()
    ran((mean, flat), tmp_path / "run")


@pytest.mark.parametrize("text", ["{", "", "[1, 2]", "3", "null"])
def test_a_damaged_description_is_named(text: str, tmp_path: Path) -> None:
    ran((mean, flat), tmp_path / "run")
    (tmp_path / "run" / "run.json").write_text(text)
    with refusal(assay.InputError):
        ran((mean, flat), tmp_path / "run")


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("dear")
    with refusal(assay.InputError):
        ran((mean, flat), tmp_path / "run")
