"""States that cannot be read or added."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from error_cases import Bad, check, params

import assay

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
PROBLEMS: list[tuple[str, Any, dict[str, Any], dict[str, Any], str, str]] = [
    ("brier", assay.metrics.Brier(), ONE, TWO, "problems", "one probability a row and 2 classes a row"),
    ("log_loss", assay.metrics.LogLoss(), TWO, THREE, "problems", "2 classes a row and 3 classes a row"),
    ("hamming", assay.metrics.Hamming(), DOUBLE, TRIPLE, "problems", "2 labels a row and 3 labels a row"),
    ("accuracy", assay.metrics.Accuracy(), DOUBLE, SINGLE, "problems", "2 labels a row and one label a row"),
    ("top_k", assay.metrics.TopKAccuracy(k=2), THREE, FOUR, "problems", "3 classes a row and 4 classes a row"),
    ("samples", assay.metrics.F1(average="samples"), DOUBLE, TRIPLE, "problems", "2 labels a row and 3 labels a row"),
    ("ece", assay.metrics.CalibrationError(), ONE, THREE, "problems", "one probability a row and 3 classes a row"),
    (
        "classwise", assay.metrics.CalibrationError(binning="mass", of_what="classwise"), TWO, THREE, "shapes",
        "('confidence', 2) and ('confidence', 3)",
    ),
]  # fmt: skip

CASES: list[Bad] = [
    (
        "bytes foreign",
        lambda: assay.State.from_bytes(b"hello world, this is no state at all"),
        assay.StateError,
        "these bytes are not an assay state: they do not start with its mark.",
    ),
    (
        "bytes short",
        lambda: assay.State.from_bytes(BYTES[:10]),
        assay.StateError,
        "this state cannot be read: it ends before its head. Write it again.",
    ),
    (
        "bytes empty",
        lambda: assay.State.from_bytes(b""),
        assay.StateError,
        "these bytes are not an assay state: they do not start with its mark.",
    ),
    (
        "bytes damaged",
        lambda: assay.State.from_bytes(BYTES[:-3] + b"abc"),
        assay.StateError,
        "this state is damaged: its checksum does not match. Write or copy it again.",
    ),
    (
        "bytes cut",
        lambda: assay.State.from_bytes(BYTES[:-8]),
        assay.StateError,
        "this state is damaged: its checksum does not match. Write or copy it again.",
    ),
    (
        "bytes newer",
        lambda: assay.State.from_bytes(BYTES[:8] + (99).to_bytes(2, "little") + BYTES[10:]),
        assay.StateError,
        "this state was written in format 99, this assay reads up to 2. Update assay to read it.",
    ),
    (
        "bytes str",
        lambda: assay.State.from_bytes("text"),
        assay.StateError,
        "a state is read from bytes, got str.",
    ),
    (
        "bytes None",
        lambda: assay.State.from_bytes(None),
        assay.StateError,
        "a state is read from bytes, got NoneType.",
    ),
    (
        "bytes prefix",
        lambda: assay.State.from_bytes(BYTES + b"xx"),
        assay.StateError,
        "this state is damaged: its checksum does not match. Write or copy it again.",
    ),
    (
        "forged empty",
        lambda: assay.State.from_bytes(forged({})),
        assay.StateError,
        "this state cannot be read: its head lacks a part. Write it again.",
    ),
    (
        "forged metric",
        lambda: assay.State.from_bytes(
            forged(
                {"metric": {"key": "nope", "parameters": {}}, "element": {"element": "sum", "fields": {}}, "arrays": []}
            )
        ),
        assay.StateError,
        "this state cannot be read: the element 'sum' has other fields than names, totals, n, layout, labels. Write it again.",
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
        assay.ParameterError,
        "MSE: there is no parameter 'zzz'. There are: outputs, undefined.",
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
        assay.StateError,
        "this state cannot be read: an array is of the dtype '|O'. Write it again.",
    ),
    (
        "merge",
        lambda: MSE + assay.metrics.MAE().state([1.0], [1.0]),
        assay.StateError,
        "these states belong to different metrics and cannot be added: mse and mae.",
    ),
    (
        "merge params",
        lambda: (
            assay.metrics.FBeta(beta=2.0).state([1, 0], [1, 0]) + assay.metrics.FBeta(beta=1.0).state([1, 0], [1, 0])
        ),
        assay.StateError,
        "these states belong to different metrics and cannot be added: f_beta|beta:2 and f_beta.",
    ),
    (
        "merge outputs",
        lambda: MSE + assay.metrics.MSE().state([[1.0, 2]], [[1.0, 2]]),
        assay.StateError,
        "these states hold different shapes and cannot be added: (1, 2) and (2, 2).",
    ),
    (
        "merge ml",
        lambda: (
            assay.metrics.F1(average="macro").state(np.array([[0, 1]]), np.array([[0, 1]]))
            + assay.metrics.F1(average="macro").state([0, 1], [0, 1])
        ),
        assay.StateError,
        "these states hold different layouts and cannot be added: labelwise and square.",
    ),
    *(
        (
            f"merge {key} of other problems",
            lambda metric=metric, one=one, other=other: metric.state(**one) + metric.state(**other),
            assay.StateError,
            f"these states hold different {what} and cannot be added: {text}.",
        )
        for key, metric, one, other, what, text in PROBLEMS
    ),
    (
        "merge ml labels",
        lambda: (
            assay.metrics.F1(average="macro").state(np.array([[0, 1]]), np.array([[0, 1]]))
            + assay.metrics.F1(average="macro").state(np.array([[0, 1, 1]]), np.array([[0, 1, 1]]))
        ),
        assay.StateError,
        "these states hold different labels and cannot be added: (0, 1) and (0, 1, 2).",
    ),
    (
        "merge text+num",
        lambda: (
            assay.metrics.F1(average="macro").state(["a", "b"], ["a", "b"])
            + assay.metrics.F1(average="macro").state([0, 1], [0, 1])
        ).value(),
        assay.StateError,
        "these states hold different kinds of labels and cannot be added: text and numbers.",
    ),
    (
        "merge auc cols",
        lambda: (
            assay.metrics.RocAuc(average="macro").state([0, 1], [[0.5, 0.5], [0.1, 0.9]])
            + assay.metrics.RocAuc(average="macro").state([0, 1], [[0.5, 0.4, 0.1], [0.1, 0.8, 0.1]])
        ),
        assay.StateError,
        "these states hold different labels and cannot be added: (0, 1) and (0, 1, 2).",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), params(CASES))
def test_text(call: Callable[[], Any], kind: type[assay.AssayError], text: str) -> None:
    check(call, kind, text)


@pytest.mark.parametrize("form", [bytearray, memoryview])
def test_any_bytes_are_read(form: Callable[[bytes], Any]) -> None:
    assert assay.State.from_bytes(form(BYTES)).value() == MSE.value()


def test_format_0_and_sizes_that_are_no_counts_are_refused() -> None:
    zero = BYTES[:8] + struct.pack("<H", 0) + BYTES[10:]
    check(
        lambda: assay.State.from_bytes(zero), assay.StateError, "this state says that it was written in format 0, ..."
    )
    for n in (2.5, "2", -1, True, None):
        head, tail = parted(FIRST)
        head["element"]["fields"]["n"] = n
        with pytest.raises(assay.StateError, match="n must be a whole number"):
            assay.State.from_bytes(forged(head, tail))


def test_format_1_is_still_read() -> None:
    old = assay.State.from_bytes(FIRST)
    assert (old.value(), old.n) == (0.5, 2)
    assert (old + MSE).value() == 0.5
    with pytest.raises(assay.InputError, match="takes the rows, of which the state keeps sums only"):
        (old + MSE).interval()
