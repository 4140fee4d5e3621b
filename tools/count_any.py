"""Count `Any` in public signatures; `--check` fails above the committed ceiling, which only `--lower` moves, and only down.

Public is every function and every method of a class under `src/assay` of which no part of the path (folder, module, class,
function) starts with an underscore; dunder methods such as `__call__` are public, nested functions are not. A parameter or a
return counts once if its annotation mentions `Any` anywhere, so `dict[str, Any]` counts like `Any`. Overloads count one by one.
Stubs (`*.pyi`) count too: they are what a type checker shows a user.

`kernels/` has a number and a ceiling of its own. No name of it is exported, documented or meant to be called by users; numba
infers the types of what it compiles from the call and checks no annotation, so functions that numba compiles are left out, and
what remains are the plain functions in front of them.

A type alias for `Any` (`Name: TypeAlias = Any`) would hide what is counted here, so annotations that mention one have a number
and a ceiling of their own as well.

At commit 1535489 this finds 1,141 parameters of 5,046, and 225 of 300 more in `kernels/`. An earlier count found 1,329 of 4,277:
the same rules without stubs and dunder methods and with compiled kernels give 1,306 of 4,205.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "assay"
CEILING = Path(__file__).with_name("any_ceiling.json")
COMPILED = {"bare", "exact", "kernel", "lanes", "step"}  # decorators of assay.kernels.jit
KERNELS = "kernels"
KINDS = ("parameters", "returns", "aliases", "kernels")


@dataclass(frozen=True)
class Place:
    """A parameter or a return of a public function."""

    folder: str
    where: str
    kind: str  # "parameters" or "returns"
    any: bool
    alias: bool


def is_public(name: str) -> bool:
    """Whether a name has no leading underscore, or is a dunder."""
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def aliases(trees: dict[Path, ast.Module]) -> set[str]:
    """Names that the package declares as other names of ``Any``."""
    return {
        node.target.id
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None
        if "TypeAlias" in ast.unparse(node.annotation) and ast.unparse(node.value) == "Any"
    }


def mentions(annotation: ast.expr | None, names: set[str]) -> bool:
    """Whether an annotation mentions one of the names, in quotes too."""
    if annotation is None:
        return False
    for node in ast.walk(annotation):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                quoted = ast.parse(node.value, mode="eval").body
            except SyntaxError:
                continue
            if not isinstance(quoted, ast.Constant) and mentions(quoted, names):
                return True
        if (isinstance(node, ast.Name) and node.id in names) or (
            isinstance(node, ast.Attribute) and node.attr in names
        ):
            return True
    return False


def functions(body: list[ast.stmt], path: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Public functions of a module and methods of its public classes, with their dotted names."""
    for node in body:
        if isinstance(node, ast.ClassDef) and is_public(node.name):
            yield from functions(node.body, f"{path}.{node.name}")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_public(node.name):
            yield f"{path}.{node.name}", node


def compiled(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether numba compiles it."""
    heads = (d.func if isinstance(d, ast.Call) else d for d in function.decorator_list)
    return any(isinstance(head, ast.Name) and head.id in COMPILED for head in heads)


def places() -> Iterator[Place]:
    """All parameters and returns of public functions."""
    files = sorted([*SOURCE.rglob("*.py"), *SOURCE.rglob("*.pyi")])
    files = [path for path in files if all(is_public(part.split(".")[0]) for part in path.relative_to(SOURCE).parts)]
    trees = {path: ast.parse(path.read_text()) for path in files}
    hidden = aliases(trees)
    for path, tree in trees.items():
        parts = path.relative_to(SOURCE).parts
        folder = parts[0] if len(parts) > 1 else "."
        if folder in ("losses", "metrics") and len(parts) > 2:
            folder = "/".join(parts[:2])
        for where, function in functions(tree.body, str(path.relative_to(ROOT))):
            if folder == KERNELS and compiled(function):
                continue
            given = function.args
            listed = [*given.posonlyargs, *given.args, *given.kwonlyargs]
            listed += [extra for extra in (given.vararg, given.kwarg) if extra is not None]
            for one in listed:
                if one.arg not in ("self", "cls"):
                    named, alias = mentions(one.annotation, {"Any"}), mentions(one.annotation, hidden)
                    yield Place(folder, f"{where}({one.arg})", "parameters", named, alias)
            yield Place(
                folder,
                f"{where} ->",
                "returns",
                mentions(function.returns, {"Any"}),
                mentions(function.returns, hidden),
            )


def counts(found: list[Place]) -> dict[str, int]:
    """The numbers that have a ceiling."""
    users = [p for p in found if p.folder != KERNELS]
    return {
        "parameters": sum(p.any for p in users if p.kind == "parameters"),
        "returns": sum(p.any for p in users if p.kind == "returns"),
        "aliases": sum(p.alias and not p.any for p in users),
        "kernels": sum(p.any for p in found if p.folder == KERNELS and p.kind == "parameters"),
    }


def by_folder(found: list[Place]) -> str:
    """A table of the numbers per folder."""
    rows = [f"{'folder':<26}{'parameters':>12}{'of':>7}{'returns':>10}{'of':>7}{'aliases':>10}"]
    for folder in sorted({p.folder for p in found}):
        own = [p for p in found if p.folder == folder]
        every, bad = Counter(p.kind for p in own), Counter(p.kind for p in own if p.any)
        aliased = sum(p.alias and not p.any for p in own)
        rows.append(
            f"{folder:<26}{bad['parameters']:>12}{every['parameters']:>7}{bad['returns']:>10}{every['returns']:>7}{aliased:>10}"
        )
    return "\n".join(rows)


def main() -> int:
    """Print the numbers; see the module for the options."""
    parser = argparse.ArgumentParser(description="Count Any in public signatures.")
    parser.add_argument("--by-folder", action="store_true", help="one line per folder")
    parser.add_argument("--list", metavar="FOLDER", help="every place in files whose path contains this text")
    parser.add_argument("--check", action="store_true", help="fail above the ceiling")
    parser.add_argument("--lower", action="store_true", help="lower the ceiling to the present numbers")
    asked = parser.parse_args()
    found = list(places())
    now, ceiling = counts(found), json.loads(CEILING.read_text())
    if asked.list:
        print("\n".join(p.where for p in found if asked.list in p.where and (p.any or p.alias)))
    if asked.by_folder:
        print(by_folder(found))
    total = Counter(p.kind for p in found if p.folder != KERNELS)
    print(
        f"Any in {now['parameters']} of {total['parameters']} public parameters and {now['returns']} of {total['returns']} "
        f"returns; {now['aliases']} more through aliases, {now['kernels']} parameters in kernels"
    )
    if asked.lower:
        CEILING.write_text(json.dumps({kind: min(now[kind], ceiling[kind]) for kind in KINDS}, indent=2) + "\n")
        return 0
    over = [f"{kind}: {now[kind]}, ceiling {ceiling[kind]}" for kind in KINDS if now[kind] > ceiling[kind]]
    if asked.check and over:
        print("; ".join(over) + ". Use a named type instead; see which places by --list FOLDER.")
    return bool(asked.check and over)


if __name__ == "__main__":
    sys.exit(main())
