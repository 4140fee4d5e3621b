"""The README's tour runs, its commands work, and the guide's example is a metric under our laws."""

from __future__ import annotations

import doctest
import re
import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(rf"^ *```{language}\n(.*?)^ *```", text, flags=re.MULTILINE | re.DOTALL)


def test_tour_gives_what_it_shows() -> None:
    tour = "\n".join(blocks(README, "python"))
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    example = doctest.DocTestParser().get_doctest(tour, {}, "README", "README.md", 0)
    assert len(example.examples) > 15
    runner = doctest.DocTestRunner(optionflags=options, verbose=False)
    runner.run(example)
    assert runner.failures == 0


@pytest.mark.parametrize("page", ["README.md", "docs/command_line.md"])
def test_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    from assay.cli.app import app

    monkeypatch.chdir(tmp_path)
    shown = blocks((ROOT / page).read_text(), "console")
    lines = [line[2:] for block in shown for line in block.splitlines() if line.startswith("$ assay")]
    assert len(lines) >= 6
    for line in lines:
        outcome = CliRunner().invoke(app, shlex.split(line)[1:])
        assert outcome.exit_code == 0, f"{line}\n{outcome.output}"


def test_guide_example_is_a_metric() -> None:
    import assay
    from assay.core import registry

    (source,) = blocks((ROOT / "CONTRIBUTING.md").read_text(), "python")
    space: dict[str, object] = {"__name__": "guide"}
    sys.modules["guide"] = type(sys)("guide")
    try:
        exec(compile("\n".join(line[3:] for line in source.splitlines()), "CONTRIBUTING.md", "exec"), space)
        metric = registry.find("threat_score")()
        assert metric([0, 1, 1], [1, 1, 0]) == assay.jaccard([0, 1, 1], [1, 1, 0])
        assay.testing.check_metric(metric)
    finally:
        registry.METRICS.entries.pop("threat_score", None)
        sys.modules.pop("guide", None)


def test_links_lead_somewhere() -> None:
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        prose = re.sub(
            r"```.*?```", "", path.read_text(), flags=re.DOTALL
        )  # a call of an entry of a list looks like a link
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", prose):
            assert (path.parent / target).exists(), f"{path.name} links to {target}, which is not there"


def test_guide_is_short() -> None:
    assert len((ROOT / "CONTRIBUTING.md").read_text().splitlines()) < 60
