"""Example rankings for the laws of ranking metrics: grades of a few documents per query, and fair scores of them."""

from __future__ import annotations

from typing import cast

import numpy as np

from assay.core.arrays import Host

QUERIES, DOCUMENTS = 30, 16


def rankings(rng: np.random.Generator, *, ties: bool) -> tuple[Host, Host]:
    """(grades, scores): matrices of one row per query; every query has a relevant document. Scores are dyadic numbers."""
    grades = rng.choice([0] * 21 + [1, 2, 3], (QUERIES, DOCUMENTS))
    grades[np.arange(QUERIES), rng.integers(0, DOCUMENTS, QUERIES)] = 2
    noisy = grades + rng.normal(0, 1.5, grades.shape)
    scores = np.round(2 * noisy) / 8 if ties else np.argsort(np.argsort(noisy, axis=1), axis=1) / 16
    return grades, scores


def identities(rng: np.random.Generator) -> tuple[Host, Host, Host, Host]:
    """(probes, fair similarities, perfect ones, gallery): every probe has one mate in the gallery."""
    gallery = np.arange(12)
    probes = rng.integers(0, 12, QUERIES)
    perfect = (probes[:, None] == gallery[None, :]).astype(np.float64)
    noisy = cast(Host, perfect + rng.normal(0, 0.6, perfect.shape))
    order = np.argsort(np.argsort(noisy, axis=1), axis=1)
    return probes, order / 16, perfect, gallery


def named(rng: np.random.Generator) -> tuple[Host, Host, Host]:
    """(judgments, fair, perfect) as a mapping per query: some documents are not judged, and some not ranked."""
    grades, scores = rankings(rng, ties=False)
    judged, fair, perfect = (np.empty(QUERIES, object) for _ in range(3))
    for at in range(QUERIES):
        names = [f"d{j}" for j in range(DOCUMENTS)]
        seen = grades[at] > 0
        asked, found = seen | (rng.random(DOCUMENTS) < 0.92), scores[at] > np.quantile(scores[at], 0.3)
        judged[at] = {name: int(g) for name, g, there in zip(names, grades[at], asked, strict=True) if there}
        fair[at] = {name: float(s) for name, s, there in zip(names, scores[at], found, strict=True) if there}
        wanted = seen | ~asked  # what is not judged may be relevant, and stands behind what is
        perfect[at] = {name: float(g) for name, g, there in zip(names, grades[at], wanted, strict=True) if there}
    return judged, fair, perfect
