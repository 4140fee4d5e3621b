"""`labels=` restricts averages to some classes, as in scikit-learn: micro F1 of entities without "O"."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import assay
from assay.core.metric import Metric
from messages import refuses

RNG = np.random.default_rng(4)
NAMES = np.array(["O", "LOC", "ORG", "PER"])
Y = RNG.choice(NAMES, 400, p=[0.6, 0.2, 0.1, 0.1])
P = np.where(RNG.random(400) < 0.7, Y, RNG.choice(NAMES, 400))
ENTITIES = ("PER", "LOC", "ORG")
METRICS = {"f1_score": assay.metrics.F1, "precision_score": assay.metrics.Precision, "recall_score": assay.metrics.Recall,
           "jaccard_score": assay.metrics.Jaccard}  # fmt: skip


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
@pytest.mark.parametrize("name", METRICS)
def test_values_of_scikit_learn(name: str, average: str | None) -> None:
    peer = getattr(pytest.importorskip("sklearn.metrics"), name)
    metric = METRICS[name](average=average, labels=ENTITIES)
    np.testing.assert_allclose(metric(Y, P), peer(Y, P, average=average, labels=list(ENTITIES)), rtol=1e-12)
    weight = RNG.random(400) + 0.5
    theirs = peer(Y, P, average=average, labels=list(ENTITIES), sample_weight=weight)
    np.testing.assert_allclose(metric(Y, P, weight=weight), theirs, rtol=1e-12)


def test_by_hand() -> None:
    """Of three a's and b's two are found, and one O is called a: micro precision 2/3, recall 2/3; the rows of O do not count as found."""
    y, p = ["O", "O", "a", "a", "b"], ["O", "a", "a", "O", "b"]
    assert assay.f1(y, p, average="micro", labels=["a", "b"]) == pytest.approx(2 / 3)
    assert assay.f1(y, p, average="macro", labels=["a", "b"]) == pytest.approx((0.5 + 1) / 2)


@pytest.mark.parametrize("average", ["micro", "macro", "weighted"])
def test_limits_agree_with_the_bootstrap(average: str) -> None:
    metric = assay.metrics.F1(average=average, labels=ENTITIES)
    scores = [metric.interval(Y, P, method=method) for method in ("auto", "percentile", "delta")]
    limits = [(score.low, score.high) for score in scores]
    np.testing.assert_allclose(np.array(limits, dtype=float), np.array([limits[0]] * 3, dtype=float), atol=0.015)


def test_a_rare_class_that_is_left_out_does_not_matter() -> None:
    y, p = np.append(Y, ["MISC"] * 3), np.append(P, ["MISC", "O", "O"])
    assert assay.metrics.F1(average="macro", labels=ENTITIES).interval(y, p).reliable
    assert not assay.metrics.F1(average="macro").interval(y, p).reliable


def test_batches_add_up() -> None:
    metric: Metric[object] = assay.metrics.F1(average="macro", labels=ENTITIES)
    both = metric.state(Y[:5], P[:5]) + metric.state(Y[5:], P[5:])
    assert both.value() == metric(Y, P)
    assert list(metric.score(Y, P).parts) == list(ENTITIES)


def test_in_specs_and_parameters() -> None:
    found = assay.evaluate(
        Y, P, metrics='f1:average=micro,labels=["LOC","ORG","PER"]', slices={"half": np.arange(400) % 2}
    )
    assert next(iter(found.scores.values())) == assay.f1(Y, P, average="micro", labels=ENTITIES)


REFUSED: dict[str, Callable[[], object]] = {
    "unknown": lambda: assay.f1(Y, P, average="micro", labels=["LOC", "MISC"]),
    "binary": lambda: assay.f1([0, 1], [0, 1], labels=[1]),
    "none": lambda: assay.f1(Y, P, average="macro", labels=[]),
    "twice": lambda: assay.f1(Y, P, average="macro", labels=["LOC", "LOC"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    refuses(REFUSED[case])
