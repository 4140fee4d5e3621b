"""`kernels.ready`: arrays of any layout become what kernels declare, without a copy where they are it already."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay import kernels


def unaligned() -> Any:
    return np.frombuffer(bytes(17), np.uint8)[1:].view(np.float64)


@pytest.mark.parametrize(
    "array",
    [np.arange(6.0)[::2], np.asfortranarray(np.ones((3, 2))), np.ones(3, ">f8"), unaligned(), np.ones(3, np.float32)],
    ids=["strided", "columns first", "bytes swapped", "unaligned", "single"],
)
def test_other_layouts_are_copied(array: Any) -> None:
    found = kernels.ready(array, np.float64)
    assert found.flags.c_contiguous
    assert found.flags.aligned
    assert found.flags.writeable
    assert found.dtype == np.dtype(np.float64)
    assert found.dtype.isnative
    np.testing.assert_array_equal(found, array)


def test_read_only_arrays_are_not_copied() -> None:
    array = np.arange(5.0)
    array.flags.writeable = False
    found = kernels.ready(array)
    assert found.flags.writeable
    assert np.shares_memory(found, array)
    assert not array.flags.writeable


def test_arrays_that_are_ready_come_back_as_they_are() -> None:
    array = np.arange(5.0)
    assert kernels.ready(array) is array
    assert kernels.ready(array, np.float64) is array
