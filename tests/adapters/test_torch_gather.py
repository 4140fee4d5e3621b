"""States of two processes over gloo: the sum is that of all rows, and the padding of a sampler counts once."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.torch.gathering import Share, padding
from messages import refusal

torch: Any = pytest.importorskip("torch")
if not torch.distributed.is_available():
    pytest.skip("torch.distributed is not built in", allow_module_level=True)


@pytest.fixture(scope="module")
def found() -> list[dict[str, Any]]:
    """What each of two processes says, by `gathered_processes.py`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    path = os.pathsep.join([str(Path(assay.__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2"}
    script = str(Path(__file__).with_name("gathered_processes.py"))
    running = [
        subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True, env={**env, "RANK": str(rank)})
        for rank in range(2)
    ]
    said = [process.communicate(timeout=120)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    return [json.loads(text.splitlines()[-1]) for text in said]


def test_the_padding_of_a_sampler_counts_once_and_is_told(found: list[dict[str, Any]]) -> None:
    """Seven rows on two processes: the sampler gives one of them twice."""
    y, p = np.array([0, 1, 1, 0, 1, 0, 1]), np.array([0, 1, 0, 0, 1, 1, 0])
    s = np.linspace(0.1, 0.9, 7)
    for one in found:
        assert one["n"] == 7
        assert one["accuracy"] == pytest.approx(assay.accuracy(y, p), rel=1e-12)
        assert one["roc_auc"] == pytest.approx(assay.roc_auc(y, s), rel=1e-12)
        assert one["repeated"] == 1
        assert one["own"] == 4  # what a process has seen itself stays as it was
    assert found[0]["said"] == [
        "1 rows came more than once and are counted once, of 8: a sampler has padded its shares."
    ]
    assert found[1]["said"] == []


def test_without_ids_all_rows_count(found: list[dict[str, Any]]) -> None:
    assert [one["plain"] for one in found] == [8, 8]


def test_plain_states_are_added(found: list[dict[str, Any]]) -> None:
    assert [one["state"] for one in found] == [8, 8]


def test_a_process_without_a_batch_takes_part(found: list[dict[str, Any]]) -> None:
    assert [one["lonely"] for one in found] == [0.5, 0.5]


def test_all_processes_refuse_together(found: list[dict[str, Any]]) -> None:
    assert found[0]["refused"] == found[1]["refused"]
    assert "different metrics" in found[0]["refused"][0]
    assert "ids of their rows" in found[0]["refused"][1]


def test_rows_that_two_processes_share_from_the_start_are_refused() -> None:
    shares = [Share({}, True, [1, 2], [3], 0), Share({}, True, [2, 4], [5], 0)]
    with refusal(assay.StateError):
        padding(shares)
    assert padding([Share({}, True, [1, 2], [3, 4], 0), Share({}, True, [5], [4, 1, 6], 0)]) == [set(), {1, 4}]


def test_alone_it_is_a_copy() -> None:
    metric = assay.torch.Metric("accuracy")
    metric.update(y_true=[0, 1], y_pred=[0, 0])
    copy = metric.gather()
    metric.update(y_true=[0, 1], y_pred=[0, 1])
    assert float(copy.compute()) == 0.5
    assert assay.torch.gather(metric.state).n == 4
