"""Kernels split their rows among threads from 65,536 on; here from a handful, so that the seams are tested too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay import kernels


@pytest.fixture(autouse=True, scope="module")
def short_chunks() -> Iterator[None]:
    whole = kernels.over_chunks
    kernels.over_chunks = lambda n, work, least=0, most=None: whole(n, work, least=min(least or 8, 8), most=most)
    yield
    kernels.over_chunks = whole
