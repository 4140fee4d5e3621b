"""Order and ranks of large columns by radix sort: one thread per column, no comparisons, no branches to mispredict.

NumPy's own sort is several times slower on machines with AVX-512 than on those without; this one is equally fast on both.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import exact

Ordered = tuple[NDArray[np.uint64], NDArray[np.uint32]]  # sorted keys, and the rows they came from
_BITS = 8  # 256 buckets to write to at a time stay in the caches; 2048 do not
_BUCKETS = 1 << _BITS
_PASSES = 8


def sort_keys(values: Any) -> Any:
    """Unsigned integers in the order of the floats; both zeros get one key."""
    wide = np.ascontiguousarray(values, dtype=np.float64) + 0.0
    bits = wide.view(np.int64)
    return (bits ^ ((bits >> 63) | np.int64(-(2**63)))).view(np.uint64)


@exact
def _histograms(keys: Any) -> Any:
    counts = np.zeros((_PASSES, _BUCKETS), dtype=np.int64)
    for i in range(len(keys)):
        key = keys[i]
        for d in range(_PASSES):
            counts[d, (key >> np.uint64(d * _BITS)) & np.uint64(_BUCKETS - 1)] += 1
    return counts


@exact
def _scatter(keys: Any, index: Any, counts: Any, shift: int, out_keys: Any, out_index: Any) -> None:
    at = np.empty(_BUCKETS, dtype=np.int64)
    running = 0
    for b in range(_BUCKETS):
        at[b] = running
        running += counts[b]
    for i in range(len(keys)):
        bucket = (keys[i] >> np.uint64(shift)) & np.uint64(_BUCKETS - 1)
        out_keys[at[bucket]] = keys[i]
        out_index[at[bucket]] = index[i]
        at[bucket] += 1


@exact("u8[::1]")
def _radix(keys: Any) -> Any:
    """Stable order of the keys: (sorted keys, positions)."""
    n = len(keys)
    counts = _histograms(keys)
    index = np.empty(n, dtype=np.uint32)
    for i in range(n):
        index[i] = i
    other_keys, other_index = np.empty_like(keys), np.empty_like(index)
    for d in range(_PASSES):
        if (
            counts[d, (keys[0] >> np.uint64(d * _BITS)) & np.uint64(_BUCKETS - 1)] == n
        ):  # all keys have this digit in common
            continue
        _scatter(keys, index, counts[d], d * _BITS, other_keys, other_index)
        keys, other_keys = other_keys, keys
        index, other_index = other_index, index
    return keys, index


def order(values: Any) -> tuple[Any, Any]:
    """Sorted keys and the positions they came from, ascending and stable."""
    return _radix(sort_keys(values))


@exact("u8[::1], u4[::1], i4[::1]")
def _double_ranks(keys: Any, index: Any, out: Any) -> float:
    """Twice the mid-rank of each row, centred; returns the sum of squares."""
    n = len(keys)
    squares = 0.0
    start = 0
    while start < n:
        stop = start + 1
        while stop < n and keys[stop] == keys[start]:
            stop += 1
        rank = start + stop - n  # twice the centred mid-rank: an integer
        for i in range(start, stop):
            out[index[i]] = rank
        squares += float(rank) * float(rank) * (stop - start)
        start = stop
    return squares


@exact("u8[::1], u4[::1], i4[::1]")
def _rank_product(keys: Any, index: Any, ranks: Any) -> tuple[float, float]:
    """Sum over rows of (rank of this column) x (given rank), and this column's sum of squares."""
    n = len(keys)
    product, squares = 0.0, 0.0
    start = 0
    while start < n:
        stop = start + 1
        while stop < n and keys[stop] == keys[start]:
            stop += 1
        rank = float(start + stop - n)
        inner = 0
        for i in range(start, stop):
            inner += ranks[index[i]]
        product += rank * inner
        squares += rank * rank * (stop - start)
        start = stop
    return product, squares


def orders(y: Any, p: Any) -> tuple[Any, Any]:
    """`order` of two columns, in parallel."""
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(order, (y, p))
    return first, second


def spearman(y: Any, p: Any) -> float:
    """Rank correlation of two ordered columns; NaN if one is constant."""
    ranks = np.empty(len(y[0]), dtype=np.int32)
    y_squares = _double_ranks(y[0], y[1], ranks)
    product, p_squares = _rank_product(p[0], p[1], ranks)
    scale = np.sqrt(y_squares) * np.sqrt(p_squares)
    return float(product / scale) if scale else float("nan")


@exact("u8[::1], u4[::1], f8[::1], f8[::1]")
def _weighted_ranks(keys: Any, index: Any, weight: Any, out: Any) -> float:
    """Weighted mid-rank of each row, centred by the caller; returns the sum of the cubed weights of runs of equal keys."""
    n = len(keys)
    cubes, before = 0.0, 0.0
    start = 0
    while start < n:
        stop, size = start, 0.0
        while stop < n and keys[stop] == keys[start]:
            size += weight[index[stop]]
            stop += 1
        for i in range(start, stop):
            out[index[i]] = before + size / 2
        cubes += size**3
        before += size
        start = stop
    return cubes


@exact("u8[::1], u4[::1], f8[::1], f8[::1], f8, f8, f8[::1]")
def _rank_slopes(keys: Any, index: Any, weight: Any, other: Any, scale: float, own: float, out: Any) -> None:
    """The effect of each row on a rank correlation through the ranks of the other rows in this column.

    ``scale`` divides the covariance with the ``other`` centred ranks and ``own`` times a quarter of the squared weight
    of the row's run is what the variance of this column gains by ties.
    """
    n = len(keys)
    before = 0.0
    start = 0
    while start < n:
        stop, size, inner = start, 0.0, 0.0
        while stop < n and keys[stop] == keys[start]:
            w = weight[index[stop]]
            size += w
            inner += w * other[index[stop]]
            stop += 1
        moved = own * size * size / 4 - (before + inner / 2) / scale
        for i in range(start, stop):
            out[index[i]] = moved
        before += inner
        start = stop


def spearman_influence(y: Any, p: Any, w: Any) -> Any:
    """The derivative of the rank correlation of two ordered columns with respect to the weight of each row, times that weight."""
    total = w.sum()
    ranks, slopes = np.empty((2, len(w))), np.empty((2, len(w)))
    sides = list(zip(y, p, strict=True))
    with ThreadPoolExecutor(2) as pool:
        cubes = np.array(list(pool.map(_weighted_ranks, *sides, (w, w), ranks)))
        ranks -= total / 2
        squares = (total**3 - cubes) / 12
        scale = np.sqrt(squares[0]) * np.sqrt(squares[1])
        rho = float((w * ranks[0]) @ ranks[1] / scale)
        own = rho / (2 * squares)
        list(pool.map(_rank_slopes, *sides, (w, w), ranks[::-1], (scale, scale), own, slopes))
    return w * (ranks[0] * ranks[1] / scale + slopes[0] + slopes[1] - own.sum() * total**2 / 4)


@exact
def _prefix(tree: Any, at: int) -> float:
    """Sum of the first ``at`` entries of a Fenwick tree."""
    found = 0.0
    while at > 0:
        found += tree[at]
        at -= at & -at
    return found


@exact("u4[::1], i8[::1], i8[::1], f8[::1], f8[::1], f8[::1]")
def _sign_sums(order: Any, cy: Any, cp: Any, weight: Any, below: Any, out: Any) -> None:
    """For each row, the weight of concordant rows minus that of discordant rows.

    ``order`` sorts by both codes, and ``below[c]`` is the weight of prediction codes below c. Rows with a lower target are
    in the tree; those with a higher one are all others except the ties.
    """
    n, size = len(order), len(below) - 1
    total = below[size]
    tree = np.zeros(size + 1)
    seen = 0.0
    start = 0
    while start < n:
        stop, tied = start, 0.0
        while stop < n and cy[order[stop]] == cy[order[start]]:
            tied += weight[order[stop]]
            stop += 1
        under, at = 0.0, start
        while at < stop:
            code, end, same = cp[order[at]], at, 0.0
            while end < stop and cp[order[end]] == code:
                same += weight[order[end]]
                end += 1
            lower = _prefix(tree, code) + _prefix(tree, code + 1) - seen
            among = 2 * under + same - tied
            everyone = below[code] + below[code + 1] - total
            for i in range(at, end):
                out[order[i]] = 2 * lower + among - everyone
            under += same
            at = end
        for i in range(start, stop):
            place = cp[order[i]] + 1
            while place <= size:
                tree[place] += weight[order[i]]
                place += place & -place
        seen += tied
        start = stop


def sign_sums(cy: Any, cp: Any, w: Any) -> Any:
    """``sum_l w_l sign(cy_k - cy_l) sign(cp_k - cp_l)`` of each row k of two coded columns."""
    cy, cp = cy.astype(np.int64), cp.astype(np.int64)
    below = np.concatenate([[0.0], np.cumsum(np.bincount(cp, w))])
    _, by_both = _radix((cy * (len(below) - 1) + cp).astype(np.uint64))
    out = np.empty(len(w))
    _sign_sums(by_both, cy, cp, w, below, out)
    return out


# ---- pairs in the wrong order


@exact
def _insert(codes: Any, start: int, stop: int) -> int:
    """Sort a short piece; how many pairs were in the wrong order."""
    found = 0
    for i in range(start + 1, stop):
        code, at = codes[i], i
        while at > start and codes[at - 1] > code:
            codes[at] = codes[at - 1]
            at -= 1
        codes[at] = code
        found += i - at
    return found


@exact
def _merge(codes: Any, start: int, middle: int, stop: int, out: Any) -> int:
    """Merge two sorted pieces; how many pairs between them are in the wrong order. No branch depends on the codes."""
    found, i, j, at = 0, start, middle, start
    while i < middle and j < stop:
        left, right = codes[i], codes[j]
        wrong = int(right < left)
        out[at] = min(left, right)
        found += wrong * (middle - i)
        j += wrong
        i += 1 - wrong
        at += 1
    for rest in range(i, middle):
        out[at] = codes[rest]
        at += 1
    for rest in range(j, stop):
        out[at] = codes[rest]
        at += 1
    return found


@exact
def _merge_even(codes: Any, start: int, width: int, out: Any) -> int:
    """`_merge` of two pieces of one width, from both ends at once: neither can run out, and neither end waits for the other.

    A code of the second piece is counted where it is put down: at the front with what is left of the first piece, at the back with what
    was taken from it.
    """
    found, middle = 0, start + width
    i, j, k, m = start, middle, middle - 1, middle + width - 1
    for at in range(width):
        left, right = codes[i], codes[j]
        wrong = int(right < left)
        out[start + at] = min(left, right)
        found += wrong * (middle - i)
        j += wrong
        i += 1 - wrong
        left, right = codes[k], codes[m]
        wrong = int(right < left)
        out[middle + width - 1 - at] = max(left, right)
        found += (1 - wrong) * (middle - 1 - k)
        k -= wrong
        m -= 1 - wrong
    return found


@exact("i4[::1], i4[::1]")
def _inversions(codes: Any, other: Any) -> int:
    """Sort ``codes`` by merging, with room in ``other``; how many pairs were in the wrong order."""
    n, width, found = len(codes), 8, 0
    source, target = codes, other
    for start in range(0, n, width):
        found += _insert(source, start, min(start + width, n))
    while width < n:
        for start in range(0, n, 2 * width):
            if start + 2 * width <= n:
                found += _merge_even(source, start, width, target)
            else:
                found += _merge(source, start, min(start + width, n), n, target)
        source, target = target, source
        width *= 2
    for i in range(n):  # where they are already, half of the time
        codes[i] = source[i]
    return found


@exact("i4[::1], i8, i4[::1]")
def _inversions_between(codes: Any, middle: int, other: Any) -> int:
    """How many pairs of two sorted pieces are in the wrong order."""
    return _merge(codes, 0, middle, len(codes), other)


def _all_inversions(codes: Any) -> int:
    """How many pairs are in the wrong order: in each half, one per thread, and between them."""
    half, other = len(codes) // 2, np.empty_like(codes)
    with ThreadPoolExecutor(2) as pool:
        inside = sum(pool.map(_inversions, (codes[:half], codes[half:]), (other[:half], other[half:])))
    return int(inside) + int(_inversions_between(codes, half, other))


@exact("u8[::1], u4[::1], i4[::1]")
def _dense_codes(keys: Any, index: Any, out: Any) -> int:
    """The place of each row among the distinct keys; how many pairs have equal keys."""
    code, run, tied = 0, 0, 0
    for i in range(len(keys)):
        if i and keys[i] != keys[i - 1]:
            code += 1
            run = 0
        tied += run
        run += 1
        out[index[i]] = code
    return tied


def kendall_pairs(y: Ordered, p: Ordered) -> tuple[int, int, int]:
    """Of two ordered columns: pairs in order minus pairs in the wrong order, pairs tied in the first, and in the second."""
    n = len(y[0])
    cy, cp = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    with ThreadPoolExecutor(2) as pool:
        tied_y, tied_p = pool.map(_dense_codes, (y[0], p[0]), (y[1], p[1]), (cy, cp))
    by_y, both = y[1], 0
    if tied_y:
        keys, by_y = _radix(cy.astype(np.uint64) << np.uint64(32) | cp.astype(np.uint64))
        both = int(_dense_codes(keys, by_y, cy))
    wrong = _all_inversions(cp[by_y])
    return n * (n - 1) // 2 - tied_y - tied_p + both - 2 * wrong, tied_y, tied_p
