"""A missing optional package is answered with the command that installs it; the distribution is called assay-ml."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.cli.learner_loading import load
from assay.core import extras
from messages import refusal, refuses

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "assay"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
REQUIRED = {
    "numpy", "scipy", "numba", "array_api_compat", "narwhals", "polars", "typer", "rich", "assay", "zlib_ng", "threadpoolctl",
    "llvmlite",  # numba brings it
}  # fmt: skip
FORMER = re.compile(r"pip3? install (?:-\S+ )*[\"']?assay(?![-\w])")


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Blocks packages: their import fails as if they were not installed."""

    def block(*packages: str) -> None:
        for name in [one for one in sys.modules if one.partition(".")[0] in packages]:
            monkeypatch.delitem(sys.modules, name)
        for package in packages:
            monkeypatch.setitem(sys.modules, package, None)

    return block


def _result() -> assay.Result:
    return assay.evaluate(task="regression", y_true=[1.0, 2.0, 3.0], y_pred=[1.0, 2.5, 3.0])


@pytest.mark.parametrize("backend", ["pandas", "pyarrow"])
def test_frames(without: Callable[..., None], backend: str) -> None:
    result = _result()
    without(backend)
    refuses(lambda: result.to_frame(backend))  # pyright: ignore[reportArgumentType]


def test_pandas_without_pyarrow(without: Callable[..., None]) -> None:
    result = _result()
    without("pyarrow")
    assert list(result.to_frame("pandas")["metric"]) == list(result.scores)


@pytest.mark.parametrize("name", ["Loss", "inception"])
def test_torch_adapter(without: Callable[..., None], name: str) -> None:
    without("torch")
    with refusal(assay.DependencyError):
        getattr(importlib.import_module("assay.torch"), name)


def test_clean_resize(without: Callable[..., None]) -> None:
    torch = pytest.importorskip("torch")
    from assay.torch.extractors import resize_clean

    without("PIL")
    refuses(lambda: resize_clean(torch.zeros(1, 3, 4, 4)))


def test_pictures_and_volumes(without: Callable[..., None], tmp_path: Path) -> None:
    from assay.io.image_sizes import _size_of
    from assay.io.label_maps import read_volume
    from assay.io.pictures import Picture

    without("PIL", "nibabel")
    refuses(lambda: np.asarray(Picture(tmp_path / "a.jpg")))
    refuses(lambda: _size_of(tmp_path / "a.jpg"))
    refuses(lambda: read_volume(tmp_path / "a.nii"))


def test_processes(without: Callable[..., None]) -> None:
    without("joblib")
    x = np.arange(20.0)[:, None]
    refuses(lambda: assay.estimate(lambda X, y: lambda Z: np.zeros(len(Z)), x, x[:, 0], metrics=["mse"], jobs=2))


def test_learners_and_frames_of_the_command_line(without: Callable[..., None], tmp_path: Path) -> None:
    without("sklearn", "pandas", "torch")
    refuses(lambda: load("sklearn.linear_model:LogisticRegression"))
    from assay.cli.learner_table import _frame
    from assay.cli.readers.image_samples import _network
    from assay.io.tables import read_columns

    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    refuses(lambda: _frame(read_columns(tmp_path / "t.csv"), ["a"], "pandas"))
    refuses(lambda: _network("weights.pth"))


def test_a_package_that_is_there_but_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "brokenpackage.py").write_text("import nothing_of_this_name")
    monkeypatch.syspath_prepend(tmp_path)
    refuses(lambda: extras.optional("brokenpackage", "reader", "", "requires brokenpackage", "Or use csv."))


def _imports(file: Path) -> Iterator[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body.clear()  # types only: nothing is imported
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def test_every_optional_import_goes_through_the_helper() -> None:
    """Outside the adapters, whose packages check at the door, only required packages are imported by statement."""
    files = [file for file in SOURCE.rglob("*.py") if file.relative_to(SOURCE).parts[0] not in ("torch", "jax")]
    strange = {
        (str(file.relative_to(SOURCE)), package)
        for file in files
        for package in (module.partition(".")[0] for module in _imports(file))
        if package not in REQUIRED and package not in sys.stdlib_module_names
    }
    assert len(files) > 200
    assert not strange


def test_the_commands_name_extras_that_exist() -> None:
    for package, extra in extras.EXTRAS.items():
        assert extra in PROJECT["optional-dependencies"], package
        assert extras.command(package) == f'pip install "assay-ml[{extra}]"'


def test_the_name_of_the_distribution() -> None:
    assert PROJECT["name"] == extras.DISTRIBUTION == "assay-ml"
    assert list(PROJECT["scripts"]) == ["assay"]
    assert all(not need.startswith("assay[") for needs in PROJECT["optional-dependencies"].values() for need in needs)


def test_no_text_installs_the_package_of_someone_else() -> None:
    """`assay` on the registry belongs to someone else."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    names = [
        name
        for name in listed.split("\0")
        if name.endswith((".py", ".md", ".toml", ".txt", ".yml", "Makefile", ".pyi"))
    ]
    if not names:
        pytest.skip("not a clone")
    for name in names:
        found = FORMER.search((ROOT / name).read_text(encoding="utf-8"))
        assert found is None, f"{name}: {found}"
    assert FORMER.search("pip install " + "assay[torch]")
    assert not FORMER.search('pip install "assay-ml[torch]"')
