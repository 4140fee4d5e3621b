"""Kullback-Leibler divergence: of distributions over classes, and of diagonal normal distributions."""

from __future__ import annotations

from typing import Any, Unpack

from assay.core.arrays import Array, ArrayLike, Namespace
from assay.core.errors import InputError
from assay.core.loss import loss
from assay.core.sources import SURVEY
from assay.losses.class_inputs import classes_last, refuse_unclear_weight, safe_log, shares_of
from assay.losses.generation.row_sums import named, per_row
from assay.losses.inputs import pair
from assay.losses.loss_body import LossBody, each
from assay.losses.reduction import LossOptions, reduce
from assay.ops import log_softmax


@loss(
    "convex",
    "differentiable",
    "smooth",
    title="Kullback-Leibler divergence",
    use="a distribution must follow another: distillation, soft labels, policies",
    instead="cross_entropy, if the target does not learn: it differs by a constant; gaussian_kl for means and variances",
    misleads="not symmetric, and from probabilities a class that is wrongly ruled out is cut off at the smallest number of the dtype",
    equals=("torch kl_div(reduction='batchmean')", "scipy rel_entr, summed"),
    references=("kullback1951",),
    traps=(31,),
    rows=True,
    aliases=("kl", "kl_div", "kullback_leibler"),
    erratum=f"{SURVEY}, eq. 94, is said to break where p = 0; there it is 0, and it has no bound where q = 0 and p is not.",
)
def kl_divergence(
    logits: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    probabilities: ArrayLike | None = None,
    log_probabilities: ArrayLike | None = None,
    target_logits: ArrayLike | None = None,
    target_log_probabilities: ArrayLike | None = None,
    **options: Unpack[LossOptions],
) -> Array:
    r"""How far the forecast q is from the target p, in nats.

    .. math:: \mathrm{KL}(p\,\|\,q) = \sum_c p_c \log\frac{p_c}{q_c}

    The forecast comes as ``logits``, ``probabilities`` or ``log_probabilities``. The target comes as probabilities, by
    ``target``, or as ``target_logits`` or ``target_log_probabilities``. Classes are in the second axis, or in the only one; the
    mean divides by the number of distributions (the 'batchmean' of PyTorch), not of elements. 0 log 0 is 0. Where q is 0 and p
    is not, the definition is infinite: from probabilities it is cut off at the smallest normal number, from logits and logs
    of minus infinity it stays.

    >>> round(float(kl_divergence(probabilities=[[0.5, 0.5]], target=[[1.0, 0.0]])), 6)
    0.693147
    """
    who = "kl_divergence"
    q_kind, q = named(who, logits=logits, probabilities=probabilities, log_probabilities=log_probabilities)
    p_kind, p = named(
        who, target=target, target_logits=target_logits, target_log_probabilities=target_log_probabilities
    )
    xp, q, p = pair(who, q, p, (q_kind, p_kind))
    if not q.ndim:
        raise InputError(who, q_kind, "must have the classes along an axis, got a single number")
    kinds = (q_kind, p_kind.removeprefix("target_"))
    if q.ndim == 1:  # one distribution: its first axis are the classes, which no block may cut
        return reduce(who, xp, _divergence(xp, q, p, *kinds), options)
    refuse_unclear_weight(who, options, q, q.shape[1], "class_weight= to cross_entropy for one number per class")
    curve = _PROBABILITIES if q_kind == "probabilities" else _CLASSES
    return each(who, curve, xp, (q, p), kinds, options)


def _logs(xp: Namespace, x: Array, kind: str) -> Array:
    if kind == "log_probabilities":
        return x
    return log_softmax(xp, x) if kind == "logits" else safe_log(xp, x)


def _divergence(xp: Namespace, q: Array, p: Array, q_kind: str, p_kind: str) -> Array:
    q, p = classes_last(xp, q), classes_last(xp, p)
    log_q, log_p = _logs(xp, q, q_kind), _logs(xp, p, p_kind)
    share = p if p_kind == "target" else xp.exp(log_p)
    if p_kind != "target":  # of probabilities no logarithm is infinite, and 0 log 0 is 0 as it stands
        log_p = shares_of(xp, share, log_p)
    if q_kind != "probabilities":
        log_q = shares_of(xp, share, log_q)
    return xp.sum(share * (log_p - log_q), axis=-1)


_CLASSES = LossBody(_divergence, rowwise=True, accelerator="class_divergence")
_PROBABILITIES = LossBody(_divergence, rowwise=True)


@loss(
    "convex",
    "differentiable",
    "smooth",
    title="Divergence of normal distributions",
    use="codes of a variational autoencoder, or one normal forecast that must follow another",
    instead="kl_divergence for classes",
    misleads="it grows with the number of codes",
    equals=("torch.distributions.kl_divergence of Independent(Normal)",),
    references=("kingma2014", "kullback1951"),
    aliases=("kl_gaussian",),
)
def gaussian_kl(
    mean: ArrayLike,
    log_variance: ArrayLike,
    *,
    target_mean: ArrayLike | None = None,
    target_log_variance: ArrayLike | None = None,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Divergence of a diagonal normal distribution from N(0, I), or from another one.

    .. math:: \mathrm{KL} = \tfrac12 \sum_j \Big(\frac{\sigma_j^2 + (\mu_j - m_j)^2}{s_j^2} - 1 - \log\frac{\sigma_j^2}{s_j^2}\Big)

    Summed over the codes of a row, averaged over rows: the first axis holds them. Without ``target_mean`` and
    ``target_log_variance`` the other one is N(0, I).

    >>> float(gaussian_kl([[1.0, 2.0]], [[0.0, 0.0]]))
    2.5
    """
    who = "gaussian_kl"
    if target_mean is None and target_log_variance is None:
        return to_standard(who, mean, log_variance, options)
    if target_mean is None or target_log_variance is None:
        raise InputError(who, "", "give target_mean and target_log_variance together, or neither for N(0, I)")
    xp, mean, log_variance = _codes(who, mean, log_variance, ("mean", "log_variance"))
    _, mean, target_mean = pair(who, mean, target_mean, ("mean", "target_mean"))
    _, mean, target_log_variance = pair(who, mean, target_log_variance, ("mean", "target_log_variance"))
    return each(who, _BETWEEN, xp, (mean, log_variance, target_mean, target_log_variance), (), options)


def to_standard(who: str, mean: ArrayLike, log_variance: ArrayLike, options: LossOptions) -> Array:
    """The divergence from N(0, I) under the name of the caller."""
    xp, mean, log_variance = _codes(who, mean, log_variance, ("mean", "log_variance"))
    return each(who, _STANDARD, xp, (mean, log_variance), (), options)


def _codes(who: str, mean: Any, log_variance: Any, names: tuple[str, str]) -> tuple[Any, ...]:
    xp, mean, log_variance = pair(who, mean, log_variance, names)
    if not mean.ndim:
        raise InputError(who, "mean", "must have one entry per row along its first axis, got a single number")
    return xp, mean, log_variance


def _standard(xp: Namespace, m: Array, v: Array) -> Array:
    return 0.5 * per_row(xp, m * m + xp.exp(v) - 1 - v)


def _between(xp: Namespace, m: Array, v: Array, n: Array, w: Array) -> Array:
    gap = m - n
    return 0.5 * per_row(xp, xp.exp(v - w) + gap * gap * xp.exp(-w) - 1 - (v - w))


def _between_slopes(xp: Namespace, m: Array, v: Array, n: Array, w: Array) -> Any:
    gap, over, narrow = m - n, xp.exp(v - w), xp.exp(-w)
    pull = gap * narrow
    return 0.5 * per_row(xp, over + gap * pull - 1 - (v - w)), (pull, 0.5 * (over - 1))


_STANDARD = LossBody(_standard, vary=2, rowwise=True, accelerator="gaussian_code")
_BETWEEN = LossBody(_between, _between_slopes, vary=2, rowwise=True)
