"""The texts of errors, kept in one file: `tests/messages.txt`, written by `make messages`.

A test makes the bad call and says nothing about the words:

    from messages import refusal, refuses, said, warned

    refuses(lambda: assay.mse([], []))           # the error's class and whole text are those of the file
    with refusal(assay.InputError):              # the same for a block; the class may also be left out
        assay.mse([], [])
    with warned(assay.UndefinedWarning):         # warnings
        assay.r2([1.0, 1.0], [1.0, 2.0])
    said(found.err)                              # any other text, such as what a command wrote

Entries are named by the test's id, a second text of one test by `id #2`, and so on. After a change of wording run
`make messages` (all tests) or `make messages ONLY="tests/cli tests/io/test_join.py"`, and read the diff: it is the review of the new texts.
Entries of tests that did not run stay. After a merge conflict in the file take either side, or leave the marks, and run it again.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import assay

FILE = Path(__file__).with_name("messages.txt")
HEAD = "# Texts of errors by test. Written by `make messages`: change the source, run it, read the diff.\n"
UPDATE = "make messages ONLY={}"
MARKS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
VARYING = (  # from run to run or machine to machine
    (re.compile(r"/[^\s'\"]*/pytest-of-[^/\s]+/pytest-\d+/(?:popen-gw\d+/)?[^/\s'\":,]+"), "<tmp>"),
    (re.compile(r"\b0x[0-9a-f]{6,}"), "<address>"),
    (re.compile(r"\b[0-9a-f]{16,}\b"), "<hash>"),
    (re.compile(r"\(process \d+\)"), "(process <id>)"),
    (re.compile(r"\(([\w.]+), line \d+\)"), r"(\1, line <n>)"),  # where user code of a test file failed
    (re.compile(r"at most \d+ threads"), "at most <n> threads"),
)


class Snapshot:
    """What the file says, what this run heard, and which test is running."""

    def __init__(self) -> None:
        self.update = False
        self.texts: dict[str, str] = {}
        self.heard: dict[str, str] = {}
        self.finished: set[str] = set()
        self.test, self.count = "", 0

    def begin(self, test: str) -> None:
        self.test, self.count = test, 0

    def name(self) -> str:
        return self.test if self.count == 1 else f"{self.test} #{self.count}"

    def end(self) -> bool:
        """Whether the file has more texts of a test than it asked for, now that it ran to its end."""
        self.finished.add(self.test)
        self.count += 1
        return not self.update and self.name() in self.texts

    def hear(self, text: str) -> None:
        self.count += 1
        key = self.name()
        for pattern, name in VARYING:
            text = pattern.sub(name, text)
        text = escaped(text)
        self.heard[key] = text
        if self.update:
            return
        command = UPDATE.format(self.test.partition("::")[0])
        if key not in self.texts:
            pytest.fail(f"{key}\nis not in {FILE.name} ({command}); the text is\n  {text}", pytrace=False)
        if text != self.texts[key]:
            pytest.fail(
                f"{key}\nthe text is\n  {text}\n{FILE.name} ({command}) has\n  {self.texts[key]}", pytrace=False
            )


SNAPSHOT = Snapshot()


def escaped(text: str) -> str:
    """On one line, and writable whatever a test put into it."""
    text = text.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n")
    return text.encode("utf-8", "backslashreplace").decode()


def read(path: Path = FILE) -> dict[str, str]:
    """Entries by name; of a merge conflict, the last of each."""
    found: dict[str, str] = {}
    key = ""
    for line in path.read_text(encoding="utf-8").split("\n") if path.exists() else ():
        if line.startswith("    ") and key:
            found[key] = line[4:]
        elif line and not line.startswith(("#", *MARKS)):
            key = line
    return found


def conflicting(path: Path = FILE) -> bool:
    return any(line.startswith(MARKS) for line in path.read_text(encoding="utf-8").split("\n"))


def write(texts: dict[str, str], path: Path = FILE) -> None:
    """Sorted, with lines between the texts that do not change: two people's edits of neighbours merge."""
    order = sorted(texts, key=lambda key: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", key)])
    path.write_text(HEAD + "".join(f"\n{key}\n    {texts[key]}\n" for key in order), encoding="utf-8")


def test_of(key: str) -> str:
    return re.sub(r" #\d+$", "", key)


def stale(texts: dict[str, str], collected: set[str]) -> set[str]:
    """Entries whose test is gone: its file is, or was collected without it. `collected` holds tests of whole files."""
    files = {test.partition("::")[0] for test in collected}
    tests = {key: test_of(key) for key in texts}
    root = FILE.parent.parent
    return {
        key
        for key, test in tests.items()
        if test not in collected and ((file := test.partition("::")[0]) in files or not (root / file).exists())
    }


def merged(old: dict[str, str], new: Snapshot, collected: set[str]) -> dict[str, str]:
    """The next file: what was heard, and the entries of tests that still exist and did not run to their end."""
    gone = stale(old, collected)
    return {key: old[key] for key in old if test_of(key) not in new.finished and key not in gone} | new.heard


def said(text: str) -> None:
    """The text is the one in the file."""
    SNAPSHOT.hear(text)


@contextmanager
def refusal(kind: type[BaseException] = assay.AssayError, *, strict: bool = False) -> Iterator[Any]:
    """The block raises an error of this kind with the class and the text in the file; strict: and nothing warns, NumPy neither."""
    with warnings.catch_warnings():
        if strict:
            warnings.simplefilter("error")
        with pytest.raises(kind) as caught:
            yield caught
    SNAPSHOT.hear(f"{type(caught.value).__name__}: {caught.value}")


def refuses(call: Callable[[], Any], kind: type[BaseException] = assay.AssayError) -> None:
    """The call raises our error with the class and the text in the file, and nothing else is heard."""
    with refusal(kind, strict=True):
        call()


@contextmanager
def warned(kind: type[Warning]) -> Iterator[Any]:
    """The block warns in this kind, with the texts in the file, each counted once."""
    with pytest.warns(kind) as caught:
        yield caught
    texts = dict.fromkeys(f"{type(w.message).__name__}: {w.message}" for w in caught if isinstance(w.message, kind))
    SNAPSHOT.hear("\n".join(texts))
