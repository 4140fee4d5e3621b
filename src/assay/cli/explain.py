"""``assay explain``: a metric, a loss, a scheme or a method of inference, for the terminal, as Markdown or as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assay.cli.loss_figure import loss_figure
from assay.cli.output import chosen_format, emit, show, to_json
from assay.core.errors import UnknownNameError, did_you_mean
from assay.core.loss import NAMES, find_loss
from assay.core.registry import METRICS, find, key_elsewhere, load_all
from assay.explain.errata import errata
from assay.explain.loss_explanation import loss_explanation
from assay.explain.metric_explanation import DIRECTIONS, Explanation, explanation
from assay.explain.topics import ALIASES, TOPICS, Topic
from assay.explain.topics.methods import printed_method
from assay.explain.topics.rendering import topic_markdown, topic_view

_LONG = 40  # a default beyond this stands with the meaning, not with the name
WIDTH = 100  # long lines of prose are hard to read, however wide the terminal is


def run(name: str, format: str | None, *, as_json: bool) -> int:
    """Print the explanation."""
    format = chosen_format(format, None, ("text", "json", "markdown"), as_json=as_json)
    found = _entry(name.strip())
    if format == "json":
        emit(to_json(found.to_dict()))
    elif format == "markdown":
        emit(topic_markdown(found) if isinstance(found, Topic) else to_markdown(found))
    else:
        show(topic_view(found, WIDTH) if isinstance(found, Topic) else _view(found))
    return 0


def _entry(name: str) -> Topic | Explanation:
    """An entry by its key or alias, with its kind and task or without.

    Where a metric and a loss share a name it is the metric, as in `assay.NAME` and `-m NAME`; ``loss.NAME`` is the loss.
    """
    kind, _, rest = name.partition(".")
    kind = kind.lower()
    if name.lower() == "errata":
        return errata()
    topic = _topic(rest.rpartition(".")[2] if kind in ("resampling", "inference") and rest else name)
    if topic is not None:
        return topic
    load_all()
    NAMES.load()
    if kind in ("loss", "losses") or ("." in name and kind not in ("metric", "metrics")):
        return loss_explanation(find_loss(rest if kind in ("loss", "losses") else name))
    name = rest.rpartition(".")[2] or name
    if METRICS.key_of(name) is not None:
        return explanation(find(name))
    if NAMES.key_of(name) is not None:
        return loss_explanation(find_loss(name))
    aliases = {**ALIASES, **NAMES.aliases, **METRICS.aliases}
    entries = {**NAMES.entries, **METRICS.entries}
    key = key_elsewhere(name, entries, {**NAMES.peers(), **METRICS.peers(), **aliases})
    if key is None and (method := printed_method(name)) is not None:  # as it stands below a table
        return TOPICS[method]
    hint = f" Did you mean {key!r}?" if key else did_you_mean(name, {*entries, *TOPICS}, aliases)
    raise UnknownNameError("", "", f"unknown metric, loss or topic {name!r}", f"{hint} `assay list` shows all.".strip())


def _topic(name: str) -> Topic | None:
    key = re.sub(r"[\s-]+", "_", name.lower())
    return TOPICS.get(ALIASES.get(key, key))


def _namesakes(e: Explanation) -> list[str]:
    """Where to read about entries of the other kind that share the key or an alias: `bce` is a metric and a loss."""
    names, what = (NAMES, "loss") if e.kind == "metric" else (METRICS, "metric")
    use = "training" if what == "loss" else "evaluation"
    shared: dict[str, str] = {}
    for name in (e.key, *e.aliases):
        if (key := names.key_of(name)) is not None:
            shared.setdefault(key, name)
    return [f"{name} is also a {what}, for {use}: `assay explain {what}.{key}`." for key, name in shared.items()]


def facts(e: Explanation) -> Iterator[tuple[str, str]]:
    """Short facts, one line each."""
    yield "also called", ", ".join(e.aliases)
    yield "range", e.range
    yield "direction", DIRECTIONS[e.better] if e.kind == "metric" else ""
    yield "use it for", e.use
    yield "instead", e.instead
    yield "misleads", e.misleads
    yield "undefined", e.undefined
    yield "interval family", e.interval
    yield "properties", ", ".join(e.properties)


def sections(e: Explanation) -> Iterator[tuple[str, list[str]]]:
    """Longer parts, each a list of items."""
    yield "Same number elsewhere", e.equals
    yield "Where tools differ", [*e.differs, *(f"{pitfall.title}. {pitfall.text}" for pitfall in e.pitfalls)]
    yield "Erratum", [e.erratum] if e.erratum else []
    yield "References", e.references
    yield "See also", _namesakes(e)


def _view(e: Explanation) -> Any:
    from rich.console import Group
    from rich.constrain import Constrain
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    parts: list[Any] = [Text.assemble((e.title, "bold"), f"   {e.key} · {e.task} {e.kind}"), Text(e.summary), ""]
    parts += [Padding(Text(e.formula, style="bold cyan"), (0, 2), expand=False), ""]
    parts += [Text(e.meaning), ""] if e.meaning else []
    figure = loss_figure(e.key) if e.kind == "loss" else ""
    parts += [Padding(Text(figure), (0, 2), expand=False), ""] if figure else []
    grid = _grid(Table, 2)
    for name, text in facts(e):
        if text:
            grid.add_row(Text(name, style="dim"), Text(text))
    parts += [grid, "", Text("Call", style="bold"), Padding(Text(e.call), (0, 2), expand=False)]
    parts += [Padding(_inputs(Table, Text, e), (0, 2), expand=False), ""] if e.takes else [""]
    parts += (
        [Text("Parameters", style="bold"), Padding(_parameters(Table, Text, e), (0, 2), expand=False), ""]
        if e.parameters
        else []
    )
    parts += [Text("Example", style="bold"), Padding(Text(e.example), (0, 2), expand=False), ""] if e.example else []
    for title, items in sections(e):
        if items:
            parts += [Text(title, style="bold"), _items(Table, Text, items), ""]
    return Constrain(Group(*parts[:-1]), WIDTH)


def _grid(table: Any, columns: int) -> Any:
    grid = table.grid(padding=(0, 2))
    for i in range(columns):
        grid.add_column(no_wrap=i == 0)
    return grid


def _items(table: Any, text: Any, items: list[str]) -> Any:
    grid = table.grid(padding=(0, 1))
    for item in items:
        grid.add_row(text(" •"), text(item))
    return grid


def _inputs(table: Any, text: Any, e: Explanation) -> Any:
    grid = _grid(table, 2)
    for item in e.takes:
        name, _, what = item.partition(": ")
        grid.add_row(text(name, style="dim"), text(what))
    return grid


def _parameters(table: Any, text: Any, e: Explanation) -> Any:
    grid = _grid(table, 2)
    for p in e.parameters:
        name, long = f"{p.name} = {p.default}", f"by default {p.default}"
        short = len(name) <= _LONG
        meaning = text("".join(f"{line}\n" for line in (p.meaning, "" if short else long) if line))
        grid.add_row(text(name if short else p.name, style="cyan"), meaning + text(p.type, style="dim"))
    return grid


def to_markdown(e: Explanation) -> str:
    """A page of documentation."""
    lines = [f"# {e.title}", "", f"`{e.key}` · {e.task} {e.kind}", "", e.summary, "", "$$", e.latex, "$$", ""]
    lines += [e.meaning, ""] if e.meaning else []
    figure = loss_figure(e.key) if e.kind == "loss" else ""
    lines += ["```text", figure, "```", ""] if figure else []
    lines += ["| | |", "|---|---|", *(f"| {name} | {_cell(text)} |" for name, text in facts(e) if text), ""]
    lines += [
        "## Call",
        "",
        "```python",
        e.call,
        "```",
        "",
        *(f"- `{item.replace(': ', '`: ', 1)}" for item in e.takes),
        "",
    ]
    if e.parameters:
        lines += ["## Parameters", "", "| name | default | type | meaning |", "|---|---|---|---|"]
        lines += [f"| `{p.name}` | `{p.default}` | {_cell(p.type)} | {_cell(p.meaning)} |" for p in e.parameters] + [""]
    lines += ["## Example", "", "```pycon", e.example, "```", ""] if e.example else []
    for title, items in sections(e):
        lines += [f"## {title}", "", *(f"- {item}" for item in items), ""] if items else []
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
