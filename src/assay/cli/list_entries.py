"""``assay list``: every entry with its range and direction."""

from __future__ import annotations

from typing import Any

from assay.cli.output import chosen_format, emit, show, to_json
from assay.core.errors import UnknownNameError, did_you_mean
from assay.core.loss import losses
from assay.core.registry import metrics
from assay.explain.metric_explanation import range_text
from assay.explain.topics import FORMER, TOPICS

PLURALS = {"metric": "metrics", "loss": "losses"}
TITLES = {"method": "methods of inference", "scheme": "resampling schemes", "estimate": "resampling estimates"}
ARROWS = {"higher": "↑ higher", "lower": "↓ lower", "none": ""}


def entries() -> list[dict[str, Any]]:
    """All entries of all kinds as plain data; metrics have a direction, losses properties, both a range."""
    found: list[dict[str, Any]] = [
        {"kind": "metric", "task": cls.task, "key": cls.key, "title": cls.record.title, "range": list(cls.record.range),
         "better": cls.record.better, "aliases": list(cls.record.aliases)}
        for cls in metrics()
    ]  # fmt: skip
    found += [
        {"kind": "loss", "task": f.task, "key": f.key, "title": f.record.title, "range": list(f.record.range),
         "properties": sorted(f.record.properties), "aliases": list(f.record.aliases)}
        for f in losses()
    ]  # fmt: skip
    topics = [(topic.key, topic) for topic in TOPICS.values()] + [(old, TOPICS[new]) for old, new in FORMER.items()]
    return found + [{"kind": t.kind, "task": t.task, "key": key, "title": t.title} for key, t in topics]


def run(kind: str | None, task: str | None, *, aliases: bool, format: str | None, as_json: bool) -> int:
    """Print the list."""
    format = chosen_format(format, None, ("table", "json"), as_json=as_json)
    every = entries()
    of_kind, of_task = _of(every, "kind", kind), _of(every, "task", task)
    found = [entry for entry in of_kind if entry in of_task]
    if not found:
        raise UnknownNameError("", "", f"no entry of the kind {kind} has --task {task}", "Drop one of them.")
    if format == "json":
        emit(to_json(found))
        return 0
    show(_view(found, aliases))
    return 0


def _of(found: list[dict[str, Any]], what: str, wanted: str | None) -> list[dict[str, Any]]:
    if wanted is None:
        return found
    known = {entry[what] for entry in found if entry[what]}
    if wanted not in known:
        raise UnknownNameError("", "", f"unknown {what} {wanted!r}", did_you_mean(wanted, known).strip())
    return [entry for entry in found if entry[what] == wanted]


def _view(found: list[dict[str, Any]], aliases: bool) -> Any:
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    parts: list[Any] = []
    for kind, task in dict.fromkeys((e["kind"], e["task"]) for e in found):
        here = [e for e in found if (e["kind"], e["task"]) == (kind, task)]
        title = TITLES.get(task) or (f"{task} {PLURALS.get(kind, kind)}" if task else kind)
        shown = ("key", *(["aliases"] if aliases else []), "title", "range", "better", "properties")
        columns = [name for name in shown if name in here[0]]
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left", title_style="bold")
        for name in columns:
            table.add_column(name, no_wrap=name == "key", overflow="fold")  # a name that is cut cannot be typed
        for entry in here:
            table.add_row(*(_cell(name, entry.get(name)) for name in columns))
        parts.append(table)
    return Group(*parts, Text(f"{len(found)} entries. `assay explain KEY` shows more about one.", style="dim"))


def _cell(name: str, value: Any) -> str:
    if value is None:  # a group of metrics has no range
        return ""
    if name in ("properties", "aliases"):
        return ", ".join(value)
    if name == "range":
        return range_text(tuple(value))
    return ARROWS[value] if name == "better" else str(value)
