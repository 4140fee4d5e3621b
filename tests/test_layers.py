"""The tool that checks the import rule catches what it should, and the tree keeps the rule."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "layers.py"


@pytest.fixture(scope="module")
def layers() -> ModuleType:
    """tools/layers.py as a module."""
    spec = importlib.util.spec_from_file_location("layers", TOOL)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BROKEN = {
    "back": ("core/a.py", "from assay.metrics.rows import x", "core must not import metrics"),
    "inside a function": ("io/a.py", "def f():\n    import assay.cli.app", "io must not import cli"),
    "through the package": ("ops/a.py", "from assay import inference", "ops must not import inference"),
    "relative": ("core/deep/a.py", "from ...resampling import plan", "core must not import resampling"),
    "for types only": ("data/a.py", "if TYPE_CHECKING:\n    from assay.io.png import x", "data must not import io"),
    "string": ("metrics/a.py", 'importlib.import_module("assay.io.tables")', "metrics must not import io"),
    "f-string": ("metrics/a.py", 'import_module(f"assay.inference.{name}")', "metrics must not import inference"),
    "dunder": ("metrics/a.py", '__import__("assay.report")', "metrics must not import report"),
    "computed": ("evaluation/a.py", "importlib.import_module(name)", "by a computed name"),
    "computed layer": ("evaluation/a.py", 'import_module(f"assay.{layer}.x")', "by a computed name"),
    "adapter": ("metrics/a.py", "from assay.torch import modules", "must not import the adapter torch"),
    "adapter of an adapter": ("jax/a.py", "from assay.torch import modules", "must not import the adapter torch"),
    "adapter of the command line": ("sklearn/a.py", "import assay.cli.score", "sklearn must not import cli"),
    "package": ("metrics/a.py", "import torch.nn", "torch may be imported in torch only"),
    "package by string": ("ops/a.py", 'import_module("numba.core")', "numba may be imported in kernels only"),
    "new folder": ("attic/a.py", "from assay.core import x", "attic is in no layer"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_break_is_caught(layers: ModuleType, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    """One file with one import that the rule forbids."""
    monkeypatch.setattr(layers, "EXCEPTIONS", {})
    file, text, expected = BROKEN[case]
    (found,) = layers.problems({file: text})
    assert expected in found
    assert f"src/assay/{file}:" in found


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("cli/a.py", "import assay.core.metric"),
        ("metrics/a.py", "from assay.metrics.rows import x\nfrom assay import data"),
        ("torch/a.py", "import torch\nfrom assay.losses import basis"),
        ("kernels/a.py", 'import numba\nimport_module(f"assay.kernels.{name}")'),
        ("core/a.py", "from assay.version import __version__\nimport numpy"),
        ("__main__.py", "from assay.cli import main"),
    ],
)
def test_what_is_allowed_passes(layers: ModuleType, monkeypatch: pytest.MonkeyPatch, file: str, text: str) -> None:
    """Imports to the left, inside a layer, and of leaves."""
    monkeypatch.setattr(layers, "EXCEPTIONS", {})
    assert layers.problems({file: text}) == []


def test_an_exception_covers_its_place_and_is_used(layers: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same import elsewhere is still a break; without the import the exception is one too many."""
    monkeypatch.setattr(layers, "EXCEPTIONS", {("core/a.py", "assay.inference"): "a reason"})
    text = 'import_module("assay.inference.plan")'
    assert layers.problems({"core/a.py": text}) == []
    assert len(layers.problems({"core/a.py": text, "core/b.py": text})) == 1
    assert "is not used" in layers.problems({"core/a.py": ""})[0]


def test_the_tree_keeps_the_rule(layers: ModuleType) -> None:
    """Every exception has a reason, and nothing is broken."""
    assert layers.main() == 0
    assert all(layers.EXCEPTIONS.values())


SOURCE = Path(__file__).parents[1] / "src" / "assay"


def test_every_folder_has_a_readme() -> None:
    """Whoever opens a folder with modules finds what lives in it."""
    folders = {file.parent for file in SOURCE.rglob("*.py")}
    assert len(folders) > 30
    assert sorted(str(folder.relative_to(SOURCE)) for folder in folders if not (folder / "README.md").is_file()) == []


def test_every_module_has_a_docstring() -> None:
    """The first line of a file says what the file is for."""
    files = sorted(SOURCE.rglob("*.py"))
    assert [str(f.relative_to(SOURCE)) for f in files if not ast.get_docstring(ast.parse(f.read_text("utf-8")))] == []
