"""Losses of sampled sequences: expected risk, and policy gradients."""

from __future__ import annotations

from typing import Any, Unpack, cast

import numpy as np

from assay.core.arrays import Array, ArrayLike, Namespace, epsilon, kind_of, like
from assay.core.errors import InputError, ParameterError
from assay.core.loss import loss
from assay.losses.inputs import arrays, floating, pair
from assay.losses.loss_body import each, with_slopes
from assay.losses.parameter_checks import between, one_of, positive
from assay.losses.reduction import LossOptions, reduce, spread
from assay.ops import softmax, stop_gradient


@loss(
    "differentiable",
    "smooth",
    title="Minimum risk",
    use="sampled sequences are judged by a metric that has no gradient",
    instead="reinforce, if the samples are few and drawn again at every step",
    misleads="a sequence that is given twice counts twice; with few samples the risk is that of the samples, not of the model",
    references=("shen2016",),
    range=(-float("inf"), float("inf")),
    aliases=("mrt", "minimum_risk_training"),
)
def minimum_risk(
    log_probabilities: ArrayLike,
    risk: ArrayLike,
    *,
    alpha: float = 1.0,
    valid: ArrayLike | None = None,
    standardize: bool = False,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Expected risk over the sampled sequences of each input, (batch, samples); the probabilities of the samples sum to 1.

    .. math:: \ell = \sum_i q_i r_i, \quad q = \mathrm{softmax}(\alpha \log p)

    ``log_probabilities`` are sums over the tokens of each sequence; ``alpha`` below 1 flattens them (the paper takes 0.005).
    ``valid`` marks the samples that exist. The mean divides by the number of inputs, or by the sum of the weights; an input
    without a sample, or with impossible ones alone (minus infinity), counts 0. ``standardize=True`` brings the risks of each input
    to mean 0 and standard deviation 1 over its samples, as constants for the gradient, so that every input pulls alike; a
    baseline of any size changes the value here, never the gradient.

    >>> float(minimum_risk([[0.0, 0.0]], [[1.0, 0.0]]))
    0.5
    """
    between("minimum_risk", 0.0, float("inf"), alpha=alpha)
    positive("minimum_risk", alpha=alpha)
    xp, logs, risk = pair("minimum_risk", log_probabilities, risk, ("log_probabilities", "risk"))
    if logs.ndim == 0:
        raise InputError("minimum_risk", "log_probabilities", "must have an axis of samples, got a single number")
    there = xp.ones_like(risk)
    if valid is not None:
        logs, risk, there = _only(xp, logs, risk, valid)
    if standardize:
        risk = stop_gradient(risk)
        around = xp.where(there != 0, risk - _mean(xp, risk, there, -1), xp.zeros_like(risk))
        risk = _over_spread(xp, around, there, xp.abs(risk), -1)
    return each("minimum_risk", _RISK, xp, (logs, risk), (alpha,), options)


def _only(xp: Namespace, logs: Array, risk: Array, valid: Any) -> tuple[Array, Array, Array]:
    """Samples that are not valid have probability 0 and no risk; without a valid one, the gradient is 0.

    The third array is 1 for each valid sample.
    """
    _, (_, valid) = arrays("minimum_risk", log_probabilities=logs, valid=valid)
    if tuple(valid.shape) != tuple(logs.shape):
        raise InputError("minimum_risk", "valid", f"must have the shape {tuple(logs.shape)}, got {tuple(valid.shape)}")
    there = xp.astype(valid, xp.bool)
    some = xp.any(there, axis=-1, keepdims=True)
    empty = xp.where(some, xp.full_like(logs, -float("inf")), xp.zeros_like(logs))
    return xp.where(there, logs, empty), xp.where(there, risk, xp.zeros_like(risk)), xp.astype(there, risk.dtype)


def _risk_slopes(xp: Any, logs: Array, risk: Array, alpha: float) -> Any:
    none = xp.max(logs, axis=-1, keepdims=True) == -float("inf")  # no sample can be, and none has a risk
    q = softmax(xp, alpha * xp.where(none, xp.zeros_like(logs), logs)) * xp.astype(~none, logs.dtype)
    values = xp.sum(q * risk, axis=-1)
    return values, (alpha * q * (risk - values[..., None]),)


_RISK = with_slopes(_risk_slopes, rowwise=True)


@loss(
    title="REINFORCE",
    use="rewards of sampled sequences, without a gradient through the reward",
    instead="minimum_risk, if several samples of every input are at hand",
    misleads="its value means nothing, only its gradient does; without a baseline the gradient is very noisy",
    references=("williams1992", "kool2019"),
    range=(-float("inf"), float("inf")),
    aliases=("policy_gradient",),
)
def reinforce(
    log_probabilities: ArrayLike,
    reward: ArrayLike,
    *,
    baseline: ArrayLike | None = None,
    discount: float = 1.0,
    standardize: bool = False,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Policy gradient: the log-probability of what was sampled, weighted by how much better than expected it was.

    .. math:: \ell = -\sum_t (R_t - b_t) \log \pi_t

    ``log_probabilities`` are those of sequences, (batch,), or of their tokens, (batch, time). ``reward`` is one per sequence, or
    one per token, of which ``R_t`` is the discounted sum from t on. ``baseline`` is a number or an array (a moving mean, see
    `moving_baseline`, or a critic's), ``"batch"`` (the mean, own reward included: that shrinks the gradient by 1/batch), or
    ``"leave_one_out"`` (the mean of the others: unbiased). ``mask`` selects sequences, or tokens where it has their shape.
    ``standardize=True`` divides ``R_t - b_t`` by its standard deviation (n - 1) over all that is selected, so that steps do not depend on
    the unit of the rewards: with ``baseline="batch"`` these are the usual normalised rewards, (R - mean) / sd. Equal ones stay 0.
    Rewards and baselines are constants for the gradient; a mean as baseline counts all selected sequences alike, whatever
    their ``weight``. The mean divides by the number of sequences of which something is selected, or by their weights.

    >>> float(reinforce([-1.0, -2.0], [1.0, 0.0], baseline="leave_one_out"))
    -0.5
    """
    between("reinforce", 0.0, 1.0, discount=discount)
    xp, (logs, reward) = arrays("reinforce", log_probabilities=log_probabilities, reward=reward)
    logs = floating(xp, logs)
    reward = stop_gradient(floating(xp, reward, like=logs))
    tokens, options = _token_mask(xp, logs, options)
    returns = _returns(xp, logs, reward, tokens, discount)
    counted = _counted(xp, returns, tokens, options)
    advantage = stop_gradient(returns - _baseline(xp, baseline, returns, counted))
    if standardize:
        advantage = _over_spread(xp, advantage, counted, xp.abs(returns), None)
    values = -logs * (advantage[:, None] if advantage.ndim < logs.ndim else advantage)
    if tokens is not None:
        values = xp.where(tokens != 0, values, xp.zeros_like(values))
    return reduce("reinforce", xp, xp.sum(values, axis=-1) if logs.ndim == 2 else values, options)


def _token_mask(xp: Namespace, logs: Array, options: LossOptions) -> tuple[Array | None, LossOptions]:
    """A mask of tokens as ones and zeros, apart from the options; a mask of sequences stays there."""
    if logs.ndim not in (1, 2):
        raise InputError(
            "reinforce", "log_probabilities", f"must be (batch,) or (batch, time), got {tuple(logs.shape)}"
        )
    mask = options.get("mask")
    if mask is None or logs.ndim == 1:
        return None, options
    _, (_, mask) = arrays("reinforce", log_probabilities=logs, mask=mask)
    if tuple(mask.shape) != tuple(logs.shape):
        return None, options
    rest: Any = {name: value for name, value in options.items() if name != "mask"}
    tokens = xp.astype(mask, xp.bool)
    rest["mask"] = xp.any(tokens, axis=1)  # a sequence without a token does not count
    return xp.astype(tokens, logs.dtype), rest


def _returns(xp: Namespace, logs: Array, reward: Array, tokens: Array | None, discount: float) -> Array:
    """The reward of each sequence, or the reward still to come at each token."""
    if tuple(reward.shape) not in (tuple(logs.shape), tuple(logs.shape[:1])):
        raise InputError(
            "reinforce",
            "reward",
            f"must hold one number per sequence or per token of {tuple(logs.shape)}, got {tuple(reward.shape)}",
        )
    if reward.ndim == 1:
        return reward
    if tokens is not None:
        reward = xp.where(tokens != 0, reward, xp.zeros_like(reward))
    times = cast(Any, np.arange(reward.shape[1]))
    later = times[:, None] - times
    shares = np.where(later >= 0, float(discount) ** np.maximum(later, 0), 0.0)
    return reward @ xp.astype(like(reward, shares), reward.dtype)


def _counted(xp: Namespace, returns: Array, tokens: Array | None, options: LossOptions) -> Array:
    """One for each return that is selected, zero for the others."""
    counted = xp.ones_like(returns) if tokens is None or returns.ndim == 1 else tokens
    mask = options.get("mask")
    if mask is None:
        return counted
    mask = spread("reinforce", xp, "mask", mask, returns, tuple(returns.shape[:1])) != 0
    return counted * xp.astype(mask, returns.dtype)[(..., *[None] * (returns.ndim - 1))]


def _mean(xp: Namespace, values: Array, counted: Array, axis: int | None) -> Array:
    """The mean over an axis, or over all, of what is counted; 0 of nothing."""
    count = xp.sum(counted, axis=axis, keepdims=True)
    values = xp.where(counted != 0, values, xp.zeros_like(values))
    return xp.sum(values, axis=axis, keepdims=True) / xp.where(count == 0, xp.ones_like(count), count)


def _over_spread(xp: Namespace, values: Array, counted: Array, size: Array, axis: int | None) -> Array:
    """Values over the standard deviation of those that count; unchanged where that is only rounding of ``size``."""
    gap = values - _mean(xp, values, counted, axis)
    count = xp.sum(counted, axis=axis, keepdims=True)
    variance = _mean(xp, gap * gap, counted, axis) * count / xp.where(count > 1, count - 1, xp.ones_like(count))
    spread_out = xp.sqrt(variance)
    rounding = (
        16 * epsilon(values) * xp.max(xp.where(counted != 0, size, xp.zeros_like(size)), axis=axis, keepdims=True)
    )
    return values / xp.where(spread_out > rounding, spread_out, xp.ones_like(spread_out))


def _baseline(xp: Namespace, baseline: Any, returns: Array, counted: Array) -> Any:
    """What is expected of each sequence, or of each token."""
    if baseline is None:
        return 0.0
    if not isinstance(baseline, str):
        return _given(xp, baseline, returns)
    one_of("reinforce", "baseline", baseline, "batch", "leave_one_out")
    total, count = xp.sum(returns * counted, axis=0), xp.sum(counted, axis=0)
    if baseline == "leave_one_out":
        total, count = total - returns * counted, count - counted
    none = count <= 0
    return xp.where(none, xp.zeros_like(count), total / xp.where(none, xp.ones_like(count), count))


def _given(xp: Namespace, baseline: Any, returns: Array) -> Any:
    if isinstance(baseline, bool):
        raise ParameterError("reinforce", "baseline", f"must be a number or one for each reward, got {baseline!r}")
    if isinstance(baseline, int | float):
        return baseline
    _, (_, array) = arrays("reinforce", reward=returns, baseline=baseline)
    if tuple(array.shape) not in ((), tuple(returns.shape)):
        raise ParameterError(
            "reinforce",
            "baseline",
            f"must be a number or have the shape {tuple(returns.shape)}, got {tuple(array.shape)}",
        )
    return xp.astype(array, returns.dtype) if kind_of(array) != "float" else array


def moving_baseline(value: ArrayLike, reward: ArrayLike, decay: float = 0.9) -> Array:
    """The moving mean of rewards after one more batch, to pass to `reinforce` in the next step.

    >>> round(float(moving_baseline(1.0, [0.0, 1.0])), 6)
    0.95
    """
    between("moving_baseline", 0.0, 1.0, decay=decay)
    between("moving_baseline", -float("inf"), float("inf"), value=value)
    xp, (reward,) = arrays("moving_baseline", reward=reward)
    mean = xp.mean(stop_gradient(floating(xp, reward)))
    return decay * cast(Any, value) + (1 - decay) * mean
