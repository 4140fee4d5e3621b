"""The file of error texts is whole, and what writes it keeps what it must."""

from __future__ import annotations

from pathlib import Path

import pytest

import messages
from message_hooks import COLLECTED
from messages import SNAPSHOT, Snapshot, merged, read, stale, write

FILE = "tests/test_messages.py"


def test_the_file_is_as_the_command_writes_it(tmp_path: Path) -> None:
    assert not messages.conflicting(), "a merge conflict is in the file: run `make messages`"
    write(read(), tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text(encoding="utf-8") == messages.FILE.read_text(encoding="utf-8")


def test_no_text_outlives_its_test(request: pytest.FixtureRequest) -> None:
    """Says something of the files that this run collected, so everything in a full run."""
    assert not stale(SNAPSHOT.texts, request.config.stash[COLLECTED]), "run `make messages`"


def test_what_an_update_keeps() -> None:
    old = {f"{FILE}::a": "1", f"{FILE}::a #2": "2", f"{FILE}::b": "3", f"{FILE}::c": "4", "tests/gone.py::d": "5"}
    run = Snapshot()
    run.update = True
    run.begin(f"{FILE}::a")
    run.hear("new\nline")
    run.end()
    kept = {f"{FILE}::a": "new\\nline", f"{FILE}::b": "3"}
    assert merged(old, run, {f"{FILE}::a", f"{FILE}::b"}) == kept
    assert merged(old, run, set()) == kept | {f"{FILE}::c": "4"}


def test_a_merge_conflict_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "messages.txt"
    write({"a": "one", "b": "two"}, path)
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("    two\n", "<<<<<<< ours\n    three\n=======\n    four\n>>>>>>> theirs\n"), encoding="utf-8"
    )
    assert messages.conflicting(path)
    assert read(path) == {"a": "one", "b": "four"}


def test_another_text_or_none_fails() -> None:
    run = Snapshot()
    run.texts = {"a": "one", "a #2": "two"}
    run.begin("a")
    run.hear("one")
    assert run.end()
    for count, words in ((1, "the text is"), (2, "is not in messages.txt")):
        run.count = count
        with pytest.raises(pytest.fail.Exception, match=words):
            run.hear("other")
