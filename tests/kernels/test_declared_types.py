"""The one table of kernels: every kernel declares its types, every declared type compiles, every part belongs to a kernel."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from assay import kernels
from assay.kernels import ahead, jit

FOLDER = Path(kernels.__file__).parent
WAYS = {name for name, value in vars(jit).items() if isinstance(value, jit.Way)}


def decorated() -> dict[str, tuple[str, bool]]:
    """The compiled functions of the sources: module and name, the module, and whether types are declared."""
    found: dict[str, tuple[str, bool]] = {}
    for path in FOLDER.glob("*.py"):
        for node in ast.parse(path.read_text()).body:
            for mark in getattr(node, "decorator_list", ()):
                called = isinstance(mark, ast.Call)
                name = mark.func if isinstance(mark, ast.Call) else mark
                if isinstance(node, ast.FunctionDef) and isinstance(name, ast.Name) and name.id in WAYS:
                    found[f"{path.stem}.{node.name}"] = path.stem, called
    return found


def test_the_table_holds_every_kernel_of_the_sources() -> None:
    ahead.everything()
    declared = {name for name, (_, types) in decorated().items() if types}
    assert len(declared) > 80
    assert declared == set(jit.KERNELS)


def test_every_kernel_has_types_and_no_two_are_the_same() -> None:
    every = [(one.name, one.types) for one in ahead.everything()]
    assert {name for name, _ in every} == set(jit.KERNELS)
    assert len(every) == len(set(every))
    assert all(types for _, types in every)


def test_types_have_as_many_entries_as_the_function_has_arguments() -> None:
    for one in ahead.everything():
        assert len(one.types) == one.kernel.dispatcher.py_func.__code__.co_argcount, one.name


def test_every_part_is_called_by_something() -> None:
    names: set[str] = set()
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                names.add(node.id)
    idle = [name for name, (_, types) in decorated().items() if not types and name.rpartition(".")[2] not in names]
    assert idle == []


def test_python_cannot_call_a_part() -> None:
    with pytest.raises(TypeError, match="_mix is a part of kernels"):
        kernels.bootstrap._mix(np.uint64(3))


def test_a_constant_does_not_compile_a_part_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path))  # what is kept is not compiled

    @jit.exact
    def part(x, n):
        return x + n

    @jit.exact("f8")
    def whole(x):
        return part(x, 1) + part(x, 2)

    try:
        assert whole(1.0) == 5.0
        assert len(part.overloads) == 1  # pyright: ignore[reportFunctionMemberAccess]
    finally:
        del jit.KERNELS["test_declared_types.whole"]


def test_undeclared_types_are_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path))

    @jit.exact("f8", "i8")
    def half(x):
        return x / 2

    try:
        assert half(3.0) == 1.5
        assert half(np.float32(3.0)) == 1.5  # works all the same
        (types,) = jit.KERNELS["test_declared_types.half"].undeclared()
        assert str(types) == "(float32,)"
    finally:
        del jit.KERNELS["test_declared_types.half"]


def test_choices_are_combined() -> None:
    @jit.exact("A[::1], B", A="f4 f8", B=("i8", "Tuple((i8, u1))"))
    def anything(x, y):
        return x

    kernel = jit.KERNELS.pop("test_declared_types.anything")
    assert anything is kernel.dispatcher
    assert kernel.declared == ("f4[::1], i8", "f4[::1], Tuple((i8, u1))", "f8[::1], i8", "f8[::1], Tuple((i8, u1))")
    assert len(set(kernel.types())) == 4


@pytest.mark.slow
def test_everything_compiles() -> None:
    """Otherwise `assay warm` would fail; most kernels are compiled by other tests too."""
    for one in ahead.everything():
        one.compile()
    assert not [kernel.name for kernel in jit.KERNELS.values() if not kernel.dispatcher.overloads]


def test_importing_kernels_loads_neither_numba_nor_losses() -> None:
    """`from assay import kernels` asks the package for the name first, which once built hints from all losses."""
    code = "import sys; from assay import kernels; print(*({'numba', 'assay.losses'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout == "\n"
