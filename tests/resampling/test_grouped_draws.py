"""Laws of splits by whole groups: chance decides, parts stay balanced, every group is tested as often as was asked."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.resampling import Bootstrap, CrossValidation, Holdout, LeaveOneGroupOut, Subsampling
from assay.resampling.schemes._group_assignment import assigned, sampled
from assay.resampling.schemes._sampling_units import SamplingUnits, keys

SIZES = st.lists(st.integers(1, 60), min_size=2, max_size=40)
SHARES = st.floats(0.001, 0.999)
SEEDS = st.integers(0, 2**63)


def groups_of(sizes: Any) -> Any:
    return np.repeat(np.arange(len(sizes)), sizes)


def groups_tested(scheme: Any, groups: Any, y: Any = None) -> list[tuple[int, ...]]:
    """The groups of each test part, in the order of the splits."""
    return [tuple(np.unique(groups[s.test]).tolist()) for s in scheme.splits(len(groups), y, groups)]


@given(sizes=SIZES, share=SHARES, seed=SEEDS, classes=st.integers(1, 4))
@settings(max_examples=150, deadline=None)
def test_draws_have_two_sides_that_share_no_group(sizes: list[int], share: float, seed: int, classes: int) -> None:
    groups = groups_of(sizes)
    y = np.random.default_rng(seed % 1000).integers(0, classes, len(groups))
    layered = classes > 1 and len(groups) > 2 * classes
    for s in Subsampling(test=share, repeats=3, seed=seed, stratify=layered).splits(len(groups), y, groups):
        assert len(s.train)
        assert len(s.test)
        assert not set(groups[s.train]) & set(groups[s.test])
        np.testing.assert_array_equal(np.sort(np.concatenate([s.train, s.test])), np.arange(len(groups)))


@given(sizes=SIZES, folds=st.integers(2, 10), seed=SEEDS, classes=st.integers(1, 4))
@settings(max_examples=150, deadline=None)
def test_folds_test_every_group_once_and_none_is_empty(sizes: list[int], folds: int, seed: int, classes: int) -> None:
    groups, folds = groups_of(sizes), min(folds, len(sizes))
    y = np.random.default_rng(seed % 1000).integers(0, classes, len(groups))
    layered = classes > 1 and len(groups) > 2 * classes
    scheme = CrossValidation(folds=folds, repeats=2, seed=seed, stratify=layered)
    found = groups_tested(scheme, groups, y)
    assert all(found)
    for at in (0, folds):
        assert sorted(g for fold in found[at : at + folds] for g in fold) == list(range(len(sizes)))
    if not layered:  # greedy: no fold is ahead of another by more than one group
        rows = np.array([len(s.test) for s in scheme.splits(len(groups), groups=groups)]).reshape(2, folds)
        assert np.ptp(rows, axis=1).max() <= max(sizes)


@given(seed=st.integers(0, 10_000), least=st.integers(1, 50))
@settings(max_examples=15, deadline=None)
def test_seeds_and_repeats_matter_where_all_sizes_differ(seed: int, least: int) -> None:
    """A strict order of size once gave one and the same split for every seed and repeat."""
    groups = groups_of(np.arange(least, least + 12))
    y = np.arange(len(groups)) % 2
    for layered in (False, True):
        for share in (0.1, 0.25, 1 / 3):
            fresh = groups_tested(Subsampling(test=share, repeats=20, seed=seed, stratify=layered), groups, y)
            assert len(set(fresh)) >= 6
            others = {
                groups_tested(Holdout(test=share, seed=seed + k, stratify=layered), groups, y)[0] for k in range(20)
            }
            assert len(others) >= 6
        folds = groups_tested(CrossValidation(folds=3, repeats=20, seed=seed, stratify=layered), groups, y)
        assert len({frozenset(folds[at : at + 3]) for at in range(0, 60, 3)}) >= 10
        firsts = {
            groups_tested(LeaveOneGroupOut(folds=3, seed=seed + k, stratify=layered), groups, y)[0] for k in range(20)
        }
        assert len(firsts) >= 6


@pytest.mark.parametrize("share", [0.02, 0.1, 0.25, 1 / 3, 0.37, 0.5, 0.8])
@pytest.mark.parametrize("layered", [False, True])
def test_large_and_small_groups_are_tested_alike(share: float, layered: bool) -> None:
    """500 repeats: each group within the deviations that chance allows (4.5: some of 60 groups in 14 settings go far)."""
    rng = np.random.default_rng(3)
    sizes = np.concatenate([rng.integers(1, 60, 58), [300, 500]])
    groups = groups_of(sizes)
    y = rng.integers(0, 2, len(groups))
    counts, rows = np.zeros(60), []
    for s in Subsampling(test=share, repeats=500, stratify=layered).splits(len(groups), y, groups):
        counts[np.unique(groups[s.test])] += 1
        rows.append(len(s.test) / len(groups))
    error = np.sqrt(share * (1 - share) / 500)
    assert np.abs(counts / 500 - share).max() < 4.5 * error
    assert counts.min() > 0
    assert np.abs(counts[-2:] / 500 - share).max() < 3.5 * error  # the two giants
    assert np.mean(rows) == pytest.approx(share, abs=4 * np.std(rows) / np.sqrt(500))


def test_few_groups_are_tested_alike_too() -> None:
    for sizes, share, chance in (([50, 50], 0.1, 1 / 2), ([90, 9, 1], 0.4, 0.4), ([7, 1, 30, 2, 5], 0.1, 1 / 5)):
        groups = groups_of(sizes)
        found = groups_tested(Subsampling(test=share, repeats=2000), groups)
        counts = np.bincount([g for one in found for g in one], minlength=len(sizes))
        assert np.abs(counts / 2000 - chance).max() < 4 * np.sqrt(chance * (1 - chance) / 2000)


@given(share=st.floats(0.02, 0.98), seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_many_groups_come_near_the_share(share: float, seed: int) -> None:
    rng = np.random.default_rng(seed % 1000)
    sizes = rng.integers(1, 20, 400)
    groups = groups_of(sizes)
    label = rng.integers(0, 3, 400)  # mixed groups, each with a class of its own in front
    y = np.where(rng.random(len(groups)) < 0.7, label[groups], rng.integers(0, 3, len(groups)))
    for layered in (False, True):
        (one,) = Holdout(test=share, seed=seed, stratify=layered).splits(len(groups), y, groups)
        assert abs(len(one.test) / len(groups) - share) < 0.02
        if layered:
            assert np.abs(np.bincount(y[one.test], minlength=3) / np.bincount(y) - share).max() < 0.04


@given(seed=SEEDS, folds=st.integers(2, 10))
@settings(max_examples=40, deadline=None)
def test_folds_of_mixed_groups_have_their_share_of_every_class(seed: int, folds: int) -> None:
    rng = np.random.default_rng(seed % 1000)
    groups = groups_of(rng.integers(1, 20, 300))
    label = rng.integers(0, 3, 300)
    y = np.where(rng.random(len(groups)) < 0.7, label[groups], rng.integers(0, 3, len(groups)))
    for s in CrossValidation(folds=folds, seed=seed, stratify=True).splits(len(groups), y, groups):
        assert np.abs(np.bincount(y[s.test], minlength=3) / np.bincount(y) * folds - 1).max() < 0.1


def test_drawn_groups_are_nearer_than_chance() -> None:
    """Against groups drawn blindly, as scikit-learn's GroupShuffleSplit does it."""
    splitter = pytest.importorskip("sklearn.model_selection").GroupShuffleSplit
    groups = groups_of(np.random.default_rng(0).integers(1, 60, 60))
    blind = splitter(n_splits=200, test_size=0.2, random_state=0).split(groups, groups=groups)
    theirs = np.std([len(test) for _, test in blind])
    ours = np.std([len(s.test) for s in Subsampling(test=0.2, repeats=200).splits(len(groups), groups=groups)])
    assert ours < theirs / 4


@given(sizes=SIZES, seed=SEEDS)
@settings(max_examples=50, deadline=None)
def test_rows_of_units_are_their_members_one_unit_after_another(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed % 1000)
    groups = rng.permutation(groups_of(sizes))
    units = rng.integers(0, len(sizes), 10)
    expected = np.concatenate([np.flatnonzero(groups == u) for u in units])
    np.testing.assert_array_equal(SamplingUnits(len(groups), groups).rows(units), expected)
    assert len(SamplingUnits(len(groups), groups).rows([])) == 0


def test_grouped_indices_are_the_same_everywhere() -> None:
    """Written down once: another platform, or another NumPy, must give the same."""
    groups = groups_of([3, 1, 4, 2, 5, 6, 2])
    y = np.arange(len(groups)) % 3
    assert groups_tested(CrossValidation(folds=3, seed=7), groups) == FOLDS
    assert groups_tested(CrossValidation(folds=3, seed=7, stratify=True), groups, y) == LAYERED
    assert groups_tested(Subsampling(repeats=4, test=0.3, seed=2**63), groups) == HELD


FOLDS = [(4, 6), (1, 5), (0, 2, 3)]
LAYERED = [(4, 6), (1, 5), (0, 2, 3)]
HELD = [(0, 3), (3, 4), (0, 3, 5), (3, 6)]


def test_many_groups_are_dealt_quickly() -> None:
    """Once seven seconds. The time of this process alone, and a bound that leaves room for slow machines."""
    rng = np.random.default_rng(0)
    groups, y = rng.integers(0, 20_000, 100_000), rng.integers(0, 3, 100_000)
    for layered, most in ((False, 2.0), (True, 5.5)):
        began = time.process_time()
        for _ in CrossValidation(folds=10, repeats=5, stratify=layered).splits(100_000, y, groups):
            pass
        assert time.process_time() - began < most


def test_the_routes_with_and_without_strata_agree_on_one_stratum() -> None:
    """An empty second stratum takes the other route and must change nothing."""
    sizes = np.random.default_rng(1).integers(1, 9, 50)
    plain, padded = sizes[:, None], np.column_stack([sizes, np.zeros(50, dtype=np.int64)])
    for stream in range(20):
        key = keys(4, stream, 50)
        np.testing.assert_array_equal(assigned(plain, 6, key), assigned(padded, 6, key))
        np.testing.assert_array_equal(sampled(plain, 0.3, key), ~sampled(plain, 0.7, key))


def test_a_bootstrap_of_groups_is_still_of_whole_groups() -> None:
    groups = groups_of([3, 1, 4, 2, 5])
    for s in Bootstrap(repeats=20).splits(len(groups), groups=groups):
        often = np.bincount(groups[s.train], minlength=5) / [3, 1, 4, 2, 5]
        np.testing.assert_array_equal(often, often.round())
        assert often.sum() == 5
