"""A clone with nothing beside it checks every entry against something nobody here wrote: a peer, or published numbers."""

from __future__ import annotations

import dis
import re
from pathlib import Path

import test_claims

from assay.core.loss import losses
from assay.core.registry import metrics
from claims import CLAIMS, ORACLES, Claim

ROOT = Path(__file__).parents[2]
CHECKS = [*CLAIMS.values(), *ORACLES.values()]
DISTRIBUTIONS = {"sklearn": "scikit-learn", "skimage": "scikit-image", "ot": "POT", "cleanfid": "clean-fid",
                 "pytrec_eval": "pytrec-eval-terrier", "cwl": "cwl-eval"}  # fmt: skip
WRAPPED = {"coco_oracle", "tide_oracle", "lvis_oracle"}  # helpers that call the peer, which the check is handed in vain


def test_no_entry_depends_on_data_outside() -> None:
    """The number of entries whose only independent check would be skipped without the published data is 0."""
    assert test_claims.CLAIMS is CLAIMS
    entries = {f"metric.{cls.key}" for cls in metrics()} | {f"loss.{f.key}" for f in losses()}
    assert len(entries) > 120
    assert sorted(entries - {c.entry for c in CHECKS if c.independent}) == []
    assert {c.entry for c in CHECKS} <= entries
    for file in (*(ROOT / "tests" / "claims").glob("claims*.py"), *(ROOT / "tests").glob("*_oracle.py")):
        assert not re.search(r"^(import|from) fixtures", file.read_text(), re.MULTILINE), (
            f"{file.name} reads data outside"
        )


def needed() -> set[str]:
    """The distributions that `make env` installs, and torch."""
    lines = [line for file in ROOT.glob("requirements-*.txt") if "bench" not in file.name for line in file.open()]
    lines += re.findall(r'^  "(.+)",$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    names = {re.match(r"[\w-]*", line)[0].lower() for line in lines}
    return names - {""}


def test_peers_are_in_the_requirements_and_are_called() -> None:
    known = needed()
    for check in CHECKS:
        if check.peer:
            package = check.peer.split(".")[0]
            assert DISTRIBUTIONS.get(package, package).replace("_", "-").lower() in known, f"{check.entry}: {package}"
            assert calls_the_peer(check), f"{check.entry}: {check.text} is handed {check.peer} and does not use it"


def calls_the_peer(check: Claim) -> bool:
    """Whether the check loads the module that it is handed."""
    first = check.show.__code__.co_varnames[0]
    if first == "_":
        return bool(WRAPPED & set(check.show.__code__.co_names))
    return any(i.opname.startswith("LOAD") and i.argval == first for i in dis.get_instructions(check.show))
