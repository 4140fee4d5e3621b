"""Every claim of equality in a record is shown, and none is without its call."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from assay.core.loss import losses
from assay.core.registry import metrics
from claims import CLAIMS, ORACLES, Claim

for table in sorted(Path(__file__).parent.glob("claims_*.py")):
    importlib.import_module(table.stem)

pytestmark = pytest.mark.filterwarnings("ignore::assay.UndefinedWarning", "ignore::FutureWarning")


def said() -> set[tuple[str, str]]:
    """Every claim of every record."""
    of_metrics = {(f"metric.{cls.key}", text) for cls in metrics() for text in cls.record.equals}
    return of_metrics | {(f"loss.{f.key}", text) for f in losses() for text in f.record.equals}


def test_every_claim_is_in_the_table_and_nothing_else() -> None:
    assert set(CLAIMS) == said()
    assert len(CLAIMS) > 150


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("one", [*CLAIMS.values(), *ORACLES.values()], ids=lambda c: f"{c.entry}-{c.text[:40]}")
def test_a_claim_holds_on_fresh_data(one: Claim, seed: int) -> None:
    one(seed)
