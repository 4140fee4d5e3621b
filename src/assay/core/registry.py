"""Every entry by kind and name. An entry joins by being defined; the laws, the lists and the command line read it here.

An entry has one key, and the record names its aliases: what others call it. `Names` resolves both, for metrics and for losses.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from assay.core.errors import ParameterError, UnknownNameError, did_you_mean
from assay.core.peers import peer_names, without_problem

if TYPE_CHECKING:
    from assay.core.metric import Metric

T = TypeVar("T")
_PACKAGES = ("assay.metrics",)
_loaded = False


def snake(name: str) -> str:
    """``RocAuc`` becomes ``roc_auc``, ``FBeta`` ``f_beta``, ``R2`` ``r2``."""
    name = name.replace("IoU", "Iou")  # one word
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def camel(name: str) -> str:
    """The class of an alias: ``hit_rate`` becomes ``HitRate``; what has capitals, such as ``AUROC``, stays as it is."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_")) if name.islower() else name


def key_among(name: str, keys: Mapping[str, object], aliases: Mapping[str, str]) -> str | None:
    """The key that this key or alias stands for, as people type them; None if there is none."""
    plain = re.sub(r"[\s-]+", "_", name.strip())
    forms = (name, plain.lower(), snake(plain))
    return next((key for form in forms for key in (form, aliases.get(form)) if key in keys), None)


def key_elsewhere(name: str, keys: Mapping[str, object], names: Mapping[str, str]) -> str | None:
    """The key of a peer's name, with or without the kind of problem that some put before it: ``MulticlassF1Score``."""
    typed = snake(name.strip())
    found = next((key for form in (name, typed, without_problem(typed)) if (key := key_among(form, keys, names))), None)
    if found is not None:
        return found
    joined = {one.replace("_", ""): key for one, key in {**names, **{key: key for key in keys}}.items()}
    return joined.get(typed.replace("_", ""))  # f1score


def peer_table(entries: Iterable[tuple[str, Sequence[str]]]) -> dict[str, str]:
    """Names of peers, small, and the one key that each stands for; from keys and what their records are equal to."""
    owners: dict[str, set[str]] = {}
    for key, equals in entries:
        for name in peer_names(equals):
            owners.setdefault(snake(name), set()).add(key)
    return {name: min(found) for name, found in sorted(owners.items()) if len(found) == 1}


class Names(Generic[T]):
    """The entries of one kind by key and alias. Names are found as people type them: ``hit rate``, ``Hit-Rate``, ``AUROC``."""

    def __init__(self, kind: str, load: Callable[[], None]) -> None:
        self.kind, self.load = kind, load
        self.entries: dict[str, T] = {}
        self.aliases: dict[str, str] = {}

    def add(self, key: str, entry: T, aliases: Sequence[str] = ()) -> None:
        """Register an entry, or replace the one of this key."""
        for alias in aliases:
            owner = self.aliases.setdefault(alias.lower(), key)
            if owner != key:
                raise ParameterError(
                    key, "", f"the alias {alias!r} belongs to {owner!r} already", "Choose another alias."
                )
        self.entries[key] = entry

    def key_of(self, name: str) -> str | None:
        """The key of the entry with this key or alias; None if there is none."""
        return key_among(name, self.entries, self.aliases)

    def find(self, name: str) -> T:
        """The entry with this key or alias."""
        if name not in self.entries:
            self.load()
        key = self.key_of(name)
        if key is None:
            raise UnknownNameError(
                "", "", f"unknown {self.kind} {name!r}", f"{self.hint(name)} `assay list` shows all."
            )
        return self.entries[key]

    def peers(self) -> dict[str, str]:
        """What others call the entries, by the tools that their records name; no name that leads to several."""
        entries = cast("dict[str, Any]", self.entries)
        return peer_table((key, entry.record.equals) for key, entry in entries.items())

    def hint(self, name: str) -> str:
        """The entry of a peer's name; else keys and aliases that are spelt alike."""
        key = key_elsewhere(name, self.entries, {**self.peers(), **self.aliases})
        return did_you_mean(name, self.entries, self.aliases) if key is None else f" Did you mean {key!r}?"


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


METRICS: Names[type[Metric[Any]]] = Names("metric", load_all)


def register(cls: type[Metric[Any]]) -> None:
    """Add a metric class; two classes of one key are a mistake, a reloaded module is not."""
    known = METRICS.entries.get(cls.key)
    if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
        raise ParameterError(
            cls.__qualname__, "", f"the key {cls.key!r} belongs to {known.__module__}.{known.__qualname__} already",
            "Choose another class name or set `key`.",
        )  # fmt: skip
    METRICS.add(cls.key, cls, cls.record.aliases)


def metrics(task: str | None = None) -> Iterator[type[Metric[Any]]]:
    """All metric classes, by task and key."""
    load_all()
    for cls in sorted(METRICS.entries.values(), key=lambda c: (c.task, c.key)):
        if task in (None, cls.task):
            yield cls


def find(name: str) -> type[Metric[Any]]:
    """The metric class of this key or alias; a loss is not a metric, but its mean is."""
    try:
        return METRICS.find(name)
    except UnknownNameError as error:
        losses = importlib.import_module("assay.core.loss").NAMES
        losses.load()
        key = losses.key_of(name)
        if key is None:
            raise
        mean = f"; its mean over rows is mean_loss:loss={key}" if losses.entries[key].record.rows else ""
        raise error.but(fix=f"It is a loss: `assay explain loss.{key}`{mean}.") from None
