"""One table of what PyTorch and JAX do faster, or alone can do; `assay.torch` and `assay.jax` fill it, losses read it.

The entries are modules and functions of those adapters, described here as protocols. An adapter is loaded when the first loss
of its arrays asks for it: whoever passes a tensor has imported its library, and nobody else loads one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar

from assay.core.arrays import Array, Namespace

if TYPE_CHECKING:
    from assay.losses.loss_body import LossBody
    from assay.losses.segmentation.maps import Maps

S = TypeVar("S")
Body: TypeAlias = Callable[
    ..., Array | tuple[Array, ...]
]  # the pure body of a loss, which second derivatives go through
Slopes: TypeAlias = Callable[..., Array]  # (gradient to fill, share, scale, *inputs, *parameters) -> weighted sum
SlopeName: TypeAlias = Literal[
    "absolute", "binary_code", "class_divergence", "cross_entropy", "flow", "gaussian_code", "hinge", "huber", "pinball", "squared",
    "squared_rows", "true_class",
]  # fmt: skip


class Blocks(Protocol):
    """Losses of large CPU tensors, block by block."""

    def worthwhile(self, inputs: tuple[Array, ...]) -> bool:
        """Whether these are plain, large CPU tensors."""
        ...

    def eager(self, inputs: tuple[Array, ...]) -> bool:
        """Whether these are plain CPU tensors of any size that nothing traces."""
        ...

    def value_shape(
        self, curve: LossBody, xp: Namespace, inputs: tuple[Array, ...], parameters: tuple[object, ...]
    ) -> tuple[int, ...]:
        """The shape of the values of a loss."""
        ...

    def total(
        self,
        curve: LossBody,
        xp: Namespace,
        inputs: tuple[Array, ...],
        parameters: tuple[object, ...],
        share: Array | None,
        scale: Array | None,
    ) -> Array:
        """The weighted sum of the values of a loss, times a scale."""
        ...


class SmallLosses(Protocol):
    """Losses for which PyTorch's own function has the least overhead."""

    def small_cross_entropy(
        self,
        z: Array,
        target: Array,
        by_class: Array | None,
        ignore_index: int | None,
        smoothing: float,
        reduction: str,
    ) -> Array | None:
        """Cross entropy of small tensors; None where PyTorch's means something else."""
        ...


# Where similarities should be: the optima O_p and O_n, and the margins Δ_p and Δ_n. A plain tuple, which autocast can rebuild.
Aims: TypeAlias = tuple[float, float, float, float]


class MarginRule(Protocol):
    """How a margin changes the cosine of the true class."""

    def value(self, xp: Namespace, cosines: Array, /) -> Array:
        """The changed cosines."""
        ...

    def slope(self, xp: Namespace, cosines: Array, /) -> Array:
        """Their derivative."""
        ...


class EmbeddingRoutes(Protocol):
    """Closed forms of losses of embeddings."""

    def gram(self, x: Array) -> Array:
        """All inner products of the rows."""
        ...

    def root(self, squares: Array) -> Array:
        """Square roots with a gradient of 0 at 0."""
        ...

    def distance_squares(self, plain: Body, x: Array) -> Array:
        """All squared distances of the rows."""
        ...

    def gap_squares(self, plain: Body, a: Array, b: Array, c: Array) -> tuple[Array, Array]:
        """Squared distances of each row of ``a`` to those of ``b`` and of ``c``."""
        ...

    def standard(self, plain: Body, x: Array, epsilon: float) -> Array:
        """Columns with mean 0 and variance 1."""
        ...

    def margin_rows(self, plain: Body, x: Array, w: Array, target: Array, rule: MarginRule, scale: float) -> Array:
        """Cross entropy of scaled cosines with a margin."""
        ...

    def circle_rows(self, plain: Body, s: Array, same: Array, different: Array, aims: Aims, gamma: float) -> Array:
        """The circle loss of each row."""
        ...


class SegmentationRoutes(Protocol):
    """Losses of segmentation image by image."""

    def worthwhile(self, given: Maps) -> bool:
        """Whether these are large plain CPU tensors, without a weight that learns."""
        ...

    def counts(self, given: Maps, squared: bool, plain: Body) -> tuple[Array, Array, Array]:
        """Soft counts per image and class: predicted and true, predicted, true."""
        ...

    def lovasz(self, given: Maps, by_image: bool, plain: Body) -> tuple[Array, Array] | None:
        """The Lovász extension per class and the weight of its true places."""
        ...


class TokenRoutes(Protocol):
    """Cross entropy from hidden states, chunk by chunk."""

    def total(
        self,
        values: Body,
        inputs: tuple[Array, ...],
        target: Array,
        parameters: tuple[float, float],
        chunk: int,
        share: Array | None,
        scale: Array | None,
    ) -> Array:
        """The weighted sum of the losses of all tokens, times a scale."""
        ...


class TorchAutodiff(Protocol):
    """Gradients and random numbers of PyTorch."""

    def gradient(self, function: Callable[[Array], Array], at: Array, *, graph: bool) -> Array:
        """The gradient of the sum of a function."""
        ...

    def noise(self, generator: Array, shape: tuple[int, ...], beside: Array, kind: str) -> Array:
        """Random numbers of a generator of PyTorch."""
        ...


class JaxAutodiff(Protocol):
    """Gradients, loops and random numbers of JAX."""

    def gradient(self, function: Callable[[Array], Array], at: Array, *, graph: bool) -> Array:
        """The gradient of the sum of a function."""
        ...

    def repeated(self, steps: int, step: Callable[[Array, S], S], state: S) -> S:
        """``state = step(k, state)``, compiled once."""
        ...

    def noise(self, seed: object, shape: tuple[int, ...], dtype: object, kind: str, at: object) -> Array:
        """Random numbers of a key."""
        ...


class TorchAccelerators(Protocol):
    """What `assay.torch` offers; each route is loaded when a loss first takes it."""

    @property
    def blocks(self) -> Blocks: ...  # noqa: D102 the types say it
    @property
    def small(self) -> SmallLosses: ...  # noqa: D102
    @property
    def embedding(self) -> EmbeddingRoutes: ...  # noqa: D102
    @property
    def segmentation(self) -> SegmentationRoutes: ...  # noqa: D102
    @property
    def tokens(self) -> TokenRoutes: ...  # noqa: D102
    @property
    def autodiff(self) -> TorchAutodiff: ...  # noqa: D102
    def slopes(self, name: SlopeName) -> Slopes: ...  # noqa: D102


class JaxAccelerators(Protocol):
    """What `assay.jax` offers."""

    @property
    def autodiff(self) -> JaxAutodiff: ...  # noqa: D102


_torch: TorchAccelerators | None = None
_jax: JaxAccelerators | None = None


def register_torch(found: TorchAccelerators) -> None:
    """Called by `assay.torch.accelerators` when it is loaded."""
    global _torch  # noqa: PLW0603 the table itself
    _torch = found


def register_jax(found: JaxAccelerators) -> None:
    """Called by `assay.jax.accelerators` when it is loaded."""
    global _jax  # noqa: PLW0603 the table itself
    _jax = found


def torch_accelerators() -> TorchAccelerators:
    """What PyTorch does faster; loaded with the first tensor."""
    if _torch is None:
        importlib.import_module("assay.torch.accelerators")
    assert _torch is not None
    return _torch


def jax_accelerators() -> JaxAccelerators:
    """What JAX alone can do; loaded with the first of its arrays."""
    if _jax is None:
        importlib.import_module("assay.jax.accelerators")
    assert _jax is not None
    return _jax
