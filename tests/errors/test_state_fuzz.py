"""Bytes of states, changed at random and sealed again: they are read as a state or refused in our words, within bounded memory."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import struct
import subprocess
import sys
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core import monoids
from messages import refusal

M = assay.metrics
PREFIX = struct.Struct("<8sHHII")
RNG = np.random.default_rng(0)
N = 40
Y, CLASS = RNG.integers(0, 2, N), RNG.integers(0, 3, N)
VALUE = RNG.normal(size=N)
NOISY = VALUE + RNG.normal(size=N)
PROB = np.clip(RNG.random(N), 0.01, 0.99)
MAPS = RNG.integers(0, 3, (6, 4, 4))


def states() -> list[assay.State[Any]]:
    """One of every kind of element, with and without weights."""
    weight = RNG.random(N) + 0.5
    objects = [{"boxes": [[0.0, 0.0, 4.0, 4.0]], "labels": [1]}] * 3
    found = [{"boxes": [[0.0, 0.0, 4.0, 3.0]], "labels": [1], "scores": [0.5]}] * 3
    return [
        M.MSE().state(VALUE, NOISY), M.MAE(outputs="variance").state(VALUE, NOISY, weight=weight), M.Pearson().state(VALUE, NOISY),
        M.Accuracy().state(Y, 1 - Y), M.F1(average="macro").state(CLASS, CLASS[::-1], weight=weight), M.Precision().state(Y, Y[::-1]),
        M.RocAuc().state(Y, PROB, weight=weight), M.Brier().state(Y, PROB), M.CalibrationError().state(Y, PROB),
        M.MeanIoU().state(MAPS, MAPS[::-1]), M.NRMSE(divisor="range").state(VALUE, NOISY), M.Spearman().state(VALUE, NOISY),
        M.FID(extractor="features").state(features=np.stack([VALUE, NOISY], axis=1), sample=Y),
        M.SkillScore(loss=M.MSE()).state(VALUE, NOISY, y_baseline=PROB), M.AveragePrecisionVOC().state(objects, found),
    ]  # fmt: skip


ODD: list[Any] = [
    None, True, -1, 0, 1, 3, 2**40, 2**62, 10**30, 1.5, float("nan"), float("inf"), -1e300, "", "x", "mae", "rmse", "rows", "<f4", "<U9",
    "|S0", "|V0", [], [5_000_000_000], [0, 2**40], [2**20, 2**20, 0], {}, {"array": 0}, {"tuple": []}, {"dict": {}}, [[[[]]]],
]  # fmt: skip


def parted(data: bytes) -> tuple[Any, bytes]:
    size = PREFIX.unpack_from(data)[3]
    return json.loads(data[PREFIX.size : PREFIX.size + size]), data[PREFIX.size + size :]


def sealed(text: bytes, tail: bytes, version: int = 2) -> bytes:
    body = text + tail
    return PREFIX.pack(b"ASSAYST\0", version, 0, len(text), zlib.crc32(body)) + body


def places(tree: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a tree."""
    keys = list(tree) if isinstance(tree, dict) else list(range(len(tree))) if isinstance(tree, list) else []
    return [(tree, key) for key in keys] + [place for key in keys for place in places(tree[key])]


def mutated(data: bytes, others: list[bytes], rng: Any) -> bytes:
    """One to three changes of head, arrays or bytes, under a checksum that is right again."""
    head, tail = parted(data)
    text = None
    for _ in range(rng.integers(1, 4)):
        where = places(head)
        tree, key = where[rng.integers(len(where))] if where else ({}, 0)
        how = rng.integers(8)
        if how == 0:
            tree[key] = copy.deepcopy(ODD[rng.integers(len(ODD))])
        elif how == 1 and isinstance(tree, dict):
            tree[str(ODD[rng.integers(len(ODD))])] = tree.pop(key, None)
        elif how == 2 and tree:
            del tree[key]
        elif how == 3:
            other, _ = where[rng.integers(len(where))] if where else ({}, 0)
            tree[key] = json.loads(json.dumps(other))
        elif how == 4 and type(tree.get(key) if isinstance(tree, dict) else tree[key]) is int:
            tree[key] += int(rng.integers(-2, 3))
        elif how == 5 and tail:
            at = int(rng.integers(len(tail)))
            tail = tail[:at] + rng.bytes(int(rng.integers(0, 9))) + tail[at + int(rng.integers(0, 9)) :]
        elif how == 6:
            other_head, other_tail = parted(others[rng.integers(len(others))])
            name = list(other_head)[rng.integers(len(other_head))]
            head[name] = other_head[name]
            tail = other_tail if rng.random() < 0.3 else tail
        elif how == 7:
            raw = bytearray(json.dumps(head).encode())
            raw[rng.integers(len(raw))] = int(rng.integers(256))
            text = bytes(raw)
            break
    return sealed(json.dumps(head).encode() if text is None else text, tail, int(rng.choice([2] * 50 + [0, 1, 3])))


def asked(data: bytes, fresh: list[assay.State[Any]]) -> str:
    """Read, and asked everything that a state can be asked; only our own errors may come out."""
    try:
        state = assay.State.from_bytes(data)
    except assay.AssayError:
        return "refused"
    same = [one for one in fresh if one.metric == state.metric]
    for call in (
        state.value,
        lambda: state.interval(replicates=5),
        state.to_bytes,
        lambda: state + state,
        *(lambda one=one: (one + state).value() for one in same),
    ):
        with contextlib.suppress(assay.AssayError):
            call()
    return "read"


def fuzz(count: int, seed: int) -> dict[str, int]:
    fresh = states()
    data = [state.to_bytes() for state in fresh]
    rng = np.random.default_rng(seed)
    told = {"read": 0, "refused": 0}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for at in range(count):
            bad = mutated(data[at % len(data)], data, rng)
            try:
                told[asked(bad, fresh)] += 1
            except Exception as error:
                raise AssertionError(f"mutation {at} of seed {seed}: {error!r}; bytes {bad!r}") from error
    return told


def limited(count: int, seed: int) -> dict[str, int]:
    """`fuzz` in a process that may not take more than 2 GB beyond what it starts with: MemoryError is no error of ours."""
    program = (
        "import resource, json, test_state_fuzz as t; t.fuzz(30, 9); size = int(open('/proc/self/statm').read().split()[0]) * 4096; "
        f"resource.setrlimit(resource.RLIMIT_AS, (size + 2**31,) * 2); print(json.dumps(t.fuzz({count}, {seed})))"
    )
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[1]), str(Path(assay.__file__).parents[1])]
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is limited by what Linux tells")
def test_mutated_states_are_refused_in_our_words() -> None:
    told = limited(3000, 1)
    assert told["refused"] > 0.8 * 3000
    assert told["read"] > 0  # a changed sum is a sum; the decoder was reached


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 7))
def test_a_hundred_thousand_mutated_states(seed: int) -> None:
    told = limited(20_000, seed)
    assert told["refused"] > 0.8 * 20_000


# ---- single cases


def changed(state: assay.State[Any], change: Any) -> bytes:
    head, tail = parted(state.to_bytes())
    tail = change(head, tail) or tail
    return sealed(json.dumps(head).encode(), tail)


def refused(data: bytes, match: str) -> None:
    with pytest.raises(assay.StateError, match=match):
        assay.State.from_bytes(data)


def test_lies_are_refused() -> None:
    mse, f1, auc, r2 = (
        M.MSE().state(VALUE, NOISY),
        M.F1().state(Y, Y),
        M.RocAuc().state(Y, PROB),
        M.R2().state(VALUE, NOISY),
    )
    for state in (mse, f1, auc, r2):
        refused(changed(state, lambda head, _: head["element"]["fields"].update(n=41)), "parts do not fit together")
        refused(changed(state, lambda head, tail: tail + b"\0" * 8), "8 bytes follow its arrays")
    refused(changed(mse, lambda head, _: head["metric"].update(key="mae")), "names two metrics")
    refused(changed(mse, lambda head, _: head.update(signature="rmse")), "names two metrics")
    both = {"metric": {"key": "mae", "parameters": {}}, "signature": "mae"}
    refused(changed(mse, lambda head, _: head.update(both)), "keeps weight, absolute")
    refused(changed(f1, lambda head, _: head.update(both)), "keeps no Counts")
    refused(changed(mse, lambda head, _: head["arrays"][0].update(dtype="<f4", shape=[1, 4])), "float64")
    refused(changed(r2, lambda head, _: head["arrays"][1].update(shape=[2, 1])), "shape")


def test_counts_of_objects_agree_with_the_objects() -> None:
    voc = states()[-1]
    refused(changed(voc, lambda head, tail: struct.pack("<q", 2**40) + tail[8:]), "'found' counts")


def test_small_states_take_no_large_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    mse, auc = M.MSE().state(VALUE, NOISY), M.RocAuc().state(Y, PROB)
    for dtype, shape in (
        ("|S0", [5_000_000_000]),
        ("<f8", [0, 2**40]),
        ("<f8", [2**31, 2**31]),
        ("<f8", [700_000_000]),
    ):
        refused(changed(mse, lambda head, _, d=dtype, s=shape: head["arrays"][0].update(dtype=d, shape=s)), "an array")
    refused(changed(auc, lambda head, _: head["element"]["fields"].update(n=800_000_000)), "n says 800000000")
    deep = json.dumps({"metric": {}, "element": None, "kept": None, "arrays": []}).replace(
        "null", "[" * 10**5 + "]" * 10**5, 1
    )
    refused(sealed(deep.encode(), b""), "its head is not JSON")
    metric = M.F1(average="macro")
    monkeypatch.setattr(monoids, "LARGEST_TABLE", 8 * 150**2)
    some, others = (metric.state(np.arange(a, a + 100), np.arange(a, a + 100)) for a in (0, 100))
    with refusal(assay.StateError):
        some + others


def test_a_key_seals() -> None:
    state = M.MSE().state(VALUE, NOISY)
    data = state.to_bytes(key=b"secret")
    assert assay.State.from_bytes(data, key=b"secret").value() == state.value()
    with refusal(assay.StateError):
        assay.State.from_bytes(data)
    for wrong in (data[:-1] + b"?", data[:30] + b"?" + data[31:], data[:60]):
        with refusal(assay.StateError):
            assay.State.from_bytes(wrong, key=b"secret")
    with refusal(assay.StateError):
        assay.State.from_bytes(data, key=b"other")
    with refusal(assay.StateError):
        assay.State.from_bytes(state.to_bytes(), key=b"secret")
    with refusal(assay.StateError):
        state.to_bytes(key="secret")  # pyright: ignore[reportArgumentType]
