"""``assay warm``: compile every kernel before it is needed, and report where compiled kernels are kept."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from assay.cli import StoppedError
from assay.cli.output import chosen_format, emit, to_json
from assay.cli.progress import counted
from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.kernels.ahead import Specialisation

MISSING = 1  # exit code of --check


def run(*, check: bool, format: str | None, as_json: bool) -> int:
    """Compile what is missing, or only report it."""
    format = chosen_format(format, None, ("text", "json"), as_json=as_json)
    from assay.kernels import ahead, cache

    kernels = ahead.everything()
    folder = cache.destination()
    if check:
        there = sum(kernel.is_kept() for kernel in kernels)
        compiled, seconds = 0, 0.0
    else:
        if folder is None:
            raise InputError(
                "",
                "",
                "there is no folder for compiled kernels",
                "Set ASSAY_CACHE_DIR to a folder that you may write to.",
            )
        start = monotonic()
        compiled = _compiled(kernels)
        there, seconds = len(kernels), monotonic() - start
    missing = len(kernels) - there
    if format == "json":
        facts = {"kernels": len(kernels), "compiled_now": compiled, "missing": missing, "cache": str(folder)}
        emit(to_json(facts if folder is not None else {**facts, "cache": None}))
    elif check:
        emit(
            f"{there} of {len(kernels)} kernels are compiled.{' `assay warm` compiles the others.' if missing else ''}"
        )
    else:
        emit(
            f"{compiled} of {len(kernels)} kernels compiled in {seconds:.0f} s; {len(kernels) - compiled} were compiled before."
        )
    if format == "text":
        emit(f"Cache: {folder or 'none; set ASSAY_CACHE_DIR to a folder that you may write to'}")
    return MISSING if missing else 0


def _compiled(kernels: list[Specialisation]) -> int:
    """Compile kernels, showing how far that is; how many had to be."""
    compiled = done = 0
    try:
        with counted(len(kernels)) as show:
            for kernel in kernels:
                show(kernel.name, done)
                compiled += kernel.compile()
                done += 1
    except KeyboardInterrupt:
        words = (
            f"interrupted; {done} of {len(kernels)} kernels are compiled and kept. Run assay warm again for the others."
        )
        raise StoppedError(words) from None
    return compiled
