"""`assay warm`: compiles what is missing, reports what is there, and stops when it is told to."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_support import call, refused

from assay.cli import INTERRUPTED
from assay.kernels import ahead, folders, jit

SMALL = ("quadratic._powers", "confusion_tables._mask")
FEW = f"""
from assay.kernels import ahead
every = ahead.everything()
ahead.everything = lambda: [one for one in every if one.name in {SMALL}]
import assay.cli.progress as progress
progress.PATIENCE = 0
from assay.cli import main
main()
"""


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache, and kernels that this process has not compiled yet; two of them are enough here."""
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    whole = {one.name: one.kernel for one in ahead.everything()}
    monkeypatch.setattr(jit, "KERNELS", dict(whole))
    again = [jit.exact(*whole[name].declared)(whole[name].dispatcher.py_func) for name in SMALL]
    kernels = [jit.Kernel(name, made, whole[name].declared) for name, made in zip(SMALL, again, strict=True)]
    found = [ahead.Specialisation(kernel, types) for kernel in kernels for types in kernel.types()]
    monkeypatch.setattr(ahead, "everything", lambda: found)
    folders.writable.cache_clear()
    return tmp_path / "cache"


def test_compile_and_check(cache: Path, capsys: Any) -> None:
    before = call(capsys, "warm", "--check")
    assert before.code == 1
    assert before.out.splitlines() == [
        "0 of 2 kernels are compiled. `assay warm` compiles the others.",
        f"Cache: {cache / 'assay-kernels'}",
    ]
    run = call(capsys, "warm")
    assert run.code == 0
    assert run.out.startswith("2 of 2 kernels compiled in ")
    assert run.err == ""
    assert len(list(cache.rglob("*.kernel"))) == 2
    after = call(capsys, "warm", "--check")
    assert (after.code, after.out.splitlines()[0]) == (0, "2 of 2 kernels are compiled.")
    facts = json.loads(call(capsys, "warm", "--json").out)
    assert facts == {"kernels": 2, "compiled_now": 0, "missing": 0, "cache": str(cache / "assay-kernels")}


def test_damaged_kernels_are_compiled_again(cache: Path, capsys: Any) -> None:
    call(capsys, "warm")
    (first, _) = sorted(cache.rglob("*.kernel"))
    first.write_bytes(first.read_bytes()[:100])
    program = [sys.executable, "-c", FEW, "warm", "--json"]
    facts = json.loads(subprocess.run(program, capture_output=True, check=True).stdout)
    assert (facts["kernels"], facts["compiled_now"]) == (2, 1)


def test_interrupted(cache: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = ahead.Specialisation.compile

    def stopped(one: ahead.Specialisation) -> bool:
        if one.name == SMALL[1]:
            raise KeyboardInterrupt
        return real(one)

    monkeypatch.setattr(ahead.Specialisation, "compile", stopped)
    run = call(capsys, "warm")
    assert run.code == INTERRUPTED
    assert run.err == "assay: interrupted; 1 of 2 kernels are compiled and kept. Run assay warm again for the others.\n"
    assert len(list(cache.rglob("*.kernel"))) == 1


def test_no_folder(cache: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert not cache.exists()
    (tmp_path / "file").touch()
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "file" / "below"))
    refused(call(capsys, "warm"))
    check = call(capsys, "warm", "--check")
    assert check.code == 1
    assert "Cache: none" in check.out


def test_progress_on_a_terminal_only(tmp_path: Path) -> None:
    environment = {**os.environ, "ASSAY_CACHE_DIR": str(tmp_path)}
    leader, follower = pty.openpty()
    run = subprocess.run(
        [sys.executable, "-c", FEW, "warm"], stdout=subprocess.PIPE, stderr=follower, env=environment, check=True
    )
    os.close(follower)
    said = os.read(leader, 100_000)
    os.close(leader)
    assert b"2 of 2 kernels compiled" in run.stdout
    assert b"(2 of 2)" in said
    assert b"Ctrl-C stops" in said
    quiet = subprocess.run([sys.executable, "-c", FEW, "warm"], capture_output=True, env=environment, check=True)
    assert quiet.stderr == b""
    assert b"2 were compiled before" in quiet.stdout
