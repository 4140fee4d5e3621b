"""Laws of splits: disjoint, whole groups, equal strata, everything tested as often as promised, the seed decides all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.resampling import (
    Bootstrap,
    CrossValidation,
    Holdout,
    LeaveOneGroupOut,
    LeaveOneOut,
    Subsampling,
    TimeOrdered,
    scheme_of,
)
from messages import refusal

SCHEMES = [
    Holdout(),
    Holdout(test=0.2, stratify=True),
    Subsampling(repeats=4, test=0.25),
    Subsampling(repeats=4, stratify=True),
    CrossValidation(folds=4, repeats=2),
    CrossValidation(folds=3, stratify=True),
    CrossValidation(folds=3, stratify=3),
    LeaveOneOut(),
    LeaveOneGroupOut(),
    LeaveOneGroupOut(folds=3),
    LeaveOneGroupOut(folds=3, stratify=True),
    Bootstrap(repeats=4),
    Bootstrap(repeats=4, stratify=True),
    TimeOrdered(folds=3, gap=1),
    TimeOrdered(folds=2, window="sliding", test_size=2, train_size=3),
]
ids: Any = {"ids": [repr(s) for s in SCHEMES]}


def data(n: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, n), np.repeat(np.arange(n), 3)[:n]


def groups_for(scheme: Any, codes: Any) -> Any:
    return codes if isinstance(scheme, LeaveOneGroupOut) else None


@pytest.mark.parametrize("scheme", SCHEMES, **ids)
@given(n=st.integers(20, 90), seed=st.integers(0, 2**63))
@settings(max_examples=25, deadline=None)
def test_train_and_test_are_disjoint_and_the_seed_decides_all(scheme: Any, n: int, seed: int) -> None:
    y, groups = data(n, seed % 1000)
    scheme = type(scheme)(**{**scheme.__dict__, "seed": seed})
    found = list(scheme.splits(n, y, groups_for(scheme, groups)))
    assert len(found) == scheme.get_n_splits(np.zeros(n), y, groups_for(scheme, groups))
    for one in found:
        assert len(one.train)
        assert len(one.test)
        assert not set(one.train) & set(one.test)
        assert min(*one.train, *one.test) >= 0
        assert max(*one.train, *one.test) < n
    again = list(scheme.splits(np.zeros((n, 2)), y, groups_for(scheme, groups)))
    for a, b in zip(found, again, strict=True):
        np.testing.assert_array_equal(a.train, b.train)
        np.testing.assert_array_equal(a.test, b.test)


@pytest.mark.parametrize(
    "scheme",
    [
        Holdout(),
        Holdout(stratify=True),
        Subsampling(repeats=3),
        CrossValidation(folds=3),
        CrossValidation(folds=3, stratify=True),
        LeaveOneGroupOut(),
        LeaveOneGroupOut(folds=4),
        Bootstrap(repeats=3),
    ],
    ids=repr,
)
@given(seed=st.integers(0, 10_000), count=st.integers(8, 25))
@settings(max_examples=25, deadline=None)
def test_groups_are_never_split(scheme: Any, seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    groups = np.concatenate([np.arange(count), rng.integers(0, count, 60)])
    names = np.array([f"patient {g}" for g in groups])
    y = rng.integers(0, 2, len(groups))
    for one in scheme.splits(len(groups), y, names):
        assert not set(names[one.train]) & set(names[one.test])


@given(n=st.integers(20, 200), classes=st.integers(2, 6), folds=st.integers(2, 10), seed=st.integers(0, 10_000))
@settings(max_examples=100, deadline=None)
def test_strata_are_kept_within_one(n: int, classes: int, folds: int, seed: int) -> None:
    y = np.random.default_rng(seed).integers(0, classes, n)
    counts = np.array(
        [
            np.bincount(y[s.test], minlength=classes)
            for s in CrossValidation(folds=folds, stratify=True, seed=seed).splits(n, y)
        ]
    )
    assert (np.ptp(counts, axis=0) <= 1).all()
    assert np.ptp(counts.sum(axis=1)) <= 1
    (one,) = Holdout(test=0.3, stratify=True, seed=seed).splits(n, y)
    share = np.bincount(y[one.test], minlength=classes) - 0.3 * np.bincount(y, minlength=classes)
    assert (np.abs(share) <= 1.5).all()
    assert len(one.test) == round(0.3 * n)


@given(count=st.integers(9, 40), folds=st.integers(2, 4), seed=st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_strata_of_whole_groups_are_kept_within_one_group(count: int, folds: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, count)
    groups, y = np.repeat(np.arange(count), 4), np.repeat(label, 4)
    counts = np.array(
        [
            np.bincount(y[s.test], minlength=2)
            for s in CrossValidation(folds=folds, stratify=True, seed=seed).splits(4 * count, y, groups)
        ]
    )
    assert (np.ptp(counts, axis=0) <= 4).all()


@given(n=st.integers(10, 80), folds=st.integers(2, 8), repeats=st.integers(1, 3), seed=st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_every_row_is_tested_once_a_repeat(n: int, folds: int, repeats: int, seed: int) -> None:
    scheme = CrossValidation(folds=folds, repeats=repeats, seed=seed)
    tested = np.bincount(np.concatenate([s.test for s in scheme.splits(n)]), minlength=n)
    assert (tested == repeats).all()
    sizes = [len(s.test) for s in scheme.splits(n)]
    assert max(sizes) - min(sizes) <= 1
    assert (np.bincount(np.concatenate([s.test for s in LeaveOneOut().splits(n)])) == 1).all()


def test_about_two_thirds_are_unique_in_a_bootstrap() -> None:
    """1 - 1/e = 63.2 %, not the three quarters of the notes."""
    shares = [len(np.unique(s.train)) / 2000 for s in Bootstrap(repeats=200).splits(2000)]
    assert np.mean(shares) == pytest.approx(1 - np.exp(-1), abs=0.002)
    for s in Bootstrap(repeats=3).splits(2000):
        assert len(s.train) == 2000
        np.testing.assert_array_equal(np.setdiff1d(np.arange(2000), s.train), s.test)


def test_a_stratified_bootstrap_keeps_the_shares() -> None:
    y = np.repeat([0, 1, 2], [50, 30, 20])
    for s in Bootstrap(repeats=5, stratify=True).splits(100, y):
        np.testing.assert_array_equal(np.bincount(y[s.train]), [50, 30, 20])


def test_draws_are_even() -> None:
    """Over many repeats every row is tested about equally often, and pairs of rows about as often as chance says."""
    tested = np.zeros((12, 12))
    for s in Subsampling(repeats=4000, test=0.25).splits(12):
        tested[np.ix_(s.test, s.test)] += 1
    np.testing.assert_allclose(np.diag(tested) / 4000, 0.25, atol=0.03)
    apart = tested[~np.eye(12, dtype=bool)] / 4000
    np.testing.assert_allclose(apart, 3 / 12 * 2 / 11, atol=0.02)


def test_indices_are_the_same_everywhere() -> None:
    """Written down once: another platform, or another NumPy, must give the same."""
    assert [s.test.tolist() for s in CrossValidation(folds=3, seed=7).splits(8)] == FOLDS
    assert next(iter(Bootstrap(seed=7).splits(8))).train.tolist() == DRAWN
    assert next(iter(Holdout(seed=2**63).splits(8))).test.tolist() == HELD


FOLDS = [[3, 5, 6], [2, 4, 7], [0, 1]]
DRAWN = [0, 1, 3, 4, 4, 4, 6, 7]
HELD = [3, 4, 7]


def test_time_never_runs_backwards() -> None:
    for window in ("expanding", "sliding"):
        scheme = TimeOrdered(folds=4, window=window, gap=2)  # type: ignore[arg-type]
        sizes = []
        for s in scheme.splits(50):
            assert s.train.max() + 2 < s.test.min()
            sizes.append(len(s.train))
        assert (len(set(sizes)) == 1) == (window == "sliding")
    days = np.repeat(np.arange(10), 3)
    for s in TimeOrdered(folds=3).splits(30, groups=days):
        assert days[s.train].max() < days[s.test].min()
        assert len(s.test) % 3 == 0


def test_time_runs_in_the_order_of_rows_whatever_groups_are_called() -> None:
    days = np.repeat(["Mon", "Tue", "Wed", "Thu", "Fri"], [2, 1, 3, 2, 2])
    found = [(days[s.train].tolist(), days[s.test].tolist()) for s in TimeOrdered(folds=2).splits(10, groups=days)]
    first = ["Mon"] * 2 + ["Tue"] + ["Wed"] * 3
    assert found == [(first, ["Thu"] * 2), (first + ["Thu"] * 2, ["Fri"] * 2)]


def test_the_number_of_rows_may_be_of_any_whole_kind() -> None:
    for n in (np.int64(6), np.uint8(6), np.array(6), range(6), np.zeros((6, 0))):
        assert [s.test.tolist() for s in CrossValidation(folds=2).splits(n)] == [
            s.test.tolist() for s in CrossValidation(folds=2).splits(6)
        ]


def test_the_number_of_splits_is_known_or_refused() -> None:
    """As scikit-learn's own: LeaveOneOut cannot know it without rows, LeaveOneGroupOut asks for groups alone."""
    sk = pytest.importorskip("sklearn.model_selection")
    groups = ["b", "a", "b", "c"]
    assert LeaveOneGroupOut().get_n_splits(groups=groups) == sk.LeaveOneGroupOut().get_n_splits(groups=groups) == 3
    assert LeaveOneOut().get_n_splits(np.zeros(7)) == LeaveOneOut().get_n_splits(y=np.zeros(7)) == 7
    assert LeaveOneGroupOut(folds=2).get_n_splits() == 2
    assert CrossValidation(folds=3, repeats=2, stratify=True).get_n_splits() == 6
    assert Holdout(stratify=True).get_n_splits(groups=groups) == 1


def test_scikit_learn_takes_them() -> None:
    sk = pytest.importorskip("sklearn.model_selection")
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, cross_val_score

    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000)
    assert len(cross_val_score(model, X, y, cv=CrossValidation(folds=5, stratify=True))) == 5
    assert GridSearchCV(model, {"C": [0.1, 1.0]}, cv=Holdout(test=0.3)).fit(X, y).best_score_ > 0.8
    groups = np.repeat(np.arange(30), 5)
    assert len(cross_val_score(model, X, y, cv=LeaveOneGroupOut(folds=6), groups=groups)) == 6
    # the same properties as scikit-learn's own
    theirs = [np.bincount(y[test]) for _, test in sk.StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)]
    ours = [np.bincount(y[test]) for _, test in CrossValidation(folds=5, stratify=True).split(X, y)]
    np.testing.assert_array_equal(theirs, ours)


def test_many_splits_are_made_one_at_a_time() -> None:
    import tracemalloc

    tracemalloc.start()
    for i, _ in enumerate(Subsampling(repeats=100_000).splits(50)):
        if i == 2000:
            break
    assert tracemalloc.get_traced_memory()[1] < 2e6
    tracemalloc.stop()


@pytest.mark.parametrize(
    "call",
    [
        lambda: Holdout(test=1.0),
        lambda: CrossValidation(folds=1),
        lambda: list(CrossValidation(folds=10).splits(5)),
        lambda: list(CrossValidation(folds=3).splits(6, groups=[0, 0, 0, 1, 1, 1])),
        lambda: LeaveOneOut(stratify=True),
        lambda: list(LeaveOneOut().splits(4, groups=[0, 0, 1, 1])),
        lambda: list(LeaveOneGroupOut().splits(4)),
        lambda: LeaveOneGroupOut(stratify=True),
        lambda: list(CrossValidation(stratify=True).splits(20)),
        lambda: list(CrossValidation(folds=2, stratify=True).splits(4, list("abcd"))),
        lambda: TimeOrdered(stratify=True),
        lambda: list(TimeOrdered(folds=5, gap=3).splits(6)),
        lambda: list(TimeOrdered(folds=1).splits(4, groups=[0, 1, 0, 1])),
        lambda: TimeOrdered(train_size=2),
        lambda: LeaveOneOut().get_n_splits(),
        lambda: LeaveOneOut().get_n_splits(groups=[0, 1]),
        lambda: LeaveOneGroupOut().get_n_splits(),
        lambda: list(Holdout().splits(None)),
        lambda: list(Holdout().splits(2.5)),
        lambda: list(Holdout().splits(4, groups=["a", None] * 2)),
        lambda: list(Holdout().splits(4, groups=[0.0, 1.0, np.nan, 1.0])),
        lambda: list(Holdout().splits(2, groups=np.array(["a", 1], dtype=object))),
        lambda: list(Holdout(stratify=True).splits(4, ["a", None] * 2)),
        lambda: list(Holdout().splits(4, groups=[0, 1])),
        lambda: list(Holdout().splits(1)),
        lambda: list(Bootstrap(stratify=True).splits(4, [0, 1, 0, 1], [0, 0, 1, 1])),
        lambda: Holdout(seed=-1),
    ],
)
def test_refusals_say_why(call: Any) -> None:
    with refusal(assay.AssayError):
        call()


def test_names_of_before_are_aliases() -> None:
    assert assay.LeaveOneObjectOut is assay.LeaveOneGroupOut
    assert scheme_of("objects:4") == scheme_of("groups:4") == LeaveOneGroupOut(folds=4)
    assert scheme_of("objects") == scheme_of("groups") == LeaveOneGroupOut()
