"""Centre loss: embeddings are drawn to the centre of their class, and the centres follow by a rule of their own."""

from __future__ import annotations

from typing import Unpack

from assay.core.arrays import Array, ArrayLike, array_api_compat
from assay.core.loss import loss
from assay.core.sources import SURVEY
from assay.losses.embedding.geometry import hushed, product
from assay.losses.embedding.margins import class_vectors, counting
from assay.losses.parameter_checks import between
from assay.losses.reduction import LossOptions, reduce
from assay.ops import stop_gradient


@loss(
    "convex",
    "differentiable",
    "smooth",
    title="Centre loss",
    use="beside softmax, so that classes are not only apart but also tight",
    instead="arcface, which needs no second term and no weight between two",
    misleads="alone it is least when all embeddings and centres are one point",
    equals=("half of torch mse_loss(reduction='sum') to the centres of the rows' classes, divided by n",),
    references=("wen2016",),
    learned=("centers",),
    aliases=("center_loss",),
    erratum=f"{SURVEY}, eq. 77, replaces a centre by the mean of its class; the cited paper moves it by a step that "
    "divides by 1 + n_j.",
)
def center(
    embeddings: ArrayLike,
    target: ArrayLike,
    centers: ArrayLike,
    *,
    learn_centers: bool = False,
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Half the squared distance of each embedding to the centre of its class.

    .. math:: \ell = \tfrac12 |x - c_y|^2

    As in the paper, the centres get no gradient: `update_centers` moves them after each step. ``learn_centers=True`` gives
    them the gradient of the loss instead. The paper adds the rows up (``reduction="sum"``); the mean divides by the rows
    that are not ignored.

    >>> float(center([[1.0, 2.0], [3.0, 0.0]], [0, 1], [[0.0, 0.0], [3.0, 4.0]]))
    5.25
    """
    xp, x, target, c = class_vectors("center", embeddings, target, centers, "centers")
    x, own, options = counting("center", xp, x, target, c.shape[0], ignore_index, options)
    gap = x - xp.take(c if learn_centers else stop_gradient(c), own, axis=0)
    return reduce("center", xp, 0.5 * xp.sum(gap * gap, axis=-1), options)


def update_centers(centers: ArrayLike, embeddings: ArrayLike, target: ArrayLike, *, rate: float = 0.5) -> Array:
    r"""The centres after one batch; nothing is changed in place, and no gradient flows.

    .. math:: c_j \leftarrow c_j - \alpha \frac{\sum_{i: y_i = j} (c_j - x_i)}{1 + n_j}

    The 1 keeps a class of few rows from jumping; classes that are not in the batch stay. Rows with a label that is not a class
    (such as -100) count nowhere. See Wen and others (2016), equation 4.

    >>> update_centers([[0.0], [5.0]], [[1.0], [2.0]], [0, 0]).tolist()
    [[0.5], [5.0]]
    """
    between("update_centers", 0.0, 1.0, rate=rate)
    xp, x, own, c = class_vectors("update_centers", embeddings, target, centers, "centers")
    x, c = stop_gradient(x), stop_gradient(c)
    classes = xp.arange(c.shape[0], dtype=own.dtype, device=array_api_compat.device(own))
    belongs = classes[:, None] == own[None, :]
    x, member = hushed(xp, xp.any(belongs, axis=0), x), xp.astype(belongs, c.dtype)
    count = xp.sum(member, axis=1, keepdims=True)
    return c - rate * (count * c - product(xp, member, x)) / (1 + count)
