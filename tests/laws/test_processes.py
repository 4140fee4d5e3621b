"""What only a fresh process can show: states travel, imports stay light, nothing opens a socket."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from assay.core.errors import UndefinedWarning
from assay.testing.law_values import numbers
from registered import all_variants, cases_of


def run(code: str, text: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], input=text, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_states_are_read_by_a_fresh_process() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        states = [metric.state(**case.inputs) for metric in all_variants() for case in cases_of(metric)[:2]]
        wanted = [numbers(state.value()) for state in states]
    code = """
import base64, json, sys, warnings
warnings.simplefilter("ignore")
import assay
from assay.testing.law_values import numbers
states = [assay.State.from_bytes(base64.b64decode(line)) for line in sys.stdin.read().split()]
print(json.dumps([(state.metric.signature(), state.n, numbers(state.value()).tolist()) for state in states]))
"""
    text = "\n".join(base64.b64encode(state.to_bytes()).decode() for state in states)
    got = json.loads(run(code, text))
    assert len(got) == len(states)
    for state, want, (signature, n, values) in zip(states, wanted, got, strict=True):
        assert (signature, n) == (state.metric.signature(), state.n)
        np.testing.assert_array_equal(np.array(values), want, err_msg=signature)


def loaded_after(code: str, *names: str) -> list[str]:
    return json.loads(run(f"{code}\nimport json, sys\nprint(json.dumps([n for n in {names!r} if n in sys.modules]))"))


def test_import_is_light() -> None:
    heavy = ("numba", "polars", "scipy", "torch", "jax", "pandas", "pyarrow", "sklearn", "narwhals", "typer", "rich")
    assert loaded_after("import assay", *heavy) == []


CALLS = {
    "labels": "assay.f1([0, 1, 1], [0, 1, 0])",
    "values": "assay.rmse([1.0, 2.0], [1.5, 2.0]); assay.r2([1.0, 2.0], [1.5, 2.0])",
    "scores": "assay.roc_auc([0, 1, 1], [0.1, 0.9, 0.4])",
    "probabilities": "assay.log_loss([0, 1], y_prob=[0.2, 0.7]); assay.calibration_error([0, 1], y_prob=[0.2, 0.7])",
}


@pytest.mark.parametrize("what", CALLS)
def test_small_calls_load_no_framework_and_no_compiler(what: str) -> None:
    assert loaded_after(f"import assay\n{CALLS[what]}", "torch", "jax", "numba", "polars", "pandas") == []


def test_no_metric_imports_a_framework() -> None:
    code = "from assay.core.registry import metrics\nassert len(list(metrics())) > 40"
    assert loaded_after(code, "torch", "jax", "sklearn", "pandas") == []


def test_torch_users_do_not_get_jax() -> None:
    pytest.importorskip("torch")
    code = "import torch, assay\nassay.f1(torch.tensor([0, 1, 1]), torch.tensor([0, 1, 0]))"
    assert loaded_after(code, "torch", "jax") == ["torch"]


def test_nothing_opens_a_socket() -> None:
    code = """
import socket
def refuse(*args, **named):
    raise SystemExit("a socket was opened")
socket.socket = socket.create_connection = socket.getaddrinfo = refuse
import assay
from assay.core import registry
registry.load_all()
assay.f1([0, 1, 1], [0, 1, 0])
print("quiet")
"""
    assert run(code).strip() == "quiet"


def test_same_seed_same_examples() -> None:
    code = "from assay.testing.metric_cases import problems\nprint([p.truth.tolist() for p in problems()])"
    assert run(code) == run(code) != "[]\n"


def signature_of_everything() -> list[Any]:
    return [metric.signature() for metric in all_variants()]


def test_signatures_are_unique() -> None:
    found = signature_of_everything()
    assert len(set(found)) == len(found)
