"""A topic for the terminal and as a page of documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.explain.topics.topic import Topic

if TYPE_CHECKING:
    from rich.console import RenderableType


def _place(topic: Topic) -> str:
    return f"{topic.kind} {topic.task}".strip()


def _sections(topic: Topic) -> dict[str, list[str]]:
    return {**topic.sections, **({"References": topic.references} if topic.references else {})}


def topic_view(topic: Topic, width: int) -> RenderableType:
    """For a rich console, no wider than ``width``."""
    from rich.console import Group
    from rich.constrain import Constrain
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    parts: list[RenderableType] = [
        Text.assemble((topic.title, "bold"), f"   {topic.key} · {_place(topic)}"),
        Text(topic.summary),
        "",
    ]
    parts += [Padding(Text(topic.formula, style="bold cyan"), (0, 2), expand=False), ""] if topic.latex else []
    parts += [Padding(Text("\n".join(topic.calls), style="cyan"), (0, 2), expand=False), ""]
    for title, items in _sections(topic).items():
        grid = Table.grid(padding=(0, 1))
        for item in items:
            grid.add_row(Text(" •"), Text(item))
        parts += [Text(title, style="bold"), grid, ""]
    return Constrain(Group(*parts[:-1]), width)


def topic_markdown(topic: Topic) -> str:
    """A page of documentation."""
    lines = [
        f"# {topic.title}",
        "",
        f"`{topic.key}` · {_place(topic)}",
        "",
        topic.summary,
        "",
        *(["$$", topic.latex, "$$", ""] if topic.latex else []),
        "```text",
        *topic.calls,
        "```",
        "",
    ]
    for title, items in _sections(topic).items():
        lines += [f"## {title}", "", *(f"- {item}" for item in items), ""]
    return "\n".join(lines)
