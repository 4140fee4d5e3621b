"""Labels: which classes there are, which is positive, and every row as a small integer code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay import kernels
from assay.core.arrays import Array, Host, as_int, describe, is_numpy, kind_of, like, namespace, to_host
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs, memo
from assay.core.monoids import Label, union

DENSE = 4096  # integer labels below this count straight into a table
MANY_TEXTS = 20_000  # above this, text is coded by polars; below, importing it costs more than it saves


@dataclass(frozen=True)
class LabelRules:
    """What the caller said about the labels."""

    classes: tuple[Label, ...] | None = None
    positive: Label | None = None
    ignore_index: Label | None = None  # of rows that were left out: statistics of other rows are others


@memo
def label_array(inputs: Inputs, name: str) -> Array:
    """The named labels, one per row or one column per label, as integers or text; scores are refused."""
    array = inputs[name]
    if array.ndim not in (1, 2):
        raise InputError(inputs.who, name, f"must hold one label per row, got {describe(array)}")
    if array.ndim == 2:
        refuse_one_column(inputs, name)
    kind = kind_of(array)
    if kind == "float":
        return _whole(inputs, name, array)
    if kind == "bool":
        return as_int(array)
    if kind == "object":
        return _texts(inputs, name, array)
    if is_numpy(array) and array.dtype.kind == "S":
        raise InputError(inputs.who, name, "holds bytes", f"Decode them to text first: {name}.astype(str).")
    if is_numpy(array) and array.dtype == np.uint64 and int(array.max()) >= 2**63:
        _refuse_wide(inputs, name)
    return array


def counted_rows(inputs: Inputs, ignore_index: Label | None) -> Inputs:
    """The rows whose truth is not to be ignored."""
    if ignore_index is None:
        return inputs
    truth = label_array(inputs, "y_true")
    if truth.ndim != 1:
        problem = f"leaves out rows by their one label, and {arg('y_true')} is a matrix (a multilabel problem)"
        raise InputError(inputs.who, "ignore_index", problem, "Give such rows the weight 0.")
    if is_text(truth) != isinstance(ignore_index, str):
        problem = f"is {ignore_index!r}, and {arg('y_true')} holds {'text' if is_text(truth) else 'integers'}"
        raise InputError(inputs.who, "ignore_index", problem, "It must be of the kind of the labels.")
    left = np.flatnonzero(to_host(truth != ignore_index))
    return inputs if len(left) == inputs.n else inputs.counting(left, inputs.n)


def refuse_one_column(inputs: Inputs, name: str) -> None:
    """A column of labels that kept its axis is a slip; read as a problem of one label it would give another value."""
    array = inputs[name]
    if array.shape[1] == 1:
        raise InputError(
            inputs.who,
            name,
            f"must hold one label per row or several columns of 0 and 1, got {describe(array)}",
            f"It has one column: pass {name}[:, 0].",
        )


def _refuse_wide(inputs: Inputs, name: str) -> None:
    raise InputError(inputs.who, name, "holds integers beyond signed 64 bits", "Pass such identifiers as text.")


def _whole(inputs: Inputs, name: str, array: Array) -> Array:
    """Floats that are integers are labels that passed through a data frame; anything else is a score."""
    xp = namespace(array)
    with np.errstate(over="ignore"):  # half precision does not reach so far, and need not
        whole = bool(xp.all(array == xp.round(array))) and bool(xp.all(xp.abs(array) < 2.0**53))
    if whole:
        return as_int(array)
    host = to_host(array)
    row = int(np.argwhere(~((host == np.round(host)) & (np.abs(host) < 2**53)))[0][0])
    what = "looks like a score" if np.isfinite(host[row]).all() else "has no label"
    hint = "the column of the largest score, argmax(1)" if array.ndim == 2 else "by a threshold"
    raise InputError(
        inputs.who,
        name,
        f"must hold labels, got {describe(array)} and row {row} {what} ({host[row]})",
        f"For scores, take the labels first ({hint}) or pass them as {arg('y_prob')}, {arg('y_score')} or {arg('logits')}.",
    )


def _texts(inputs: Inputs, name: str, array: Host) -> Host:
    kinds: set[Any] = {type(v) for v in array.ravel().tolist()}
    if kinds <= {int, bool, np.int64, np.int32, np.bool_}:
        try:
            return array.astype(np.int64)
        except OverflowError:
            _refuse_wide(inputs, name)
    if kinds <= {str, np.str_}:
        return array
    shown = ", ".join(sorted(k.__name__ for k in kinds))
    raise InputError(inputs.who, name, f"must hold labels of one kind, text or integers, got {shown}")


def is_text(array: Array) -> bool:
    """Whether labels are text."""
    return is_numpy(array) and array.dtype.kind in "OUST"


def found_classes(*arrays: Array) -> tuple[Label, ...]:
    """All labels that occur, in order."""
    seen: tuple[Label, ...] = ()
    for array in arrays:
        seen = union(seen, _unique(array))
    return seen


def _unique(array: Array) -> tuple[Label, ...]:
    if is_text(array):
        return tuple(
            sorted({str(v) for v in (np.unique(array) if array.size < MANY_TEXTS else _polars(array).unique())})
        )
    xp = namespace(array)
    if is_numpy(array) and array.size > DENSE:
        low, high = int(array.min()), int(array.max())
        if high - low < 16 * DENSE:
            above = array.ravel().astype(np.int64) - low  # in int8 the difference of -100 and 100 would not fit
            return tuple((np.flatnonzero(np.bincount(above)) + low).tolist())
    return tuple(to_host(xp.unique_values(array)).tolist())


def _polars(array: Host) -> Any:
    import polars as pl

    return pl.Series(values=array.ravel().tolist() if array.dtype.kind == "O" else array.ravel(), dtype=pl.String)


@memo
def encode(inputs: Inputs, name: str, classes: tuple[Label, ...]) -> Array:
    """The named labels as positions in ``classes``; a label outside them is refused with its row."""
    array = label_array(inputs, name)
    texts = {isinstance(c, str) for c in classes}
    if texts != {is_text(array)}:
        _refuse_kind(inputs, name, array, classes)
    if is_text(array):
        return inputs.beside(_encode_texts(inputs, name, array, classes))
    return inputs.beside(_encode_numbers(inputs, name, array, classes))


def _encode_texts(inputs: Inputs, name: str, array: Host, classes: tuple[Label, ...]) -> Host:
    if array.size >= MANY_TEXTS:
        import polars as pl

        codes = _polars(array).cast(pl.Enum([str(c) for c in classes]), strict=False).to_physical()
        if codes.null_count():
            _refuse_unknown(inputs, name, array, classes, int(np.argmax(codes.is_null().to_numpy())))
        return codes.to_numpy().astype(np.int64)
    place = {c: i for i, c in enumerate(classes)}
    codes = [place.get(str(v), -1) for v in array.tolist()]
    if -1 in codes:
        _refuse_unknown(inputs, name, array, classes, codes.index(-1))
    return np.array(codes, dtype=np.int64)


def _encode_numbers(inputs: Inputs, name: str, array: Array, classes: tuple[Label, ...]) -> Array:
    xp = namespace(array)
    k = len(classes)
    if classes == tuple(range(k)):
        if int(xp.min(array)) < 0 or int(xp.max(array)) >= k:
            host = to_host(array)
            _refuse_unknown(inputs, name, host, classes, int(np.argmax((host < 0) | (host >= k))))
        return array
    order = sorted(range(k), key=lambda i: classes[i])
    ordered = like(array, np.array([classes[i] for i in order], dtype=np.int64))
    wide = xp.astype(array, ordered.dtype, copy=False)
    at = xp.searchsorted(ordered, wide)
    at = xp.where(at == k, xp.zeros_like(at), at)
    if not bool(xp.all(xp.take(ordered, at) == wide)):
        _refuse_unknown(inputs, name, to_host(array), classes, int(np.argmax(to_host(xp.take(ordered, at) != wide))))
    return xp.take(like(array, np.array(order, dtype=np.int64)), at)


def _refuse_unknown(inputs: Inputs, name: str, array: Host, classes: tuple[Label, ...], row: int) -> None:
    raise InputError(
        inputs.who,
        name,
        f"must hold labels of {shown(classes)}, got {array[row : row + 1].tolist()[0]!r} in row {row}",
        f"Add it to {arg('classes')} or repair the row.",
    )


def _refuse_kind(inputs: Inputs, name: str, array: Array, classes: tuple[Label, ...]) -> None:
    got = "text" if is_text(array) else "integers"
    raise InputError(
        inputs.who,
        name,
        f"holds {got}, the classes are {shown(classes)}",
        "Labels and classes must be of one kind: translate one of them, or give "
        f"{arg('classes')} in the order of the columns.",
    )


def shown(classes: tuple[Label, ...]) -> str:
    """``0..9``, or the labels themselves, shortened."""
    if len(classes) > 2 and classes == tuple(range(len(classes))):
        return f"0..{len(classes) - 1}"
    names = [repr(c) for c in classes]
    return ", ".join(names[:8]) + (f", ... ({len(names)} in all)" if len(names) > 8 else "")


def binary_classes(who: str, present: tuple[Label, ...], rules: LabelRules, *, advice: str = "") -> tuple[Label, Label]:
    """(negative, positive): 0 and 1 or -1 and 1 speak for themselves, everything else must be said.

    The negative class is None where all rows are positive and nothing tells what the others are called.
    """
    labels = rules.classes or present
    if rules.classes is not None and len(rules.classes) != 2:
        raise InputError(
            who, "", f"a binary problem has two classes, {arg('classes')} names {len(rules.classes)}", advice
        )
    if len(set(labels)) > 2:
        raise InputError(who, "", f"a binary problem has two classes, found {len(labels)}: {shown(labels)}", advice)
    if rules.positive is not None:
        return _other(who, labels, rules.positive), rules.positive
    for pair in ((0, 1), (-1, 1)):
        if set(labels) <= set(pair):
            return pair
    raise InputError(
        who,
        "positive",
        f"is required: the labels are {shown(labels)}",
        f"Choose {arg('positive', labels[-1])} (or another of them).",
    )


def _other(who: str, labels: tuple[Label, ...], positive: Label) -> Label:
    others = [label for label in labels if label != positive]
    if len(others) == len(labels) == 2:
        raise InputError(who, "positive", f"must be one of the labels {shown(labels)}, got {positive!r}")
    if len(others) == 1:
        return others[0]
    if positive in (0, 1) and not isinstance(positive, str):
        return 1 - int(positive)
    return None  # nobody has named it and no row shows it; the batch that does will


@memo
def truth_mask(inputs: Inputs, rules: LabelRules, *, advice: str = "") -> tuple[Array, tuple[Label, Label]]:
    """True where y_true is the positive class, and the two classes."""
    array = label_array(inputs, "y_true")
    if array.ndim != 1:
        raise InputError(inputs.who, "y_true", f"must hold one label per row here, got {describe(array)}")
    if is_text(array):
        negative, positive = binary_classes(inputs.who, found_classes(array), rules, advice=advice)
        if negative is None:
            return inputs.beside(np.ones(inputs.n, dtype=np.bool_)), (negative, positive)
        return encode(inputs, "y_true", (negative, positive)) == 1, (negative, positive)
    xp = namespace(array)
    pair = rules.classes or ((0, 1) if rules.positive in (None, 0, 1) else (rules.positive, rules.positive))
    fast = _fast_mask(array, rules, pair)
    if fast is not None:
        return fast, binary_classes(inputs.who, tuple(pair), rules, advice=advice)
    ones, others = array == pair[-1], array == pair[0]
    if _count(xp, ones | others) != inputs.n:
        pair = found_classes(array) if rules.classes is None else rules.classes
    negative, positive = binary_classes(inputs.who, tuple(pair), rules, advice=advice)
    if negative is None:
        return array == positive, (negative, positive)
    if {negative, positive} != set(pair) or _count(xp, (array == negative) | (array == positive)) != inputs.n:
        encode(inputs, "y_true", (negative, positive))  # names the row that does not belong
    return array == positive, (negative, positive)


def _count(xp: Any, mask: Array) -> int:
    """The number of true values; NumPy counts them without a wider copy."""
    return int(np.count_nonzero(mask)) if is_numpy(mask) else int(xp.sum(as_int(mask)))


def _fast_mask(array: Array, rules: LabelRules, pair: tuple[Label, ...]) -> Host | None:
    """The mask in one read if the labels are the two we expect; None sends the caller to the general way."""
    if not kernels.worthwhile(array) or array.dtype != np.int64 or len(set(pair)) != 2:
        return None
    positive = pair[1] if rules.positive is None else rules.positive
    negative = pair[0] if positive == pair[1] else pair[1]
    return kernels.confusion_tables.mask(array, negative, positive)


def place_of(who: str, classes: tuple[Label, ...], label: Label) -> int:
    """The position of a label among the classes."""
    if label not in classes:
        raise InputError(who, "positive", f"must be one of the classes {shown(classes)}, got {label!r}")
    return classes.index(label)


def column_classes(inputs: Inputs, name: str, rules: LabelRules) -> tuple[Label, ...]:
    """The class of each column of a matrix: as said, by the column names of a frame, or 0..K-1."""
    k = int(inputs[name].shape[1])
    if k == 1:
        raise InputError(
            inputs.who, name, "has one column, and so no second class", f"Pass {name}[:, 0] for a binary problem."
        )
    classes = rules.classes or _named_columns(inputs, name) or tuple(range(k))
    if len(classes) != k:
        raise InputError(inputs.who, name, f"has {k} columns, {arg('classes')} names {len(classes)}: {shown(classes)}")
    return classes


def _named_columns(inputs: Inputs, name: str) -> tuple[Label, ...] | None:
    """The column names of a frame; names that are integers stand for labels that are."""
    names = inputs.columns.get(name)
    truth = inputs["y_true"]
    text = is_text(label_array(inputs, "y_true") if kind_of(truth) == "object" else truth)
    if names is None or text or not all(n.removeprefix("-").isdecimal() and str(int(n)) == n for n in names):
        return names
    return tuple(int(n) for n in names)
