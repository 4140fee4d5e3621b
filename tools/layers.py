"""Check the import rule: a layer imports itself and those to its left, never back.

Strings given to ``import_module`` and ``__import__`` count as imports, f-strings by their fixed beginning. Adapters (torch, jax,
sklearn) import any layer but the command line, and nobody imports them. numba is imported in kernels only, torch, jax and
scikit-learn in their adapters only. Everything else stands in `EXCEPTIONS` with its reason; one that is no longer used is an error.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parent.parent / "src" / "assay"
LAYERS = (
    "core", "ops", "kernels", "losses", "data", "metrics", "inference", "evaluation", "resampling", "rag", "advise", "io", "scale",
    "figures", "report", "explain", "testing", "cli",
)  # fmt: skip
ADAPTERS = ("torch", "jax", "sklearn")
LEAVES = ("version", "_index")  # modules at the top without imports, open to everyone
ENTRANCES = ("__init__", "__main__")  # modules at the top that lead everywhere
PACKAGES = {"torch": "torch", "jax": "jax", "sklearn": "sklearn", "numba": "kernels"}  # package: its one folder
COMPUTED = "a computed name"

# (file or folder, what it imports): why. A folder covers the files below it, a module those below it.
EXCEPTIONS = {
    ("__init__.py", COMPUTED): "lazy public namespace: names load when first used",
    ("metrics/__init__.py", COMPUTED): "lazy public namespace: metrics load when first used",
    ("core/extras.py", COMPUTED): "the one door of optional packages",
    ("core/registry.py", COMPUTED): "the registry walks the packages it is given",
    ("core/loss.py", "assay.losses"): "the registry of losses fills itself when first read",
    ("resampling/_figures.py", "assay.figures"): "results draw themselves",
    ("losses/accelerators.py", "assay.torch.accelerators"): "the one table of accelerators, which the torch side fills",
    ("losses/accelerators.py", "assay.jax.accelerators"): "the one table of accelerators, which the jax side fills",
    ("testing/law_values.py", COMPUTED): "laws run on every backend that is installed",
    ("testing/loss_laws.py", "assay.torch.blocks"): "the law on blocks lowers the block size of the torch routes",
    ("cli/learner_loading.py", COMPUTED): "loads the module of the user's learner",
    ("cli/readers/image_samples.py", "assay.torch.extractors"): "features of image files are taken by a network",
}


class Import(NamedTuple):
    """One import: the file under ``src/assay``, its line, the module that it names."""

    file: str
    line: int
    module: str

    @property
    def layer(self) -> str:
        """The folder or module at the top that the file belongs to."""
        return self.file.split("/")[0].removesuffix(".py")


def imports_of(file: str, text: str) -> Iterator[Import]:
    """Every import of a file, those inside functions and under ``TYPE_CHECKING`` too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (Import(file, node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (Import(file, node.lineno, module) for module in _from(file, node))
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__"):
            yield Import(file, node.lineno, _written(node))


def _from(file: str, node: ast.ImportFrom) -> list[str]:
    package = ["assay", *file.split("/")[:-1]]
    base = ".".join(package[: len(package) + 1 - node.level]) if node.level else ""
    module = ".".join(part for part in (base, node.module or "") if part)
    return [f"assay.{alias.name}" for alias in node.names] if module == "assay" else [module]


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _written(node: ast.Call) -> str:
    """The module that a call names: its text, or what stands before the first placeholder of an f-string if that says enough."""
    name = node.args[0] if node.args else None
    pieces = name.values if isinstance(name, ast.JoinedStr) else [name]
    fixed = pieces[0].value if pieces and isinstance(pieces[0], ast.Constant) else None
    if not isinstance(fixed, str) or (len(pieces) > 1 and fixed.count(".") < 2):
        return COMPUTED
    return fixed.rstrip(".")


def complaint(one: Import) -> str | None:
    """What is wrong with an import, if anything."""
    top, _, rest = one.module.partition(".")
    if one.module == COMPUTED:
        return "imports a module by a computed name"
    if top in PACKAGES:
        return None if one.layer == PACKAGES[top] else f"{top} may be imported in {PACKAGES[top]} only"
    return _between(one.layer, rest.split(".")[0]) if top == "assay" and rest else None


def _between(layer: str, target: str) -> str | None:
    if layer in ENTRANCES or target in LEAVES or layer == target:
        return None
    unknown = [name for name in (layer, target) if name not in (*LAYERS, *ADAPTERS)]
    if unknown:
        return f"{unknown[0]} is in no layer: add it to tools/layers.py"
    if target in ADAPTERS:
        return f"{layer} must not import the adapter {target}"
    outside = layer in ADAPTERS and target != "cli"
    inside = layer in LAYERS and LAYERS.index(target) < LAYERS.index(layer)
    return None if outside or inside else f"{layer} must not import {target}"


def excused(one: Import) -> tuple[str, str] | None:
    """The exception that covers an import."""
    places = (one.file, *(str(parent) for parent in Path(one.file).parents))
    covers = (key for key in EXCEPTIONS if key[0] in places and f"{one.module}.".startswith(f"{key[1]}."))
    return next(covers, None)


def problems(files: dict[str, str]) -> list[str]:
    """Every break of the rule and every exception that is not needed, for texts by path under ``src/assay``."""
    broken: list[str] = []
    used: set[tuple[str, str]] = set()
    for one in (found for file, text in files.items() for found in imports_of(file, text)):
        problem = complaint(one)
        if problem and (key := excused(one)):
            used.add(key)
        elif problem:
            broken.append(f"src/assay/{one.file}:{one.line}: {problem} ({one.module})")
    unused = [key for key in EXCEPTIONS if key not in used]
    return broken + [
        f"tools/layers.py: the exception {file} -> {module} is not used: remove it" for file, module in unused
    ]


def main() -> int:
    """Print every problem."""
    files = {path.relative_to(SOURCE).as_posix(): path.read_text() for path in sorted(SOURCE.rglob("*.py"))}
    found = problems(files)
    print("\n".join(found) or f"layers are in order, with {len(EXCEPTIONS)} exceptions")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
