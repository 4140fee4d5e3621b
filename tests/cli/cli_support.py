"""A table for every task, and a way to run the command line inside the process."""

import io
import sys
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.cli import run
from messages import said

BINARY = ("--task", "binary", "--truth", "y", "--prob", "p")


@dataclass
class Run:
    code: int
    out: str
    err: str


def call(capsys, *arguments, stdin: bytes | None = None) -> Run:
    before = sys.stdin
    if stdin is not None:
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    try:
        code = run([str(a) for a in arguments])
    finally:
        sys.stdin = before
    found = capsys.readouterr()
    return Run(code, found.out, found.err)


def refused(run: Run) -> None:
    """Bad input: code 2, nothing on standard output, one line that starts with the program's name and stands in `messages.txt`."""
    assert run.code == 2, run
    assert run.out == ""
    assert run.err.startswith("assay: ")
    assert run.err.count("\n") == 1
    assert "Traceback" not in run.err
    said(run.err)


def binary(n: int = 120) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, n)
    p = np.clip(0.3 + 0.4 * y + 0.2 * rng.normal(size=n), 0.01, 0.99)
    return pl.DataFrame(
        {
            "y": y,
            "p": p,
            "pred": (p > 0.5).astype(int),
            "z": np.log(p / (1 - p)),
            "word": np.where(y == 1, "ill", "well"),
            "guess": np.where(p > 0.5, "ill", "well"),
            "p0": 1 - p,
            "p1": p,
            "site": rng.choice(["a", "b"], n),
            "patient": rng.integers(0, 40, n),
            "w": rng.random(n) + 0.5,
            "flag": y == 1,
        }
    )


def multiclass(n: int = 90) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    code = rng.integers(0, 3, n)
    p = rng.dirichlet([1, 1, 1], n) * 0.6
    p[np.arange(n), code] += 0.4
    names = np.array(["cat", "cow", "dog"])
    return pl.DataFrame(
        {
            "y": names[code],
            "pred": names[p.argmax(1)],
            "number": code,
            "guess": p.argmax(1),
            **{f"prob_{name}": p[:, k] for k, name in enumerate(names)},
            **{f"c{k}": p[:, k] for k in range(3)},
            "list": [row.tolist() for row in p],
        }
    )


def multilabel(n: int = 80) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, (n, 3))
    p = np.clip(0.3 + 0.4 * truth + 0.2 * rng.normal(size=(n, 3)), 0.01, 0.99)
    names = ["red", "green", "blue"]
    shuffled = [2, 0, 1]
    return pl.DataFrame(
        {
            **{f"y_{names[k]}": truth[:, k] for k in range(3)},
            **{f"p_{names[k]}": p[:, k] for k in shuffled},
            **{f"hat_{names[k]}": (p[:, k] > 0.5).astype(int) for k in range(3)},
            **{f"q{k}": p[:, k] for k in range(3)},
        }
    )


def regression(n: int = 70) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    y = rng.normal(10, 3, n)
    return pl.DataFrame(
        {
            "y": y,
            "x": y + rng.normal(size=n),
            "y_a": y,
            "y_b": y * 2,
            "x_b": y * 2 + 1,
            "x_a": y,
            "count": np.round(y).astype(int),
            "count_hat": np.round(y + 1).astype(int),
        }
    )
