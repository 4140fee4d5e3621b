"""States that cannot be read or added."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from error_cases import Bad, params

import assay
from messages import refusal, refuses

MSE = assay.metrics.MSE().state([1.0, 2.0], [1.0, 3.0])
BYTES = MSE.to_bytes()


def forged(head: dict[str, Any], tail: bytes = b"") -> bytes:
    """Bytes with the right mark and checksum and a head of our making."""
    text = json.dumps(head).encode()
    body = text + tail
    return struct.pack("<8sHII", b"ASSAYST\0", 1, len(text), zlib.crc32(body)) + body


def parted(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The head and the arrays of a state of format 1."""
    size, start = struct.unpack_from("<8sHII", data)[2], struct.calcsize("<8sHII")
    return json.loads(data[start : start + size]), data[start + size :]


# What `BYTES` was in format 1, which kept nothing for intervals.
FIRST = forged(
    {
        "metric": {"key": "mse", "parameters": {}},
        "element": {
            "element": "sum",
            "fields": {
                "names": {"tuple": ["weight", "squared"]},
                "totals": {"array": 0},
                "n": 2,
                "layout": "",
                "labels": {"tuple": []},
            },
        },
        "arrays": [{"dtype": "<f8", "shape": [1, 2]}],
    },
    struct.pack("<2d", 2.0, 1.0),
)
ONE: dict[str, Any] = {"y_true": [0, 1], "y_prob": [0.2, 0.7]}
TWO: dict[str, Any] = {"y_true": [0, 1], "y_prob": [[0.8, 0.2], [0.3, 0.7]]}
THREE: dict[str, Any] = {"y_true": [0, 1], "y_prob": [[0.5, 0.3, 0.2], [0.3, 0.6, 0.1]]}
FOUR: dict[str, Any] = {"y_true": [0, 1], "y_prob": [[0.5, 0.3, 0.1, 0.1], [0.2, 0.6, 0.1, 0.1]]}
SINGLE, DOUBLE, TRIPLE = (
    {"y_true": np.array(rows), "y_pred": np.array(rows)} for rows in ([0, 1], [[0, 1], [1, 0]], [[0, 1, 1], [1, 0, 0]])
)
PROBLEMS: list[tuple[str, Any, dict[str, Any], dict[str, Any]]] = [
    ("brier", assay.metrics.Brier(), ONE, TWO),
    ("log_loss", assay.metrics.LogLoss(), TWO, THREE),
    ("hamming", assay.metrics.Hamming(), DOUBLE, TRIPLE),
    ("accuracy", assay.metrics.Accuracy(), DOUBLE, SINGLE),
    ("top_k", assay.metrics.TopKAccuracy(k=2), THREE, FOUR),
    ("samples", assay.metrics.F1(average="samples"), DOUBLE, TRIPLE),
    ("ece", assay.metrics.CalibrationError(), ONE, THREE),
    ("classwise", assay.metrics.CalibrationError(binning="mass", of_what="classwise"), TWO, THREE),
]

CASES: list[Bad] = [
    (
        "bytes foreign",
        lambda: assay.State.from_bytes(b"hello world, this is no state at all"),
    ),
    (
        "bytes short",
        lambda: assay.State.from_bytes(BYTES[:10]),
    ),
    (
        "bytes empty",
        lambda: assay.State.from_bytes(b""),
    ),
    (
        "bytes damaged",
        lambda: assay.State.from_bytes(BYTES[:-3] + b"abc"),
    ),
    (
        "bytes cut",
        lambda: assay.State.from_bytes(BYTES[:-8]),
    ),
    (
        "bytes newer",
        lambda: assay.State.from_bytes(BYTES[:8] + (99).to_bytes(2, "little") + BYTES[10:]),
    ),
    (
        "bytes str",
        lambda: assay.State.from_bytes("text"),
    ),
    (
        "bytes None",
        lambda: assay.State.from_bytes(None),
    ),
    (
        "bytes prefix",
        lambda: assay.State.from_bytes(BYTES + b"xx"),
    ),
    (
        "forged empty",
        lambda: assay.State.from_bytes(forged({})),
    ),
    (
        "forged metric",
        lambda: assay.State.from_bytes(
            forged(
                {"metric": {"key": "nope", "parameters": {}}, "element": {"element": "sum", "fields": {}}, "arrays": []}
            )
        ),
    ),
    (
        "forged params",
        lambda: assay.State.from_bytes(
            forged(
                {
                    "metric": {"key": "mse", "parameters": {"zzz": 1}},
                    "element": {"element": "sum", "fields": {"names": {"tuple": []}, "totals": {"array": 0}, "n": 1}},
                    "arrays": [{"dtype": "<f8", "shape": [1]}],
                },
                b"\0" * 8,
            )
        ),
    ),
    (
        "forged obj",
        lambda: assay.State.from_bytes(
            forged(
                {
                    "metric": {"key": "mse", "parameters": {}},
                    "element": {"element": "sum", "fields": {"names": {"tuple": []}, "totals": {"array": 0}, "n": 1}},
                    "arrays": [{"dtype": "|O", "shape": [1]}],
                },
                b"\0" * 8,
            )
        ),
    ),
    (
        "merge",
        lambda: MSE + assay.metrics.MAE().state([1.0], [1.0]),
    ),
    (
        "merge params",
        lambda: (
            assay.metrics.FBeta(beta=2.0).state([1, 0], [1, 0]) + assay.metrics.FBeta(beta=1.0).state([1, 0], [1, 0])
        ),
    ),
    (
        "merge outputs",
        lambda: MSE + assay.metrics.MSE().state([[1.0, 2]], [[1.0, 2]]),
    ),
    (
        "merge ml",
        lambda: (
            assay.metrics.F1(average="macro").state(np.array([[0, 1]]), np.array([[0, 1]]))
            + assay.metrics.F1(average="macro").state([0, 1], [0, 1])
        ),
    ),
    *(
        (
            f"merge {key} of other problems",
            lambda metric=metric, one=one, other=other: metric.state(**one) + metric.state(**other),
        )
        for key, metric, one, other in PROBLEMS
    ),
    (
        "merge ml labels",
        lambda: (
            assay.metrics.F1(average="macro").state(np.array([[0, 1]]), np.array([[0, 1]]))
            + assay.metrics.F1(average="macro").state(np.array([[0, 1, 1]]), np.array([[0, 1, 1]]))
        ),
    ),
    (
        "merge text+num",
        lambda: (
            assay.metrics.F1(average="macro").state(["a", "b"], ["a", "b"])
            + assay.metrics.F1(average="macro").state([0, 1], [0, 1])
        ).value(),
    ),
    (
        "merge auc cols",
        lambda: (
            assay.metrics.RocAuc(average="macro").state([0, 1], [[0.5, 0.5], [0.1, 0.9]])
            + assay.metrics.RocAuc(average="macro").state([0, 1], [[0.5, 0.4, 0.1], [0.1, 0.8, 0.1]])
        ),
    ),
]


@pytest.mark.parametrize("call", params(CASES))
def test_text(call: Callable[[], Any]) -> None:
    refuses(call)


@pytest.mark.parametrize("form", [bytearray, memoryview])
def test_any_bytes_are_read(form: Callable[[bytes], Any]) -> None:
    assert assay.State.from_bytes(form(BYTES)).value() == MSE.value()


def test_format_0_and_sizes_that_are_no_counts_are_refused() -> None:
    zero = BYTES[:8] + struct.pack("<H", 0) + BYTES[10:]
    refuses(lambda: assay.State.from_bytes(zero))
    for n in (2.5, "2", -1, True, None):
        head, tail = parted(FIRST)
        head["element"]["fields"]["n"] = n
        with refusal(assay.StateError):
            assay.State.from_bytes(forged(head, tail))


def test_format_1_is_still_read() -> None:
    old = assay.State.from_bytes(FIRST)
    assert (old.value(), old.n) == (0.5, 2)
    assert (old + MSE).value() == 0.5
    with refusal(assay.InputError):
        (old + MSE).interval()
