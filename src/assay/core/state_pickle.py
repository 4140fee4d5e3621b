"""How a pickle names a state: `torch.load` allows what it knows by name, and must not load all of the core to know this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.core.state import State


def state_from_bytes(data: bytes) -> State[Any]:
    """The state of a pickle, its form checked; what else may be wrong shows when its value is asked for."""
    from assay.core.state import restored

    return restored(data)
