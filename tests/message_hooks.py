"""What pytest calls: the option and the writing of `messages`, the running test, what workers hand over."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

import memory
import messages
from messages import SNAPSHOT

__all__ = [
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_runtest_call",
    "pytest_runtest_teardown",
    "pytest_sessionfinish",
    "pytest_testnodedown",
]
PEAKS: dict[str, float] = {}  # bytes, by worker
COLLECTED = pytest.StashKey[set[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-messages", action="store_true", help="write the texts of errors to tests/messages.txt")


def pytest_configure(config: pytest.Config) -> None:
    SNAPSHOT.update = bool(config.getoption("--update-messages"))
    SNAPSHOT.texts = messages.read()
    config.stash[COLLECTED] = set()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """The tests of files that were asked for as a whole, before -m and -k leave some out."""
    parts = {Path(arg.partition("::")[0]).resolve() for arg in session.config.args if "::" in arg}
    session.config.stash[COLLECTED] = {item.nodeid for item in items if item.path not in parts}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    SNAPSHOT.begin(item.nodeid)
    found = yield
    if SNAPSHOT.end():
        pytest.fail(
            f"{messages.FILE.name} has a text that the test does not ask for: {SNAPSHOT.name()} (make messages)"
        )
    return found


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    if nextitem is not None:
        memory.limit()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker hands over what it heard; the process that started the run writes."""
    collected = session.config.stash[COLLECTED]
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["peak"] = memory.peak()
    if not SNAPSHOT.update:
        return
    if output is not None:
        output["messages"] = [SNAPSHOT.heard, sorted(SNAPSHOT.finished), sorted(collected)]
    else:
        messages.write(messages.merged(SNAPSHOT.texts, SNAPSHOT, collected))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    output = getattr(node, "workeroutput", {})
    PEAKS[node.gateway.id] = output.get("peak", 0.0)
    given = output.get("messages")
    if given:
        SNAPSHOT.heard |= given[0]
        SNAPSHOT.finished |= set(given[1])
        node.config.stash[COLLECTED] |= set(given[2])
