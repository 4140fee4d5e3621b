"""Build the documentation as a small static site: the README, the pages of docs/ and one reference page per task, from the records."""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path

from markdown_it import MarkdownIt

from assay.cli.explain import to_markdown
from assay.core import registry
from assay.core.loss import losses
from assay.explain.loss_explanation import loss_explanation
from assay.explain.metric_explanation import explanation
from assay.explain.topics import TOPICS
from assay.explain.topics.rendering import topic_markdown

ROOT = Path(__file__).parent.parent
SITE = ROOT / "site"
STYLE = """
body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; }
nav a { margin-right: 1rem; } pre { background: #f5f6f8; padding: .8rem; overflow-x: auto; border-radius: 6px; }
table { border-collapse: collapse; } td, th { padding: .25rem .7rem; border-bottom: 1px solid #dde1e6; text-align: left; }
h2 { margin-top: 2.2rem; } @media (prefers-color-scheme: dark) { body { background: #14171a; color: #e4e7ea; }
pre { background: #1e2226; } a { color: #7ab7ff; } td, th { border-color: #333a41; } }
"""


def page(title: str, body: str, links: list[tuple[str, str]]) -> str:
    """One page with its navigation."""
    bar = "".join(f'<a href="{target}">{html.escape(name)}</a>' for name, target in links)
    head = f"<meta charset=utf-8><meta name=viewport content='width=device-width'><title>{html.escape(title)}</title>"
    return f"<!doctype html>{head}<style>{STYLE}</style><nav>{bar}</nav><main>{body}</main>"


def sources() -> dict[str, tuple[str, str]]:
    """File name to (title, Markdown)."""
    pages = {"index.html": ("assay", (ROOT / "README.md").read_text())}
    pages["CONTRIBUTING.html"] = ("contributing", (ROOT / "CONTRIBUTING.md").read_text())
    for path in sorted((ROOT / "docs").rglob("*.md")):
        pages[f"{path.stem}.html"] = (path.stem.replace("_", " "), path.read_text())
    for task in sorted({cls.task for cls in registry.metrics()}):
        entries = [to_markdown(explanation(cls)) for cls in registry.metrics(task)]
        pages[f"reference_{task}.html"] = (
            f"{task} metrics",
            f"# {task.capitalize()} metrics\n\n" + "\n\n".join(entries),
        )
    for task in sorted({entry.task for entry in losses()}):
        entries = [to_markdown(loss_explanation(entry)) for entry in losses() if entry.task == task]
        pages[f"reference_{task}_losses.html"] = (
            f"{task} losses",
            f"# {task.capitalize()} losses\n\n" + "\n\n".join(entries),
        )
    for kind in ("resampling", "inference"):
        entries = [topic_markdown(topic) for topic in TOPICS.values() if topic.kind == kind]
        pages[f"reference_{kind}.html"] = (f"{kind} reference", "\n\n".join(entries))
    return pages


def main() -> None:
    """Write the site anew."""
    shutil.rmtree(SITE, ignore_errors=True)
    SITE.mkdir()
    render = MarkdownIt("commonmark").enable("table").render
    pages = sources()
    links = [(title, name) for name, (title, _) in pages.items()]
    for name, (title, text) in pages.items():
        body = re.sub(r'href="(?:[\w.]+/)*(\w+)\.md', r'href="\1.html', render(text))
        (SITE / name).write_text(page(title, body, links))
    print(f"{len(pages)} pages in {SITE.name}/; open {SITE.name}/index.html")


if __name__ == "__main__":
    main()
