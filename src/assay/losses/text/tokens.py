"""Cross entropy of tokens, from logits, or from hidden states with the logits of a few tokens at a time."""

from __future__ import annotations

from typing import Any, Unpack

from assay.core.arrays import Array, ArrayLike, Namespace, describe, kind_of
from assay.core.errors import InputError, ParameterError
from assay.core.loss import loss
from assay.losses.accelerators import torch_accelerators
from assay.losses.class_inputs import looked_up, refuse_unclear_weight, settled
from assay.losses.classification.cross_entropies import LOGITS, Convention, checked, shares
from assay.losses.inputs import arrays, floating
from assay.losses.loss_body import blocked, each
from assay.losses.reduction import LossOptions, chosen, reduce, share_and_scale, spread
from assay.ops import checkpointed

HELD = 1 << 23  # logits that are held at a time


@loss(
    "convex",
    "differentiable",
    "smooth",
    "proper",
    title="Token cross entropy",
    use="language models: one of many tokens at every place, with padding",
    instead="minimum_risk or reinforce, once whole sequences are judged",
    misleads="the mean is over tokens: long sequences count more than short ones",
    equals=("torch cross_entropy",),
    references=("bengio2003", "wijmans2025"),
    traps=(31,),
    rows=True,
    aliases=("language_modeling",),
)
def token_cross_entropy(
    logits: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    hidden: ArrayLike | None = None,
    output: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    ignore_index: int | None = -100,
    label_smoothing: float = 0.0,
    convention: Convention = "uniform",
    chunk: int | None = None,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Negative log-likelihood of the next tokens; the vocabulary is in the last axis, ``target`` has one axis fewer.

    .. math:: \ell = -\log \mathrm{softmax}(W h + b)_t

    In place of ``logits``, ``hidden=`` (..., D) and ``output=`` (V, D), with ``bias=`` (V,) if there is one, compute the logits
    of ``chunk`` tokens at a time: they are never held whole. The mean divides by the number of tokens that are not padding
    (``ignore_index``), or by the sum of their weights.

    >>> round(float(token_cross_entropy([[[2.0, 0.0], [0.0, 0.0], [5.0, 1.0]]], [[0, 1, -100]])), 6)
    0.410038
    """
    who = "token_cross_entropy"
    share = checked(who, "label_smoothing", label_smoothing)
    if target is None or (logits is None) == (hidden is None) or (hidden is None) != (output is None):
        raise InputError(who, "", "give logits and target, or target=, hidden= and output=")
    first = logits if hidden is None else hidden
    xp, (first, tokens) = arrays(who, **{"logits" if hidden is None else "hidden": first, "target": target})
    first = _flat(who, xp, floating(xp, first), tokens)
    shape = tuple(tokens.shape)
    matrix, bias = (None, None) if hidden is None else _matrix(who, xp, first, output, bias)
    count = first.shape[1] if matrix is None else matrix.shape[0]
    if shape:
        refuse_unclear_weight(who, options, tokens, count, looked_up(tokens))
    options = _flat_options(who, xp, first, shape, options)
    tokens, keep = settled(who, xp, xp.reshape(tokens, (-1,)), count, ignore_index)
    options = chosen(who, xp, options, keep)
    if matrix is None:
        parameters = (*shares(who, share, convention, first.shape[1]), None)
        found = each(who, LOGITS, xp, (first, tokens), parameters, options)
    else:
        parameters = shares(who, share, convention, count)
        found = _chunked(
            who, xp, _alike(xp, first, matrix, bias), tokens, parameters, _size(who, chunk, matrix), options
        )
    return xp.reshape(found, shape) if options.get("reduction", "mean") == "none" else found


def _flat(who: str, xp: Namespace, first: Array, target: Array) -> Array:
    """One row per token."""
    if kind_of(target) == "float":
        raise InputError(who, "target", f"must hold tokens as integers, got {describe(target)}")
    if not first.ndim:
        raise InputError(
            who, "", "the first input must have an axis of the vocabulary or of features, got a single number"
        )
    if tuple(first.shape[:-1]) != tuple(target.shape):
        raise InputError(
            who, "target", f"must hold one token for each of {tuple(first.shape[:-1])}, got shape {tuple(target.shape)}"
        )
    return xp.reshape(first, (-1, first.shape[-1]))


def _flat_options(who: str, xp: Namespace, first: Array, shape: tuple[int, ...], options: LossOptions) -> LossOptions:
    flat: Any = dict(options)
    for name in ("weight", "mask"):
        if flat.get(name) is not None:
            flat[name] = xp.reshape(spread(who, xp, name, flat[name], first, shape), (-1,))
    return flat


def _matrix(who: str, xp: Namespace, hidden: Array, output: Any, bias: Any) -> tuple[Array, Array | None]:
    _, (_, output) = arrays(who, hidden=hidden, output=output)
    output = floating(xp, output, like=hidden)
    if output.ndim != 2 or output.shape[1] != hidden.shape[1]:
        raise InputError(
            who, "output", f"must be (tokens of the vocabulary, {hidden.shape[1]}), got {tuple(output.shape)}"
        )
    if bias is None:
        return output, None
    _, (_, bias) = arrays(who, hidden=hidden, bias=bias)
    bias = floating(xp, bias, like=hidden)
    if tuple(bias.shape) != (output.shape[0],):
        raise InputError(who, "bias", f"must have the shape ({output.shape[0]},), got {tuple(bias.shape)}")
    return output, bias


def _alike(xp: Namespace, hidden: Array, output: Array, bias: Array | None) -> tuple[Array, Array, Array | None]:
    """All in the widest of their float kinds."""
    present: tuple[Any, ...] = (hidden, output) if bias is None else (hidden, output, bias)
    if len({x.dtype for x in present}) > 1:
        wanted = xp.result_type(*present)
        present = tuple(xp.astype(x, wanted) for x in present)
    return present[0], present[1], None if bias is None else present[2]


def _size(who: str, chunk: Any, matrix: Array) -> int:
    if chunk is None:
        return max(1, HELD // max(1, matrix.shape[0]))
    if isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1:
        raise ParameterError(who, "chunk", f"must be a positive integer number of tokens, got {chunk!r}")
    return chunk


def _chunked(
    who: str,
    xp: Namespace,
    inputs: tuple[Array, Array, Array | None],
    target: Array,
    parameters: tuple[float, float],
    chunk: int,
    options: LossOptions,
) -> Array:
    hidden, output, bias = inputs
    present = (hidden, output) if bias is None else (hidden, output, bias)

    def values(rows: Array, classes: Array, matrix: Array, *shift: Array) -> Array:
        logits = xp.astype(rows @ matrix.T, rows.dtype)  # autocast takes the product in half precision
        return LOGITS.value(xp, logits + shift[0] if shift else logits, classes, *parameters, None)

    if options.get("reduction", "mean") != "none" and blocked(xp, output, hidden, target):
        tokens = torch_accelerators().tokens
        share, scale = share_and_scale(who, xp, hidden, tuple(target.shape), options)
        return tokens.total(values, present, target, parameters, chunk, share, scale)
    one = checkpointed(values, hidden)
    n = hidden.shape[0]
    cuts = [slice(start, min(start + chunk, n)) for start in range(0, max(1, n), chunk)]
    parts = [one(hidden[at, :], target[at], *present[1:]) for at in cuts]
    return reduce(who, xp, parts[0] if len(parts) == 1 else xp.concat(parts), options)
