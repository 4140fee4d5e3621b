"""Every entry by kind and key. An entry joins by being defined; the laws, the lists and the command line read it here."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.core.errors import ParameterError, UnknownNameError, did_you_mean

if TYPE_CHECKING:
    from assay.core.metric import Metric

_METRICS: dict[str, type[Metric[Any]]] = {}
_PACKAGES = ("assay.metrics",)
_loaded = False


def snake(name: str) -> str:
    """``RocAuc`` becomes ``roc_auc``, ``FBeta`` ``f_beta``, ``R2`` ``r2``."""
    name = name.replace("IoU", "Iou")  # one word
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def register(cls: type[Metric[Any]]) -> None:
    """Add a metric class; two classes of one key are a mistake, a reloaded module is not."""
    known = _METRICS.get(cls.key)
    if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
        raise ParameterError(
            f"{cls.__qualname__}: the key {cls.key!r} belongs to {known.__module__}.{known.__qualname__} already. "
            "Choose another class name or set `key`."
        )
    _METRICS[cls.key] = cls


def load_all() -> None:
    """Import every module that defines entries, so that the registry is complete."""
    global _loaded  # noqa: PLW0603 - the registry is the process-wide list of what exists
    if _loaded:
        return
    for package in _PACKAGES:
        module = importlib.import_module(package)
        for info in pkgutil.walk_packages(module.__path__, package + "."):
            importlib.import_module(info.name)
    _loaded = True


def metrics(task: str | None = None) -> Iterator[type[Metric[Any]]]:
    """All metric classes, by task and key."""
    load_all()
    for cls in sorted(_METRICS.values(), key=lambda c: (c.task, c.key)):
        if task in (None, cls.task):
            yield cls


def find(key: str) -> type[Metric[Any]]:
    """The metric class of this key."""
    if key not in _METRICS:
        load_all()
    if key not in _METRICS:
        raise UnknownNameError(f"there is no metric {key!r}.{did_you_mean(key, _METRICS)} `assay list` shows all.")
    return _METRICS[key]
