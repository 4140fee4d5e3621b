"""identification and cumulative_match_curve against a loop over ranks, as bob.measure counts them."""

from __future__ import annotations

import numpy as np

import assay


def test_rates_equal_a_loop() -> None:
    rng = np.random.default_rng(2)
    gallery, probes = rng.permutation(20), rng.integers(0, 20, 50)
    similar = np.round(rng.random((50, 20)) + 0.4 * (probes[:, None] == gallery), 1)
    ranks = []
    for probe, row in zip(probes, similar, strict=True):
        mate = row[gallery == probe].max()
        ranks.append(1 + int((row[gallery != probe] >= mate).sum()))
    wanted = [np.mean(np.array(ranks) <= k) for k in range(1, 11)]
    np.testing.assert_allclose(assay.cumulative_match_curve(probes, similar, gallery=gallery), wanted)
    assert assay.identification(probes, similar, gallery=gallery, k=3) == wanted[2]
