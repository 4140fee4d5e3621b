"""Without a writable cache, on a full disk and over damaged files kernels still run, and say so once."""

from __future__ import annotations

import errno
import os
import warnings
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core import caching

from assay.core.errors import AssayWarning
from assay.kernels import cache
from assay.kernels.jit import exact


def twice(x):
    return 2 * x


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A process that has said nothing yet, with its own temporary folder."""
    monkeypatch.setattr(cache.tempfile, "tempdir", str(tmp_path))
    cache._say_once.cache_clear()
    cache._temporary.cache_clear()
    yield
    cache._say_once.cache_clear()
    cache._temporary.cache_clear()


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after an installation by root, for a user without a home."""
    for name in ("UserProvidedCacheLocator", "InTreeCacheLocator", "UserWideCacheLocator"):
        monkeypatch.setattr(getattr(caching, name), "from_function", classmethod(lambda cls, *file: None))


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The cache in a folder that a test may damage."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kernels"))
    return tmp_path / "kernels"


def said(work: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AssayWarning)
        work()
    return [str(w.message) for w in caught if issubclass(w.category, AssayWarning)]


@pytest.mark.usefixtures("nowhere")
def test_a_private_temporary_folder(tmp_path: Path) -> None:
    def work() -> None:
        assert exact(twice)(2.0) == 4.0
        assert exact(twice)(3.0) == 6.0

    (words,) = said(work)
    folder = tmp_path / f"assay-kernels-{os.getuid()}"
    assert str(folder) in words
    assert "NUMBA_CACHE_DIR" in words
    assert oct(folder.stat().st_mode & 0o777) == "0o700"
    assert list(folder.rglob("*.nbc"))


@pytest.mark.usefixtures("nowhere")
def test_a_temporary_folder_of_someone_else_is_not_trusted(tmp_path: Path) -> None:
    planted = tmp_path / f"assay-kernels-{os.getuid()}"
    planted.mkdir()
    planted.chmod(0o777)
    (words,) = said(lambda: exact(twice)(2.0))
    assert "compiled again in every process" in words
    assert not list(planted.iterdir())


@pytest.mark.usefixtures("nowhere")
def test_no_folder_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache.tempfile, "tempdir", "/nonexistent")
    (words,) = said(lambda: exact(twice)(2.0) == 4.0 or pytest.fail("wrong value"))
    assert "there is no folder for compiled kernels" in words


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("left", [0, 10, 100])
def test_truncated_files_are_written_again(elsewhere: Path, suffix: str, left: int) -> None:
    exact(twice)(2.0)
    (file,) = elsewhere.rglob(f"*{suffix}")
    whole = file.read_bytes()
    file.write_bytes(whole[:left])
    assert exact(twice)(2.0) == 4.0
    third = exact(twice)
    assert third(2.0) == 4.0
    assert sum(third.stats.cache_hits.values()) == 1, "the cache was not mended"


@pytest.mark.usefixtures("elsewhere")
def test_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(caching.IndexDataCacheFile, "save", full)
    (words,) = said(lambda: exact(twice)(2.0) == 4.0 or pytest.fail("wrong value"))
    assert "No space left on device" in words
