"""Every kernel with every argument type that it declares: what ``assay warm`` compiles before anybody needs it."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any, NamedTuple

from assay import kernels
from assay.kernels.jit import KERNELS, Kernel


class Specialisation(NamedTuple):
    """A kernel for certain argument types."""

    kernel: Kernel
    types: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The module and the name of the kernel."""
        return self.kernel.name

    def is_kept(self) -> bool:
        """Whether its code lies in the cache."""
        dispatcher = self.kernel.dispatcher
        return dispatcher._cache.is_kept(self.types, dispatcher.targetctx)

    def compile(self) -> bool:
        """Compile it unless its code is there and can be read; whether that was needed."""
        dispatcher = self.kernel.dispatcher
        before = sum(dispatcher.stats.cache_misses.values())
        dispatcher.compile(self.types)
        return sum(dispatcher.stats.cache_misses.values()) > before


def everything() -> list[Specialisation]:
    """All kernels of this folder."""
    for module in pkgutil.iter_modules(kernels.__path__):
        importlib.import_module(f"assay.kernels.{module.name}")
    return [Specialisation(kernel, types) for kernel in KERNELS.values() for types in kernel.types()]
