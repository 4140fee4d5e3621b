"""InfoNCE: the positive among many negatives, from labels, from two views, or for retrieval."""

from __future__ import annotations

from typing import Any, Literal, Unpack

from assay.core.arrays import Array, ArrayLike, Namespace, array_api_compat
from assay.core.errors import InputError
from assay.core.loss import loss
from assay.losses.embedding.geometry import (
    alike,
    counted,
    gram,
    hushed,
    is_matrix,
    of_nothing,
    product,
    promoted,
    relations,
    taking_part,
    unit,
    vectors,
    widened,
)
from assay.losses.inputs import arrays
from assay.losses.parameter_checks import positive
from assay.losses.reduction import LossOptions, chosen, reduce
from assay.ops import logsumexp, softplus

Form = Literal["one_way", "symmetric", "nt_xent"]


@loss(
    "robust",
    title="InfoNCE (NT-Xent)",
    use="retrieval and self-supervised training, where the rest of the batch serves as negatives",
    instead="circle or triplet for small batches",
    misleads="its value depends on the batch size: log of the number of candidates is what chance gives",
    equals=(
        "pytorch-metric-learning NTXentLoss, from labels",
        "the NT-Xent of SimCLR: form='nt_xent'",
        "the loss of CLIP: form='symmetric'",
    ),
    references=("oord2018", "chen2020", "radford2021"),
    aliases=("nt_xent", "ntxent", "infonce"),
)
def info_nce(
    embeddings: ArrayLike,
    target: ArrayLike | None = None,
    *,
    other: ArrayLike | None = None,
    negatives: ArrayLike | None = None,
    temperature: float = 0.07,
    form: Form = "one_way",
    normalize: bool = True,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Cross entropy of finding the positive among the negatives, by cosine over a temperature.

    .. math:: \ell = -\log \frac{e^{s(a,p)/\tau}}{e^{s(a,p)/\tau} + \sum_n e^{s(a,n)/\tau}}

    From labels (``target``) every pair of one class is a positive, against all embeddings of other classes; the mean divides by
    the number of such pairs. With ``other``, or a matrix in the place of the labels as in ``info_nce(z1, z2)``, its row i is the
    positive of row i (documents of queries, a second view), and its other rows are the negatives. ``form="symmetric"`` takes the
    mean with both sides swapped, ``"nt_xent"`` also takes the rows of the own side as negatives. ``negatives`` are further ones:
    (m, dimension) for all rows, or (n, k, dimension) for each. The mean then divides by the number of rows.
    ``normalize=False`` takes inner products. Without positives the mean is ``undefined``. A ``mask`` leaves rows out, also as
    negatives.

    >>> round(float(info_nce([[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 2.0]], temperature=1.0)), 6)
    0.313262
    """
    positive("info_nce", temperature=temperature)
    if other is None and is_matrix(target):
        target, other = None, target
    if (target is None) == (other is None):
        raise InputError(
            "info_nce", "", "give target (labels of a batch) or other (the positive of each row), one of them"
        )
    scaled = _scaled(normalize)
    if other is None:
        if negatives is not None or form != "one_way":
            raise InputError("info_nce", "", "form= and negatives= belong to other=, not to labels")
        xp, (x, target) = arrays("info_nce", embeddings=embeddings, target=target)
        x, keep, options = taking_part("info_nce", xp, vectors("info_nce", xp, x), options)
        x = scaled(xp, x)
        if not x.shape[0]:
            return of_nothing("info_nce", xp, x, options)
        same, different = relations("info_nce", xp, x, target, keep)
        sums = _of_relations(xp, gram(xp, x) / temperature, same, different)
        return reduce("info_nce", xp, sums, options, counted(xp, same, x))
    xp, (a, b) = arrays("info_nce", embeddings=embeddings, other=other)
    a, b = promoted(xp, *(vectors("info_nce", xp, x, name) for x, name in ((a, "embeddings"), (b, "other"))))
    alike("info_nce", embeddings=a, other=b)
    if not a.shape[0]:
        return of_nothing("info_nce", xp, a, options)
    a, keep, rest = taking_part("info_nce", xp, a, options)
    a, b = scaled(xp, a), scaled(xp, hushed(xp, keep, b))
    extra = None if negatives is None else _extra(xp, a, negatives, scaled, keep) / temperature
    if form == "nt_xent":
        values = _both_sides(xp, a, b, extra, keep, temperature)
    else:
        values = _across(xp, product(xp, a, xp.matrix_transpose(b)) / temperature, extra, keep, form == "symmetric")
    return reduce("info_nce", xp, values, chosen("info_nce", xp, rest, keep))


def _scaled(normalize: bool) -> Any:
    def same(xp: Namespace, x: Array) -> Array:
        return x

    return unit if normalize else same


def _of_relations(xp: Namespace, s: Array, same: Array, different: Array) -> Array:
    """The loss of each anchor, added over its positives; each stands alone against all negatives."""
    against = logsumexp(xp, xp.where(different, s, xp.full_like(s, -xp.inf)))[:, None]
    none = against == -xp.inf  # without negatives there is nothing to find: 0
    lead = xp.where(none, xp.zeros_like(against), against) - s
    return xp.sum(xp.where(same & ~none, softplus(xp, lead), xp.zeros_like(s)), axis=-1)


def _across(xp: Namespace, s: Array, extra: Array | None, keep: Array | None, symmetric: bool) -> Array:
    """One loss per row: its own column among all, with further negatives behind."""
    values = _found(xp, s, extra, keep)
    return 0.5 * (values + _found(xp, xp.matrix_transpose(s), None, keep)) if symmetric else values


def _found(xp: Namespace, s: Array, extra: Array | None, keep: Array | None) -> Array:
    place = xp.arange(s.shape[0], device=array_api_compat.device(s))
    own = xp.take_along_axis(s, place[:, None], axis=-1)[:, 0]
    if keep is not None:
        s = xp.where(keep[None, :] | (place[:, None] == place[None, :]), s, xp.full_like(s, -xp.inf))
    candidates = s if extra is None else xp.concat([s, extra], axis=-1)
    return logsumexp(xp, candidates) - own


def _both_sides(
    xp: Namespace, a: Array, b: Array, extra: Array | None, keep: Array | None, temperature: float
) -> Array:
    """NT-Xent: both views are anchors, and everything but the own pair is negative; the mean of both, one per pair."""
    n = a.shape[0]
    s = gram(xp, xp.concat([a, b], axis=0)) / temperature
    place = xp.arange(2 * n, device=array_api_compat.device(s))
    hidden = place[:, None] == place[None, :]
    if keep is not None:
        twice = xp.concat([keep, keep], axis=0)
        partner = (place[:, None] + n) % (2 * n) == place[None, :]
        hidden = hidden | ~(twice[None, :] | partner)
    own = xp.take_along_axis(s, ((place + n) % (2 * n))[:, None], axis=-1)[:, 0]
    s = xp.where(hidden, xp.full_like(s, -xp.inf), s)
    if extra is not None:
        s = xp.concat([s, xp.concat([extra, extra], axis=0)], axis=-1)
    values = logsumexp(xp, s) - own
    return 0.5 * (values[:n] + values[n:])


def _extra(xp: Namespace, a: Array, negatives: Any, scaled: Any, keep: Array | None) -> Array:
    """The products of each row with negatives of all rows, or with its own."""
    _, (_, given) = arrays("info_nce", embeddings=a, negatives=negatives)
    given = xp.astype(widened(xp, given), a.dtype)
    shared = given.ndim == 2
    if given.ndim not in (2, 3) or given.shape[-1] != a.shape[1] or (not shared and given.shape[0] != a.shape[0]):
        raise InputError(
            "info_nce",
            "negatives",
            f"must have shape (m, {a.shape[1]}) or ({a.shape[0]}, k, {a.shape[1]}), got {tuple(given.shape)}",
        )
    if shared:
        return product(xp, a, xp.matrix_transpose(scaled(xp, given)))
    return product(xp, scaled(xp, hushed(xp, keep, given)), a[:, :, None])[..., 0]
