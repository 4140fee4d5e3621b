"""Compiled kernels on disk: whose folder, who may read it, what two processes, a full disk and damaged files do to it."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core.errors import AssayWarning
from assay.kernels import cache, folders, jit

PACKAGE = Path(folders.__file__).parent / "__pycache__" / "assay-kernels"


def twice(x):
    return 2 * x


def fresh_kernel() -> Any:
    """The function as a process would have it that has not compiled it yet."""
    return jit.exact("f8")(twice)


@pytest.fixture(autouse=True)
def new_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A process that has said nothing yet, with its own home and temporary folder, and no folder named by its environment."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(folders.tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for variable in (*folders.VARIABLES, "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    known = [cache._warn_once, cache._build, folders.writable]
    for memory in known:
        memory.cache_clear()
    yield
    for memory in known:
        memory.cache_clear()
    jit.KERNELS.pop("test_kernel_cache.twice", None)


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The cache in a folder that a test may damage."""
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "chosen"))
    return tmp_path / "chosen"


def in_the_way(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *which: str) -> None:
    """Make folders impossible, for root too: a file stands where a folder on the way to them should be."""
    (tmp_path / "file").touch()
    blocked = tmp_path / "file" / "below"
    if "package" in which:
        monkeypatch.setattr(folders, "__file__", str(blocked / "folders.py"))
    if "home" in which:
        monkeypatch.setenv("HOME", str(blocked))
    if "temporary" in which:
        monkeypatch.setattr(folders.tempfile, "tempdir", str(blocked))


def said(work: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AssayWarning)
        work()
    return [str(w.message) for w in caught if issubclass(w.category, AssayWarning)]


def works() -> None:
    assert fresh_kernel()(2.0) == 4.0


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


# ---- which folder


def test_the_variables_name_the_only_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    assert folders.candidates() == [tmp_path / "numba" / "assay-kernels"]
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "assay"))
    assert folders.candidates() == [tmp_path / "assay" / "assay-kernels"]
    works()
    assert len(files(tmp_path / "assay")) == 1
    assert not (tmp_path / "numba").exists()


def test_without_variables_the_package_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = tmp_path / "home" / ".cache" / "assay-kernels"
    private = tmp_path / "temporary" / f"assay-kernels-{os.getuid()}"
    assert folders.candidates() == [PACKAGE, home, private]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert folders.candidates()[1] == tmp_path / "xdg" / "assay-kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert folders.candidates()[1] == home


def test_a_package_that_cannot_be_written_to(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    in_the_way(monkeypatch, tmp_path, "package")
    assert said(works) == []
    assert len(files(tmp_path / "home")) == 1


def test_neither_package_nor_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    in_the_way(monkeypatch, tmp_path, "package", "home")
    (words,) = said(lambda: (works(), works()))
    folder = tmp_path / "temporary" / f"assay-kernels-{os.getuid()}"
    assert str(folder) in words
    assert "Set ASSAY_CACHE_DIR" in words
    assert oct(folder.stat().st_mode & 0o777) == "0o700"
    assert len(files(folder)) == 1


def test_a_temporary_folder_of_someone_else_is_not_trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    in_the_way(monkeypatch, tmp_path, "package", "home")
    planted = tmp_path / "temporary" / f"assay-kernels-{os.getuid()}"
    planted.mkdir()
    planted.chmod(0o777)
    (words,) = said(works)
    assert "compiled again in every process" in words
    assert not list(planted.iterdir())


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root can give folders away")
def test_a_home_of_someone_else_is_not_trusted(tmp_path: Path) -> None:
    folder = tmp_path / "home" / ".cache" / "assay-kernels"
    folder.mkdir(parents=True)
    assert folder in folders.candidates()
    os.chown(folder, 1000, 1000)
    assert folder not in folders.candidates()


def test_no_folder_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    in_the_way(monkeypatch, tmp_path, "package", "home", "temporary")
    (words,) = said(works)
    assert "there is no folder for compiled kernels" in words


def test_kernels_of_an_installation_that_may_only_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An image is warmed when it is built and then runs without the right to write: its kernels are found."""
    monkeypatch.setattr(folders, "__file__", str(tmp_path / "installed" / "folders.py"))
    works()
    assert len(files(tmp_path / "installed")) == 1
    monkeypatch.setattr(folders, "writable", lambda folder: folder.is_relative_to(tmp_path / "home"))
    kernel = fresh_kernel()
    assert kernel(2.0) == 4.0
    assert sum(kernel.stats.cache_hits.values()) == 1
    assert not (tmp_path / "home").exists()


# ---- what is kept


def test_a_kernel_is_found_again(chosen: Path) -> None:
    works()
    (file,) = files(chosen)
    assert file.name.startswith("test_kernel_cache.twice-")
    again = fresh_kernel()
    assert again(3.0) == 6.0
    assert sum(again.stats.cache_hits.values()) == 1
    assert sum(again.stats.cache_misses.values()) == 0


@pytest.mark.parametrize("change", ["sources", "settings", "processor", "version"])
def test_another_build_has_a_folder_of_its_own(chosen: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    works()
    if change == "sources":
        monkeypatch.setattr(cache, "_sources", lambda: b"one module was edited")
    elif change == "settings":
        monkeypatch.setattr(cache.config, "BOUNDSCHECK", 1)
    elif change == "version":
        monkeypatch.setattr(cache.numba, "__version__", "0.0")
    else:
        real = cache._build
        monkeypatch.setattr(cache, "_build", lambda machine: real((*machine, "another")))
    if change != "processor":
        cache._build.cache_clear()
    kernel = fresh_kernel()
    assert kernel(2.0) == 4.0
    assert sum(kernel.stats.cache_hits.values()) == 0
    assert len(files(chosen)) == 2
    assert len({file.parent for file in files(chosen)}) == 2


def test_old_builds_are_dropped(chosen: Path) -> None:
    folder = chosen / "assay-kernels"
    old = [folder / f"0.1.0-{number:016x}" for number in range(20)]
    for age, build in enumerate(old):
        build.mkdir(parents=True)
        os.utime(build, (age, age))
    (folder / "something else").mkdir()
    works()
    left = sorted(path.name for path in folder.iterdir())
    (new,) = {file.parent.name for file in files(chosen)}
    assert left == sorted([*(build.name for build in old[-7:]), new, "something else"])


@pytest.mark.parametrize("left", [0, 10, 100, -1])
def test_damaged_files_are_written_again(chosen: Path, left: int) -> None:
    works()
    (file,) = files(chosen)
    file.write_bytes(file.read_bytes()[:left])
    works()
    third = fresh_kernel()
    assert third(2.0) == 4.0
    assert sum(third.stats.cache_hits.values()) == 1, "the file was not written again"


def test_a_file_of_another_kernel_is_not_taken(chosen: Path) -> None:
    """As if two names had one digest."""
    works()
    (file,) = files(chosen)
    other = jit.exact("i8")(twice)
    other(2)
    (second,) = set(files(chosen)) - {file}
    second.write_bytes(file.read_bytes())
    again = jit.exact("i8")(twice)
    assert again(2) == 4
    assert isinstance(again(2), int)
    assert sum(again.stats.cache_hits.values()) == 0


@pytest.mark.parametrize("step", ["write_bytes", "replace"])
def test_a_full_disk(chosen: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def full(*args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(*((Path, step) if step == "write_bytes" else (os, step)), full)
    (words,) = said(works)
    assert "No space left on device" in words
    assert files(chosen) == []


def test_interrupted_while_writing(chosen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        works()
    assert files(chosen) == []


# ---- two processes

PROGRAM = """
import sys
import numpy as np
from assay import kernels
start = sys.stdin.readline()  # both go at once
y, p = np.arange(50.0), np.arange(50.0)[::-1]
for kind in sys.argv[1:]:
    print(kind, kernels.regression.extent(p.astype(kind)), kernels.binary.top_label((p / 50).astype(kind), y > 20)[0].sum())
from assay.kernels.jit import KERNELS
print(sum(sum(k.dispatcher.stats.cache_misses.values()) for k in KERNELS.values()))
"""


def started(kinds: tuple[str, ...], folder: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "ASSAY_CACHE_DIR": str(folder)}
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-W", "error", "-c", PROGRAM, *kinds], env=environment, **pipes)


def run(folder: Path, *orders: tuple[str, ...]) -> list[list[str]]:
    """What processes print that start at the same moment, line by line in order."""
    processes = [started(kinds, folder) for kinds in orders]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    done = [process.communicate(timeout=120) for process in processes]
    assert all(process.returncode == 0 for process in processes), [err for _, err in done]
    return [sorted(out.splitlines()) for out, _ in done]


def test_two_processes_at_once_from_an_empty_cache(tmp_path: Path) -> None:
    """They compile the same kernels for other types first and for the same ones then; numba's own index would mix these up."""
    folder, kinds = tmp_path / "shared", ("float32", "float64")
    first, second = run(folder, kinds, kinds[::-1])
    assert first[1:] == second[1:]
    assert [line.split()[0] for line in first[1:]] == list(kinds)
    assert np.isclose(*(float(line.split()[-1]) for line in first[1:]), rtol=1e-5)
    kept = files(folder)
    assert len(kept) == 4, "two kernels for two types"
    assert all(file.suffix == ".kernel" for file in kept), "drafts were left behind"
    (third,) = run(folder, kinds)
    assert third == ["0", *first[1:]], "something was compiled again, or gives other values"
