"""States as bytes: magic, version, a JSON head, then little-endian array data and a checksum."""

from __future__ import annotations

import dataclasses
import json
import struct
import zlib
from typing import Any, cast

import numpy as np

from assay.core import monoids, registry
from assay.core.errors import StateError

MAGIC = b"ASSAYST\0"
VERSION = 1
_PREFIX = struct.Struct("<8sHII")  # magic, version, length of the head, checksum of everything after the prefix
_KINDS: dict[str, type[Any]] = {
    cls.kind: cls
    for cls in (monoids.Sum, monoids.Counts, monoids.Moments, monoids.Extreme, monoids.Rows, monoids.Joint)
}


def metric_tree(metric: Any) -> dict[str, Any]:
    """A metric as plain data: key and parameters; a metric inside a metric likewise."""
    fields = {f.name: getattr(metric, f.name) for f in dataclasses.fields(metric)}
    return {"key": metric.key, "parameters": {k: _plain_parameter(v) for k, v in fields.items()}}


def _plain_parameter(value: Any) -> Any:
    return {"metric": metric_tree(value)} if dataclasses.is_dataclass(value) else value


def metric_from(tree: dict[str, Any]) -> Any:
    """The metric that `metric_tree` described."""
    try:
        parameters = {
            name: metric_from(cast(Any, value)["metric"]) if isinstance(value, dict) else value
            for name, value in tree["parameters"].items()
        }
        return registry.find(tree["key"])(**parameters)
    except (KeyError, TypeError, AttributeError) as error:
        raise StateError(f"this state cannot be read: it names no metric ({error!r}). Write it again.") from error


def dump(head: dict[str, Any], element: Any) -> bytes:
    """Head and element as bytes."""
    arrays: list[Any] = []
    tree = _encode(element, arrays)
    shapes = [{"dtype": a.dtype.str, "shape": a.shape} for a in arrays]
    text = json.dumps({**head, "element": tree, "arrays": shapes}).encode()
    body = text + b"".join(a.tobytes() for a in arrays)
    return _PREFIX.pack(MAGIC, VERSION, len(text), zlib.crc32(body)) + body


def load(data: bytes) -> tuple[dict[str, Any], Any]:
    """The head and the element; refuses what `dump` of this or an earlier version did not write."""
    if not isinstance(cast(Any, data), bytes | bytearray | memoryview):
        raise StateError(f"a state is read from bytes, got {type(data).__name__}.")
    data = bytes(data)
    if len(data) < _PREFIX.size or data[: len(MAGIC)] != MAGIC:
        raise StateError("these bytes are not an assay state: they do not start with its mark.")
    _, version, size, checksum = _PREFIX.unpack_from(data)
    if version == 0:
        raise StateError("this state says that it was written in format 0, which there never was. Write it again.")
    if version > VERSION:
        raise StateError(
            f"this state was written in format {version}, this assay reads up to {VERSION}. Update assay to read it."
        )
    body = data[_PREFIX.size :]
    if zlib.crc32(body) != checksum:
        raise StateError("this state is damaged: its checksum does not match. Write or copy it again.")
    try:
        head = json.loads(body[:size])
        element = _decode(head["element"], _arrays(body[size:], head["arrays"]))
        _check_size(element)
        return head, element
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise StateError(
            f"this state cannot be read: its parts do not fit together ({error!r}). Write it again."
        ) from error


def _check_size(element: Any) -> None:
    """The number of units is whole and not negative, in every part."""
    parts: tuple[Any, ...] = element.parts if isinstance(element, monoids.Joint) else ()
    for part in parts:
        _check_size(part)
    n = 0 if parts else element.n
    if type(n) is not int or n < 0:
        raise ValueError(f"n must be a whole number, got {n!r}")


def _arrays(data: bytes, shapes: list[dict[str, Any]]) -> list[Any]:
    arrays: list[Any] = []
    at = 0
    for spec in shapes:
        dtype = np.dtype(spec["dtype"])
        count = int(np.prod(spec["shape"], dtype=np.int64))
        arrays.append(np.frombuffer(data, dtype, count, at).reshape(spec["shape"]))
        at += count * dtype.itemsize
    return arrays


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


def _decode(tree: Any, arrays: list[Any]) -> Any:
    if not isinstance(tree, dict):
        return tree
    node = cast("dict[str, Any]", tree)
    if "array" in node:
        return arrays[node["array"]]
    if "element" in node:
        return _KINDS[node["element"]](**{k: _decode(v, arrays) for k, v in node["fields"].items()})
    if "tuple" in node:
        return tuple(_decode(v, arrays) for v in node["tuple"])
    return {k: _decode(v, arrays) for k, v in node["dict"].items()}
