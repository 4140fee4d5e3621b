"""Check the import rule: a layer imports itself and those to its left; numba only in kernels; torch and jax nowhere."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "assay"
LAYERS = (
    "core", "ops", "kernels", "losses", "metrics", "inference", "evaluation", "resampling", "rag", "advise", "io", "scale",
    "report", "cli",
)  # fmt: skip
FREE = ("version", "_index", "testing", "explain", "figures")  # modules at the top that belong to no layer
ADAPTERS = {"torch": "torch", "jax": "jax", "numba": "kernels", "sklearn": "sklearn"}


def imported(tree: ast.Module) -> list[tuple[int, str]]:
    """(line, module) of every import in a file."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names] if node.module == "assay" else [node.module]
            found += [(node.lineno, name) for name in names]
    return found


def complaint(layer: str, module: str) -> str | None:
    """What is wrong with this layer importing this module, if anything."""
    top, _, rest = module.partition(".")
    if top in ADAPTERS and layer != ADAPTERS[top]:
        return f"{top} may be imported in {ADAPTERS[top]} only"
    target = rest.split(".")[0]
    if top != "assay" or target not in LAYERS or layer not in LAYERS:
        return None
    return f"{layer} must not import {target}" if LAYERS.index(target) > LAYERS.index(layer) else None


def main() -> int:
    """Print every break of the rule."""
    broken: list[str] = []
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).parts
        layer = parts[0].removesuffix(".py")
        for line, module in imported(ast.parse(path.read_text())):
            problem = complaint(layer, module)
            if problem and layer not in FREE:
                broken.append(f"{path.relative_to(SOURCE.parent.parent)}:{line}: {problem}")
    print("\n".join(broken) or "layers are in order")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
