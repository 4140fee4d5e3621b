"""A learner by its address: ``package.module:object`` or ``file.py:object``."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from assay.core.errors import DependencyError, InputError, ParameterError, did_you_mean
from assay.core.extras import EXTRAS, command
from assay.resampling import Learner, as_learner

FORM = "Write module:object or file.py:object, such as models.py:forest."


@contextmanager
def importing_from_here() -> Generator[None]:
    """The current folder comes first among the places that modules are looked for, as with ``python -m``."""
    before = list(sys.path)
    sys.path.insert(0, os.getcwd())
    try:
        yield
    finally:
        sys.path[:] = before


def load(address: str) -> tuple[Any, Learner]:
    """What the address names, made ready to be trained, and as a learner.

    A class is instantiated. A function that can be called without arguments is called and returns the learner; one that needs
    arguments is itself the training function, called as ``train(X, y)``. All else (an estimator, a pair of functions, a mapping) is
    taken as it is.
    """
    place, mark, name = address.rpartition(":")
    if not mark or not place:
        raise ParameterError("", repr(address), "names no object", f"{FORM}{_offer(address)}")
    if not name:
        raise ParameterError(repr(address), "", "which object?", f"{FORM}{_offer(place)}")
    found = _made(_attribute(_module(place), name, place), address)
    try:
        learner = as_learner(found)
    except InputError as error:
        raise error.but(who=address) from error
    return found, replace(learner, name=name)  # what the user calls it says more than Pipeline or <lambda>


def _offer(place: str) -> str:
    """The objects that a module offers, where only it was named."""
    if not place or (place.endswith(".py") and not Path(place).is_file()):
        return ""
    try:
        names = _candidates(_module(place))
    except (InputError, ParameterError):
        return ""
    return f" There are: {', '.join(names)}." if names else ""


def _candidates(module: ModuleType) -> list[str]:
    """What a module itself defines that could be a learner."""
    own = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    return [name for name, value in own.items() if _could_learn(value, module.__name__)]


def _could_learn(value: Any, module: str) -> bool:
    if isinstance(value, ModuleType):
        return False
    if inspect.isclass(value) or inspect.isfunction(value):
        return value.__module__ == module
    return hasattr(value, "fit") or isinstance(value, dict | tuple)


# ---- modules


def _module(place: str) -> ModuleType:
    return _of_file(Path(place)) if place.endswith(".py") else _by_name(place)


def _of_file(path: Path) -> ModuleType:
    """The module in a file, under the name of the file: worker processes must find it again by that name."""
    if not path.is_file():
        raise InputError(str(path), "", "no such file")
    path = path.resolve()
    if not path.stem.isidentifier():
        words = "the name of the file must be one that Python can import"
        raise InputError(path.name, "", words, f"Rename it, without {_odd(path.stem)!r}.")
    _refuse_namesake(path)
    sys.path.insert(0, str(path.parent))
    known = sys.modules.get(path.stem)
    return known if known is not None else _imported(path.stem, path.name)


def _odd(name: str) -> str:
    return next((letter for letter in name if not ("_" + letter).isidentifier()), name[:1])


def _refuse_namesake(path: Path) -> None:
    """A file with the name of an installed module would hide it, or be hidden by it."""
    known = sys.modules.get(path.stem)
    origin = getattr(known, "__file__", None) if known is not None else _origin(path.stem)
    if (known is not None or origin is not None) and (origin is None or Path(origin).resolve() != path):
        raise InputError(path.name, "", f"another module is called {path.stem!r}", "Rename the file.")


def _origin(name: str) -> str | None:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    return None if spec is None else spec.origin


def _by_name(name: str) -> ModuleType:
    if "/" in name or os.sep in name:
        fix = f"For a file, write its whole name: {name}.py:object."
        raise ParameterError("", repr(name), "is not a module", fix)
    return _imported(name, name)


def _imported(name: str, who: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if (package := missing.partition(".")[0]) in EXTRAS:
            raise DependencyError("", "", f"{who} requires {package}", f"Run {command(package)}.") from error
        if missing and (name == missing or name.startswith(f"{missing}.")):
            words = f"no module {missing!r}, neither installed nor in this folder"
            raise InputError("", "", words, _similar_file(missing).strip()) from error
        raise InputError(who, "", f"requires the module {missing!r}, which is not installed") from error
    except (Exception, SystemExit) as error:  # a script that exits must not end the command silently
        raise InputError(who, "", f"cannot be imported: {_summary(error)}") from error


def _similar_file(missing: str) -> str:
    """A close name among the Python files of this folder."""
    names = [path.stem for path in Path.cwd().glob("*.py")]
    hint = did_you_mean(missing, names)
    return hint if "Did you mean" in hint else ""


def _summary(error: BaseException) -> str:
    """An error of the user's code in one line, with its place."""
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg} (line {error.lineno})"
    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if "importlib" not in f.filename and f.filename != __file__
    ]
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


# ---- objects


def _attribute(module: ModuleType, name: str, place: str) -> Any:
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            names = _candidates(module) if found is module else [n for n in dir(found) if not n.startswith("_")]
            raise InputError(place, "", f"has no {part!r}", did_you_mean(part, names).strip())
        found = getattr(found, part)
    return found


def _made(found: Any, address: str) -> Any:
    """An instance of a class, or what a function without arguments returns."""
    if isinstance(found, ModuleType):
        raise ParameterError("", address, "is a module", f"Name an object in it: {address}:object.")
    made: Any = found
    if not inspect.isclass(made) and (hasattr(made, "fit") or not callable(made) or not _called_bare(made)):
        return made
    try:
        return made()
    except (Exception, SystemExit) as error:
        fix = "Name an instance, or a function that makes one." if inspect.isclass(made) else ""
        raise InputError(address, "", f"calling it without arguments failed: {_summary(error)}", fix) from error


def _called_bare(function: Any) -> bool:
    """Whether a function can be called without arguments, so that it makes a learner and is not one itself."""
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):
        return False
    return True
