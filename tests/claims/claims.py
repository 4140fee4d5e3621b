"""The table of claims: what a record says equals it elsewhere, and the call that shows it, with exactly the setting it names.

A claim is shown by a peer that is installed, whose module the call is handed, or, where no package can be had (R, MATLAB, code of a
paper), by a transcription in float64 of the formula that the source documents, or by numbers that were published with their data.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import image_peers


@dataclass(frozen=True)
class Claim:
    """One line of ``equals`` of an entry; ``entry`` is its kind and key, as `assay explain` takes it."""

    entry: str
    text: str
    show: Callable[..., None]
    peer: str
    formula: str
    published: str

    @property
    def independent(self) -> bool:
        """Whether it is checked against something that nobody here wrote."""
        return bool(self.peer or self.published)

    def __call__(self, seed: int) -> None:
        """Show it on data of this seed."""
        rng = np.random.default_rng([seed, 47])
        if self.peer:
            self.show(module(self.peer), rng)
        else:
            self.show(rng)


CLAIMS: dict[tuple[str, str], Claim] = {}


def claim(entry: str, text: str, *, peer: str = "", formula: str = "", published: str = "") -> Callable[[Any], Any]:
    """Enter a call as the proof of a claim: by a ``peer`` (a module), a ``formula`` or ``published`` numbers (their source)."""
    assert sum(map(bool, (peer, formula, published))) == 1, (
        f"{entry}: name a peer or the source of a formula or of numbers"
    )

    def entered(show: Any) -> Any:
        assert (entry, text) not in CLAIMS, f"{entry}: {text} is there twice"
        CLAIMS[entry, text] = Claim(entry, text, show, peer, formula, published)
        return show

    return entered


ORACLES: dict[str, Claim] = {}


def oracle(entry: str, *, peer: str = "", published: str = "") -> Callable[[Any], Any]:
    """Enter a call as the independent check of an entry whose record names no package with the same number."""
    assert bool(peer) != bool(published), f"{entry}: name a peer or the source of numbers"

    def entered(show: Any) -> Any:
        assert entry not in ORACLES, f"{entry} is there twice"
        ORACLES[entry] = Claim(entry, f"checked by {peer or published}", show, peer, "", published)
        return show

    return entered


def module(name: str) -> Any:
    """A peer's module, wherever it was installed; its absence is an error, for the development requirements name it."""
    if name.split(".", maxsplit=1)[0] in ("torchvision", "mmdet", "mmpose", "segmentation_models_pytorch"):
        return image_peers.plain(name)
    if name in ("tidecv", "lvis"):  # tide_oracle and lvis_oracle import them, with stand-ins for what draws
        assert importlib.util.find_spec(name) is not None, f"{name} is not installed"
        return None
    try:
        return importlib.import_module(name)
    except ImportError:
        return image_peers.load(name)


def same(ours: Any, theirs: Any, rtol: float = 1e-10, atol: float = 1e-12) -> None:
    """Both are the same number or array."""
    np.testing.assert_allclose(plain(ours), plain(theirs), rtol=rtol, atol=atol)


def plain(value: Any) -> Any:
    """As NumPy, whatever library it is of."""
    return np.asarray(value.detach() if hasattr(value, "detach") else value, dtype=float)
