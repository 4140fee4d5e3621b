"""Where compiled kernels are kept.

``ASSAY_CACHE_DIR``, else ``NUMBA_CACHE_DIR``, names the folder and is the only one then. Without them, kernels are looked for in the
package's own ``__pycache__``, in the user's cache folder and in a private temporary folder, in this order, and written to the first
of these that can be written to. So an image or an installation that was warmed by its owner serves every user who may only read it.
"""

from __future__ import annotations

import functools
import os
import stat
import sys
import tempfile
from pathlib import Path

VARIABLES = ("ASSAY_CACHE_DIR", "NUMBA_CACHE_DIR")
_NAME = "assay-kernels"
_OTHERS_WRITE = 0o022


def chosen() -> Path | None:
    """The folder that the environment names, if it does."""
    named = next((os.environ[name] for name in VARIABLES if os.environ.get(name)), None)
    return None if named is None else Path(named).absolute() / _NAME


def candidates() -> list[Path]:
    """Where kernels may lie, the most preferred folder first."""
    named = chosen()
    if named is not None:
        return [named]
    folders = [Path(__file__).absolute().parent / "__pycache__" / _NAME, user_folder(), private_folder()]
    return [folder for folder in folders if folder is not None]


def user_folder() -> Path | None:
    """The user's cache folder, by the custom of the platform (XDG on Linux); None without a home, or in that of someone else.

    Under ``sudo``, the home may be another user's, who must not decide what root runs.
    """
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        named = Path(os.environ.get("XDG_CACHE_HOME", ""))
        base = named if named.is_absolute() else home / ".cache"  # XDG: relative paths are to be ignored
    folder = base / _NAME
    return folder if not os.path.lexists(folder) or _owned(folder) else None


def private_folder() -> Path | None:
    """A temporary folder of this user; None if there is none, or one that others could have written to.

    Whoever writes to the cache decides what runs, so a folder that is there already must belong to this user alone.
    """
    try:
        folder = Path(tempfile.gettempdir()) / f"{_NAME}-{_user()}"
    except OSError:  # no temporary folder at all
        return None
    return folder if not os.path.lexists(folder) or _owned(folder, _OTHERS_WRITE) else None


def _user() -> int | str:
    return os.getuid() if hasattr(os, "getuid") else "user"


def _owned(folder: Path, forbidden: int = 0) -> bool:
    """Whether a folder belongs to this user, and its mode has none of the forbidden bits."""
    try:
        facts = folder.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(facts.st_mode):
        return False
    return os.name == "nt" or (facts.st_uid == _user() and not facts.st_mode & forbidden)


@functools.cache
def writable(folder: Path) -> bool:
    """Whether files can be made in a folder, which is made first if need be; the disk is asked once per process."""
    private = folder == private_folder()
    try:
        folder.mkdir(mode=0o700 if private else 0o777, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return not private or _owned(folder, _OTHERS_WRITE)
