"""The larger of the two sizes takes the compiled route here, without needing half a million rows."""

from __future__ import annotations

import pytest

from assay import kernels


@pytest.fixture(autouse=True)
def kernels_serve_from_65536(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "LARGE", 1 << 16)
