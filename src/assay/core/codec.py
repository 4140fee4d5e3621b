"""States as bytes: magic, version, a JSON head, then little-endian array data, all under a checksum and, by option, a keyed seal.

Bytes may come from anywhere. Every size is checked against the bytes that are there before memory is taken, and nothing but plain
numbers is read. Whether the parts are such as the metric would write is for `assay.core.state_checks` to say.
"""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import json
import math
import re
import struct
import zlib
from typing import Any, cast

import numpy as np

from assay.core import interval_state, monoids, registry
from assay.core.errors import AssayError, StateError

MAGIC = b"ASSAYST\0"
VERSION = 2
_PREFIX = struct.Struct("<8sH")  # magic, version
_SIZES = {1: struct.Struct("<II"), 2: struct.Struct("<HII")}  # flags, length of the head, checksum of all that follows
_KEYED = 1  # the flag of a state that ends with an HMAC-SHA256 of everything before it
_TAG = 32
_KINDS: dict[str, type[Any]] = {
    cls.kind: cls
    for cls in (
        monoids.Sum, monoids.Counts, monoids.Moments, monoids.Extreme, monoids.Rows, monoids.Joint, monoids.Nothing,
        interval_state.Kept, interval_state.Weights, interval_state.Powers, interval_state.Tables,
    )
}  # fmt: skip
_DTYPES = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<U[1-9][0-9]{0,4}")
_DEEPEST = 12  # an element inside elements, a metric inside metrics
_MOST_AXES = 8
_LARGEST_EMPTY = 2**20  # an array without entries takes no bytes, but what is reduced over it does
# What bytes that no state wrote can set off in code that trusts its numbers.
FOREIGN = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def metric_tree(metric: Any) -> dict[str, Any]:
    """A metric as plain data: key and parameters; a metric inside a metric likewise."""
    fields = {f.name: getattr(metric, f.name) for f in dataclasses.fields(metric)}
    return {"key": metric.key, "parameters": {k: _plain_parameter(v) for k, v in fields.items()}}


def _plain_parameter(value: Any) -> Any:
    if callable(value) and not dataclasses.is_dataclass(value):
        problem = f"a metric whose parameter is a function ({getattr(value, '__name__', value)}) cannot be written"
        raise StateError("", "", problem, "Add states in memory, or choose a parameter by name.")
    return {"metric": metric_tree(value)} if dataclasses.is_dataclass(value) else value


def metric_from(tree: Any, depth: int = 0) -> Any:
    """The metric that `metric_tree` described."""
    _check(depth < _DEEPEST, "a metric lies too deep inside metrics")
    _check(_has(tree, "key", "parameters"), "it does not name a metric")
    try:
        parameters = {
            name: metric_from(cast(Any, value)["metric"], depth + 1) if isinstance(value, dict) else value
            for name, value in tree["parameters"].items()
        }
        return registry.find(tree["key"])(**parameters)
    except AssayError:
        raise
    except FOREIGN as error:
        raise StateError(
            "", "", f"this state cannot be read: it does not name a metric ({error!r})", "Write it again."
        ) from error


def _keys(tree: Any) -> list[Any]:
    return list(cast("dict[Any, Any]", tree)) if isinstance(tree, dict) else []


def _has(tree: Any, *names: str) -> bool:
    """Whether it is a dict with these keys and no others."""
    return isinstance(tree, dict) and set(_keys(tree)) == set(names)


def _check(holds: bool, why: str) -> None:
    if not holds:
        raise StateError("", "", f"this state cannot be read: {why}", "Write it again.")


# ---- writing


def dump(head: dict[str, Any], parts: dict[str, Any], key: bytes | None = None) -> bytes:
    """Head and elements as bytes, sealed with a key if there is one."""
    arrays: list[Any] = []
    trees = {name: _encode(part, arrays) for name, part in parts.items()}
    shapes = [{"dtype": a.dtype.str, "shape": a.shape} for a in arrays]
    text = json.dumps({**head, **trees, "arrays": shapes}).encode()
    body = text + b"".join(a.tobytes() for a in arrays)
    sizes = _SIZES[VERSION].pack(0 if key is None else _KEYED, len(text), zlib.crc32(body))
    data = _PREFIX.pack(MAGIC, VERSION) + sizes + body
    return data if key is None else data + _tag(key, data)


def _tag(key: bytes, data: bytes) -> bytes:
    if not isinstance(cast(Any, key), bytes | bytearray) or not key:
        raise StateError("", "key", f"must be non-empty bytes, got {type(key).__name__}")
    return hmac.new(key, data, hashlib.sha256).digest()


def _encode(value: Any, arrays: list[Any]) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        array: Any = np.asarray(cast(Any, value))
        arrays.append(array.astype(array.dtype.newbyteorder("<"), copy=False))
        return {"array": len(arrays) - 1}
    if dataclasses.is_dataclass(value):
        fields = {f.name: _encode(getattr(value, f.name), arrays) for f in dataclasses.fields(value) if f.compare}
        return {"element": cast(Any, value).kind, "fields": fields}
    if isinstance(value, tuple):
        return {"tuple": [_encode(v, arrays) for v in cast("tuple[Any, ...]", value)]}
    if isinstance(value, dict):
        return {"dict": {k: _encode(v, arrays) for k, v in cast("dict[str, Any]", value).items()}}
    return value


# ---- reading


def load(data: bytes, key: bytes | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """The head and its elements; refuses what `dump` of this or an earlier version did not write."""
    if not isinstance(cast(Any, data), bytes | bytearray | memoryview):
        raise StateError("", "", f"a state is read from bytes, got {type(data).__name__}")
    version, size, body = _opened(bytes(data), key)
    try:
        head: Any = json.loads(body[:size])
    except (ValueError, RecursionError) as error:
        raise StateError(
            "", "", f"this state cannot be read: its head is not JSON ({type(error).__name__})", "Write it again."
        ) from error
    parts = ("element", "kept") if version > 1 else ("element",)
    known = {"metric", "signature", "arrays", *parts} & set(_keys(head))
    _check(_has(head, *known) and {"metric", "arrays", *parts} <= known, "its head lacks a part")
    reader = _PartReader(_arrays(memoryview(body)[size:], head["arrays"]))
    found = {name: reader.decode(head[name]) for name in parts}
    _check(reader.at == len(reader.arrays), "it holds arrays that belong to nothing")
    return head, found


def _opened(data: bytes, key: bytes | None) -> tuple[int, int, bytes]:
    """Version, length of the head, and the body, after mark, seal and checksum were looked at."""
    if len(data) < _PREFIX.size or data[: len(MAGIC)] != MAGIC:
        raise StateError("", "", "these bytes are not an assay state: they do not start with its mark")
    version = _PREFIX.unpack_from(data)[1]
    if version == 0:
        raise StateError("", "", "this state claims to be in format 0, which never existed", "Write it again.")
    if version > VERSION:
        raise StateError(
            "",
            "",
            f"this state was written in format {version}, this assay reads up to {VERSION}",
            "Update assay to read it.",
        )
    start = _PREFIX.size + _SIZES[version].size
    _check(len(data) >= start, "it ends before its head")
    *flags, size, checksum = _SIZES[version].unpack_from(data, _PREFIX.size)
    data = _unsealed(data, flags[0] if flags else 0, key)
    body = data[start:]
    if zlib.crc32(body) != checksum:
        raise StateError("", "", "this state is damaged: its checksum does not match", "Write or copy it again.")
    _check(size <= len(body), "its head is longer than the state")
    return version, size, body


def _unsealed(data: bytes, flags: int, key: bytes | None) -> bytes:
    """The bytes without their seal, which must be that of the key."""
    _check(flags in (0, _KEYED), f"it has flags {flags} that this assay does not know")
    if key is None:
        if flags:
            raise StateError("", "", "this state is sealed with a key", "Read it with from_bytes(data, key=...).")
        return data
    if not flags:
        raise StateError(
            "", "", "this state has no seal, so a key cannot tell who wrote it", "Write it with to_bytes(key=...)."
        )
    if not hmac.compare_digest(_tag(key, data[:-_TAG]), data[-_TAG:]):
        raise StateError("", "", "this state was not sealed with this key, or it was changed since")
    return data[:-_TAG]


def _arrays(data: memoryview, specs: Any) -> list[Any]:
    """Views of the bytes; their sizes must add up to what is there."""
    _check(isinstance(specs, list), "its list of arrays is none")
    arrays: list[Any] = []
    at = 0
    for spec in cast("list[Any]", specs):
        _check(_has(spec, "dtype", "shape"), "an array has no dtype and shape")
        dtype, shape = _dtype(spec["dtype"]), _shape(spec["shape"])
        count = math.prod(shape)
        _check(at + count * dtype.itemsize <= len(data), "an array is larger than the state")
        arrays.append(np.frombuffer(data, dtype, count, at).reshape(shape))
        at += count * dtype.itemsize
    _check(at == len(data), f"{len(data) - at} bytes follow its arrays")
    return arrays


def _dtype(name: Any) -> Any:
    _check(isinstance(name, str) and _DTYPES.fullmatch(name) is not None, f"an array is of the dtype {name!r:.40}")
    return np.dtype(name)


def _shape(shape: Any) -> tuple[int, ...]:
    sizes = tuple(cast("list[Any]", shape)) if isinstance(shape, list) else (-1,)
    known = len(sizes) <= _MOST_AXES and all(type(size) is int and 0 <= size < 2**48 for size in sizes)
    _check(known, f"an array has the shape {sizes!s:.60}")
    empty = 0 in sizes and math.prod(size for size in sizes if size) > _LARGEST_EMPTY
    _check(not empty, f"an array without entries has the shape {sizes}")
    return sizes


class _PartReader:
    """Turns trees of the head back into elements; every array is taken once, in order."""

    def __init__(self, arrays: list[Any]) -> None:
        self.arrays, self.at = arrays, 0

    def decode(self, tree: Any, depth: int = 0) -> Any:
        """The value that `_encode` described."""
        _check(depth < _DEEPEST, "its parts lie too deep inside each other")
        if not isinstance(tree, dict):
            _check(not isinstance(tree, list), "it holds a list that is not part of a state")
            return tree
        node = cast("dict[str, Any]", tree)
        if _has(node, "array"):
            return self._array(node["array"])
        if _has(node, "element", "fields"):
            return self._element(node["element"], node["fields"], depth)
        if _has(node, "tuple") and isinstance(node["tuple"], list):
            return tuple(self.decode(v, depth + 1) for v in cast("list[Any]", node["tuple"]))
        _check(_has(node, "dict") and isinstance(node["dict"], dict), "it holds what is not part of a state")
        return {k: self.decode(v, depth + 1) for k, v in cast("dict[str, Any]", node["dict"]).items()}

    def _array(self, at: Any) -> Any:
        _check(type(at) is int and at == self.at < len(self.arrays), "its arrays are not in order")
        self.at += 1
        return self.arrays[at]

    def _element(self, kind: Any, fields: Any, depth: int) -> Any:
        cls = _KINDS.get(kind) if isinstance(kind, str) else None
        _check(cls is not None and isinstance(fields, dict), f"there is no element {kind!r:.40}")
        known = {f.name: f for f in dataclasses.fields(cast(Any, cls)) if f.compare}
        needed = {name for name, f in known.items() if f.default is dataclasses.MISSING}
        _check(
            needed <= set(_keys(fields)) <= set(known),
            f"the element {kind!r:.40} has other fields than {', '.join(known)}",
        )
        return cast(Any, cls)(**{k: self.decode(fields[k], depth + 1) for k in _keys(fields)})
