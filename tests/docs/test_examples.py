"""Every page of docs/examples runs, from top to bottom, and what it asserts holds."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
from pathlib import Path
from typing import Any

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs" / "examples").glob("*.md"))


def code(page: Path) -> str:
    """The Python blocks of a page, each on the lines where it stands, so that errors name the line of the page."""
    lines: list[str] = []
    inside = False
    for line in page.read_text().splitlines():
        fence = line.strip()
        kept = inside and fence != "```"
        lines.append(line if kept else "")
        inside = fence == "```python" or kept
    return "\n".join(lines)


def needed(source: str) -> set[str]:
    """The packages that a page imports."""
    return set(re.findall(r"^(?:import|from) (\w+)", source, flags=re.MULTILINE)) - {"__future__"}


def test_there_are_pages() -> None:
    assert PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_runs_and_keeps_its_word(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = code(page)
    assert "assert " in source, f"{page.name} asserts nothing of what it says"
    for name in sorted(needed(source)):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{page.name} needs {name}, which is not installed")
    monkeypatch.chdir(tmp_path)
    space: dict[str, Any] = {"__name__": f"example_{page.stem}"}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(source, str(page), "exec"), space)
    assert printed.getvalue(), f"{page.name} prints no result"
